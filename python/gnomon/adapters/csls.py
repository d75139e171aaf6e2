"""CSLS: a reordering of candidates that discounts documents which are near to every query.

Conneau, Lample, Ranzato, Denoyer and Jegou 2018, "Word translation without parallel data", ICLR,
equation 6: csls(q, d) = 2 cos(q, d) - r_T(q) - r_S(d). Here the source side is the bridged queries
g(new(q)) and the target side the old document vectors:

- r_T(q): mean cosine of the bridged query to its m nearest documents, read off its candidates;
- r_S(d): mean cosine of the document to its m nearest bridged queries.

r_T(q) moves all documents of one query alike and never changes their order; it is kept so that
scores are comparable between queries. CSLS is measured and reported, never chosen: r_S(d) needs
the query log at query time, and an untouched index cannot apply it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon import kernels
from gnomon.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The value of the source, section 2.3.
NEIGHBOURS = 10


@dataclass(frozen=True, eq=False, slots=True)
class Reordering:
    """Candidates in their new order: ids int64[Q, m] and CSLS scores float32[Q, m]."""

    ids: NDArray[np.int64]
    scores: NDArray[np.float32]


def neighbourhood_means(
    scores: NDArray[np.float32], neighbours: int = NEIGHBOURS
) -> NDArray[np.float64]:
    """Return the mean of the first ``neighbours`` scores of each row, best first.

    Parameters
    ----------
    scores
        float32[n, m], m >= 1, each row falling; fewer than ``neighbours`` columns are all used.

    Returns
    -------
    numpy.ndarray
        float64[n]; summed column by column, so that the bits don't depend on the machine.
    """
    if neighbours < 1 or scores.ndim != 2 or scores.shape[1] == 0:
        raise UsageError(
            f"a mean over {neighbours} neighbours of scores of shape {scores.shape} does not "
            "exist; both need to be at least 1"
        )
    used = min(neighbours, scores.shape[1])
    total = np.zeros(len(scores), dtype=np.float64)
    for column in range(used):
        total += scores[:, column]
    means: NDArray[np.float64] = total / used
    return means


def reorder(
    ids: NDArray[np.int64],
    scores: NDArray[np.float32],
    query_means: NDArray[np.float64],
    document_means: NDArray[np.float64],
) -> Reordering:
    """Return the candidates by falling CSLS score, ties by rising id.

    Parameters
    ----------
    ids
        int64[Q, m], candidates of each query.
    scores
        float32[Q, m], their cosines.
    query_means
        float64[Q], r_T of each query.
    document_means
        float64[Q, m], r_S of each candidate.

    Examples
    --------
    >>> ids, cosines = np.array([[7, 4]]), np.array([[0.75, 0.5]], np.float32)
    >>> reorder(ids, cosines, np.array([0.5]), np.array([[0.75, 0.0]])).ids
    array([[4, 7]])
    """
    return _ordered(ids, _adjusted(scores, query_means, document_means))


def csls_reorder(
    bridged_queries: NDArray[np.float32],
    old_docs: NDArray[np.generic],
    ids: NDArray[np.int64],
    scores: NDArray[np.float32],
    *,
    neighbours: int = NEIGHBOURS,
    threads: int | None = None,
) -> Reordering:
    """Return each query's candidates reordered by CSLS.

    Parameters
    ----------
    bridged_queries
        float32[Q, d], the queries that the neighbourhoods of documents are made of.
    old_docs
        [n, d] in any dtype of the kernels, memory-mapped or not; only candidates are read.
    ids, scores
        int64[Q, m] and float32[Q, m]: the bridged top m with its cosines, best first.
    """
    adjusted = csls_scores(
        bridged_queries, old_docs, ids, scores, neighbours=neighbours, threads=threads
    )
    return _ordered(ids, adjusted)


def csls_scores(
    bridged_queries: NDArray[np.float32],
    old_docs: NDArray[np.generic],
    ids: NDArray[np.int64],
    scores: NDArray[np.float32],
    *,
    neighbours: int = NEIGHBOURS,
    threads: int | None = None,
) -> NDArray[np.float32]:
    """Return the CSLS score of each query's candidates, float32[Q, m], in the order given.

    Parameters
    ----------
    bridged_queries, old_docs, ids, scores
        As in :func:`csls_reorder`; the queries of the candidates may be a part of all queries.
    """
    candidates, position = _distinct(ids, len(old_docs))
    nearest = kernels.topk(old_docs[candidates], bridged_queries, neighbours, threads=threads)
    document_means = neighbourhood_means(nearest.scores, neighbours)
    return _adjusted(
        scores,
        neighbourhood_means(scores, neighbours),
        document_means[position],
    )


def _distinct(
    ids: NDArray[np.int64], n_documents: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the documents of ``ids``, each once and ascending, and the place of every id there."""
    if n_documents > ids.size:  # a table of all documents would outgrow the lists
        candidates, position = np.unique(ids, return_inverse=True)
        return candidates, position.reshape(ids.shape)
    place = np.zeros(n_documents, dtype=np.int64)
    place[ids] = 1
    candidates = np.flatnonzero(place)
    place[candidates] = np.arange(len(candidates))
    return candidates, place[ids]


def _adjusted(
    scores: NDArray[np.float32],
    query_means: NDArray[np.float64],
    document_means: NDArray[np.float64],
) -> NDArray[np.float32]:
    exact = 2.0 * scores.astype(np.float64) - query_means[:, None] - document_means
    return exact.astype(np.float32)


def _ordered(ids: NDArray[np.int64], adjusted: NDArray[np.float32]) -> Reordering:
    order = np.lexsort((ids, -adjusted), axis=1)
    return Reordering(
        np.take_along_axis(ids, order, axis=1), np.take_along_axis(adjusted, order, axis=1)
    )
