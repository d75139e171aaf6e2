"""Seeded draws and bootstrap sums, the same on every machine and under every library version.

The generator is counter-based: ``key(seed, purpose, row) = mix(mix(seed + purpose * golden) +
(row + 1) * golden)`` modulo 2^64, with ``golden = 0x9E3779B97F4A7C15`` and ``mix`` the finaliser of
splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, SupportsIndex

import numpy as np

from gnomon import _core
from gnomon.errors import InvalidInputError, InvalidTypeError
from gnomon.kernels._arrays import as_count, as_rows, as_threads

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_MAX_UINT64 = 2**64 - 1


class Purpose(IntEnum):
    """What a draw is for: different purposes give independent draws from one seed."""

    PAIRS = 1
    SELECTION = 2
    NEIGHBOUR_QUERIES = 3
    SAMPLE = 4
    CALIBRATION = 5
    BOOTSTRAP = 6
    CLUSTERS = 7
    HALVES = 8
    UNTOUCHED = 9
    ANCHORS = 10


def draw_keys(seed: int, purpose: int, n: SupportsIndex) -> NDArray[np.uint64]:
    """Return the keys of rows 0 to n - 1.

    Parameters
    ----------
    seed
        From 0 to 2^64 - 1.
    purpose
        A `Purpose`, or another number from 0 to 2^64 - 1.
    n
        How many keys.

    Returns
    -------
    numpy.ndarray
        uint64 of shape (n,).

    Raises
    ------
    UsageError
        An argument isn't a whole number in its range.

    Examples
    --------
    >>> bool((draw_keys(7, Purpose.SAMPLE, 3) == draw_keys(7, Purpose.SAMPLE, 5)[:3]).all())
    True
    """
    return _core.draw_keys(_as_seed(seed), _as_purpose(purpose), as_count(n, "n"))


def draw_rows(
    seed: int,
    purpose: int,
    n: SupportsIndex,
    size: SupportsIndex,
    *,
    among: ArrayLike | None = None,
) -> NDArray[np.int64]:
    """Return the rows with the smallest keys: a draw without replacement.

    A draw is the beginning of every larger draw with the same seed and purpose.

    Parameters
    ----------
    seed
        From 0 to 2^64 - 1.
    purpose
        A `Purpose`, or another number from 0 to 2^64 - 1.
    n
        Rows are numbered from 0 to n - 1.
    size
        How many to draw; all of them when there are fewer.
    among
        Draw among these rows only: distinct integers in [0, n), in any order.

    Returns
    -------
    numpy.ndarray
        int64, by key, then by row; ``min(size, rows to draw from)`` of them.

    Raises
    ------
    UsageError
        A number isn't a whole number in its range.
    InvalidInputError
        ``among`` names a row out of range, or one twice.
    InvalidTypeError
        ``among`` doesn't hold integers.

    Examples
    --------
    >>> draw_rows(0, Purpose.SAMPLE, 1000, 3).tolist()
    [364, 478, 51]
    """
    count = as_count(n, "n")
    rows = None if among is None else _as_distinct_rows(among, count)
    return _core.draw_rows(
        _as_seed(seed), _as_purpose(purpose), count, as_count(size, "size"), rows
    )


def bootstrap_sums(
    values: ArrayLike,
    *,
    seed: int,
    draws: SupportsIndex = 2000,
    threads: int | None = None,
) -> NDArray[np.float64]:
    """Return the column sums of resamples of the rows.

    Every resample takes n rows with replacement; all columns share them, so that ratios and
    differences of columns are paired. Row j of draw b is ``key(seed, 6, b * n + j) mod n``, and
    sums run in the order of j.

    Parameters
    ----------
    values
        float64 of shape (n, m): one row per query, one column per figure.
    seed
        From 0 to 2^64 - 1.
    draws
        How many resamples.
    threads
        Default: ``GNOMON_NUM_THREADS``, else the CPUs of this process.

    Returns
    -------
    numpy.ndarray
        float64 of shape (draws, m).

    Raises
    ------
    UsageError
        A number isn't a whole number in its range.
    InvalidInputError
        ``values`` isn't two-dimensional, has no rows, or holds NaN or infinity.
    InvalidTypeError
        ``values`` can't be read as float64.

    Examples
    --------
    >>> bootstrap_sums([[1.0, 2.0], [1.0, 2.0]], seed=1, draws=2).tolist()
    [[2.0, 4.0], [2.0, 4.0]]
    """
    workers = as_threads(threads)
    rows = _as_float64(values)
    return _core.bootstrap_sums(rows, _as_seed(seed), as_count(draws, "draws"), workers)


def _as_seed(seed: int) -> int:
    return as_count(seed, "seed", most=_MAX_UINT64)


def _as_purpose(purpose: int) -> int:
    return as_count(purpose, "purpose", most=_MAX_UINT64)


def _as_distinct_rows(among: ArrayLike, n: int) -> NDArray[np.int64]:
    rows = as_rows(among, "among", n)
    if rows.ndim != 1:
        raise InvalidInputError(f"among has shape {rows.shape}; expected one dimension")
    ordered = np.sort(rows)
    repeated = np.flatnonzero(ordered[1:] == ordered[:-1])
    if repeated.size:
        raise InvalidInputError(
            f"among names row {ordered[repeated[0]]} more than once; expected distinct rows"
        )
    return rows


def _as_float64(values: ArrayLike) -> NDArray[np.float64]:
    try:
        rows = np.require(values, np.float64, ["C_CONTIGUOUS", "ALIGNED"])
    except (TypeError, ValueError) as error:
        raise InvalidTypeError(f"values: expected a float64 array ({error})") from None
    if rows.ndim != 2 or len(rows) == 0:
        raise InvalidInputError(
            f"values have shape {rows.shape}; expected (n, m) with at least one row"
        )
    if not np.isfinite(rows).all():
        row = int(np.isfinite(rows).all(axis=1).argmin())
        raise InvalidInputError(f"values: row {row} holds NaN or infinity; expected finite values")
    return rows
