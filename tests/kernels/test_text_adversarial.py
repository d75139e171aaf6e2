"""Text analysis against its rules over Python's Unicode data, and texts of hostile sizes."""

from __future__ import annotations

import functools
import itertools
import sys
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import text as reference

from gnomon import kernels

if TYPE_CHECKING:
    from collections.abc import Callable


def unicode_version() -> str:
    """Return the version of the tables that gnomon was built from."""
    said = kernels.Analyzer().describe()
    return next(str(value) for key, value in said.items() if "unicode" in str(key).lower())


VERSION = unicode_version()
COMPARABLE = [
    chr(code) for code in range(sys.maxunicode + 1) if reference.is_comparable(chr(code), VERSION)
]
HARD = [
    *"aZzßẞſﬁŉǰΐΰևẖẞıİiIςσΣͅᾳᾼᾀΆάⅧⅷ①㎏½²ªµÅÅKkΩΩ",
    *"\u0300\u0301\u0307\u0308\u0323\u0327\u0345\u035c\u0591\u05b0\u064b\u0651\u093c\u094d\u0e31",
    *"かがｶﾞﾟー゙゚々〇〆㍿東京國\u3400\U00020000\ufa0e\uf900\u2f00",
    *"한ᄒㅏ\u1100\u1161\u11a8\u11a7\u115f\u1160\u3164\uffa0",
    *"\u00ad\u200b\u200c\u200d\u2060\ufeff\ufe0f\u180e\u034f\u061c\U000e0001\U000e0100",
    *" \t\n\x00\x1f\x7f\x85\u00a0\u2028\u3000.-_'’·・،।",
    *"👍🏽👩\u20e3☃❤\ue000\uffff\U0010ffff\u0378",
    *"हिनสดี\u0fb2\u0f71\u0f80\u1e9b\u0323\u0958\u0344\u2126\u0387",
]
TEXT = st.lists(
    st.sampled_from([char for char in HARD if reference.is_comparable(char, VERSION)])
    | st.sampled_from(COMPARABLE),
    max_size=30,
).map("".join)


@functools.cache
def words(text: str) -> list[str]:
    """Return what the rules say, once for all instruction sets."""
    return reference.words(text)


@given(text=TEXT)
def test_any_text(text: str, force_isa: Callable[[str], None]) -> None:
    """Any characters in any order give the words of the rules, on every instruction set."""
    expected = reference.words(text)
    for isa in kernels.runnable_isas():
        force_isa(isa)
        assert kernels.analyze(text) == expected, (isa, text.encode("unicode_escape"))


@given(text=TEXT)
def test_canonically_equivalent_texts(text: str) -> None:
    """NFC and NFD of a text have the same words."""
    words = {tuple(kernels.analyze(unicodedata.normalize(form, text))) for form in ("NFC", "NFD")}
    assert words == {tuple(kernels.analyze(text))}


@given(text=TEXT)
def test_words_are_fixpoints(text: str) -> None:
    """A word analyses to itself, and holds no separator."""
    for word in kernels.analyze(text):
        assert kernels.analyze(word) == [word] or len(kernels.analyze(word)) == 1
        assert word
        assert not any(char.isspace() for char in word)


def test_every_character_alone(isa: str) -> None:
    """Each character of Unicode between spaces gives the words of the rules."""
    for first in range(0, len(COMPARABLE), 4096):
        text = " ".join(COMPARABLE[first : first + 4096])
        found, expected = kernels.analyze(text), words(text)
        assert found == expected, next(
            (a, b) for a, b in itertools.zip_longest(found, expected) if a != b
        )


def test_every_character_between_letters(isa: str) -> None:
    """Each character inside a word joins, splits or vanishes as the rules say."""
    for first in range(0, len(COMPARABLE), 4096):
        text = "\n".join(f"x{char}\u0301y" for char in COMPARABLE[first : first + 4096])
        found, expected = kernels.analyze(text), words(text)
        assert found == expected, next(
            (a, b) for a, b in itertools.zip_longest(found, expected) if a != b
        )


@pytest.mark.parametrize(
    "unit", ["a", "ß", "İ", "か", "ｶﾞ", "한", "e\u0301", "\u1e9b\u0323", "😀", " ", "ﷺ"]
)
@pytest.mark.parametrize("shift", [0, 5])
def test_long_runs_of_one_thing(unit: str, shift: int, isa: str) -> None:
    """Words longer than any buffer, begun at any place of it, are whole."""
    for length in (1, 15, 16, 17, 63, 64, 65, 1000, 4097):
        text = "." * shift + unit * length
        assert kernels.analyze(text) == words(text), length


def test_separators_at_every_place(isa: str) -> None:
    """A word that begins and ends anywhere in a buffer is found, beside any neighbour."""
    for width in (1, 2, 15, 16, 17, 31, 32, 33, 63, 64):
        for sign in (" ", "é", "東", "\u0301", "\u200b", "😀"):
            text = ("x" * width + sign) * 70
            assert kernels.analyze(text) == words(text), (width, sign)


@pytest.mark.parametrize("marks", [1, 2, 30, 31, 32, 100, 5000])
def test_many_marks_on_one_letter(marks: int, isa: str) -> None:
    """Runs of combining marks of any length are put in canonical order."""
    classes = "\u0301\u0323\u0327\u0345\u0591\u0301"
    text = "a" + "".join(classes[i * 7 % 6] for i in range(marks)) + "b"
    assert kernels.analyze(text) == reference.words(text)


def test_ten_megabytes_in_one_document(isa: str) -> None:
    """A document of 10 MB is one document, whatever it holds."""
    unit = "The Zürich straße 东京塔 한국어 x1 — "
    times = 10_000_000 // len(unit.encode())
    assert kernels.analyze(unit * times) == kernels.analyze(unit) * times
    index = kernels.BM25Index(["small", unit * times], threads=2)
    assert index.search("zürich", 3).ids.tolist() == [1]
    assert index.vocabulary_size == len(set(kernels.analyze(unit))) + 1


def test_ten_megabytes_in_one_word(isa: str) -> None:
    """A word of 10 MB is one word."""
    (word,) = kernels.analyze("Ab" * 5_000_000)
    assert word == "ab" * 5_000_000


def test_a_million_empty_texts() -> None:
    """Empty texts keep their rows and give no hits."""
    index = kernels.BM25Index(itertools.chain(itertools.repeat("", 999_999), ["x"]), threads=2)
    assert len(index) == 1_000_000
    assert index.search("x", 3).ids.tolist() == [999_999]


def test_texts_of_hostile_sizes_side_by_side(isa: str) -> None:
    """Batches with huge, empty and tiny texts in any order keep rows apart."""
    texts = ["", "a b", "x " * 300_000, "", "Zürich", "東京" * 50_000, ".", "end"]
    for threads in (1, 2, 7):
        index = kernels.BM25Index(texts, threads=threads)
        found = index.search(["x", "zürich", "東京", "end", "b"], 2)
        assert found.ids.tolist() == [2, 4, 5, 7, 1]
