"""Wins and losses against staying, counted query by query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.report.words import RANKING_LABELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gnomon.probe.result import PerQuery, ProbeResult

COMPARED = ("bridged", "cascade", "oracle")
MOST_SHOWN = 5  # queries in each direction


@dataclass(frozen=True, slots=True)
class MovedQuery:
    """One query whose recall changed."""

    id: str
    staying: float
    other: float

    @property
    def change(self) -> float:
        """Recall gained over staying."""
        return self.other - self.staying


@dataclass(frozen=True, slots=True, kw_only=True)
class WinsAndLosses:
    """One ranking against staying.

    Attributes
    ----------
    label
        The ranking.
    better, equal, worse
        Queries whose recall is higher, the same, lower.
    most_gained, most_lost
        The queries that moved most, at most five in each direction; ties in the order of queries.
    reason
        Why nothing was compared, or None.
    """

    label: str
    better: int = 0
    equal: int = 0
    worse: int = 0
    most_gained: Sequence[MovedQuery] = ()
    most_lost: Sequence[MovedQuery] = ()
    reason: str | None = None

    @property
    def compared(self) -> int:
        """How many queries were compared."""
        return self.better + self.equal + self.worse


def wins_and_losses(result: ProbeResult) -> list[WinsAndLosses]:
    """Return bridge, cascade and oracle against staying; nothing below tier T1.

    There the new model is its own ground truth, so a query that it answers otherwise than the old
    one would count as lost by the old one.
    """
    if result.tier != "T1":
        return []
    return [
        _compare(result.per_query, name)
        if name in result.per_query.recall
        else WinsAndLosses(label=RANKING_LABELS[name], reason=_why_not(result, name))
        for name in COMPARED
    ]


def _why_not(result: ProbeResult, name: str) -> str:
    return result.figures.rankings[name]["recall"].reason or "no reason given"


def _compare(queries: PerQuery, name: str) -> WinsAndLosses:
    staying, other = queries.recall["status_quo"], queries.recall[name]
    change = other - staying
    return WinsAndLosses(
        label=RANKING_LABELS[name],
        better=int((change > 0).sum()),
        equal=int((change == 0).sum()),
        worse=int((change < 0).sum()),
        most_gained=_most(queries, -change, staying, other),
        most_lost=_most(queries, change, staying, other),
    )


def _most(
    queries: PerQuery,
    key: NDArray[np.float64],
    staying: NDArray[np.float64],
    other: NDArray[np.float64],
) -> list[MovedQuery]:
    """Return the queries with the lowest negative keys."""
    order = np.argsort(key, kind="stable")[:MOST_SHOWN]
    return [
        MovedQuery(queries.ids[row], float(staying[row]), float(other[row]))
        for row in order
        if key[row] < 0
    ]
