"""What text analysis refuses, and that the message names the place."""

from __future__ import annotations

from typing import Any

import pytest

from gnomon import kernels
from gnomon.errors import GnomonError


@pytest.mark.parametrize("text", ["\ud800", "a\udc80b", "\ud83d\ude00", "x" * 100_000 + "\udcff"])
def test_lone_surrogates(text: str, isa: str) -> None:
    """Half a character is no text: an error, never a replacement or a skipped word."""
    with pytest.raises(ValueError, match="surrogate") as caught:
        kernels.analyze(text)
    assert isinstance(caught.value, GnomonError)


@pytest.mark.parametrize("text", [None, 3, b"abc", ["a"], 1.5, bytearray(b"a")])
def test_other_things_than_text(text: Any) -> None:
    """Bytes, numbers and lists are no text."""
    with pytest.raises(TypeError, match="str") as caught:
        kernels.analyze(text)
    assert isinstance(caught.value, GnomonError)


@pytest.mark.parametrize(
    "settings",
    [
        {"stemmer": "klingon"},
        {"stemmer": 3},
        {"stopwords": "klingon"},
        {"stopwords": 3},
        {"stopwords": ["a", 3]},
        {"stopwords": ["\ud800"]},
        {"stopwords": [None]},
    ],
)
def test_bad_settings_are_named(settings: dict[str, Any]) -> None:
    """An unknown language or a word that is none is an error that names the setting."""
    (name,) = settings
    with pytest.raises((ValueError, TypeError), match=name) as caught:
        kernels.Analyzer(**settings)
    assert isinstance(caught.value, GnomonError)


def test_unknown_languages_list_the_right_ones() -> None:
    """A language without a list of stopwords gets the names that have one."""
    with pytest.raises(ValueError, match="english"):
        kernels.Analyzer(stopwords="englisch")


def test_options_are_named() -> None:
    """Settings are keywords, and a misspelt one is an error."""
    with pytest.raises(TypeError):
        kernels.Analyzer("english")
    with pytest.raises(TypeError, match="stop_words"):
        kernels.Analyzer(stop_words=["a"])


@pytest.mark.parametrize("wrong", ["english", str.split, {"stemmer": "english"}], ids=repr)
def test_an_analyzer_is_an_analyzer(wrong: Any) -> None:
    """Another callable or a name in its place is refused, for a text and for an index."""
    for ask in (
        lambda: kernels.analyze("a", analyzer=wrong),
        lambda: kernels.BM25Index(["a"], analyzer=wrong),
    ):
        with pytest.raises(TypeError, match="nalyzer") as caught:
            ask()
        assert isinstance(caught.value, GnomonError)
