"""Whether a difference between two configurations is one, beside what a second run would change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

# Two points of a hundred: what a reader of answers does not notice.
LEAST_DIFFERENCE: Final = 0.02
# Runs of a side that show a spread at all.
LEAST_RUNS: Final = 3
# Sums of shares differ in their last bits; a limit is reached when it is reached up to this.
_GRAIN: Final = 1e-9

Verdict = Literal["moved", "within the noise", "not moved", "not measured"]


@dataclass(frozen=True, slots=True)
class Moved:
    """A verdict and why."""

    verdict: Verdict
    reason: str


def judge_difference(
    difference: float | None, spread: float | None, low: float | None, high: float | None
) -> Moved:
    """Return whether a difference between two sides counts.

    Parameters
    ----------
    difference
        Mean of one side less mean of the other; None when no record was measured on both.
    spread
        The largest difference between two runs of one and the same side.
    low, high
        Paired 95% interval of the difference over the records; None when there are too few.

    Examples
    --------
    >>> judge_difference(0.05, 0.01, 0.02, 0.08).verdict
    'moved'
    >>> judge_difference(0.05, 0.06, 0.02, 0.08).reason
    'inside the run-to-run spread'
    """
    if difference is None or spread is None:
        return Moved("not measured", "no record was measured on both sides")
    size = abs(difference)
    if size < LEAST_DIFFERENCE - _GRAIN:
        return Moved("not moved", "under 2 points")
    if size <= spread + _GRAIN:
        return Moved("not moved", "inside the run-to-run spread")
    if low is None or high is None:
        return Moved("within the noise", "too few records for an interval")
    if low <= 0.0 <= high:
        return Moved("within the noise", "the interval over the records holds 0")
    return Moved("moved", "2 points or more, outside the spread, and the interval excludes 0")
