"""Recall, graded nDCG and reciprocal rank per query, from the ranks of the relevant documents.

Relevant documents come in CSR form: those of query q are ``ranks[offsets[q]:offsets[q + 1]]``.
Ranks start at 1; 0 means not retrieved, so a query that is absent from a run counts as a miss.
Queries without a relevant document are undefined and must be left out (and counted) beforehand.
Two documents of a query may share a rank: with folds, each is ranked under an adapter of its own.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gnomon.errors import InvalidInputError, UsageError
from gnomon.stats.discounts import log2_discounts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def recall_at(k: int, ranks: Ints, offsets: Ints) -> Floats:
    """Return the share of each query's relevant documents with a rank of at most k.

    Parameters
    ----------
    k
        Cutoff, at least 1.
    ranks
        int64[nnz], rank of each relevant document, 0 when not retrieved.
    offsets
        int64[Q + 1], where each query's documents start.

    Returns
    -------
    numpy.ndarray
        float64[Q] in [0, 1].

    Raises
    ------
    UsageError
        If k is under 1.
    InvalidInputError
        If the CSR form is broken, a rank is negative or a query has no relevant document.

    Examples
    --------
    >>> recall_at(10, np.array([1, 0, 11, 3]), np.array([0, 3, 4])).tolist()
    [0.3333333333333333, 1.0]
    """
    hit = _hits(k, ranks, offsets)
    found = np.add.reduceat(hit.astype(np.int64), offsets[:-1])
    relevant: Floats = found / np.diff(offsets)
    return relevant


def ndcg_at(k: int, ranks: Ints, gains: Ints, offsets: Ints) -> Floats:
    """Return graded nDCG@k per query.

    Linear gain, discount 1 / log2(rank + 1), ideal ranking from all gains of the query (Jarvelin
    and Kekalainen 2002, with the log2 discount of trec_eval). Shared ranks could lift the sum over
    the ideal one; the result is capped at 1.

    Parameters
    ----------
    k
        Cutoff, at least 1.
    ranks, offsets
        As in `recall_at`.
    gains
        int64[nnz], at least 1 each.

    Returns
    -------
    numpy.ndarray
        float64[Q] in [0, 1].

    Examples
    --------
    >>> ndcg_at(10, np.array([1, 0, 0]), np.array([1, 1, 1]), np.array([0, 3])).round(4).tolist()
    [0.4693]
    """
    hit = _hits(k, ranks, offsets)
    if gains.shape != ranks.shape:
        raise InvalidInputError(f"{gains.shape} gains for {ranks.shape} ranks")
    if gains.min() < 1:
        raise InvalidInputError(
            f"gain {gains.min()} at position {gains.argmin()}: a relevant document has at least 1"
        )
    discounts = log2_discounts(k)
    # A discount of 0 for rank 0 and beyond k keeps the product elementwise.
    discount = np.where(hit, discounts[np.where(hit, ranks - 1, 0)], 0.0)
    ideal = np.lexsort((-gains, np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))))
    place = np.arange(len(ranks)) - np.repeat(offsets[:-1], np.diff(offsets))
    best = np.where(place < k, discounts[np.minimum(place, k - 1)], 0.0)
    linear = gains.astype(np.float64)
    reached = _sums(linear * discount, offsets)
    possible = _sums(linear[ideal] * best, offsets)
    return np.minimum(reached / possible, 1.0)


def reciprocal_rank_at(k: int, ranks: Ints, offsets: Ints) -> Floats:
    """Return 1 / the best rank of a relevant document, 0 where none is in the top k.

    Parameters and errors as in `recall_at`; float64[Q].

    Examples
    --------
    >>> reciprocal_rank_at(10, np.array([4, 2, 11]), np.array([0, 2, 3])).tolist()
    [0.5, 0.0]
    """
    hit = _hits(k, ranks, offsets)
    best = np.minimum.reduceat(np.where(hit, ranks, k + 1), offsets[:-1])
    return np.where(best <= k, 1.0 / best, 0.0)


def _hits(k: int, ranks: Ints, offsets: Ints) -> NDArray[np.bool_]:
    if k < 1:
        raise UsageError(f"k is {k}; a cutoff is at least 1")
    if len(offsets) < 2:
        raise InvalidInputError("no judged queries: there is nothing to average over")
    if offsets[0] != 0 or offsets[-1] != len(ranks):
        raise InvalidInputError(
            f"offsets run from {offsets[0]} to {offsets[-1]}, but there are {len(ranks)} ranks"
        )
    sizes = np.diff(offsets)
    if sizes.min() < 1:
        raise InvalidInputError(
            f"query {int(sizes.argmin())} has no relevant document; leave it out and count it"
        )
    if ranks.min() < 0:
        raise InvalidInputError(
            f"rank {ranks.min()} at position {ranks.argmin()}; ranks start at 1, 0 is not retrieved"
        )
    hit: NDArray[np.bool_] = (ranks >= 1) & (ranks <= k)
    return hit


def _sums(terms: Floats, offsets: Ints) -> Floats:
    """Sum each query's terms, correctly rounded, so the order of the judgements is no matter."""
    values, edges = terms.tolist(), offsets.tolist()
    return np.array(
        [math.fsum(values[start:stop]) for start, stop in pairwise(edges)],
        dtype=np.float64,
    )
