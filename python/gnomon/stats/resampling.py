"""Means and ratios of means over queries, with intervals from one paired bootstrap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnomon.types import Figure

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ResampledColumns:
    """Per-query columns and the sums of their bootstrap draws; every figure derives from them.

    Columns are named by the caller, for example ``bridged.recall``.
    """

    names: tuple[str, ...]
    values: Floats  # (n_queries, n_columns)
    sums: Floats  # (draws, n_columns)

    @property
    def n_queries(self) -> int:
        """Queries behind every figure."""
        raise NotImplementedError

    def mean(self, name: str) -> float:
        """Return the correctly rounded mean of a column."""
        raise NotImplementedError

    def mean_figure(self, name: str) -> Figure:
        """Return the mean of a column with its interval."""
        raise NotImplementedError

    def difference_figure(self, name: str, reference: str) -> Figure:
        """Return mean(name) - mean(reference) with its paired interval."""
        raise NotImplementedError

    def ratio_figure(self, numerator: str, denominator: str) -> Figure:
        """Return mean(numerator) / mean(denominator) with its paired interval."""
        raise NotImplementedError

    def product_figure(self, ratios: Sequence[tuple[str, str]]) -> Figure:
        """Return the product of several ratios of means with its interval, on the same draws."""
        raise NotImplementedError

    def dropped_draws(self, *denominators: str) -> int:
        """Count the draws in which one of the denominators is 0."""
        raise NotImplementedError


def resample_queries(
    columns: Mapping[str, Floats], *, seed: int, draws: int = 2000
) -> ResampledColumns:
    """Draw the paired bootstrap over queries once for all columns."""
    raise NotImplementedError
