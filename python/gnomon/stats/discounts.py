"""The logarithmic discounts of nDCG, the same bits on every machine."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BITS = 192  # of the fixed-point logarithms: 139 beyond what float64 holds


@lru_cache(maxsize=16)
def log2_discounts(k: int) -> NDArray[np.float64]:
    """Return 1 / log2(rank + 1) for ranks 1 to k, each rounded once.

    The logarithm of the C library differs between machines in its last bit; whole numbers don't.

    Returns
    -------
    numpy.ndarray
        float64[k], read-only.

    Examples
    --------
    >>> log2_discounts(3).tolist()
    [1.0, 0.6309297535714574, 0.5]
    """
    logs = _logarithms(k)
    # The quotient of two ints is rounded correctly.
    table = np.array([logs[0] / log for log in logs], dtype=np.float64)
    table.flags.writeable = False
    return table


def _logarithms(k: int) -> list[int]:
    """Return ln(2) to ln(k + 1) as multiples of 2^-192, each off by less than k 2^-184.

    ln(n + 1) - ln(n) = 2 artanh(1 / (2n + 1)) (Abramowitz and Stegun, 4.1.27 with x = 1 + 1/n).
    """
    logs = []
    log = 0
    for n in range(1, k + 1):
        odd = 2 * n + 1
        power, square, divisor = (2 << _BITS) // odd, odd * odd, 1
        while power:
            log += power // divisor
            power //= square
            divisor += 2
        logs.append(log)
    return logs
