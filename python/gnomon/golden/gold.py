"""Gold entries: which chunks a golden record calls an answer.

An entry has three shapes. ``guide/auth`` is the page and everything nested under it, with a
boundary: ``guide/scope`` never matches ``guide/scoped-page``. ``guide/auth#`` is every anchor of
that page and nothing else. ``guide/auth#request`` is one section and its continuation parts ``~2``,
``~3``, never ``#request-1``, which is another heading of the same name. Slashes around a page path
are a matter of taste. A document of a corpus is a page without anchors.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.golden.records import GoldenRecord

_PART = re.compile(r"~(?:[2-9]|[1-9][0-9]+)", re.ASCII)
# The character after the slash: nested pages of P sort from "P/" up to, and not including, "P0".
_AFTER_SLASH = "0"


class _Place(NamedTuple):
    """Page and anchor of an id or an entry; the anchor is None where no ``#`` stands."""

    page: str
    anchor: str | None


@lru_cache(maxsize=1 << 16)
def _place_of(text: str) -> _Place:
    page, mark, anchor = text.rpartition("#")
    return _Place(page.strip("/"), anchor) if mark else _Place(text.strip("/"), None)


def page_of(text: str) -> str:
    """Return the page of a chunk id or of a gold entry, without slashes around it.

    Examples
    --------
    >>> page_of("guide/auth#request~2"), page_of("/guide/auth/"), page_of("d17")
    ('guide/auth', 'guide/auth', 'd17')
    """
    return _place_of(text).page


def matches(entry: str, chunk_id: str) -> bool:
    """Return whether a gold entry calls a chunk an answer.

    Examples
    --------
    >>> matches("guide/scope", "guide/scope/why#"), matches("guide/scope", "guide/scoped-page#")
    (True, False)
    >>> matches("guide/auth#request", "guide/auth#request~2")
    True
    >>> matches("guide/auth#request", "guide/auth#request-1")
    False
    >>> matches("guide/auth#", "guide/auth#request"), matches("guide/auth#", "guide/auth/keys#")
    (True, False)
    """
    if entry == chunk_id:
        return bool(entry)
    (page, anchor), (chunk_page, chunk_anchor) = _place_of(entry), _place_of(chunk_id)
    if not page:
        return False
    if anchor is None:
        return chunk_page == page or chunk_page.startswith(f"{page}/")
    return chunk_page == page and _within(anchor, chunk_anchor or "")


def gold_covered(entries: Sequence[str], chunk_ids: Sequence[str]) -> tuple[bool, ...]:
    """Return for every gold entry whether one of the chunks matches it."""
    return tuple(any(matches(entry, chunk) for chunk in chunk_ids) for entry in entries)


def are_gold(entries: Sequence[str], chunk_ids: Sequence[str]) -> tuple[bool, ...]:
    """Return for every chunk whether it matches one of the gold entries."""
    return tuple(any(matches(entry, chunk) for entry in entries) for chunk in chunk_ids)


def first_gold_rank(entries: Sequence[str], chunk_ids: Sequence[str]) -> int | None:
    """Return the rank, from 1, of the first chunk that matches a gold entry; None without one.

    Examples
    --------
    >>> first_gold_rank(["guide/auth"], ["guide/keys#", "guide/auth#request"])
    2
    """
    for rank, chunk in enumerate(chunk_ids, 1):
        if any(matches(entry, chunk) for entry in entries):
            return rank
    return None


class GoldIndex:
    """The chunks of an index, to be asked which of them a gold entry matches.

    Answers as `matches` does, in a time that does not grow with the chunks it does not match.

    Parameters
    ----------
    chunk_ids
        In the order of the index.
    pages
        The page of every chunk, where ids don't tell it: a document whose id holds a ``#``.

    Examples
    --------
    >>> GoldIndex(["guide/auth#", "guide/auth#request", "guide/keys#"]).rows("guide/auth")
    (0, 1)
    """

    def __init__(self, chunk_ids: Sequence[str], pages: Sequence[str] | None = None) -> None:
        self.chunk_ids = tuple(chunk_ids)
        self.pages = tuple(map(page_of, chunk_ids) if pages is None else pages)
        self._row_of = {chunk: row for row, chunk in enumerate(self.chunk_ids)}
        self._rows_of: dict[str, list[int]] = {}
        for row, chunk in enumerate(self.chunk_ids):
            self._rows_of.setdefault(page_of(chunk), []).append(row)
        self._pages = sorted(self._rows_of)
        self._known: dict[str, tuple[int, ...]] = {}

    def rows(self, entry: str) -> tuple[int, ...]:
        """Return the rows of the chunks that an entry matches, rising."""
        if entry not in self._known:
            self._known[entry] = self._matched(entry)
        return self._known[entry]

    def _matched(self, entry: str) -> tuple[int, ...]:
        page, anchor = _place_of(entry)
        rows = {self._row_of[entry]} if entry and entry in self._row_of else set()
        if page and anchor is None:
            rows.update(self._rows_of.get(page, ()))
            rows.update(row for nested in self._nested(page) for row in self._rows_of[nested])
        elif page and anchor is not None:
            rows.update(
                row
                for row in self._rows_of.get(page, ())
                if _within(anchor, _place_of(self.chunk_ids[row]).anchor or "")
            )
        return tuple(sorted(rows))

    def is_there(self, entry: str) -> bool:
        """Return whether an entry names a page or a chunk, and not only what others are under."""
        page, anchor = _place_of(entry)
        if anchor is None:
            return entry in self._row_of or page in self._rows_of
        return bool(self.rows(entry))

    def _nested(self, page: str) -> list[str]:
        first = bisect_left(self._pages, f"{page}/")
        return self._pages[first : bisect_left(self._pages, f"{page}{_AFTER_SLASH}")]


def in_scope_gold(record: GoldenRecord, chunks: GoldIndex) -> tuple[str, ...]:
    """Return the gold entries of a record that match a chunk within the record's scope.

    Without a scope these are the entries that match anything. A scoped record that has gold, and
    none of it here, asks for what its scope does not hold: it counts as a negative.
    """
    scope = record.scope
    return tuple(
        entry
        for entry in record.gold_chunks
        if any(scope is None or scope.covers(chunks.pages[row]) for row in chunks.rows(entry))
    )


def _within(anchor: str, chunk_anchor: str) -> bool:
    """Return whether a chunk belongs to a section; an empty anchor is every section."""
    if not anchor or anchor == chunk_anchor:
        return True
    return chunk_anchor.startswith(anchor) and bool(_PART.fullmatch(chunk_anchor, len(anchor)))
