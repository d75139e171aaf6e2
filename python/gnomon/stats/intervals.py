"""Intervals of a proportion: for counts, never for averages of fractional values."""

from __future__ import annotations

import math
import operator
from fractions import Fraction

from gnomon.errors import InvalidInputError, InvalidTypeError, UsageError
from gnomon.stats.quantiles import Z_975
from gnomon.types import Figure

Z_95 = 1.6448536269514722
FIVE_PERCENT = Fraction(1, 20)
_GRID = 1 << 32


def wilson(successes: int, n: int, *, z: float = Z_975) -> Figure:
    """Return successes / n with its Wilson interval (Wilson 1927).

    The interval does not collapse at 0 of n or n of n. It is approximate: near no successes its
    upper limit is slightly low.

    Parameters
    ----------
    successes, n
        Counts; fractional values are refused, bootstrap those instead.
    z
        Normal quantile; the default makes a two-sided 95% interval.

    Returns
    -------
    Figure
        Missing, with the reason, when n is 0.

    Raises
    ------
    InvalidTypeError
        If a count is not an integer.
    InvalidInputError
        If successes is negative or above n.

    Examples
    --------
    >>> figure = wilson(0, 10)
    >>> figure.value, figure.low, round(figure.high, 4)
    (0.0, 0.0, 0.2775)
    """
    successes, n = _counts(successes, n)
    if n == 0:
        return Figure.missing("no data: 0 of 0")
    low, high = _limits(successes, n, z)
    value = successes / n
    return Figure(value, min(low, value), max(high, value))


def wilson_upper(successes: int, n: int, *, z: float = Z_95) -> float:
    """Return the one-sided upper Wilson limit (95% by default); 1.0 without data.

    Examples
    --------
    >>> round(wilson_upper(0, 10), 4), wilson_upper(0, 0)
    (0.2129, 1.0)
    """
    successes, n = _counts(successes, n)
    return 1.0 if n == 0 else _limits(successes, n, z)[1]


def clopper_pearson_upper(successes: int, n: int, *, miss: Fraction = FIVE_PERCENT) -> float:
    """Return the one-sided exact upper limit (Clopper and Pearson 1934); 1.0 without data.

    The limit is the proportion at which so few successes, or fewer, have probability ``miss``.
    It is found by bisection in whole numbers, so it is the same on every machine, and is rounded up
    to a multiple of 2**-32.

    Parameters
    ----------
    successes, n
        Counts; fractional values are refused.
    miss
        How often the limit may lie under the true proportion.

    Examples
    --------
    >>> round(clopper_pearson_upper(0, 59), 4), clopper_pearson_upper(0, 58) <= 0.05
    (0.0495, False)
    """
    successes, n = _counts(successes, n)
    if successes == n:
        return 1.0
    low, high = 0, _GRID  # the tail is above miss at low, at most miss at high
    while high - low > 1:
        middle = (low + high) // 2
        if _tail(successes, n, middle) * miss.denominator > miss.numerator * _GRID**n:
            low = middle
        else:
            high = middle
    return high / _GRID


def _tail(successes: int, n: int, p: int) -> int:
    """Return the chance of so few successes or fewer at proportion p / _GRID, times _GRID**n."""
    q = _GRID - p
    return sum(math.comb(n, i) * p**i * q ** (n - i) for i in range(successes + 1))


def _counts(successes: int, n: int) -> tuple[int, int]:
    try:
        successes, n = operator.index(successes), operator.index(n)
    except TypeError as error:
        raise InvalidTypeError(
            f"Wilson takes counts, not {successes!r} of {n!r}; use a bootstrap for averages"
        ) from error
    if not 0 <= successes <= n:
        raise InvalidInputError(f"{successes} successes of {n}: counts run from 0 to n")
    return successes, n


def _limits(successes: int, n: int, z: float) -> tuple[float, float]:
    if not 0.0 < z < math.inf:
        raise UsageError(f"z is {z}; a normal quantile above 0 is needed")
    proportion, z2 = successes / n, z * z
    centre = proportion + z2 / (2 * n)
    reach = z * math.sqrt(proportion * (1 - proportion) / n + z2 / (4 * n * n))
    scale = 1 + z2 / n
    low = 0.0 if successes == 0 else (centre - reach) / scale
    high = 1.0 if successes == n else (centre + reach) / scale
    return low, high
