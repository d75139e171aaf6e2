"""The verdict on a difference, as a table."""

from __future__ import annotations

import pytest

from gnomon.rules.moved import judge_difference


@pytest.mark.parametrize(
    ("difference", "spread", "low", "high", "verdict", "reason"),
    [
        (None, None, None, None, "not measured", "no record"),
        (0.0, 0.0, 0.0, 0.0, "not moved", "under 2 points"),
        (0.0199, 0.0, 0.01, 0.03, "not moved", "under 2 points"),
        (-0.0199, 0.0, -0.03, -0.01, "not moved", "under 2 points"),
        (0.02, 0.0, 0.01, 0.03, "moved", "2 points or more"),
        (0.1 - 0.08, 0.0, 0.01, 0.03, "moved", "2 points or more"),  # 0.02 less a few bits
        (-0.02, 0.01, -0.03, -0.01, "moved", "2 points or more"),
        (0.05, 0.05, 0.02, 0.08, "not moved", "inside the run-to-run spread"),
        (0.3 - 0.25, 0.05, 0.02, 0.08, "not moved", "inside the run-to-run spread"),
        (0.05, 0.049, 0.02, 0.08, "moved", "2 points or more"),
        (0.05, 0.049, -0.01, 0.11, "within the noise", "holds 0"),
        (0.05, 0.049, 0.0, 0.1, "within the noise", "holds 0"),
        (0.05, 0.049, None, None, "within the noise", "too few records"),
    ],
)
def test_verdicts(
    difference: float | None,
    spread: float | None,
    low: float | None,
    high: float | None,
    verdict: str,
    reason: str,
) -> None:
    """Under 2 points, inside the spread, or over zero: nothing has moved."""
    found = judge_difference(difference, spread, low, high)
    assert found.verdict == verdict
    assert reason in found.reason
