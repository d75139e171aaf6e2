"""Isotonic regression by pooling adjacent violators."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class IsotonicFit:
    """A non-decreasing piecewise linear function, constant outside the fitted range."""

    x: Floats
    y: Floats

    def predict(self, x: Floats) -> Floats:
        """Return the fitted value at each x."""
        raise NotImplementedError


def fit_isotonic(x: Floats, y: Floats, *, weights: Floats | None = None) -> IsotonicFit:
    """Return the non-decreasing function of x with the least weighted squared error."""
    raise NotImplementedError
