"""Runs and judgements whose documents go by 64-bit keys: what large run files are evaluated from.

No id is made a string before it is needed, which is for the judged documents that were retrieved
and for groups of equal scores.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from gnomon import kernels
from gnomon.errors import InvalidInputError
from gnomon.metrics.measures import parse_measures
from gnomon.metrics.placed import Placed, summarise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from gnomon.metrics.evaluation import Evaluation
    from gnomon.metrics.named import Ties

    Ints: TypeAlias = NDArray[np.int64]
    Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class KeyedLists:
    """What was retrieved.

    Attributes
    ----------
    queries
        Distinct ids.
    offsets
        int64[Q + 1]; the documents of query q are at ``offsets[q]:offsets[q + 1]``, in any order.
    keys
        int64[n]; equal where ids are equal. A query lists a document once.
    scores
        float64[n], never NaN.
    names
        Returns the ids of some rows in UTF-8.
    """

    queries: Sequence[str]
    offsets: Ints
    keys: Ints
    scores: Floats
    names: Callable[[Ints], list[bytes]]


@dataclass(frozen=True, slots=True, eq=False)
class KeyedJudgements:
    """What is relevant.

    Attributes
    ----------
    queries
        Distinct ids.
    offsets
        int64[J + 1].
    keys
        int64[m], made as those of the lists. A query judges a document once.
    gains
        Whole numbers; relevant above 0.
    names
        m ids in UTF-8.
    """

    queries: Sequence[str]
    offsets: Ints
    keys: Ints
    gains: Floats
    names: Sequence[bytes]


def evaluate_keyed(
    run: KeyedLists,
    judged: KeyedJudgements,
    metrics: str | Iterable[str],
    *,
    ties: Ties = "id",
    threads: int | None = None,
) -> Evaluation:
    """Return what `evaluate` returns for the same run and judgements as dicts.

    Raises
    ------
    UsageError
        When the name or the cutoff of a metric is wrong.
    InvalidInputError
        When two different ids have the same key.
    NotMeasuredError
        When no query has a relevant document.

    Examples
    --------
    >>> run = KeyedLists(
    ...     ["q"], np.array([0, 2]), np.array([7, 9]), np.array([0.2, 0.8]),
    ...     lambda rows: [[b"d7", b"d9"][row] for row in rows.tolist()],
    ... )
    >>> judged = KeyedJudgements(["q"], np.array([0, 1]), np.array([7]), np.ones(1), [b"d7"])
    >>> evaluate_keyed(run, judged, "rr").means
    {'rr': 0.5}
    """
    measures = parse_measures(metrics)
    scores = run.scores
    if ties == "trec":  # as trec_eval stores them
        with np.errstate(over="ignore"):
            scores = scores.astype(np.float32).astype(np.float64)
    joined = _Joined.of(run, judged)
    rows = joined.rows(run, judged, threads)
    wanted = np.where(rows < 0, np.nan, scores[np.maximum(rows, 0)]) if len(scores) else _nans(rows)
    spans = joined.spans(scores, wanted, threads)
    ranks = _break_ties(run, scores, rows, spans, joined.lists, ties)
    return summarise(
        Placed(
            queries=tuple(judged.queries),
            ranks=ranks,
            gains=judged.gains,
            offsets=judged.offsets,
            spans=spans,
            listed=joined.listed,
            judged=np.diff(judged.offsets) > 0,
            n_elsewhere=len(run.queries) - joined.n_shared,
            n_removed=0,
            ties=ties,
        ),
        measures,
        threads,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Joined:
    """Judgements, and the lists that they are about.

    Attributes
    ----------
    lists
        int64[m], for each judgement the list of its query, -1 without one.
    order
        The judgements that have a list, in the order of the lists, for the kernels.
    offsets
        int64[Q + 1] in that order.
    listed
        bool[J], whether the query of the judgements has results.
    """

    run_offsets: Ints
    lists: Ints
    order: Ints
    offsets: Ints
    listed: NDArray[np.bool_]
    n_shared: int

    @classmethod
    def of(cls, run: KeyedLists, judged: KeyedJudgements) -> _Joined:
        number_of = {query: q for q, query in enumerate(run.queries)}
        list_of = np.array([number_of.get(query, -1) for query in judged.queries], np.int64)
        lists = np.repeat(list_of, np.diff(judged.offsets))
        order = np.argsort(lists, kind="stable")[int(np.count_nonzero(lists < 0)) :]
        counts = np.bincount(lists[order], minlength=len(run.queries))
        sizes = np.diff(run.offsets)
        has = list_of >= 0
        listed = has.copy()
        listed[has] = sizes[list_of[has]] > 0
        offsets = np.concatenate([[0], np.cumsum(counts)])
        return cls(run.offsets, lists, order, offsets, listed, int(has.sum()))

    def rows(self, run: KeyedLists, judged: KeyedJudgements, threads: int | None) -> Ints:
        """Return the row of every judged document in the run, -1 where it was not retrieved."""
        places = kernels.ranks_in_lists(
            run.keys, run.offsets, judged.keys[self.order], self.offsets, threads=threads
        )
        rows = np.full(len(self.lists), -1, np.int64)
        found = self.order[places > 0]
        rows[found] = run.offsets[self.lists[found]] + places[places > 0] - 1
        for at, name in zip(found.tolist(), run.names(rows[found]), strict=True):
            if judged.names[at] != name:
                raise InvalidInputError(
                    f"the documents {name.decode()!r} of the run and "
                    f"{judged.names[at].decode()!r} of the judgements differ but have the same "
                    "64-bit key; rename one of them in both"
                )
        return rows

    def spans(self, scores: Floats, wanted: Floats, threads: int | None) -> tuple[Ints, Ints]:
        """Return the first and the last rank that the score of a judged document allows."""
        spans = np.zeros((2, len(wanted)), np.int64)
        spans[:, self.order] = kernels.tied_ranks_by_score(
            scores, self.run_offsets, wanted[self.order], self.offsets, threads=threads
        )
        return spans[0], spans[1]


def _nans(rows: Ints) -> Floats:
    return np.full(len(rows), np.nan)


def _break_ties(
    run: KeyedLists,
    scores: Floats,
    rows: Ints,
    spans: tuple[Ints, Ints],
    lists: Ints,
    ties: Ties,
) -> Ints:
    """Return the ranks: within a group of equal scores by id."""
    first, last = spans
    ranks = first.copy()
    groups: dict[tuple[int, float], list[bytes]] = {}
    for j in np.flatnonzero(last > first).tolist():
        q, score = int(lists[j]), float(scores[rows[j]])
        if (q, score) not in groups:
            begin, end = int(run.offsets[q]), int(run.offsets[q + 1])
            members = begin + np.flatnonzero(scores[begin:end] == score)
            groups[q, score] = sorted(run.names(members))
        group = groups[q, score]
        lower = bisect_left(group, run.names(rows[j : j + 1])[0])
        ranks[j] += lower if ties == "id" else len(group) - 1 - lower
    return ranks
