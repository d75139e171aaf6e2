"""The logarithmic discounts of nDCG, the same bits on every machine."""

from __future__ import annotations

from decimal import Context, Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FIFTY_DIGITS = Context(prec=50)


@lru_cache(maxsize=16)
def log2_discounts(k: int) -> NDArray[np.float64]:
    """Return 1 / log2(rank + 1) for ranks 1 to k, each rounded once from 50 digits.

    The logarithm of the C library differs between machines in its last bit; ``decimal`` rounds
    correctly everywhere.

    Returns
    -------
    numpy.ndarray
        float64[k], read-only.

    Examples
    --------
    >>> log2_discounts(3).tolist()
    [1.0, 0.6309297535714574, 0.5]
    """
    ln2 = Decimal(2).ln(_FIFTY_DIGITS)
    table = np.array(
        [
            float(_FIFTY_DIGITS.divide(ln2, Decimal(rank + 1).ln(_FIFTY_DIGITS)))
            for rank in range(1, k + 1)
        ],
        dtype=np.float64,
    )
    table.flags.writeable = False
    return table
