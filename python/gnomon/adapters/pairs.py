"""The pairs an adapter is fitted on, and the sums over them that every fit shares.

All closed-form fits need the same few sums over the pairs; they cost more than the fits. They are
computed once per set of pairs, in float64, and add up: the sums of a union are the sum of the sums.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from gnomon import kernels
from gnomon.errors import InvalidInputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

Result = TypeVar("Result")

# Of the pairs, this part judges a penalty that was fitted on the others.
HELD_OUT_PART = 5
SELECTION = 2  # purpose of a draw, see the decision rule
# Vectors that were stored as float16 are of unit length up to this.
_UNIT_LENGTH_TOLERANCE = 1e-3


@dataclass(frozen=True, eq=False)
class PairStatistics:
    """Sums over pairs (x, y) = (new, old), float64.

    Attributes
    ----------
    n
        Number of pairs.
    sum_new, sum_old
        Sums of x, float64[d_new], and of y, float64[d_old].
    new_new
        Sum of x x', float64[d_new, d_new].
    old_new
        Sum of y x', float64[d_old, d_new].
    old_squares
        Sum of |y|^2.
    """

    n: int
    sum_new: NDArray[np.float64]
    sum_old: NDArray[np.float64]
    new_new: NDArray[np.float64]
    old_new: NDArray[np.float64]
    old_squares: float

    @classmethod
    def of(
        cls, new_pairs: NDArray[np.float32], old_pairs: NDArray[np.float32], *, workers: int = 1
    ) -> PairStatistics:
        """Return the sums over the rows of two matrices, [n, d_new] and [n, d_old].

        With more than one worker the two products are computed side by side; the bits are the same.
        """
        x = np.asarray(new_pairs, dtype=np.float64)
        y = np.asarray(old_pairs, dtype=np.float64)
        if workers > 1:
            with ThreadPoolExecutor(1) as pool:
                product = pool.submit(np.matmul, x.T, x)
                old_new = y.T @ x
                new_new: NDArray[np.float64] = product.result()
        else:
            new_new, old_new = x.T @ x, y.T @ x
        return cls(
            n=len(x),
            sum_new=x.sum(axis=0),
            sum_old=y.sum(axis=0),
            new_new=new_new,
            old_new=old_new,
            old_squares=float(np.vdot(y, y)),
        )

    def __add__(self, other: PairStatistics) -> PairStatistics:
        return PairStatistics(
            self.n + other.n,
            self.sum_new + other.sum_new,
            self.sum_old + other.sum_old,
            self.new_new + other.new_new,
            self.old_new + other.old_new,
            self.old_squares + other.old_squares,
        )

    def __sub__(self, part: PairStatistics) -> PairStatistics:
        """Return the sums over the pairs that are not in ``part``."""
        return PairStatistics(
            self.n - part.n,
            self.sum_new - part.sum_new,
            self.sum_old - part.sum_old,
            self.new_new - part.new_new,
            self.old_new - part.old_new,
            self.old_squares - part.old_squares,
        )

    @property
    def d_new(self) -> int:
        """Width of a new vector."""
        return len(self.sum_new)

    @property
    def d_old(self) -> int:
        """Width of an old vector."""
        return len(self.sum_old)

    @cached_property
    def mean_new(self) -> NDArray[np.float64]:
        """Mean of x."""
        return self.sum_new / self.n

    @cached_property
    def mean_old(self) -> NDArray[np.float64]:
        """Mean of y."""
        return self.sum_old / self.n

    @cached_property
    def about_means(self) -> Scatter:
        """The sums of products of the deviations from the means."""
        return self.about(self.mean_new, self.mean_old)

    def about(self, centre_new: NDArray[np.float64], centre_old: NDArray[np.float64]) -> Scatter:
        """Return the sums of products of the deviations from two given centres."""
        shift = self.sum_new - self.n * centre_new
        new_new = self.new_new - np.outer(self.sum_new, centre_new) - np.outer(centre_new, shift)
        old_new = self.old_new - np.outer(self.sum_old, centre_new) - np.outer(centre_old, shift)
        old_squares = (
            self.old_squares
            - 2.0 * float(self.sum_old @ centre_old)
            + self.n * float(centre_old @ centre_old)
        )
        return Scatter(new_new, old_new, max(old_squares, 0.0))


@dataclass(frozen=True, eq=False, slots=True)
class Scatter:
    """Sums over pairs of products of deviations from a centre, float64.

    ``new_new`` is [d_new, d_new], ``old_new`` is [d_old, d_new], ``old_squares`` a number.
    """

    new_new: NDArray[np.float64]
    old_new: NDArray[np.float64]
    old_squares: float


@dataclass(frozen=True, eq=False)
class FitContext:
    """A set of pairs, and what the adapters fitted on it share.

    Make one with :meth:`of` or :meth:`nested`. A zero vector (an empty document under a model that
    averages its words) is a pair like any other.

    Attributes
    ----------
    new_pairs, old_pairs
        float32[n, d_new] and float32[n, d_old], l2-normalised, row i of both the same document.
    seed
        Seed of the draws inside the fit.
    rows
        int64[n], the documents' row numbers; they alone decide which pairs are held out, so that
        the order of the pairs does not matter.
    cluster_labels
        int64[n], cluster of each pair's old vector, or None when there are no clusters.
    """

    new_pairs: NDArray[np.float32]
    old_pairs: NDArray[np.float32]
    seed: int
    rows: NDArray[np.int64]
    cluster_labels: NDArray[np.int64] | None
    given_statistics: PairStatistics | None = None
    _results: dict[Callable[..., Any], Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        new_pairs: NDArray[np.float32],
        old_pairs: NDArray[np.float32],
        *,
        seed: int,
        rows: NDArray[np.int64] | None = None,
        cluster_labels: NDArray[np.int64] | None = None,
    ) -> FitContext:
        """Return the context of these pairs.

        Raises
        ------
        InvalidInputError
            No pair, matrices of different length, a side that is all zeros, or a row with NaN or
            infinity or that is neither l2-normalised nor zero; the message names it.
        """
        _check_pairs(new_pairs, old_pairs)
        rows = np.arange(len(new_pairs), dtype=np.int64) if rows is None else rows
        return cls(new_pairs, old_pairs, seed, rows, cluster_labels)

    @classmethod
    def nested(
        cls,
        new_pairs: NDArray[np.float32],
        old_pairs: NDArray[np.float32],
        sizes: Sequence[int],
        *,
        seed: int,
        rows: NDArray[np.int64] | None = None,
        cluster_labels: NDArray[np.int64] | None = None,
        workers: int = 1,
    ) -> list[FitContext]:
        """Return one context per size, each of the first ``size`` pairs.

        The sums grow from one size to the next, so that all of them cost what the largest costs.

        Parameters
        ----------
        sizes
            Rising numbers of pairs, the last at most n.
        workers
            Threads for the sums.

        Raises
        ------
        InvalidInputError
            As :meth:`of`.
        UsageError
            The sizes don't rise, or ask for more pairs than there are.
        """
        _check_pairs(new_pairs, old_pairs)
        if not all(a < b for a, b in pairwise([0, *sizes])) or sizes[-1] > len(new_pairs):
            raise UsageError(
                f"sizes {list(sizes)} must rise from 1 to at most the {len(new_pairs)} pairs"
            )
        rows = np.arange(len(new_pairs), dtype=np.int64) if rows is None else rows
        contexts: list[FitContext] = []
        total: PairStatistics | None = None
        begin = 0
        for size in sizes:
            part = PairStatistics.of(new_pairs[begin:size], old_pairs[begin:size], workers=workers)
            total = part if total is None else total + part
            labels = None if cluster_labels is None else cluster_labels[:size]
            contexts.append(
                cls(new_pairs[:size], old_pairs[:size], seed, rows[:size], labels, total)
            )
            begin = size
        return contexts

    def with_statistics(self, statistics: PairStatistics) -> FitContext:
        """Return this context with sums that were already computed for exactly its pairs."""
        return FitContext(
            self.new_pairs, self.old_pairs, self.seed, self.rows, self.cluster_labels, statistics
        )

    @property
    def n(self) -> int:
        """Number of pairs."""
        return len(self.new_pairs)

    @cached_property
    def statistics(self) -> PairStatistics:
        """The sums over all pairs."""
        return self.given_statistics or PairStatistics.of(self.new_pairs, self.old_pairs)

    @cached_property
    def held_out(self) -> PairStatistics | None:
        """The sums over the fifth of the pairs with the smallest keys; None below five pairs."""
        size = self.n // HELD_OUT_PART
        if size == 0:
            return None
        drawn = kernels.draw_rows(
            self.seed, SELECTION, int(self.rows.max()) + 1, size, among=self.rows
        )
        chosen = np.flatnonzero(np.isin(self.rows, drawn))
        return PairStatistics.of(self.new_pairs[chosen], self.old_pairs[chosen])

    def shared(self, compute: Callable[[FitContext], Result]) -> Result:
        """Return ``compute(self)``, computed once however many adapters ask for it."""
        if compute not in self._results:
            self._results[compute] = compute(self)
        return cast("Result", self._results[compute])


def _check_pairs(new_pairs: NDArray[np.float32], old_pairs: NDArray[np.float32]) -> None:
    for name, pairs in (("new_pairs", new_pairs), ("old_pairs", old_pairs)):
        if pairs.ndim != 2 or pairs.dtype != np.float32:
            raise InvalidInputError(
                f"{name} is {pairs.dtype}{list(pairs.shape)}, expected a float32 matrix"
            )
    if len(new_pairs) != len(old_pairs):
        raise InvalidInputError(
            f"{len(new_pairs)} new vectors and {len(old_pairs)} old vectors are not pairs"
        )
    if len(new_pairs) == 0:
        raise InvalidInputError("there are no pairs to fit an adapter on")
    _check_rows("new_pairs", new_pairs)
    _check_rows("old_pairs", old_pairs)


def _check_rows(name: str, pairs: NDArray[np.float32]) -> None:
    """Refuse the first row that is neither zero nor of unit length."""
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.einsum("ij,ij->i", pairs, pairs)
        right = (squares == 0.0) | (np.abs(squares - 1.0) <= _UNIT_LENGTH_TOLERANCE)
    if right.all():
        if not squares.any():
            raise InvalidInputError(
                f"{name}: all {len(pairs)} rows are zero; nothing can be fitted"
            )
        return
    row = int(np.argmin(right))
    if not np.isfinite(pairs[row]).all():
        raise InvalidInputError(f"{name}: row {row} holds NaN or infinity")
    raise InvalidInputError(
        f"{name}: row {row} is not l2-normalised (squared length {squares[row]:.4g}, expected 1); "
        "pass the vectors through gnomon.kernels.normalize first"
    )
