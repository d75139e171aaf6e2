"""Stemmers and stopword lists by language: from packages that keep them, never our own copies."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.errors import MissingDependencyError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

STEMMER_PACKAGE = "PyStemmer"
STOPWORD_PACKAGE = "bm25s"

_STEMMED_AT_ONCE = 1 << 14

# The names of the lists in bm25s.stopwords. Its lists for Chinese and Korean are left out: their
# words are cut into bigrams here, and dropping bigrams would drop parts of other words.
_STOPWORD_LISTS = {
    "danish": "STOPWORDS_DANISH",
    "dutch": "STOPWORDS_DUTCH",
    "english": "STOPWORDS_EN",
    "french": "STOPWORDS_FRENCH",
    "german": "STOPWORDS_GERMAN",
    "italian": "STOPWORDS_ITALIAN",
    "norwegian": "STOPWORDS_NORWEGIAN",
    "portuguese": "STOPWORDS_PORTUGUESE",
    "russian": "STOPWORDS_RUSSIAN",
    "spanish": "STOPWORDS_SPANISH",
    "swedish": "STOPWORDS_SWEDISH",
    "turkish": "STOPWORDS_TURKISH",
}


@dataclass(frozen=True)
class LanguageData:
    """Which language was asked for, and the package and version that its data came from."""

    language: str
    package: str
    version: str


def find_stemmer(language: str) -> LanguageData:
    """Return where the Snowball stemmer of a language comes from.

    Raises
    ------
    UsageError
        The package has no stemmer of that name; the message lists those that it has.
    MissingDependencyError
        PyStemmer isn't installed.
    """
    known = _stemmer_module(f"stemmer={language!r}").algorithms()
    if language not in known:
        raise UsageError(
            f"stemmer is {language!r}; PyStemmer {version(STEMMER_PACKAGE)} knows "
            f"{', '.join(sorted(known))}"
        )
    return LanguageData(language, STEMMER_PACKAGE, version(STEMMER_PACKAGE))


def stems_of(words: Sequence[str], language: str) -> list[str]:
    """Return the stem of every word; a word whose stem is empty keeps its form."""
    # Without a cache and never shared: PyStemmer's objects aren't safe between threads.
    stemmer = _stemmer_module(f"stemmer={language!r}").Stemmer(language, 0)
    stems: list[str] = []
    for first in range(0, len(words), _STEMMED_AT_ONCE):  # Ctrl-C isn't heard within a call
        stems += stemmer.stemWords(list(words[first : first + _STEMMED_AT_ONCE]))
    return [stem or word for stem, word in zip(stems, words, strict=True)]


def _stemmer_module(wanted_for: str) -> Any:
    try:
        import Stemmer  # noqa: PLC0415  # an extra
    except ImportError as error:
        raise MissingDependencyError(
            f"{wanted_for} needs PyStemmer ({error}); run: pip install 'gnomon[text]'"
        ) from error
    return Stemmer


def stopword_list(language: str) -> tuple[tuple[str, ...], LanguageData]:
    """Return the stopwords of a language as its package writes them.

    Raises
    ------
    UsageError
        There is no list of that name; the message lists those that there are.
    MissingDependencyError
        The package isn't installed, or has no such list any more.
    """
    if language not in _STOPWORD_LISTS:
        raise UsageError(
            f"stopwords is {language!r}; there are lists for {', '.join(sorted(_STOPWORD_LISTS))}; "
            "words of your own are given as a list"
        )
    # The module that holds the lists, alone: the package imports a search engine.
    spec = importlib.util.find_spec(STOPWORD_PACKAGE)
    folders = (spec and spec.submodule_search_locations) or [""]
    try:
        data = LanguageData(language, STOPWORD_PACKAGE, version(STOPWORD_PACKAGE))
        found = _constants_of(Path(folders[0]) / "stopwords.py")[_STOPWORD_LISTS[language]]
    except (KeyError, OSError, PackageNotFoundError) as error:
        raise MissingDependencyError(
            f"stopwords={language!r} needs the list in {STOPWORD_PACKAGE} "
            f"({type(error).__name__}: {error}); run: pip install 'gnomon[text]'"
        ) from error
    return tuple(found), data


def _constants_of(path: Path) -> dict[str, Any]:
    spec = importlib.util.spec_from_file_location("_gnomon_stopword_lists", path)
    if spec is None or spec.loader is None:
        raise OSError(f"{path} can't be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return vars(module)
