"""Function words: words that a question of any subject has, so that finding them says nothing.

The lists lie in ``gnomon/data/function_words``, a word a line. Closed classes only: articles,
pronouns, prepositions, conjunctions, auxiliaries, question words, and in English the verbs of
asking ("tell", "explain"). A word that can name a thing stays out.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Final

from gnomon.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

LANGUAGES: Final = ("de", "en", "es", "fr", "ru")


def function_words(languages: Iterable[str]) -> frozenset[str]:
    """Return the function words of some languages, given by ISO 639-1 code.

    Raises
    ------
    UsageError
        For a language without a list; the message names those with one.
    """
    words: frozenset[str] = frozenset()
    for language in languages:
        if language not in LANGUAGES:
            raise UsageError(
                f"languages names {language!r}; there are function words of "
                f"{', '.join(LANGUAGES)}. Leave it out: its questions are then measured with all "
                "their words"
            )
        words |= _words_of(language)
    return words


@cache
def _words_of(language: str) -> frozenset[str]:
    file = resources.files("gnomon") / "data" / "function_words" / f"{language}.txt"
    return frozenset(file.read_text(encoding="utf-8").split())
