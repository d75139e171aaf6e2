"""Text from files, made safe to show on a terminal or in a message."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Control, format, surrogate, line and paragraph separators. Format characters include the
# bidirectional overrides, which reorder what is read, and the invisible tag characters.
_ACTING_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# Joiners are part of ordinary words and emoji in several scripts and reorder nothing.
_JOINERS = frozenset("\u200c\u200d")
# What no font shows, or shows like a space: harmless on a terminal, but in a quoted value it hides
# what is wrong with it. Spaces other than " ", private use and unassigned code points.
_UNSEEN_CATEGORIES = frozenset({"Zs", "Co", "Cn"})


def printable(text: str, *, keep: str = "") -> str:
    r"""Return ``text`` with every character escaped that could act on a terminal.

    Escaped are the C0 and C1 controls (so ANSI sequences lose their ESC), bidirectional overrides
    and other invisible format characters, line separators and lone surrogates. The result can be
    encoded as UTF-8. It is for reading: a backslash is not escaped, so it cannot be turned back.

    Parameters
    ----------
    text
        Any string.
    keep
        Characters to leave as they are, for example a line feed in a message of several lines.

    Examples
    --------
    >>> printable("red \x1b[31m id")
    'red \\x1b[31m id'
    >>> printable("ünïcode stays")
    'ünïcode stays'
    """
    if text.isprintable():
        return text
    return "".join(char if char in keep else _escaped(char, _ACTING_CATEGORIES) for char in text)


def quoted(text: str, *, limit: int = 80) -> str:
    r"""Return ``text`` in quotes for an error message, printable and at most ``limit`` long.

    Beyond what :func:`printable` escapes, so is what can't be seen or told from a space: a no-break
    space in an id is told apart from an ordinary one. Joiners stay.

    Examples
    --------
    >>> quoted("a\nb"), quoted("a\u00a0b")
    ("'a\\nb'", "'a\\xa0b'")
    >>> quoted("x" * 100, limit=5)
    "'xxxxx...' (100 characters)"
    """
    shown = printable(text[:limit])
    if not shown.isprintable():
        shown = "".join(_escaped(char, _UNSEEN_CATEGORIES) for char in shown)
    if len(text) <= limit:
        return f"'{shown}'"
    return f"'{shown}...' ({len(text)} characters)"


def listed(texts: Sequence[str], *, first: int = 5) -> str:
    """Return the first few of ``texts``, quoted, and how many more there are.

    Examples
    --------
    >>> listed(["a", "b", "c"], first=2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(quoted(text) for text in texts[:first])
    more = len(texts) - first
    return f"{shown} and {more} more" if more > 0 else shown


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with the words that belong to it.

    Examples
    --------
    >>> counted(1, "id differs", "ids differ"), counted(1200, "pair")
    ('1 id differs', '1,200 pairs')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def by_number(number: int, one: str, many: str) -> str:
    """Return the word that belongs to a number which is not shown beside it.

    Examples
    --------
    >>> [f"{counted(3, 'query', 'queries')}, {n} of which {by_number(n, 'is', 'are')} judged"
    ...  for n in (1, 2)]
    ['3 queries, 1 of which is judged', '3 queries, 2 of which are judged']
    """
    return one if number == 1 else many


def none_of(
    number: int, one: str, many: str | None = None, *, whose: str = "the", verb: str = "is"
) -> str:
    """Return the beginning of a sentence about some of which not one is as it should be.

    Examples
    --------
    >>> none_of(3, "record"), none_of(1, "query", "queries", whose="its")
    ('none of the 3 records is', 'its only query is not')
    """
    if number == 1:
        return f"{whose} only {one} {verb} not"
    return f"none of {whose} {counted(number, one, many)} {verb}"


def _escaped(char: str, categories: frozenset[str]) -> str:
    if char == " " or char in _JOINERS or unicodedata.category(char) not in categories:
        return char
    return ascii(char)[1:-1]
