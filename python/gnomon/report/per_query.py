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
    """Return bridge, cascade and oracle against staying.

    Below tier T1 the new model is its own ground truth, so a query that it answers otherwise than
    the old one would count as lost by the old one; nothing is compared then.
    """
    unmeasured = {
        "bridged": result.figures.bridge_advantage,
        "cascade": result.figures.cascade_measured,
        "oracle": result.figures.upgrade_gain,
    }
    compared = []
    for name in COMPARED:
        label = RANKING_LABELS[name]
        if result.tier != "T1" or name not in result.per_query.recall:
            reason = unmeasured[name].reason or "not measured"
            compared.append(WinsAndLosses(label=label, reason=reason))
        else:
            compared.append(_compare(label, result.per_query, name))
    return compared


def _compare(label: str, queries: PerQuery, name: str) -> WinsAndLosses:
    staying, other = queries.recall["status_quo"], queries.recall[name]
    change = other - staying
    return WinsAndLosses(
        label=label,
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
