"""Text from files cannot act on a terminal once it went through `printable`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.sources.escape import listed, printable, quoted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain [a] <b> & 'c'", "plain [a] <b> & 'c'"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\r\nb\tc\x00", "a\\r\\nb\\tc\\x00"),
        ("\x9b31m", "\\x9b31m"),
        ("abc\u202egnp.exe", "abc\\u202egnp.exe"),
        ("\u2066x\u2069\u200f", "\\u2066x\\u2069\\u200f"),
        ("half \ud83d", "half \\ud83d"),
        ("a\u2028b\u2029c\x85", "a\\u2028b\\u2029c\\x85"),
        ("\ufeffid\u200b", "\\ufeffid\\u200b"),
        ("tag \U000e0041", "tag \\U000e0041"),
        ("日本語 é ß", "日本語 é ß"),
        ("no\u00a0break", "no\u00a0break"),
    ],
)
def test_what_acts_is_escaped(text: str, expected: str) -> None:
    """Controls, overrides and invisible characters become escapes; letters stay."""
    assert printable(text) == expected


def test_joiners_stay() -> None:
    """Joiners that are part of words and emoji are kept."""
    text = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f469\u200d\U0001f680"
    assert printable(text) == text


def test_kept_characters_stay() -> None:
    """A message of several lines keeps its line feeds, and nothing else."""
    assert printable("a\nb\rc", keep="\n") == "a\nb\\rc"


@given(st.text(st.characters(codec=None)))
def test_result_is_harmless_and_stable(text: str) -> None:
    """The result is UTF-8, holds no control character, and is not escaped a second time."""
    shown = printable(text)
    shown.encode("utf-8")
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in shown)
    assert printable(shown) == shown


def test_quoted_is_bounded() -> None:
    """A long id is cut, and its length is told."""
    assert quoted("é" * 81) == f"'{'é' * 80}...' (81 characters)"
    assert quoted("x\x07") == "'x\\x07'"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a\u00a0b", "'a\\xa0b'"),
        ("a\u3000b", "'a\\u3000b'"),
        ("a\ue000b", "'a\\ue000b'"),
        ("a\u0378b", "'a\\u0378b'"),
        ("two words", "'two words'"),
        ("\U0001f469\u200d\U0001f680", "'\U0001f469\u200d\U0001f680'"),
    ],
)
def test_quoted_shows_what_cannot_be_seen(value: str, expected: str) -> None:
    """A space of another kind, or a character that no font has, is told apart in an error."""
    assert quoted(value) == expected


@given(st.text(st.characters(codec=None)))
def test_quoted_is_printable(text: str) -> None:
    """All of it but the joiners is what Python calls printable."""
    assert quoted(text).translate({0x200C: "", 0x200D: ""}).isprintable()


def test_listed_counts_the_rest() -> None:
    """A list names the first few and counts the others."""
    assert listed([]) == ""
    assert listed(["a"]) == "'a'"
    assert listed(list("abcdefg")) == "'a', 'b', 'c', 'd', 'e' and 2 more"
