"""Exact cosine top-k over arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon import _core
from gnomon.errors import InvalidInputError, UsageError
from gnomon.kernels._arrays import (
    as_count,
    as_matrix,
    as_threads,
    core_errors,
)
from gnomon.kernels.hits import Hits, TopK
from gnomon.kernels.row_lists import Exclude, exclude_lists, subset_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from gnomon.kernels.vector_index import VectorIndex
    from gnomon.types import Progress


@dataclass(frozen=True, slots=True, eq=False)
class SearchRequest:
    """Queries that share k and the rows they may find.

    Attributes
    ----------
    queries
        [Q, d] or [d], any dtype of `topk`.
    k
        At most this many hits a query.
    exclude
        Rows that must not be found, one list a query; see `topk`.
    row_class
        Only rows whose label equals this are found; needs ``row_labels`` in `topk_pass`.
    """

    queries: ArrayLike
    k: int
    exclude: Exclude | None = None
    row_class: int | None = None


@dataclass(slots=True)
class PassReport:
    """What a pass saw beside the hits; `topk_pass` fills it in.

    Attributes
    ----------
    zero_rows
        How many of the searched documents are zero vectors; 0 when no query has a direction either.
    """

    zero_rows: int = 0


def checked_labels(labels: ArrayLike | None, n_rows: int) -> NDArray[np.uint8] | None:
    """Return one uint8 label a row, or None."""
    if labels is None:
        return None
    array = np.asarray(labels)
    if array.dtype != np.uint8 or array.shape != (n_rows,):
        raise InvalidInputError(
            f"row_labels must be uint8 of shape ({n_rows},), "
            f"not {array.dtype} of shape {array.shape}"
        )
    return np.ascontiguousarray(array)


def core_request(
    request: SearchRequest, number: int, n_rows: int, dim: int, *, labelled: bool
) -> tuple[Any, int, int | None, Any, Any]:
    """Return the request as the compiled core takes it."""
    name = "queries" if number == 0 else f"requests[{number}].queries"
    queries = as_matrix(request.queries, name, one_row=True)
    if queries.shape[1] != dim:
        raise InvalidInputError(f"{name} have {queries.shape[1]} dimensions, but docs have {dim}")
    row_class = request.row_class
    if row_class is not None:
        if not labelled:
            raise UsageError("row_class needs row_labels: one uint8 label for each document")
        row_class = as_count(row_class, "row_class", most=255)
    lists = exclude_lists(request.exclude, len(queries), n_rows)
    offsets, rows = (None, None) if lists is None else lists
    return queries, as_count(request.k, "k", least=1), row_class, offsets, rows


def run_requests(
    search: Callable[..., Any],
    requests: Sequence[SearchRequest],
    n_rows: int,
    dim: int,
    *,
    subset: Iterable[int] | NDArray[Any] | None,
    row_labels: ArrayLike | None,
    threads: int | None,
    progress: Progress | None,
    report: PassReport | None,
) -> list[Hits]:
    """Check the requests, search, and wrap what comes back."""
    labels = checked_labels(row_labels, n_rows)
    parts = [
        core_request(request, number, n_rows, dim, labelled=labels is not None)
        for number, request in enumerate(requests)
    ]
    rows = subset_rows(subset, n_rows)
    with core_errors():
        found, zero_rows = search(parts, rows, labels, as_threads(threads), progress)
    if report is not None:
        report.zero_rows = zero_rows
    return [Hits(*arrays) for arrays in found]


def as_topk(hits: Hits, k: int, n_rows: int, instead: str) -> TopK:
    """Return rectangular hits, or say which function takes ragged ones.

    ``k`` and ``n_rows`` are looked at only when there is no query.
    """
    n_queries = len(hits)
    if n_queries == 1:
        # After a pass over all documents the caches hold nothing else: every call costs dearly.
        return TopK(hits.ids[np.newaxis], hits.scores[np.newaxis])
    width = min(k, n_rows)
    if n_queries:
        counts = hits.counts()
        width = int(counts[0])
        if np.any(counts != width):
            raise UsageError(
                f"after exclusions queries have between {counts.min()} and {counts.max()} hits, "
                f"which does not fit a matrix; use {instead}, which returns Hits"
            )
    return TopK(hits.ids.reshape(n_queries, width), hits.scores.reshape(n_queries, width))


def topk_pass(
    docs: ArrayLike | VectorIndex,
    requests: Sequence[SearchRequest],
    *,
    subset: Iterable[int] | NDArray[Any] | None = None,
    row_labels: ArrayLike | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    report: PassReport | None = None,
) -> list[Hits]:
    """Answer several requests in one pass over the documents.

    Parameters
    ----------
    docs
        [n, d] array or `VectorIndex`.
    requests
        Each has its own queries, k, exclusions and row class.
    subset
        The only rows to search, for every request.
    row_labels
        uint8[n]; see `SearchRequest.row_class`.
    threads
        None for the CPUs that this process may use.
    progress
        Called between blocks with the row-query pairs done and to do.
    report
        Filled with what the pass saw beside the hits.

    Returns
    -------
    list of Hits
        One for each request, in order.

    Raises
    ------
    InvalidInputError
        For NaN or infinity, widths that differ, rows out of range.
    UsageError
        For k < 1, threads < 1, a row class without labels.
    """
    from gnomon.kernels.vector_index import VectorIndex  # noqa: PLC0415  (it imports this module)

    if isinstance(docs, VectorIndex):
        return docs.search_pass(
            requests,
            subset=subset,
            row_labels=row_labels,
            threads=threads,
            progress=progress,
            report=report,
        )
    matrix = as_matrix(docs, "docs")

    def search(*args: Any) -> Any:
        return _core.cosine_top_k(matrix, *args)

    return run_requests(
        search,
        requests,
        *matrix.shape,
        subset=subset,
        row_labels=row_labels,
        threads=threads,
        progress=progress,
        report=report,
    )


def topk_hits(
    queries: ArrayLike,
    docs: ArrayLike,
    k: int,
    *,
    exclude: Exclude | None = None,
    subset: Iterable[int] | NDArray[Any] | None = None,
    threads: int | None = None,
) -> Hits:
    """Return the exact k most similar documents of every query as `Hits`.

    Like `topk`, for exclusions that leave some queries with fewer hits than others.
    """
    return topk_pass(docs, [SearchRequest(queries, k, exclude)], subset=subset, threads=threads)[0]


def topk(
    queries: ArrayLike,
    docs: ArrayLike,
    k: int,
    *,
    exclude: Exclude | None = None,
    subset: Iterable[int] | NDArray[Any] | None = None,
    threads: int | None = None,
) -> TopK:
    """Return the exact k most similar documents of every query by cosine similarity.

    The score is ``dot / (|query| |document|)``, accumulated in float64 and rounded once to float32.
    Hits are ordered by score, descending, then by row, ascending. The answer is the same to the bit
    on every CPU, with any number of threads. Inputs are read in place, block by block, and never
    written to; float64 values are rounded to float32 first.

    Parameters
    ----------
    queries
        [Q, d], or [d] for one query. float32, float16, float64, bfloat16 (ml_dtypes), int8 or
        uint8, in any layout, memory-mapped or not.
    docs
        [n, d], likewise.
    k
        Hits a query, at least 1; more than n gives n.
    exclude
        Rows that a query must not find, such as its own: one list of rows a query, an integer array
        of shape (Q,) or (Q, m), or `Hits`.
    subset
        The only rows to search: row numbers, or a boolean array of shape (n,). Only these are
        checked for NaN and infinity.
    threads
        None for the CPUs that this process may use (``GNOMON_NUM_THREADS`` overrides).

    Returns
    -------
    TopK
        ``ids`` int64[Q, min(k, n)] and ``scores`` float32[Q, min(k, n)]. A zero vector scores 0.0
        against everything.

    Raises
    ------
    InvalidInputError
        For NaN or infinity (names the array and the row), widths that differ, rows out of range.
    InvalidTypeError
        For other dtypes; the message names the cast.
    UsageError
        For k < 1, threads < 1, or exclusions that leave queries with different numbers of hits (use
        `topk_hits`).

    Examples
    --------
    >>> import numpy as np
    >>> docs = np.float32([[1, 0], [0.6, 0.8], [0, 0]])
    >>> topk([3.0, 4.0], docs, k=2).ids
    array([[1, 0]])
    >>> topk(docs, docs, k=1, exclude=[[0], [1], [2]]).scores.ravel()
    array([0.6, 0.6, 0. ], dtype=float32)
    """
    hits = topk_hits(queries, docs, k, exclude=exclude, subset=subset, threads=threads)
    n_rows = 0 if len(hits) else len(as_matrix(docs, "docs"))
    return as_topk(hits, k, n_rows, "topk_hits")
