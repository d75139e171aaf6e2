"""Whether paired values differ by more than chance, without assuming a distribution.

Source: R. A. Fisher, "The Design of Experiments" (1935). Sums are in whole numbers, so a p-value is
the same on every machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from gnomon.errors import InvalidInputError
from gnomon.kernels import draw_keys

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

FLIPS: Final = 10_000
# Up to so many pairs that differ, every one of their sign patterns is looked at.
EXACT_PAIRS: Final = 13
PURPOSE: Final = 11
_UNIT: Final = 2.0**40
_BLOCK: Final = 1000


def sign_flip_p(differences: ArrayLike, *, seed: int) -> float:
    """Return the two-sided p-value of the mean of paired differences.

    It is the share of sign patterns whose sum is at least as far from 0 as the one that was found:
    all patterns for up to 13 pairs that differ, else 10,000 drawn ones with the found one among
    them.

    Parameters
    ----------
    differences
        float64[n] in [-1, 1], one per pair; they are compared in units of 2**-40.
    seed
        Of the draws.

    Returns
    -------
    float
        Above 0, at most 1; 1 when no pair differs.

    Raises
    ------
    InvalidInputError
        When a difference is outside [-1, 1] or no number.

    Examples
    --------
    >>> sign_flip_p([0.5, 0.25, 0.125], seed=0), sign_flip_p([0.0, 0.0], seed=0)
    (0.25, 1.0)
    """
    values = np.asarray(differences, dtype=np.float64)
    if not (np.abs(values) <= 1.0).all():
        raise InvalidInputError("a paired difference is outside [-1, 1]")
    units: NDArray[np.int64] = np.rint(values * _UNIT).astype(np.int64)
    units = units[units != 0]
    if len(units) == 0:
        return 1.0
    found = abs(int(units.sum()))
    exact = len(units) <= EXACT_PAIRS
    blocks = _all_flips(len(units)) if exact else _drawn_flips(len(units), seed)
    as_far = sum(int((np.abs((1 - 2 * flips) @ units) >= found).sum()) for flips in blocks)
    if exact:
        return as_far / (1 << len(units))
    return (1 + as_far) / (1 + FLIPS)


def _all_flips(n: int) -> Iterator[NDArray[np.int64]]:
    patterns = np.arange(2**n, dtype=np.int64)[:, None]
    yield (patterns >> np.arange(n, dtype=np.int64)) & 1


def _drawn_flips(n: int, seed: int) -> Iterator[NDArray[np.int64]]:
    words = -(-n // 64)
    keys = draw_keys(seed, PURPOSE, FLIPS * words).reshape(FLIPS, words)
    shifts = np.arange(64, dtype=np.uint64)
    for first in range(0, FLIPS, _BLOCK):
        bits = (keys[first : first + _BLOCK, :, None] >> shifts) & np.uint64(1)
        yield bits.reshape(-1, 64 * words)[:, :n].astype(np.int64)
