"""What lint is told of an index: values, so that nothing here opens one."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

from gnomon.golden.gold import GoldIndex, page_of
from gnomon.kernels import nfkc_casefold
from gnomon.sources.escape import quoted
from gnomon.sources.pages import ENDINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_NEIGHBOURS: Final = 15
_LONGEST_NAME: Final = 500
_ALIKE: Final = 0.6


@dataclass(frozen=True, eq=False)
class IndexFacts:
    """The chunks of an index.

    Attributes
    ----------
    chunk_ids, pages, texts
        Id, page and text, headings included, of every chunk in the order of the index.
    function_words
        Words that a question of any subject has, in the languages of the index.
    """

    chunk_ids: Sequence[str]
    pages: Sequence[str]
    texts: Sequence[str] = field(repr=False)
    function_words: frozenset[str] = frozenset()

    @cached_property
    def gold(self) -> GoldIndex:
        """The chunks, to be asked what a gold entry matches."""
        return GoldIndex(self.chunk_ids, self.pages)

    @cached_property
    def page_set(self) -> frozenset[str]:
        """The pages."""
        return frozenset(self.pages)

    @cached_property
    def copies(self) -> Mapping[int, list[int]]:
        """The rows with one text, itself among them, by row; a text that stands once is not there.

        Runs of blanks count as one blank, and chunks without text are no copies.
        """
        rows_of: dict[str, list[int]] = {}
        for row, text in enumerate(self.texts):
            rows_of.setdefault(" ".join(text.split()), []).append(row)
        # One list for all rows of a text: there may be thousands.
        groups = (rows for text, rows in rows_of.items() if text and len(rows) > 1)
        return {row: rows for rows in groups for row in rows}

    def holds(self, paths: Iterable[str]) -> bool:
        """Return whether a page lies in a scope of some paths."""
        return any(self._is_path(path) for path in paths)

    def _is_path(self, path: str) -> bool:
        first = bisect_left(self._sorted_pages, f"{path}/")
        nested = self._sorted_pages[first : first + 1]
        return path in self.page_set or any(page.startswith(f"{path}/") for page in nested)

    @cached_property
    def _sorted_pages(self) -> list[str]:
        return sorted(self.page_set)

    def hint(self, entry: str) -> str:
        """Return what a gold entry or a page that matches nothing may have been meant to be.

        Examples
        --------
        >>> facts = IndexFacts(["guide/keys#", "guide/keys#rotate"], ["guide/keys"] * 2, ["", ""])
        >>> facts.hint("guide/keys#rotat"), facts.hint("guide/Keys.md")
        ("; did you mean 'guide/keys#rotate'?", "; did you mean 'guide/keys'?")
        """
        page, mark, anchor = entry.rpartition("#")
        page = page_of(entry) if not mark else page.strip("/")
        meant = self._page_like(page)
        if meant is None:
            return ""
        if meant != page and _in_one_form(meant) == _in_one_form(page):
            return f"; the index has {meant!a}, and ids are compared exactly as written"
        if not mark:
            return f"; did you mean {quoted(meant)}?"
        if not anchor:
            return f"; did you mean {quoted(meant + '#')}?"
        anchors = [self.chunk_ids[row][len(meant) + 1 :] for row in self.gold.rows(f"{meant}#")]
        near = _nearest(anchor, _Names(anchors))
        if near:
            return f"; did you mean {quoted(f'{meant}#{near}')}?"
        return f"; the page {quoted(meant)} has no such section"

    def _page_like(self, page: str) -> str | None:
        for ending in ENDINGS:
            page = page.removesuffix(ending)
        if page in self.page_set:
            return page
        return self._by_spelling.get(spelled(page)) or _nearest(page, self._names)

    @cached_property
    def _by_spelling(self) -> dict[str, str]:
        return {spelled(page): page for page in sorted(self.page_set)}

    @cached_property
    def _names(self) -> _Names:
        """The pages and the folders that they stand in."""
        folders = {page.rpartition("/")[0] for page in self.page_set}
        parts = (folder.split("/") for folder in folders)
        above = {"/".join(one[:n]) for one in parts for n in range(1, len(one) + 1)}
        return _Names((self.page_set | above) - {""})


def spelled(text: str) -> str:
    """Return what two ids have in common that differ in case, blanks or Unicode form.

    Examples
    --------
    >>> spelled("Doc 1 ") == spelled("doc\u00a01")
    True
    """
    return "".join(nfkc_casefold(text).split())


def _in_one_form(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


class _Names:
    """Names in two orders, in which those that begin or end alike stand together."""

    def __init__(self, names: Iterable[str]) -> None:
        self.rising = sorted(names)
        self.backwards = sorted(name[::-1] for name in self.rising)

    def around(self, wanted: str) -> list[str]:
        """Return the names that may be most similar to one that is not there."""
        near = _around(self.rising, wanted)
        return near + [name[::-1] for name in _around(self.backwards, wanted[::-1])]


def _around(names: list[str], wanted: str) -> list[str]:
    at = bisect_left(names, wanted)
    return names[max(at - _NEIGHBOURS, 0) : at + _NEIGHBOURS]


def _nearest(wanted: str, names: _Names) -> str | None:
    """Return the name with which most pairs of letters are shared (Dice's coefficient)."""
    if len(wanted) > _LONGEST_NAME:
        return None
    asked = _pairs(wanted)
    found = [
        (2 * len(asked & known) / (len(asked) + len(known)), name)
        for name in sorted(set(names.around(wanted)))
        if (known := _pairs(name))
    ]
    share, name = max(found, key=lambda one: one[0], default=(0.0, ""))
    return name if share >= _ALIKE else None


def _pairs(name: str) -> set[str]:
    padded = f" {name} "
    return {padded[start : start + 2] for start in range(len(padded) - 1)}
