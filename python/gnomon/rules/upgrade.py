"""Must this index be re-embedded for the new model? The rule, in the order in which it decides.

Every threshold is a decimal literal and every comparison takes the unrounded figure. A value on an
edge belongs to the upper side, and both ends of a noise band lie inside it. The evidence for each
number is in ``docs/decision-rule.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gnomon.errors import NotMeasuredError
from gnomon.rules import upgrade_text as text
from gnomon.rules.upgrade_values import (
    Arrangement,
    DecidedBy,
    Decision,
    FitScope,
    Interim,
    MetricSides,
    ScoreShift,
    SecondEstimate,
    TailEvidence,
    Tier,
    UpgradeDecision,
    UpgradeEvidence,
)
from gnomon.types import Figure

__all__ = [
    "ARR_BANDS",
    "Arrangement",
    "DecidedBy",
    "Decision",
    "FitScope",
    "Interim",
    "MetricSides",
    "ScoreShift",
    "SecondEstimate",
    "TailEvidence",
    "Tier",
    "UpgradeDecision",
    "UpgradeEvidence",
    "decide",
]


def decide(evidence: UpgradeEvidence) -> UpgradeDecision:
    """Return the decision that the evidence supports, with its reasons.

    Raises
    ------
    NotMeasuredError
        When no rule can fire: retention is unmeasured and so are gain and bridge advantage.
    """
    raise NotImplementedError
