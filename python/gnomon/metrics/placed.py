"""The common ground of all forms of input: where the judged documents of every query stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.errors import InvalidInputError, NotMeasuredError
from gnomon.metrics.evaluation import Evaluation, MetricValues, Queries
from gnomon.stats.means import mean
from gnomon.stats.ranking import decided_by_ties, ranking_metrics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.kernels import Metric
    from gnomon.metrics.measures import Measure

_MOST_GAIN = 2**53  # whole numbers up to here are exact in float64


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Ranks and gains of judged documents.

    Attributes
    ----------
    queries
        One a query: row numbers or ids.
    ranks
        int64[m], from 1; 0 when not retrieved.
    gains
        float64[m].
    offsets
        int64[Q + 1].
    spans
        int64[m] twice, the first and last rank that the scores allow; None without scores.
    listed
        bool[Q], whether the query has results.
    judged
        bool[Q], whether the query has judgements.
    n_elsewhere
        Queries of the run that stand in no judgements at all, beside the Q queries here.
    n_removed
        Ids that were removed from run and judgements.
    ties
        The rule that ordered equal scores.
    """

    queries: Queries
    ranks: NDArray[np.int64]
    gains: NDArray[np.float64]
    offsets: NDArray[np.int64]
    spans: tuple[NDArray[np.int64], NDArray[np.int64]] | None
    listed: NDArray[np.bool_]
    judged: NDArray[np.bool_]
    n_elsewhere: int
    n_removed: int
    ties: str


def check_gains(gains: NDArray[np.float64], *, float_gains: bool) -> tuple[int, str] | None:
    """Return the place of the first gain that can't be used, and what is wrong with it."""
    bad = ~(np.abs(gains) <= _MOST_GAIN)
    problem = "is not a number of at most 2^53"
    if not bad.any() and not float_gains:
        bad = gains != np.floor(gains)
        problem = (
            "is not a whole number; grades are, and trec_eval would cut it off: scale the grades, "
            "or pass float_gains=True to use the fractions as gains"
        )
    return (int(bad.argmax()), problem) if bad.any() else None


def summarise(placed: Placed, measures: tuple[Measure, ...], threads: int | None) -> Evaluation:
    """Return the metrics of every measured query and their means.

    Raises
    ------
    NotMeasuredError
        No query has a relevant document.
    """
    cutoffs = [measure.for_core for measure in measures]
    found = ranking_metrics(cutoffs, placed.ranks, placed.gains, placed.offsets, threads=threads)
    measured = found.relevant > 0
    n_measured = int(measured.sum())
    if n_measured == 0:
        raise NotMeasuredError(
            f"no judged queries: of {len(measured)} queries {int(placed.judged.sum())} have "
            f"judgements, and none has a relevant document; check that the ids of queries and "
            f"judgements are the same"
        )
    if n_measured == len(measured):
        values, queries = found.values, placed.queries
    else:
        values, queries = found.values[:, measured], _chosen(placed.queries, measured)
    values.flags.writeable = False
    n_tied = _tied_counts(placed, cutoffs, threads)
    n_judged = int(placed.judged.sum())
    return Evaluation(
        metrics={
            str(measure): MetricValues(name=str(measure), values=own, mean=mean(own), n_tied=tied)
            for measure, own, tied in zip(measures, values, n_tied, strict=True)
        },
        queries=queries,
        n_total=len(measured) + placed.n_elsewhere,
        n_measured=n_measured,
        n_unjudged=len(measured) - n_judged + placed.n_elsewhere,
        n_without_relevant=n_judged - n_measured,
        n_without_results=int((measured & ~placed.listed).sum()),
        n_removed=placed.n_removed,
        n_relevant=int(found.relevant.sum()),
        n_relevant_retrieved=int(found.retrieved.sum()),
        ties=placed.ties,
    )


def _chosen(queries: Queries, keep: NDArray[np.bool_]) -> Queries:
    if isinstance(queries, np.ndarray):
        chosen: NDArray[np.int64] = queries[keep]
        return chosen
    return tuple(query for query, kept in zip(queries, keep.tolist(), strict=True) if kept)


def _tied_counts(
    placed: Placed, cutoffs: list[tuple[Metric, int]], threads: int | None
) -> list[int] | list[None]:
    if placed.spans is None:
        return [None] * len(cutoffs)
    first, last = placed.spans
    if np.array_equal(first, last):
        return [0] * len(cutoffs)
    tied = decided_by_ties(cutoffs, first, last, placed.gains, placed.offsets, threads=threads)
    counts: list[int] = tied.sum(axis=1).tolist()
    return counts


def refuse_gain(value: float, where: str, problem: str) -> InvalidInputError:
    """Return the error for one gain."""
    return InvalidInputError(f"{where}: the gain {value!r} {problem}")
