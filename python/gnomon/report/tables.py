"""Tables of a report, whatever it is about: rows of text that are safe to show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.sources.escape import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST_ID = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of text under a caption; the first cell of a row names it.

    ``codes`` are the columns that hold ids, hashes or names of files.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    codes: frozenset[int] = frozenset()


def safe(text: str) -> str:
    """Return an id or name that is safe to show, cut when it is very long."""
    shown = printable(text[:_LONGEST_ID])
    return shown if len(text) <= _LONGEST_ID else f"{shown}..."
