"""Every way to ask for a cosine top-k, as one list, and the comparison with a reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from tests.reference.cosine import Row

from gnomon import kernels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

THREADS = (1, 2, 7)


@dataclass(frozen=True)
class Limits:
    """Which rows may be hits: per-query exclusions and one subset for all."""

    exclude: Sequence[Sequence[int]] | None = None
    subset: Sequence[int] | None = None

    @property
    def arguments(self) -> dict[str, Any]:
        """The keyword arguments of a search."""
        given: dict[str, Any] = {}
        if self.exclude is not None:
            given["exclude"] = [np.asarray(rows, np.int64) for rows in self.exclude]
        if self.subset is not None:
            given["subset"] = np.asarray(self.subset, np.int64)
        return given


NO_LIMITS = Limits()


def rows_of(found: Any) -> list[Row]:
    """Return the hits of a `TopK` or `Hits`, one `Row` a query, after checking its shape."""
    if isinstance(found, kernels.TopK):
        assert found.ids.ndim == found.scores.ndim == 2
        assert found.ids.shape == found.scores.shape
        pairs = zip(found.ids, found.scores, strict=True)
    else:
        assert found.offsets.dtype == np.int64
        assert found.offsets[0] == 0
        assert found.offsets[-1] == len(found.ids) == len(found.scores)
        assert len(found.offsets) == len(found) + 1
        pairs = zip(
            np.split(found.ids, found.offsets[1:-1]) if len(found) else [],
            np.split(found.scores, found.offsets[1:-1]) if len(found) else [],
            strict=True,
        )
    assert found.ids.dtype == np.int64
    assert found.scores.dtype == np.float32
    return [Row(ids, scores) for ids, scores in pairs]


def assert_same(found: Sequence[Row], expected: Sequence[Row], where: object = "") -> None:
    """Compare rows, and scores bit by bit."""
    assert len(found) == len(expected), where
    for query, (got, want) in enumerate(zip(found, expected, strict=True)):
        bits = got.scores.view(np.uint32), want.scores.view(np.uint32)
        if not (np.array_equal(got.ids, want.ids) and np.array_equal(*bits)):
            assert got.ids.tolist() == want.ids.tolist(), (where, "query", query)
            assert got.scores.tolist() == want.scores.tolist(), (where, "query", query)
            assert bits[0].tolist() == bits[1].tolist(), (where, "query", query)


def is_rectangular(expected: Sequence[Row]) -> bool:
    """Tell whether all queries have the same number of hits, so that the answer fits a `TopK`."""
    return len({len(row.ids) for row in expected}) <= 1


def answers(
    queries: Any,
    docs: Any,
    k: int,
    *,
    threads: int | None = None,
    limits: Limits = NO_LIMITS,
    rectangular: bool = True,
    reopened_at: Path | None = None,
) -> Iterator[tuple[str, list[Row]]]:
    """Yield the name of each route with its hits.

    Parameters
    ----------
    rectangular
        Whether the hits fit `TopK`; routes that return only `TopK` are left out otherwise.
    reopened_at
        Where an index is saved and opened again; no such route without it.
    """
    given = {**limits.arguments, "threads": threads}
    index = kernels.VectorIndex(docs, threads=threads)
    yield "topk_hits", rows_of(kernels.topk_hits(queries, docs, k, **given))
    yield "index.search_hits", rows_of(index.search_hits(queries, k, **given))
    if rectangular:
        yield "topk", rows_of(kernels.topk(queries, docs, k, **given))
        yield "index.search", rows_of(index.search(queries, k, **given))
    asked = _requests(queries, k, given.pop("exclude", None))
    for name, target in (("array", docs), ("index", index)):
        yield f"shared pass over {name}", rows_of(kernels.topk_pass(target, asked, **given)[1])
    if reopened_at is not None:
        index.save(reopened_at)
        again = kernels.VectorIndex.open(reopened_at)
        yield "reopened", rows_of(kernels.topk_pass(again, asked, **given)[1])


def _requests(queries: Any, k: int, exclude: Any) -> list[kernels.SearchRequest]:
    """Return three requests for one pass; the second is the one that is looked at."""
    return [
        kernels.SearchRequest(queries, 1),
        kernels.SearchRequest(queries, k, exclude=exclude),
        kernels.SearchRequest(queries, min(k + 3, 2**63 - 1)),
    ]
