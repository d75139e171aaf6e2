"""Ranking metrics per query, from the ranks of the judged documents: the one place for each.

Judged documents come in CSR form: those of query q are ``ranks[offsets[q]:offsets[q + 1]]``.
Ranks start at 1; 0 means not retrieved, so a query that is absent from a run counts as a miss.
Two documents of a query may share a rank: with folds, each is ranked under an adapter of its own.

`ranking_metrics` computes any of them and reports queries without a relevant document. `recall_at`,
`ndcg_at` and `reciprocal_rank_at` take relevant documents only and refuse such queries: leave them
out, and count them, beforehand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from gnomon import kernels
from gnomon.errors import InvalidInputError, UsageError
from gnomon.kernels import Metric, RankingMetrics
from gnomon.stats.discounts import log2_discounts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Ints: TypeAlias = NDArray[np.int64]
    Cutoffs: TypeAlias = Sequence[tuple[Metric, int]]


def ranking_metrics(
    measures: Cutoffs, ranks: Ints, gains: Floats, offsets: Ints, *, threads: int | None = None
) -> RankingMetrics:
    """Return several metrics of every query.

    Parameters
    ----------
    measures
        Metrics with their cutoffs, at least 1.
    ranks
        int64[nnz], rank of each judged document, 0 when not retrieved.
    gains
        float64[nnz]; a document is relevant when its gain is above 0.
    offsets
        int64[Q + 1], where each query's documents start.
    threads
        Default: ``GNOMON_NUM_THREADS``, else the CPUs of this process.

    Returns
    -------
    RankingMetrics
        ``values`` float64[M, Q], 0 where a query has no relevant document; ``relevant`` and
        ``retrieved`` int64[Q].

    Examples
    --------
    >>> found = ranking_metrics(
    ...     [(Metric.NDCG, 10), (Metric.PRECISION, 10)],
    ...     np.array([1, 0, 0]), np.ones(3), np.array([0, 3]),
    ... )
    >>> found.values.round(4).tolist()
    [[0.4693], [0.1]]
    """
    discounts = _discounts_for(measures, ranks, offsets)
    return kernels.ranking_metrics(ranks, gains, offsets, measures, discounts, threads=threads)


def decided_by_ties(
    measures: Cutoffs,
    first: Ints,
    last: Ints,
    gains: Floats,
    offsets: Ints,
    *,
    threads: int | None = None,
) -> NDArray[np.bool_]:
    """Return bool[M, Q]: whether another order of documents with equal scores changes a metric.

    Parameters
    ----------
    first, last
        int64[nnz], the ranks that each judged document could have without changing the order of
        the scores, 0 when not retrieved.
    measures, gains, offsets, threads
        As in `ranking_metrics`.

    Examples
    --------
    >>> decided_by_ties(
    ...     [(Metric.RECALL, 1), (Metric.RECALL, 3)],
    ...     np.array([1]), np.array([3]), np.ones(1), np.array([0, 1]),
    ... ).tolist()
    [[True], [False]]
    """
    discounts = _discounts_for(measures, last, offsets)
    return kernels.decided_by_ties(
        first, last, gains, offsets, measures, discounts, threads=threads
    )


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
    return _single(Metric.RECALL, k, ranks, None, offsets)


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
    return _single(Metric.NDCG, k, ranks, gains, offsets)


def reciprocal_rank_at(k: int, ranks: Ints, offsets: Ints) -> Floats:
    """Return 1 / the best rank of a relevant document, 0 where none is in the top k.

    Parameters and errors as in `recall_at`; float64[Q].

    Examples
    --------
    >>> reciprocal_rank_at(10, np.array([4, 2, 11]), np.array([0, 2, 3])).tolist()
    [0.5, 0.0]
    """
    return _single(Metric.RECIPROCAL_RANK, k, ranks, None, offsets)


def _single(metric: Metric, k: int, ranks: Ints, gains: Ints | None, offsets: Ints) -> Floats:
    _check_relevant(k, ranks, offsets)
    if gains is None:
        linear = np.ones(len(ranks))
    else:
        _check_gains(gains, ranks)
        linear = gains.astype(np.float64)
    measures = [(metric, k)]
    wide, edges = (np.ascontiguousarray(a, dtype=np.int64) for a in (ranks, offsets))
    values: Floats = ranking_metrics(measures, wide, linear, edges).values[0]
    return values


def _check_relevant(k: int, ranks: Ints, offsets: Ints) -> None:
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


def _check_gains(gains: Ints, ranks: Ints) -> None:
    if gains.shape != ranks.shape:
        raise InvalidInputError(f"{gains.shape} gains for {ranks.shape} ranks")
    if gains.min() < 1:
        raise InvalidInputError(
            f"gain {gains.min()} at position {gains.argmin()}: a relevant document has at least 1"
        )


def _discounts_for(measures: Cutoffs, deepest_ranks: Ints, offsets: Ints) -> Floats:
    """Return as many discounts as some nDCG can need: the kernel's rule."""
    cutoff = max((k for metric, k in measures if metric == Metric.NDCG), default=0)
    if cutoff == 0:
        return np.empty(0)
    deepest = max(int(np.diff(offsets).max(initial=0)), int(deepest_ranks.max(initial=0)))
    needed = min(cutoff, deepest)
    # Powers of two, so that few tables serve all calls.
    return log2_discounts(1 << max(4, (needed - 1).bit_length()))
