"""The rules of text analysis, written out over Python's own Unicode data.

* Folding: the text is decomposed (NFKD), so that combining marks stand in their order; every
  character is replaced by the fixpoint of NFKC and full case folding, default-ignorable characters
  by nothing; the result is composed (NFC).
* Words: maximal runs of letters, numbers and marks (general categories L, N, M). Within a run, the
  letters and numbers of Han, Hiragana, Katakana and Hangul, and the prolonged sound marks, form
  runs of their own, which are cut into overlapping pairs; a single one is a word itself. A mark
  belongs to the character before it, and counts for nothing when there is none.
* U+200B, the zero-width space, separates; every other default-ignorable character vanishes.

Scripts aren't in Python's data; they are told from the characters' names here. Python may know
another version of Unicode than gnomon: compare only what `is_comparable` admits.
"""

from __future__ import annotations

import functools
import itertools
import unicodedata

ZERO_WIDTH_SPACE = "\u200b"
_IGNORABLE = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
"""Default_Ignorable_Code_Point, from the standard."""

_EAST_ASIAN = (
    (0x3005, 0x3007),
    (0x3021, 0x3029),
    (0x3031, 0x3035),
    (0x3038, 0x303C),
    (0x16FE3, 0x16FE3),
    (0x1D360, 0x1D371),
)
"""Iteration and repeat marks, zero, Hangzhou and counting rod numerals: CJK, but not named so."""

_CJK_NAMES = (
    "CJK UNIFIED IDEOGRAPH-",
    "CJK COMPATIBILITY IDEOGRAPH-",
    "HIRAGANA ",
    "HENTAIGANA ",
    "KATAKANA ",
    "KATAKANA-HIRAGANA PROLONGED",
    "HANGUL ",
)


def is_ignorable(char: str) -> bool:
    """Tell whether a character has no visible form of its own."""
    return any(first <= ord(char) <= last for first, last in _IGNORABLE)


def is_comparable(char: str, version: str) -> bool:
    """Tell whether a character means the same here and in the given version of Unicode.

    Parameters
    ----------
    version
        What gnomon was built from, such as "15.0.0".
    """
    ours = tuple(map(int, unicodedata.unidata_version.split(".")))
    data = unicodedata if ours <= tuple(map(int, version.split("."))) else unicodedata.ucd_3_2_0
    return data.category(char) not in ("Cn", "Cs")


@functools.cache
def folded_character(char: str) -> str:
    """Return the fixpoint of NFKC and case folding for one character."""
    before, now = "", char
    while now != before:
        before = now
        now = unicodedata.normalize("NFKC", now.casefold())
        now = "".join(part for part in now if not is_ignorable(part))
    return now


def fold(text: str) -> str:
    """Return NFKC_Casefold of a text."""
    parts = map(folded_character, unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", "".join(parts))


def kind(char: str) -> str:
    """Return what a folded character is: "word", "cjk", "mark" or "" for a separator."""
    category = unicodedata.category(char)
    if category[0] == "M":
        return "mark"
    if category[0] not in "LN":
        return ""
    if any(first <= ord(char) <= last for first, last in _EAST_ASIAN):
        return "cjk"
    if unicodedata.name(char, "").startswith(_CJK_NAMES):
        return "cjk"
    return "word"


def clusters(text: str) -> list[tuple[str, str]]:
    """Return (kind, characters) for each character of a folded text, marks with their character."""
    found: list[tuple[str, str]] = []
    for char in text:
        this = kind(char)
        if this != "mark":
            found.append((this, char))
        elif found and found[-1][0]:
            found[-1] = (found[-1][0], found[-1][1] + char)
    return found


def words(text: str) -> list[str]:
    """Return the words of a text, in order."""
    found: list[str] = []
    for piece in text.split(ZERO_WIDTH_SPACE):
        for this, group in itertools.groupby(clusters(fold(piece)), key=lambda item: item[0]):
            run = [characters for _, characters in group]
            if this == "cjk":
                pairs = [a + b for a, b in itertools.pairwise(run)]
                found += pairs or run
            elif this == "word":
                found.append("".join(run))
    return found
