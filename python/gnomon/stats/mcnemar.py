"""McNemar's exact test: whether one system wins more of the items on which two differ."""

from __future__ import annotations

import math
from fractions import Fraction

from gnomon.errors import InvalidInputError


def mcnemar_exact(gained: int, lost: int) -> float:
    """Return the two-sided exact p-value of McNemar's test (McNemar 1947).

    Under the null hypothesis each item on which only one of two systems is right falls to either
    like a fair coin, so the count of one side is binomial with chance one half. The sum is over
    whole numbers, so the value is the same on every machine.

    Parameters
    ----------
    gained, lost
        Items on which only the first system is right, and only the second.

    Returns
    -------
    float
        In (0, 1]; 1.0 when the systems differ nowhere.

    Raises
    ------
    InvalidInputError
        When a count is negative.

    Examples
    --------
    >>> mcnemar_exact(6, 0), mcnemar_exact(0, 0)
    (0.03125, 1.0)
    """
    if gained < 0 or lost < 0:
        raise InvalidInputError(f"{gained} gained and {lost} lost: counts are 0 or more")
    n = gained + lost
    tail = sum(math.comb(n, i) for i in range(min(gained, lost) + 1))
    return float(min(Fraction(1), Fraction(2 * tail, 2**n)))


def least_lead(differing: int, *, level: Fraction = Fraction(1, 20)) -> int | None:
    """Return the least lead at which `mcnemar_exact` is at most ``level``.

    Parameters
    ----------
    differing
        Items on which exactly one of the two systems is right.

    Returns
    -------
    int or None
        How many items more the one must win than the other; None when not even all of them would
        do.

    Examples
    --------
    >>> least_lead(6), least_lead(5), least_lead(20)
    (6, None, 10)
    """
    tail, lead = 0, None
    for lost in range(differing // 2 + 1):
        tail += math.comb(differing, lost)
        if 2 * tail * level.denominator > level.numerator * 2**differing:
            break
        lead = differing - 2 * lost
    return lead
