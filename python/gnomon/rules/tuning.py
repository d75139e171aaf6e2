"""Which lambda and which k? The rule of tuning: what may be swept, which cell wins, what it gained.

The winner is the best cell, however little it is better: the file that holds it must not change
with the machine or the day. What the search is worth is another question, and its answer comes from
records that had no say in the choice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal

from gnomon.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.types import Figure

DEFAULT_LAMBDAS: Final = "0.5:1.0:0.05"
DEFAULT_COUNTS: Final = "4:12:1"
# Beyond this an axis is a typing error; the whole plane at this size is still quick.
MOST_POINTS: Final = 200
# Means closer than this differ by the order of summation, not by what was retrieved.
DIGITS: Final = 9
# At this lambda MMR ranks by relevance alone.
PLAIN_LAMBDA: Final = Fraction(1)
_LAMBDA_RANGE: Final = (Fraction(0), Fraction(1))

Reading = Literal["gain", "noise", "loss", "too-few"]


@dataclass(frozen=True, slots=True)
class Axis:
    """The values that a lever takes in a sweep, rising, as exact fractions.

    Attributes
    ----------
    step
        The distance of neighbours; None for an axis that is pinned to one value.
    """

    values: tuple[Fraction, ...]
    step: Fraction | None = None

    @property
    def numbers(self) -> tuple[float, ...]:
        """The values as kernels take them, each the float nearest to it."""
        return tuple(map(float, self.values))


@dataclass(frozen=True, slots=True)
class Cell:
    """One point of the plane and what was measured there.

    Attributes
    ----------
    lambda_, k
        MMR_LAMBDA and GATE_K.
    f1, recall, mrr
        Means over the records with gold: retrieval F1 of what primes the turn, recall@8, MRR.
    """

    lambda_: Fraction
    k: int
    f1: float
    recall: float
    mrr: float


@dataclass(frozen=True, slots=True)
class Plane:
    """What is swept, and the levers that are in force meanwhile."""

    lambdas: Axis
    counts: Axis
    lambda_in_force: Fraction
    k_in_force: int

    def distance(self, cell: Cell) -> Fraction:
        """Return how many steps of the axes lie between a cell and the levers in force."""
        return _steps(cell.lambda_ - self.lambda_in_force, self.lambdas) + _steps(
            Fraction(cell.k - self.k_in_force), self.counts
        )


def parse_lambdas(text: str) -> Axis:
    """Return the axis of MMR_LAMBDA that ``lo:hi:step``, or one number, describes.

    Raises
    ------
    UsageError
        When it is malformed, leaves 0 to 1 or has more than 200 points.

    Examples
    --------
    >>> parse_lambdas("0.5:1:0.25").numbers, parse_lambdas("0.7").numbers
    ((0.5, 0.75, 1.0), (0.7,))
    """
    low, high, step = _parts(text, "--lambda", DEFAULT_LAMBDAS)
    least, most = _LAMBDA_RANGE
    if not least <= low <= high <= most:
        raise UsageError(f"--lambda {text!r} leaves 0 to 1, or ends before it begins")
    return _axis(text, "--lambda", low, high, step)


def parse_counts(text: str, fused: int) -> Axis:
    """Return the axis of GATE_K that ``lo:hi:step``, or one whole number, describes.

    Parameters
    ----------
    fused
        The lever FUSED: so many candidates there are to pick from, and values above it become it.

    Raises
    ------
    UsageError
        When it is malformed, not of whole numbers, below 1 or has more than 200 points.

    Examples
    --------
    >>> parse_counts("4:20:4", 12).numbers, parse_counts("5", 12).numbers
    ((4.0, 8.0, 12.0), (5.0,))
    """
    low, high, step = _parts(text, "--k", DEFAULT_COUNTS)
    if any(part is not None and part.denominator != 1 for part in (low, high, step)):
        raise UsageError(f"--k {text!r} is not of whole numbers; expected such as {DEFAULT_COUNTS}")
    if not 1 <= low <= high:
        raise UsageError(f"--k {text!r} begins below 1, or ends before it begins")
    axis = _axis(text, "--k", low, high, step)
    capped = sorted({min(value, Fraction(fused)) for value in axis.values})
    return Axis(tuple(capped), axis.step)


def choose_cell(cells: Sequence[Cell], plane: Plane) -> Cell:
    """Return the winner of a sweep.

    It has the highest mean F1, then recall@8, then MRR, each compared after rounding to 1e-9; among
    equals it is the one with the fewest steps from the levers in force, then the one with the lower
    lambda, then the one with the lower k.
    """
    return min(cells, key=lambda cell: _rank(cell, plane))


def read_gain(gain: Figure) -> Reading:
    """Return what the gain on records that had no say amounts to.

    An interval that holds zero is noise: plain ranking does as well.
    """
    if gain.value is None or gain.low is None or gain.high is None:
        return "too-few"
    if gain.low > 0.0:
        return "gain"
    return "loss" if gain.high < 0.0 else "noise"


def _rank(cell: Cell, plane: Plane) -> tuple[float, float, float, Fraction, Fraction, int]:
    return (
        -round(cell.f1, DIGITS),
        -round(cell.recall, DIGITS),
        -round(cell.mrr, DIGITS),
        plane.distance(cell),
        cell.lambda_,
        cell.k,
    )


def _steps(distance: Fraction, axis: Axis) -> Fraction:
    """Return a distance in steps; along a pinned axis all cells are equally far."""
    return Fraction(0) if axis.step is None else abs(distance) / axis.step


def _parts(text: str, flag: str, example: str) -> tuple[Fraction, Fraction, Fraction | None]:
    numbers = [_number(part) for part in text.split(":")]
    known = [number for number in numbers if number is not None]
    if len(known) != len(numbers) or len(numbers) not in (1, 3):
        raise UsageError(
            f"{flag} {text!r} is no axis; expected lo:hi:step, such as {example}, or one number"
        )
    if len(known) == 1:
        return known[0], known[0], None
    low, high, step = known
    if step <= 0:
        raise UsageError(f"{flag} {text!r} has a step of {float(step):g}; expected one above 0")
    return low, high, step


def _number(text: str) -> Fraction | None:
    """Return a decimal number exactly; neither 1/2 nor 1_0 nor inf is one."""
    try:
        if not math.isfinite(float(text)) or set(text.strip()) - set("+-.0123456789"):
            return None
        return Fraction(text.strip())
    except ValueError:
        return None


def _axis(text: str, flag: str, low: Fraction, high: Fraction, step: Fraction | None) -> Axis:
    if step is None:
        return Axis((low,))
    points = int((high - low) / step) + 1
    if points > MOST_POINTS:
        raise UsageError(f"{flag} {text!r} has {points} points; at most {MOST_POINTS} are swept")
    return Axis(tuple(low + step * at for at in range(points)), step)
