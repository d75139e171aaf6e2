"""Ranks of judged documents in ranked lists, and ranking metrics from those ranks.

Everything is in CSR form: query q owns the entries ``offsets[q]`` up to ``offsets[q + 1]``. The
formulas stand in ``cpp/include/gnomon/ranking.hpp``; `gnomon.metrics` is the face for users.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from gnomon import _core
from gnomon.errors import InvalidInputError
from gnomon.kernels._arrays import as_threads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Ints: TypeAlias = NDArray[np.int64]
    Floats: TypeAlias = NDArray[np.float64]


class Metric(IntEnum):
    """The metrics of the core by number."""

    RECALL = 0
    CAPPED_RECALL = 1
    PRECISION = 2
    RECIPROCAL_RANK = 3
    AVERAGE_PRECISION = 4
    NDCG = 5


class RankingMetrics(NamedTuple):
    """What `ranking_metrics` returns.

    Attributes
    ----------
    values
        float64[M, Q], one row a measure; 0 for a query without a relevant document.
    relevant
        int64[Q], how many relevant documents each query has.
    retrieved
        int64[Q], how many of them have a rank.
    """

    values: Floats
    relevant: Ints
    retrieved: Ints


def exact_mean(values: Floats) -> float:
    """Return `exact_sum` divided by the number of values, at least one.

    Examples
    --------
    >>> exact_mean(np.array([1.0, 1e-17, -1.0, 1e-17]))
    5e-18
    """
    if len(values) == 0:
        raise InvalidInputError("no values: there is nothing to average over")
    return _core.exact_mean(np.ascontiguousarray(values, dtype=np.float64))


def exact_sum(values: Floats) -> float:
    """Return the sum of finite float64 values, rounded once, whatever their order.

    The value of ``math.fsum``, faster.

    Examples
    --------
    >>> exact_sum(np.array([1e16, 1.0, -1e16, 1e-3]))
    1.001
    """
    return _core.exact_sum(np.ascontiguousarray(values, dtype=np.float64))


def ranks_in_lists(
    ids: Ints, offsets: Ints, judged: Ints, judged_offsets: Ints, *, threads: int | None = None
) -> Ints:
    """Return the rank of every judged document in the list of its query.

    Parameters
    ----------
    ids, offsets
        int64[n] and int64[Q + 1], the ranked lists, best first.
    judged, judged_offsets
        int64[m] and int64[Q + 1], the judged documents of the same queries.
    threads
        Default: ``GNOMON_NUM_THREADS``, else the CPUs of this process.

    Returns
    -------
    numpy.ndarray
        int64[m], ranks from 1; 0 where the list doesn't hold the document.

    Raises
    ------
    InvalidInputError
        An id repeats within one query, or offsets don't fit.

    Examples
    --------
    >>> lists, judged = np.array([4, 2, 9, 7]), np.array([9, 1, 7])
    >>> ranks_in_lists(lists, np.array([0, 3, 4]), judged, np.array([0, 2, 3])).tolist()
    [3, 0, 1]
    """
    ranks, repeated = _core.ranks_in_lists(
        ids, offsets, judged, judged_offsets, as_threads(threads)
    )
    if repeated is not None:
        query, doc, is_judged = repeated
        what = "judges" if is_judged else "lists"
        raise InvalidInputError(
            f"query {query} {what} document {doc} more than once; keep one entry of each document"
            f"{'' if is_judged else ', and name the id that marks gaps, if it is one, as fill'}"
        )
    return ranks


def tied_ranks_in_lists(
    ranks: Ints,
    judged_offsets: Ints,
    scores: Floats,
    offsets: Ints,
    *,
    threads: int | None = None,
) -> tuple[Ints, Ints]:
    """Return the first and last rank among the neighbours with the same score.

    Parameters
    ----------
    ranks, judged_offsets
        As `ranks_in_lists` returned them.
    scores, offsets
        float64[n] and int64[Q + 1], the scores of the ranked lists.
    threads
        Default: ``GNOMON_NUM_THREADS``, else the CPUs of this process.

    Returns
    -------
    tuple of numpy.ndarray
        Two int64[m]; 0 where the rank is 0.

    Examples
    --------
    >>> scores = np.array([0.9, 0.5, 0.5, 0.1])
    >>> first, last = tied_ranks_in_lists(
    ...     np.array([3, 0]), np.array([0, 2]), scores, np.array([0, 4])
    ... )
    >>> first.tolist(), last.tolist()
    ([2, 0], [3, 0])
    """
    return _core.tied_ranks_in_lists(ranks, judged_offsets, scores, offsets, as_threads(threads))


def tied_ranks_by_score(
    scores: Floats,
    offsets: Ints,
    judged_scores: Floats,
    judged_offsets: Ints,
    *,
    threads: int | None = None,
) -> tuple[Ints, Ints]:
    """Return the first and last rank that a score has among those of its query, in any order.

    Parameters
    ----------
    scores, offsets
        float64[n] without NaN, and int64[Q + 1].
    judged_scores, judged_offsets
        float64[m], the scores of the judged documents, NaN for those not retrieved; int64[Q + 1].
    threads
        Default: ``GNOMON_NUM_THREADS``, else the CPUs of this process.

    Returns
    -------
    tuple of numpy.ndarray
        Two int64[m]: 1 + how many scores are greater, and how many are at least as great; 0 for
        NaN.

    Examples
    --------
    >>> first, last = tied_ranks_by_score(
    ...     np.array([0.5, 0.9, 0.5]), np.array([0, 3]), np.array([0.5, np.nan]), np.array([0, 2])
    ... )
    >>> first.tolist(), last.tolist()
    ([2, 0], [3, 0])
    """
    return _core.tied_ranks_by_score(
        scores, offsets, judged_scores, judged_offsets, as_threads(threads)
    )


def ranking_metrics(
    ranks: Ints,
    gains: Floats,
    offsets: Ints,
    measures: Sequence[tuple[Metric, int]],
    discounts: Floats,
    *,
    threads: int | None = None,
) -> RankingMetrics:
    """Return metrics of every query from the ranks and gains of its judged documents.

    Parameters
    ----------
    ranks
        int64[m], 0 when not retrieved.
    gains
        float64[m]; a document is relevant when its gain is above 0.
    offsets
        int64[Q + 1].
    measures
        Metrics with their cutoffs, at least 1.
    discounts
        float64, the discount of each rank from 1; as many as nDCG can need, see the header.
    threads
        Default: ``GNOMON_NUM_THREADS``, else the CPUs of this process.

    Examples
    --------
    >>> found = ranking_metrics(
    ...     np.array([1, 0, 11]), np.array([1.0, 1.0, 2.0]), np.array([0, 2, 3]),
    ...     [(Metric.RECALL, 10), (Metric.RECIPROCAL_RANK, 100)], np.array([]), threads=1,
    ... )
    >>> found.values.round(4).tolist()
    [[0.5, 0.0], [1.0, 0.0909]]
    """
    pairs = [(int(metric), cutoff) for metric, cutoff in measures]
    return RankingMetrics(
        *_core.ranking_metrics(ranks, gains, offsets, pairs, discounts, as_threads(threads))
    )


def decided_by_ties(
    first: Ints,
    last: Ints,
    gains: Floats,
    offsets: Ints,
    measures: Sequence[tuple[Metric, int]],
    discounts: Floats,
    *,
    threads: int | None = None,
) -> NDArray[np.bool_]:
    """Return for which queries a metric depends on the order of documents with equal scores.

    Parameters
    ----------
    first, last
        int64[m], the ranks that each judged document could have, as `tied_ranks_in_lists` and
        `tied_ranks_by_score` return them.
    gains, offsets, measures, discounts, threads
        As in `ranking_metrics`.

    Returns
    -------
    numpy.ndarray
        bool[M, Q]: the metric with the relevant documents first in every group of equal scores
        differs from the metric with them last.

    Examples
    --------
    >>> one = np.array([1.0]), np.array([0, 1]), [(Metric.RECALL, 1), (Metric.RECALL, 3)]
    >>> decided_by_ties(np.array([1]), np.array([3]), *one, np.array([]), threads=1).tolist()
    [[True], [False]]
    """
    pairs = [(int(metric), cutoff) for metric, cutoff in measures]
    tied = _core.decided_by_ties(first, last, gains, offsets, pairs, discounts, as_threads(threads))
    return tied.view(np.bool_)
