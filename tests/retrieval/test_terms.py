"""Content terms: function words dropped, rarest first, and questions in another script."""

from __future__ import annotations

import pytest

from gnomon.errors import UsageError
from gnomon.kernels import Analyzer
from gnomon.retrieval.function_words import LANGUAGES, function_words
from gnomon.retrieval.terms import MOST_TERMS, Vocabulary, coverage

FREQUENCY = {"backend": 3, "call": 9, "request": 20, "timeout": 3, "für": 1}
VOCABULARY = Vocabulary.of(Analyzer(), ("en",), FREQUENCY)


def test_rarest_first() -> None:
    """Unknown before rare before common; equals in the order of their bytes; none twice."""
    question = "How do I set a timeout for the backend request, a backend call or an S3 bucket?"
    assert VOCABULARY.content_terms(question) == (
        "bucket", "s3", "set", "backend", "timeout", "call", "request",
    )  # fmt: skip


def test_function_words_only() -> None:
    """A question of function words has no content."""
    assert VOCABULARY.content_terms("And what about this one, then?") == ()


def test_function_words_of_the_configured_languages_only() -> None:
    """'für' is a word of the corpus until German is configured."""
    assert VOCABULARY.content_terms("für") == ("für",)
    german = Vocabulary.of(Analyzer(), ("en", "de"), FREQUENCY)
    assert german.content_terms("für what") == ()


def test_at_most_twelve() -> None:
    """The rarest twelve of a paragraph."""
    words = [f"word{i}" for i in range(30)]
    vocabulary = Vocabulary.of(Analyzer(), ("en",), {w: i + 1 for i, w in enumerate(words)})
    assert vocabulary.content_terms(" ".join(reversed(words))) == tuple(words[:MOST_TERMS])


@pytest.mark.parametrize(
    ("question", "foreign"),
    [
        ("а для бэкенда?", True),
        ("バックエンドは？", True),
        ("und im hinterland?", False),
        ("а backend?", False),
        ("42?", False),
        ("?", False),
    ],
)
def test_another_script(question: str, foreign: bool) -> None:
    """No shared term and hardly a shared letter; other words in the same script are not it."""
    assert VOCABULARY.is_in_another_script(question) is foreign


@pytest.mark.parametrize(
    ("terms", "share"), [((), 0.0), (("a", "b"), 0.5), (("a",), 1.0), (("c",), 0.0)]
)
def test_coverage(terms: tuple[str, ...], share: float) -> None:
    """The share of the terms that the evidence has; nothing asked is nothing found."""
    assert coverage(terms, frozenset({"a"})) == share


def test_what_is_hashed_names_the_lists() -> None:
    """Another language or another analyzer is another vocabulary."""
    one = VOCABULARY.describe()
    assert one != Vocabulary.of(Analyzer(), ("en", "de"), FREQUENCY).describe()
    assert one != Vocabulary.of(Analyzer(stopwords=["the"]), ("en",), FREQUENCY).describe()


def test_lists() -> None:
    """Sorted, folded, and refused by name where there is none."""
    for language in LANGUAGES:
        words = function_words([language])
        assert len(words) > 100
        assert all(word == word.casefold() for word in words)
    with pytest.raises(UsageError, match="there are function words of de, en, es, fr, ru"):
        function_words(["tlh"])
