"""Every way to hand rankings to a rank fusion, as one list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from tests.reference import rrf as reference
from tests.reference.rrf import Fused

from gnomon import kernels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def hits_of(lists: Sequence[Sequence[int]]) -> kernels.Hits:
    """Return one list a query as what a search returns; the scores mean nothing."""
    offsets = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    ids = np.array([item for part in lists for item in part], np.int64)
    return kernels.Hits(ids, np.full(len(ids), np.nan, np.float32), offsets)


def fused(found: Any) -> list[Fused]:
    """Return the fused rankings, one a query, after checking the shape of the answer."""
    assert found.offsets.dtype == np.int64
    assert found.scores.dtype == np.float32
    assert found.offsets[0] == 0
    assert found.offsets[-1] == len(found.ids) == len(found.scores)
    assert len(found.offsets) == len(found) + 1
    assert found.counts().tolist() == np.diff(found.offsets).tolist()
    return [Fused([_plain(item) for item in row.ids], list(row.scores)) for row in found]


def _plain(item: Any) -> int | str:
    return str(item) if isinstance(item, str) else int(item)


def assert_fused(
    found: Sequence[Fused], expected: Sequence[Fused], where: object = "", *, bits: bool = True
) -> None:
    """Compare ids, and scores bit by bit."""
    assert len(found) == len(expected), where
    for got, want in zip(found, expected, strict=True):
        assert got.ids == want.ids, where
        if bits:
            assert got.scores == want.scores, where


def one_query(rankings: Sequence[Sequence[int]]) -> Iterator[tuple[str, Any]]:
    """Yield each form in which the lists of one query can come."""
    yield "lists", [list(part) for part in rankings]
    yield "tuples", tuple(tuple(part) for part in rankings)
    yield "arrays", [np.array(part, np.int64) for part in rankings]
    yield "hits rows", [hits_of([part])[0] for part in rankings]
    yield "hits", [hits_of([part]) for part in rankings]
    if all(-(2**31) <= item < 2**31 for part in rankings for item in part):
        yield "int32", [np.array(part, np.int32) for part in rankings]
    if len({len(part) for part in rankings}) == 1:
        yield "matrices", [np.array([part], np.int64).reshape(1, -1) for part in rankings]
        yield (
            "topk",
            [
                kernels.TopK(
                    np.array([part], np.int64).reshape(1, -1), np.zeros((1, len(part)), np.float32)
                )
                for part in rankings
            ],
        )


def names(rankings: Sequence[Sequence[int]]) -> list[list[str]]:
    """Return the ids as strings in the same order: id order is code point order of the names."""
    return [[f"{item + 2**63:020d}" for item in part] for part in rankings]


def check_one(rankings: Sequence[Sequence[int]], isa: str = "", **given: Any) -> None:
    """Demand the definition's answer from every form of one query's lists."""
    expected = reference.fuse(rankings, **{key: given[key] for key in given if key != "threads"})
    for form, asked in one_query(rankings):
        assert_fused(fused(kernels.rrf(asked, **given)), [expected], (form, isa, given))
    by_name = fused(kernels.rrf(names(rankings), **given))
    if any(rankings):
        as_names = Fused(names([expected.ids])[0], expected.scores)
        assert_fused(by_name, [as_names], ("names", isa, given))
    else:
        assert [part.ids for part in by_name] == [[]]
