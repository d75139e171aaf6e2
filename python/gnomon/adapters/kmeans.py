"""Spherical k-means on old vectors: the clusters of the corpus, the same bits everywhere.

Rows are compared by cosine, and a centroid is the mean of its members at unit length (Dhillon and
Modha 2001, "Concept decompositions for large sparse text data using clustering", Mach. Learn. 42).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon import kernels
from gnomon.errors import NotMeasuredError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

CLUSTERS = 7  # purpose of a draw, see the decision rule
MAX_ROWS = 50_000
MAX_ITERATIONS = 10
# Centres are chosen from this many rows: enough that no large region is missed, few enough that a
# corpus of any size starts in the same short time.
MAX_CANDIDATES = 1_024
TRIALS = 4  # rows drawn for each centre, of which the best is taken
# Up to this many centroids it is cheaper to score every one than to screen them: 50 against 83 ms
# at 32 centroids, 112 against 101 ms at 100 (50,000 rows of 384 dimensions).
SCORED_OUTRIGHT = 64
_ASSIGN_BLOCK = 65_536
_GOLDEN = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


@dataclass(frozen=True, eq=False, slots=True)
class Clusters:
    """The clusters of a corpus.

    Attributes
    ----------
    centroids
        float32[k, d], unit length.
    rows
        int64[m], rising: the rows they were made from.
    labels
        int64[m], cluster of each of those rows.
    iterations
        Rounds until no row moved, or the cap.
    """

    centroids: NDArray[np.float32]
    rows: NDArray[np.int64]
    labels: NDArray[np.int64]
    iterations: int

    @property
    def k(self) -> int:
        """Number of clusters."""
        return len(self.centroids)

    def assign(
        self, vectors: NDArray[np.generic], *, threads: int | None = None
    ) -> NDArray[np.int64]:
        """Return the nearest cluster of each row by cosine, ties and zero rows to the lowest.

        Parameters
        ----------
        vectors
            [n, d] in any dtype of the kernels, memory-mapped or not; need not be normalised.

        Returns
        -------
        numpy.ndarray
            int64[n].
        """
        labels = np.empty(len(vectors), dtype=np.int64)
        for begin in range(0, len(vectors), _ASSIGN_BLOCK):
            block = vectors[begin : begin + _ASSIGN_BLOCK]
            labels[begin : begin + len(block)] = _nearest(block, self.centroids, threads)[0]
        return labels


def number_of_clusters(n: int) -> int:
    """Return min(256, max(8, n / 500)), rounded down, for a corpus of n documents."""
    return min(256, max(8, n // 500))


def fit_clusters(
    old_vectors: NDArray[np.generic],
    *,
    seed: int,
    k: int | None = None,
    threads: int | None = None,
    checkpoint: Callable[[], None] | None = None,
) -> Clusters:
    """Return the clusters of the old vectors.

    At most 50,000 drawn rows take part (purpose 7, smallest keys); zero rows have no direction
    and take no part. Centres start by greedy k-means++ (Arthur and Vassilvitskii 2007, "k-means++:
    the advantages of careful seeding") on the 1,024 rows with the smallest keys: four rows are
    drawn with probability proportional to 1 - their cosine to the nearest centre so far, which is
    half the squared distance, and the one that leaves the smallest sum becomes a centre; the
    random numbers are the keys behind the last row, key(seed, 7, n + j). At most 10 rounds follow.
    A cluster that loses all its members takes the row that fits its own centroid worst.

    Parameters
    ----------
    old_vectors
        [n, d] in any dtype of the kernels, memory-mapped or not.
    seed
        Seed of the draw.
    k
        Number of clusters; None for :func:`number_of_clusters`. Fewer come back when there are
        fewer distinct directions.
    checkpoint
        Called before every round; what it raises ends the work.

    Raises
    ------
    NotMeasuredError
        No row has a direction.
    """
    n = len(old_vectors)
    drawn = kernels.draw_rows(seed, CLUSTERS, n, min(n, MAX_ROWS))
    rows = np.sort(drawn)
    x = kernels.normalize(old_vectors[rows], threads=threads)
    directed = x.any(axis=1)
    if not directed.all():
        x, rows, drawn = x[directed], rows[directed], drawn[np.isin(drawn, rows[directed])]
    if len(rows) == 0:
        raise NotMeasuredError(f"all {n} old vectors are zero: they have no clusters")
    k = min(number_of_clusters(n) if k is None else k, len(rows))
    pool = x[np.searchsorted(rows, drawn[:MAX_CANDIDATES])]
    units = [draw_key(seed, CLUSTERS, n + j) * 2.0**-64 for j in range(k * TRIALS)]
    return _lloyd(x, rows, _spread_centres(pool, units, k, threads), threads, checkpoint)


def draw_key(seed: int, purpose: int, row: int) -> int:
    """Return one key of the draws, for a row that need not exist: an integer below 2^64.

    The same function as :func:`gnomon.kernels.draw_keys`, for a single row.
    """
    return _mix(_mix(seed + purpose * _GOLDEN) + (row + 1) * _GOLDEN)


def _mix(x: int) -> int:
    """Return the finaliser of splitmix64."""
    x &= _MASK
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & _MASK
    return x ^ (x >> 31)


def _spread_centres(
    pool: NDArray[np.float32], units: list[float], k: int, threads: int | None
) -> NDArray[np.float32]:
    """Return up to k rows of the pool by k-means++; fewer when the rest coincide with them."""
    everyone = np.tile(np.arange(len(pool), dtype=np.int64), (TRIALS, 1))

    def distances(rows: NDArray[np.int64]) -> NDArray[np.float64]:
        cosines = kernels.pair_scores(pool[rows], pool, everyone[: len(rows)], threads=threads)
        return 1.0 - cosines.astype(np.float64)

    chosen = [0]
    remaining = distances(np.array([0]))[0]
    for step in range(1, k):
        cumulated = np.cumsum(remaining)
        if cumulated[-1] <= 0.0:
            break
        targets = cumulated[-1] * np.array(units[step * TRIALS : (step + 1) * TRIALS])
        tried = np.minimum(np.searchsorted(cumulated, targets, side="right"), len(pool) - 1)
        after = np.minimum(remaining, distances(tried))
        # A running sum has one order of additions; a plain sum may have another on another CPU.
        best = int(np.argmin(np.cumsum(after, axis=1)[:, -1]))
        chosen.append(int(tried[best]))
        remaining = after[best]
    return pool[chosen]


def _lloyd(
    x: NDArray[np.float32],
    rows: NDArray[np.int64],
    centroids: NDArray[np.float32],
    threads: int | None,
    checkpoint: Callable[[], None] | None,
) -> Clusters:
    labels, fit = _nearest(x, centroids, threads)
    iterations, settled = 0, False
    while iterations < MAX_ITERATIONS and not settled:
        if checkpoint is not None:
            checkpoint()
        iterations += 1
        before = _fill_empty(labels, fit, len(centroids))
        sums, _ = kernels.group_sums(x, before, len(centroids))
        moved = kernels.normalize(sums, threads=threads)
        centroids = moved[moved.any(axis=1)]
        labels, fit = _nearest(x, centroids, threads)
        settled = len(centroids) == len(moved) and np.array_equal(labels, before)
    used, labels = np.unique(labels, return_inverse=True)
    return Clusters(centroids[used], rows, labels.astype(np.int64), iterations)


def _fill_empty(labels: NDArray[np.int64], fit: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """Return the labels with each empty cluster given the worst-fitting row of a shared cluster."""
    counts = np.bincount(labels, minlength=k)
    empty = np.flatnonzero(counts == 0)
    if len(empty) == 0:
        return labels
    labels = labels.copy()
    worst_first = np.lexsort((np.arange(len(fit)), fit))
    candidates = iter(worst_first)
    for cluster in empty:
        for row in candidates:
            if counts[labels[row]] > 1 and fit[row] < 1.0:
                counts[labels[row]] -= 1
                labels[row] = cluster
                break
    return labels


def _nearest(
    x: NDArray[np.generic], centroids: NDArray[np.float32], threads: int | None
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    if len(centroids) <= SCORED_OUTRIGHT:
        return kernels.nearest(x, centroids, threads=threads)
    hits = kernels.topk(x, centroids, 1, threads=threads)
    return hits.ids[:, 0], hits.scores[:, 0]
