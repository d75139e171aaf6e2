"""Isotonic regression by pooling adjacent violators, in plain float loops with a fixed order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnomon.errors import InvalidInputError

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class IsotonicFit:
    """A non-decreasing piecewise linear function, constant outside the fitted range.

    Attributes
    ----------
    x, y
        float64[knots]; the ends of each pooled block and its level, x increasing.
    """

    x: Floats
    y: Floats

    def predict(self, x: Floats) -> Floats:
        """Return the fitted value at each x: levels inside blocks, straight lines between them."""
        if len(self.x) == 1:
            return np.full(np.shape(x), self.y[0])
        right = np.searchsorted(self.x, x, side="left").clip(1, len(self.x) - 1)
        left = right - 1
        # An offset from the left knot, clipped, keeps the function exactly monotone.
        share = ((x - self.x[left]) / (self.x[right] - self.x[left])).clip(0.0, 1.0)
        rise = (self.y[right] - self.y[left]) * share
        level = np.minimum(self.y[left] + rise, self.y[right])
        fitted: Floats = np.where(share < 1.0, level, self.y[right])
        return fitted


def fit_isotonic(x: Floats, y: Floats, *, weights: Floats | None = None) -> IsotonicFit:
    """Return the non-decreasing function of x with the least weighted squared error.

    Equal x are first replaced by their weighted mean (Ayer et al. 1955 for the pooling).

    Parameters
    ----------
    x, y
        float64[n], finite, n at least 1, in any order.
    weights
        float64[n], positive; 1 each when None.

    Raises
    ------
    InvalidInputError
        If lengths differ, nothing is given, a value is not finite or a weight is not positive.

    Examples
    --------
    >>> fit = fit_isotonic(np.array([1.0, 2.0, 3.0]), np.array([0.2, 0.6, 0.4]))
    >>> fit.predict(np.array([0.0, 1.5, 2.0, 9.0])).tolist()
    [0.2, 0.35, 0.5, 0.5]
    """
    weights = np.ones(len(x)) if weights is None else weights
    _check(x, y, weights)
    order = np.lexsort((weights, y, x))
    blocks: list[tuple[float, float, float, float]] = []  # first x, last x, sum of w*y, sum of w
    points = zip(x[order].tolist(), y[order].tolist(), weights[order].tolist(), strict=True)
    for at, value, weight in points:
        if blocks and blocks[-1][1] == at and blocks[-1][0] == at:
            first, last, total, mass = blocks.pop()
            blocks.append((first, last, total + weight * value, mass + weight))
        else:
            _pool(blocks)
            blocks.append((at, at, weight * value, weight))
    _pool(blocks)
    return _knots(blocks)


def _pool(blocks: list[tuple[float, float, float, float]]) -> None:
    """Merge the last block backwards while its level is under the one before it."""
    while len(blocks) > 1 and blocks[-2][2] / blocks[-2][3] >= blocks[-1][2] / blocks[-1][3]:
        _, last, total, mass = blocks.pop()
        first, _, total_before, mass_before = blocks.pop()
        blocks.append((first, last, total_before + total, mass_before + mass))


def _knots(blocks: list[tuple[float, float, float, float]]) -> IsotonicFit:
    xs, ys = [], []
    for first, last, total, mass in blocks:
        for at in (first,) if first == last else (first, last):
            xs.append(at)
            ys.append(total / mass)
    return IsotonicFit(np.array(xs), np.array(ys))


def _check(x: Floats, y: Floats, weights: Floats) -> None:
    if not len(x) == len(y) == len(weights):
        raise InvalidInputError(f"{len(x)} x, {len(y)} y and {len(weights)} weights")
    if len(x) == 0:
        raise InvalidInputError("no points to fit")
    for name, values in (("x", x), ("y", y), ("weights", weights)):
        bad = np.flatnonzero(~np.isfinite(values))
        if bad.size:
            raise InvalidInputError(f"{name} holds {values[bad[0]]} at row {bad[0]}")
    if weights.min() <= 0:
        raise InvalidInputError(f"weight {weights.min()} at row {weights.argmin()} is not positive")
