"""Maximal marginal relevance: picks that are near the query and far from each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, SupportsFloat, SupportsIndex, TypeAlias, cast

import numpy as np

from gnomon import _core
from gnomon.errors import InvalidInputError, InvalidTypeError, UsageError
from gnomon.kernels._arrays import as_count, as_matrix, as_taken, as_threads, core_errors
from gnomon.kernels.hits import Hits, TopK
from gnomon.kernels.linear import RaggedRows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

PoolRows: TypeAlias = "RaggedRows | TopK | NDArray[Any] | Sequence[Iterable[int]] | Sequence[int]"

_MATRIX = 2
_STACK = 3
_NO_NUMBER = (str, bool, np.bool_)  # though float() takes them


def mmr(
    queries: ArrayLike,
    pool: ArrayLike | Sequence[ArrayLike],
    k: SupportsIndex,
    *,
    lambda_: SupportsFloat = 0.5,
    rows: PoolRows | None = None,
    threads: int | None = None,
) -> Hits:
    """Pick k rows for every query by maximal marginal relevance.

    The first pick is the row with the highest cosine to the query. Each later one has the highest
    ``lambda_ * rel - (1 - lambda_) * max sim``, where ``rel`` is its cosine to the query and
    ``max sim`` the greatest of its cosines to *all* rows picked before (Carbonell and Goldstein,
    SIGIR 1998). ``lambda_=1`` is the plain top-k, ids and scores; ``lambda_=0`` looks at the query
    for the first pick only. Ties go to the lowest id. Similarities that can't matter are not
    computed, and the picks are those of computing all of them, to the bit, on every CPU.

    Parameters
    ----------
    queries
        [Q, d], or [d] for one query. Any dtype and layout that `topk` takes.
    pool
        What is picked from: a matrix [n, d] for all queries (with ``rows``, a part of it for each),
        an array [Q, P, d], or a sequence of Q matrices [P_q, d].
    k
        Picks a query, at least 1; a pool of fewer rows is picked empty. Picks are nested: those of
        a smaller k are the first of a larger one.
    lambda_
        From 0, variety, to 1, relevance.
    rows
        Which rows of the matrix are the pool of each query: integers of shape (Q, P), one list a
        query, or what a search returned (`TopK`, `Hits`). Each row once. Their order is irrelevant.
    threads
        None for the CPUs that this process may use (``GNOMON_NUM_THREADS`` overrides).

    Returns
    -------
    Hits
        ``ids`` in the order in which they were picked: rows of the matrix, or positions in the
        query's own pool. ``scores`` are float32, the value of the formula when the row was picked
        (``lambda_ * rel`` for the first), so they need not fall.

    Raises
    ------
    InvalidInputError
        For NaN or infinity (names the array and the row), widths that differ, rows out of range or
        named twice (names the query), another number of pools than of queries.
    InvalidTypeError
        For other dtypes; the message names the cast.
    UsageError
        For k < 1, lambda_ outside [0, 1], ``rows`` with pools that belong to one query each.

    Examples
    --------
    >>> import numpy as np
    >>> docs = np.float32([[0.8, 0.6, 0], [0.79, 0.6131, 0], [0.6, 0, 0.8]])
    >>> mmr([1.0, 0, 0], docs, k=3, lambda_=0.5)[0].ids.tolist()
    [0, 2, 1]
    >>> mmr([1.0, 0, 0], docs, k=3, lambda_=1)[0].ids.tolist()
    [0, 1, 2]
    >>> mmr([1.0, 0, 0], docs, k=2, rows=[[2, 1]])[0].ids.tolist()
    [1, 2]
    """
    return _run(queries, pool, k, [_as_lambda(lambda_, "lambda_")], rows, threads)[0]


def mmr_grid(
    queries: ArrayLike,
    pool: ArrayLike | Sequence[ArrayLike],
    k: SupportsIndex,
    lambdas: Iterable[SupportsFloat],
    *,
    rows: PoolRows | None = None,
    threads: int | None = None,
) -> list[Hits]:
    """Pick k rows for every query and every lambda, sharing all similarities.

    Parameters
    ----------
    queries, pool, rows, threads
        As in `mmr`.
    k
        The largest number of picks that is wanted: smaller ones are the beginnings.
    lambdas
        Each from 0 to 1.

    Returns
    -------
    list of Hits
        One for each lambda, in order, with the bits of ``mmr(..., lambda_=that)``.

    Raises
    ------
    InvalidInputError, InvalidTypeError, UsageError
        As in `mmr`.

    Examples
    --------
    >>> import numpy as np
    >>> docs = np.float32([[0.8, 0.6, 0], [0.79, 0.6131, 0], [0.6, 0, 0.8]])
    >>> [hits.ids.tolist() for hits in mmr_grid([1.0, 0, 0], docs, 3, [0.5, 1.0])]
    [[0, 2, 1], [0, 1, 2]]
    """
    if isinstance(lambdas, str | bytes) or not isinstance(lambdas, Iterable):
        raise UsageError(f"lambdas is {lambdas!r}; expected a sequence of numbers from 0 to 1")
    wanted = [_as_lambda(value, f"lambdas[{place}]") for place, value in enumerate(lambdas)]
    return _run(queries, pool, k, wanted, rows, threads)


def _run(
    queries: ArrayLike,
    pool: ArrayLike | Sequence[ArrayLike],
    k: SupportsIndex,
    lambdas: list[float],
    rows: PoolRows | None,
    threads: int | None,
) -> list[Hits]:
    asked = as_matrix(queries, "queries", one_row=True)
    picks = as_count(k, "k", least=1)
    workers = as_threads(threads)
    pools, shared = _as_pools(pool, len(asked))
    for number, matrix in enumerate(pools):
        if matrix.shape[-1] != asked.shape[1]:
            name = f"pool[{number}]" if len(pools) > 1 else "pool"
            raise InvalidInputError(
                f"queries have {asked.shape[1]} dimensions, but {name} has {matrix.shape[-1]}"
            )
    offsets, members = None, None
    if rows is not None:
        if not shared:
            raise UsageError(
                "rows name rows of one matrix that all queries share; here every query has a pool "
                "of its own: select its rows there, and leave rows out"
            )
        members, offsets = _as_pool_rows(rows, len(asked))
    with core_errors():
        found = _core.mmr(asked, pools, offsets, members, picks, lambdas, workers)
    return [Hits(*arrays) for arrays in found]


def _as_lambda(value: SupportsFloat, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, _NO_NUMBER) or not 0.0 <= number <= 1.0:
        raise UsageError(
            f"{name} is {value!r}; expected a number from 0 (variety) to 1 (relevance)"
        )
    return number


def _as_pools(
    pool: ArrayLike | Sequence[ArrayLike], n_queries: int
) -> tuple[list[NDArray[Any]], bool]:
    """Return the matrices, or one stack of them, and whether all queries share the one matrix."""
    if isinstance(pool, list | tuple) and (not pool or np.ndim(pool[0]) == _MATRIX):
        pools = [as_matrix(own, f"pool[{q}]") for q, own in enumerate(pool)]
        _check_number(len(pools), n_queries)
        return pools, False
    array = as_taken(cast("ArrayLike", pool), "pool")
    if array.ndim == _STACK:
        _check_number(len(array), n_queries)
        return [array], False
    if array.ndim != _MATRIX:
        raise InvalidInputError(
            f"pool: an array of shape {array.shape} was given; expected (rows, dimensions) for all "
            f"queries, or (queries, rows, dimensions)"
        )
    return [array], True


def _check_number(n_pools: int, n_queries: int) -> None:
    if n_pools != n_queries:
        raise InvalidInputError(
            f"there are {n_pools} pools for {n_queries} queries; give one for each query, or one "
            f"matrix for all"
        )


def _as_pool_rows(rows: PoolRows, n_queries: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return row numbers and offsets; the core checks range and repetition."""
    if isinstance(rows, TopK):
        rows = rows.ids
    if isinstance(rows, RaggedRows):
        _check_lists(len(rows.offsets) - 1, n_queries)
        return _as_integers(rows.ids, "rows"), _as_integers(rows.offsets, "rows.offsets")
    if isinstance(rows, np.ndarray):
        if rows.ndim == 1 and n_queries == 1 and rows.dtype != np.object_:
            rows = rows[np.newaxis, :]
        if rows.ndim == _MATRIX:
            _check_lists(len(rows), n_queries)
            offsets = np.arange(n_queries + 1, dtype=np.int64) * rows.shape[1]
            return _as_integers(rows, "rows").reshape(-1), offsets
    if isinstance(rows, str | bytes) or not isinstance(rows, Iterable):
        raise InvalidTypeError("rows must be one list of rows for each query")
    lists: list[Any] = list(rows)
    if n_queries == 1 and lists and all(isinstance(row, int | np.integer) for row in lists):
        lists = [lists]
    _check_lists(len(lists), n_queries)
    members = [_as_flat(part, f"rows[{q}]") for q, part in enumerate(lists)]
    offsets = np.zeros(n_queries + 1, dtype=np.int64)
    np.cumsum([len(part) for part in members], out=offsets[1:])
    return np.concatenate(members) if members else np.empty(0, dtype=np.int64), offsets


def _check_lists(n_lists: int, n_queries: int) -> None:
    if n_lists != n_queries:
        raise InvalidInputError(
            f"rows hold {n_lists} lists for {n_queries} queries; give one list for each query"
        )


def _as_flat(values: Any, name: str) -> NDArray[np.int64]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InvalidTypeError(f"{name} must be a list of rows, not {type(values).__name__}")
    array = _as_integers(values if isinstance(values, np.ndarray) else list(values), name)
    if array.ndim != 1:
        raise InvalidInputError(f"{name} must be a flat list of rows, not of shape {array.shape}")
    return array


def _as_integers(values: Any, name: str) -> NDArray[np.int64]:
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros(array.shape, dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise InvalidTypeError(
            f"{name}: dtype {array.dtype} was given; expected integers; convert them with "
            f"{name}.astype(np.int64)"
        )
    if array.dtype == np.uint64 and array.max() > np.iinfo(np.int64).max:
        raise InvalidInputError(f"{name}: {array.max()} is no row number")
    return np.require(array, np.int64, ["C_CONTIGUOUS", "ALIGNED"])
