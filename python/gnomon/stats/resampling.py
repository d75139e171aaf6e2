"""Means and ratios of means over queries, with 95% intervals from one paired bootstrap.

All per-query columns of a run are resampled together, on the same queries in every draw, and every
interval derives from the sums of those draws.

The interval of a ratio is taken on the logarithmic scale: the standard error is that of the log
ratio over the draws (linearised at the estimate), widened by Student's quantile and n / (n - 1)
because few queries understate it. Percentile, BCa and studentised intervals covered less often on
the collections that this was measured on: ``docs/decisions/0010-interval-method.md``. A mean of
values in [0, 1] is treated as the ratio of its two shares, so its interval stays in [0, 1]. Every
interval contains its estimate by construction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gnomon.errors import InvalidInputError
from gnomon.kernels import bootstrap_sums
from gnomon.stats.quantiles import exponential, student_t_975
from gnomon.types import Figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Floats = NDArray[np.float64]
DRAWS = 2000
_ONE_QUERY = "one query shows no spread"


@dataclass(frozen=True, slots=True)
class ResampledColumns:
    """Per-query columns in [0, 1] and the sums of their bootstrap draws.

    Attributes
    ----------
    names
        One per column, for example ``bridged.recall``.
    values
        float64[n_queries, n_columns].
    totals
        Correctly rounded sum of each column.
    sums
        float64[draws, n_columns]; the sum of each column over the queries of each draw.
    """

    names: tuple[str, ...]
    values: Floats
    totals: tuple[float, ...]
    sums: Floats

    @property
    def n_queries(self) -> int:
        """Queries behind every figure."""
        return len(self.values)

    def mean(self, name: str) -> float:
        """Return the mean of a column, from its correctly rounded sum."""
        return self.totals[self._column(name)] / self.n_queries

    def mean_figure(self, name: str) -> Figure:
        """Return the mean of a column with its interval, which stays in [0, 1]."""
        column, n = self._column(name), self.n_queries
        total, sums = self.totals[column], self.sums[:, column]
        mean = total / n
        rest = n - total
        if total == 0.0 or rest <= 0.0:
            return Figure(mean, reason=f"every query has {mean:g}: the draws show no spread")
        factor = self._factor(sums / total - (n - sums) / rest)
        if factor is None:
            return Figure(mean, reason=_ONE_QUERY)
        low = total / (total + rest * factor)
        high = total / (total + rest / factor)
        return Figure(mean, min(low, mean), max(high, mean))

    def difference_figure(self, name: str, reference: str) -> Figure:
        """Return mean(name) - mean(reference) with its paired interval (Student's t)."""
        a, b, n = self._column(name), self._column(reference), self.n_queries
        value = math.fsum((self.values[:, a] - self.values[:, b]).tolist()) / n
        reach = self._reach((self.sums[:, a] - self.sums[:, b]) / n - value)
        if reach is None:
            return Figure(value, reason=_ONE_QUERY)
        return Figure(value, value - reach, value + reach)

    def ratio_figure(self, numerator: str, denominator: str) -> Figure:
        """Return mean(numerator) / mean(denominator) with its paired interval.

        Missing, with the reason, when the denominator is 0. Draws whose denominator is 0 are left
        out; `dropped_draws` counts them.
        """
        return self.product_figure([(numerator, denominator)])

    def product_figure(self, ratios: Sequence[tuple[str, str]]) -> Figure:
        """Return the product of ratios of means with its interval, all on the same draws."""
        value, deviations = 1.0, np.zeros(len(self.sums))
        columns = [(self._column(above), self._column(below)) for above, below in ratios]
        for (above, below), (_, name) in zip(columns, ratios, strict=True):
            if self.totals[below] == 0.0:
                return Figure.missing(f"the mean of {name} is 0, so the ratio is not defined")
            value *= self.totals[above] / self.totals[below]
        if value == 0.0:
            return Figure(0.0, reason="the numerator is 0 for every query: no spread to resample")
        for above, below in columns:
            deviations += self.sums[:, above] / self.totals[above]
            deviations -= self.sums[:, below] / self.totals[below]
        kept = self._defined([below for _, below in columns])
        factor = self._factor(deviations[kept])
        if factor is None:
            return Figure(value, reason=_ONE_QUERY)
        return Figure(value, value / factor, value * factor)

    def dropped_draws(self, *denominators: str) -> int:
        """Count the draws in which one of the denominators is 0."""
        kept = self._defined([self._column(name) for name in denominators])
        return len(self.sums) - int(kept.sum())

    def _column(self, name: str) -> int:
        return self.names.index(name)

    def _defined(self, denominators: Sequence[int]) -> NDArray[np.bool_]:
        defined: NDArray[np.bool_] = np.all(self.sums[:, list(denominators)] > 0.0, axis=1)
        return defined

    def _factor(self, deviations: Floats) -> float | None:
        reach = self._reach(deviations)
        return None if reach is None else exponential(reach)

    def _reach(self, deviations: Floats) -> float | None:
        """Return the half-width that these deviations from the estimate imply."""
        n = self.n_queries
        if n < 2 or len(deviations) == 0:
            return None
        variance = math.fsum((deviations * deviations).tolist()) / len(deviations)
        return student_t_975(n - 1) * math.sqrt(variance * n / (n - 1))


def resample_queries(
    columns: Mapping[str, Floats], *, seed: int, draws: int = DRAWS, threads: int | None = None
) -> ResampledColumns:
    """Draw the paired bootstrap over queries once for all columns.

    Parameters
    ----------
    columns
        Name to float64[n_queries], metric values in [0, 1]; a query outside a stratum is 0 in both
        columns of that stratum's ratio.
    seed
        Seed of the draws; index j of draw b is key(seed, 6, b n + j) mod n.
    draws
        Number of draws.
    threads
        As in `gnomon.kernels.bootstrap_sums`; the result does not depend on it.

    Raises
    ------
    InvalidInputError
        If there is no column or no query, lengths differ, or a value is outside [0, 1].

    Examples
    --------
    >>> table = resample_queries({"bridged": np.array([1.0, 0.5]), "oracle": np.ones(2)}, seed=0)
    >>> table.ratio_figure("bridged", "oracle").value
    0.75
    """
    if not columns:
        raise InvalidInputError("no columns to resample")
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidInputError(f"columns differ in length: {lengths}")
    values = np.ascontiguousarray(np.column_stack(list(columns.values())), dtype=np.float64)
    if len(values) == 0:
        raise InvalidInputError("no judged queries: there is nothing to resample")
    outside = np.argwhere(~((values >= 0.0) & (values <= 1.0)))
    if outside.size:
        query, column = outside[0].tolist()
        raise InvalidInputError(
            f"{list(columns)[column]} is {values[query, column]} at query {query}; "
            "metric values lie in [0, 1]"
        )
    totals = tuple(math.fsum(column) for column in values.T.tolist())
    sums = bootstrap_sums(values, seed=seed, draws=draws, threads=threads)
    return ResampledColumns(tuple(columns), values, totals, sums)
