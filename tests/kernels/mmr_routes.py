"""Every way to hand pools to a maximal marginal relevance, as one list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from tests.kernels.routes import rows_of
from tests.reference import mmr as reference
from tests.reference.cosine import Row

from gnomon import kernels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LAMBDAS = (0.0, 5e-324, 0.1, 0.3, 0.5, 0.7, 0.95, 1.0)
"""From diversity alone to relevance alone, over the smallest number that isn't 0."""


def as_hits(rows: Sequence[Sequence[int]]) -> kernels.Hits:
    """Return pools as what a search returns."""
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    ids = np.array([row for part in rows for row in part], np.int64)
    return kernels.Hits(ids, np.zeros(len(ids), np.float32), offsets)


def pools(
    queries: Any, matrix: Any, rows: Sequence[Sequence[int]] | None
) -> Iterator[tuple[str, Any, dict[str, Any], bool]]:
    """Yield name, pool argument, other arguments, and whether ids are positions in the own pool.

    Parameters
    ----------
    rows
        One ascending list of rows a query; None stands for all rows.
    """
    n_queries = len(np.atleast_2d(np.asarray(queries)))
    if rows is None:
        yield "matrix", matrix, {}, False
    lists = [list(range(len(matrix)))] * n_queries if rows is None else rows
    yield "lists of rows", matrix, {"rows": [np.asarray(part, np.int64) for part in lists]}, False
    yield "hits", matrix, {"rows": as_hits(lists)}, False
    own = [matrix[np.asarray(part, np.int64)] for part in lists]
    if n_queries:
        yield "sequence of matrices", own, {}, True
    if n_queries and len({len(part) for part in lists}) == 1:
        yield "array of rows", matrix, {"rows": np.array(lists, np.int64)}, False
        yield "stack", np.stack(own), {}, True


def answers(
    queries: Any,
    matrix: Any,
    k: int,
    lambdas: Sequence[float],
    *,
    rows: Sequence[Sequence[int]] | None = None,
    threads: int | None = None,
) -> Iterator[tuple[str, float, list[Row]]]:
    """Yield each route's name, lambda and picks, ids given as rows of the matrix."""
    for name, pool, given, own in pools(queries, matrix, rows):
        grid = kernels.mmr_grid(queries, pool, k, lambdas, threads=threads, **given)
        assert len(grid) == len(lambdas)
        for lambda_, from_grid in zip(lambdas, grid, strict=True):
            alone = kernels.mmr(queries, pool, k, lambda_=lambda_, threads=threads, **given)
            for call, found in (("mmr", alone), ("grid", from_grid)):
                picks = rows_of(found)
                if own and rows is not None:
                    picks = [
                        Row(np.asarray(part, np.int64)[pick.ids], pick.scores)
                        for part, pick in zip(rows, picks, strict=True)
                    ]
                yield f"{call} of {name}", lambda_, picks


def expected(
    queries: Any, matrix: Any, k: int, lambda_: float, rows: Sequence[Sequence[int]] | None = None
) -> list[Row]:
    """Return the definition's picks for one lambda, one `Row` a query."""
    return reference.mmr(queries, matrix, k, [lambda_], rows)[lambda_]
