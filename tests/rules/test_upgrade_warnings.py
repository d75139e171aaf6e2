"""When each warning fires, to the last digit, and what it says."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from gnomon.rules.upgrade import (
    MetricSides,
    ScoreShift,
    TailEvidence,
    UpgradeEvidence,
    decide,
)
from gnomon.types import Figure

QUIET = UpgradeEvidence(
    tier="T1",
    n_queries=400,
    arr=Figure(0.99, 0.98, 1.0),
    upgrade_gain=Figure(1.2, 1.15, 1.25),
    bridge_advantage=Figure(1.188, 1.15, 1.23),
    cascade_arr=Figure(0.99, 0.98, 1.0),
    cascade_advantage=Figure(1.188, 1.15, 1.23),
    cascade_measured=Figure(1.19, 1.15, 1.23),
    candidate_depth=200,
    candidate_reuse=0.9,
    has_text=True,
)


def up(value: float) -> float:
    """Return the next float over a value."""
    return math.nextafter(value, math.inf)


def down(value: float) -> float:
    """Return the next float under a value."""
    return math.nextafter(value, -math.inf)


HALF = Figure(0.5, 0.49, 0.51)

CASES: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    # heterogeneous_drift: more than 0.10 under the whole, on at least 30 queries
    ({"arr": HALF, "tail": TailEvidence(arr=0.4, n_queries=500)}, []),
    ({"arr": HALF, "tail": TailEvidence(arr=down(0.4), n_queries=30)}, ["heterogeneous_drift"]),
    ({"arr": HALF, "tail": TailEvidence(arr=0.0, n_queries=29)}, []),
    ({"arr": HALF, "tail": TailEvidence(arr=None, n_queries=30)}, []),
    # score_shift: D > 0.1 and p < 0.05, after calibration
    ({"score_shift": ScoreShift(after=0.1, p=0.01)}, []),
    ({"score_shift": ScoreShift(after=up(0.1), p=down(0.05))}, ["score_shift"]),
    ({"score_shift": ScoreShift(after=0.5, p=0.05)}, []),
    ({"score_shift": ScoreShift(after=None, p=None)}, []),
    # metrics_disagree: different sides of 1
    (
        {"sides": (MetricSides(figure="gain", recall=up(1.0), ndcg=down(1.0)),)},
        ["metrics_disagree"],
    ),
    ({"sides": (MetricSides(figure="gain", recall=0.9, ndcg=1.1),)}, ["metrics_disagree"]),
    ({"sides": (MetricSides(figure="gain", recall=1.0, ndcg=1.1),)}, []),
    ({"sides": (MetricSides(figure="gain", recall=1.2, ndcg=1.1),)}, []),
    ({"sides": (MetricSides(figure="gain", recall=None, ndcg=1.1),)}, []),
    # the formula of the cascade against its measurement
    ({"cascade_advantage": Figure(1.1), "cascade_measured": Figure(0.9)}, ["cascade_disagrees"]),
    ({"cascade_advantage": Figure(0.9), "cascade_measured": Figure(1.1)}, ["cascade_disagrees"]),
    ({"cascade_advantage": Figure(1.0), "cascade_measured": Figure(1.1)}, []),
    ({"cascade_measured": Figure.missing("no new vectors")}, []),
    # bridge_within_noise: both ends inside
    ({"bridge_advantage": Figure(0.975)}, ["bridge_within_noise"]),
    ({"bridge_advantage": Figure(down(0.975))}, []),
    ({"bridge_advantage": Figure(1.025)}, ["bridge_within_noise"]),
    ({"bridge_advantage": Figure(up(1.025))}, []),
    # few_queries: under 100, or ARR known to more than +-0.05
    ({"n_queries": 99}, ["few_queries"]),
    ({"n_queries": 100}, []),
    ({"arr": Figure(1.0, 1.0, 1.125)}, ["few_queries"]),
    ({"arr": Figure(0.05, 0.0, 0.1)}, []),
    ({"arr": Figure(0.05, 0.0, up(0.1))}, ["few_queries"]),
    # fits
    ({"n_pairs": 384, "smaller_dimension": 384}, ["few_pairs"]),
    ({"n_pairs": 385, "smaller_dimension": 384}, []),
    ({"n_pairs": None, "smaller_dimension": 384}, []),
    ({"fit_scope": "seen"}, ["seen_fit"]),
    ({"folds": True}, ["folds_lean_low"]),
    ({"folds": True, "fit_scope": "seen"}, ["seen_fit"]),
    # coverage
    ({"sampled_fraction": 0.5}, ["sampled_corpus"]),
    ({"n_unjudged_queries": 12}, ["unjudged_queries"]),
    ({"n_missing_judged_documents": 3}, ["missing_judged_documents"]),
]


@pytest.mark.parametrize(("changes", "expected"), CASES)
def test_warnings_fire_exactly_when_they_should(
    changes: dict[str, Any], expected: list[str]
) -> None:
    """Each warning has its boundary; nothing else fires beside it."""
    result = decide(replace(QUIET, **changes))
    assert [warning.code for warning in result.warnings] == expected
    assert all(warning.message for warning in result.warnings)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"n_unjudged_queries": 12}, "12 queries"),
        ({"n_missing_judged_documents": 3}, "3 judged documents"),
        ({"n_queries": 6}, "6 evaluation queries"),
        ({"n_pairs": 300, "smaller_dimension": 384}, "300 pairs for 384 dimensions"),
    ],
)
def test_warnings_say_how_many(changes: dict[str, Any], says: str) -> None:
    """A warning about a count names the count."""
    (warning,) = decide(replace(QUIET, **changes)).warnings
    assert says in warning.message
