"""Agreement of two judges beyond chance."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gnomon.errors import InvalidInputError
from gnomon.stats.intervals import wilson
from gnomon.types import Figure

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> Figure:
    """Return Cohen's kappa of two judges over the same items, with a 95% interval (Cohen 1960).

    Kappa is the observed agreement less the agreement expected by chance, as a share of what chance
    leaves; chance is each judge drawing from their own shares of the categories. The interval is
    the Wilson interval of the observed agreement, mapped in the same way with the expected
    agreement held fixed, so that it does not collapse where the judges agree on everything.

    Parameters
    ----------
    first, second
        One category per item, in the same order.

    Returns
    -------
    Figure
        Missing, with the reason, without items and where both judges use one and the same category
        throughout, since chance alone then explains everything.

    Raises
    ------
    InvalidInputError
        When the judges have different numbers of items.

    Examples
    --------
    >>> first = ["x"] * 25 + ["y"] * 25
    >>> second = ["x"] * 20 + ["y"] * 5 + ["x"] * 10 + ["y"] * 15
    >>> round(cohen_kappa(first, second).value, 12)
    0.4
    """
    n = len(first)
    if n != len(second):
        raise InvalidInputError(f"{n} items of one judge and {len(second)} of the other")
    if n == 0:
        return Figure.missing("no data: no item was judged by both")
    agreed = sum(one == other for one, other in zip(first, second, strict=True))
    of_first, of_second = Counter(first), Counter(second)
    by_chance = sum(count * of_second[category] for category, count in of_first.items())
    left = n * n - by_chance
    if left == 0:
        return Figure.missing("both judges gave one and the same verdict throughout")
    observed = wilson(agreed, n)
    assert observed.low is not None
    assert observed.high is not None
    low, high = ((share * n * n - by_chance) / left for share in (observed.low, observed.high))
    value = (agreed * n - by_chance) / left
    return Figure(value, max(-1.0, min(low, value)), min(1.0, max(high, value)))
