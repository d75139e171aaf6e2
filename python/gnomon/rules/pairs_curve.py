"""How many pairs an adapter needs: a reading of unseen retention at growing numbers of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

# A step smaller than the sampling noise of a retention is no step; see docs/decision-rule.md.
NOISE: Final = 0.025


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsPoint:
    """Unseen retention of an adapter that was fitted on this many pairs."""

    n_pairs: int
    arr: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsReading:
    """What a curve says.

    Attributes
    ----------
    enough
        The fewest pairs whose retention is within 0.025 of the best; None without a curve.
    more_would_help
        Whether the last step still brought more than 0.025; None with fewer than two points.
    sentence
        The same in words.
    """

    enough: int | None
    more_would_help: bool | None
    sentence: str


def read_pairs_curve(points: Sequence[PairsPoint]) -> PairsReading:
    """Say how many pairs are enough, and whether more would help.

    Points without a retention are left out; the others are read by number of pairs.

    Examples
    --------
    >>> curve = [PairsPoint(n_pairs=500, arr=0.60), PairsPoint(n_pairs=1000, arr=0.61)]
    >>> read_pairs_curve(curve).enough
    500
    """
    measured = sorted((point.n_pairs, point.arr) for point in points if point.arr is not None)
    if not measured:
        return PairsReading(
            enough=None, more_would_help=None, sentence="No number of pairs was measured."
        )
    most_pairs, last = measured[-1]
    best = max(arr for _, arr in measured)
    enough = next(n_pairs for n_pairs, arr in measured if arr >= best - NOISE)
    if len(measured) == 1:
        return PairsReading(
            enough=enough,
            more_would_help=None,
            sentence=f"Only {most_pairs:,} pairs were measured: retention {last:.3f}.",
        )
    before, previous = measured[-2]
    if last - previous > NOISE:
        return PairsReading(
            enough=enough,
            more_would_help=True,
            sentence=f"More pairs would help: from {before:,} to {most_pairs:,} pairs retention "
            f"still rises from {previous:.3f} to {last:.3f}.",
        )
    return PairsReading(
        enough=enough,
        more_would_help=False,
        sentence=f"{enough:,} pairs are enough: more than that, up to {most_pairs:,}, brings no "
        f"more than noise over a retention of {dict(measured)[enough]:.3f}.",
    )
