"""Clear evidence for the upgrade rule, to be made unclear one piece at a time."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from gnomon.rules.upgrade import UpgradeDecision, UpgradeEvidence, decide
from gnomon.types import Figure

UNKNOWN = Figure.missing("not measured here")


def tight(value: float, half_width: float = 0.001) -> Figure:
    """Return a figure whose interval is too narrow to reach anything."""
    return Figure(value, value - half_width, value + half_width)


CLEAR = UpgradeEvidence(
    tier="T1",
    n_queries=400,
    arr=tight(0.99),
    upgrade_gain=tight(1.20),
    bridge_advantage=tight(1.188),
    cascade_arr=tight(0.99),
    cascade_advantage=tight(1.188),
    cascade_measured=tight(1.19),
    candidate_depth=200,
    candidate_reuse=0.9,
    has_text=True,
)


def told(**changes: Any) -> UpgradeDecision:
    """Decide on clear evidence with some of it changed."""
    return decide(replace(CLEAR, **changes))


def codes(result: UpgradeDecision) -> list[str]:
    """Return the warning codes of a result."""
    return [warning.code for warning in result.warnings]


def below(value: float) -> float:
    """Return the next float under a value."""
    return math.nextafter(value, -math.inf)


def above(value: float) -> float:
    """Return the next float over a value."""
    return math.nextafter(value, math.inf)
