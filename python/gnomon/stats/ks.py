"""Two-sample Kolmogorov-Smirnov distance and its asymptotic p-value."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def ks_distance(a: Floats, b: Floats) -> float:
    """Return the largest distance between the two empirical distribution functions."""
    raise NotImplementedError


def ks_p_value(distance: float, n_a: int, n_b: int) -> float:
    """Return the asymptotic two-sided p-value of a two-sample distance."""
    raise NotImplementedError
