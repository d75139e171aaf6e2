"""How much of the oracle's top k another ranking shares, and how well the order agrees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def overlap_at(k: int, predicted: Ints, oracle: Ints) -> Floats:
    """Return per query the share of the oracle's top k that is in the predicted top k."""
    raise NotImplementedError


def spearman_at(k: int, predicted: Ints, oracle: Ints) -> Floats:
    """Return per query Spearman's rank correlation over the oracle's top k."""
    raise NotImplementedError
