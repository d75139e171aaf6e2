"""How alike the excerpts of one turn are: what lambda is there to reduce."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.kernels import exact_mean, pair_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gnomon.evaluation.tuning_pools import Pools


@dataclass(frozen=True, slots=True)
class Redundancy:
    """Means over records of what is picked, without the neighbours that are brought.

    Attributes
    ----------
    cosine
        Mean cosine of all pairs of picked chunks; None without vectors, or where no record has two.
    pages
        Pages that the picked chunks span.
    """

    cosine: float | None
    pages: float


def redundancy(
    pools: Pools,
    picked_at: NDArray[np.int64],
    k: int,
    *,
    stored: NDArray[np.float32] | None,
    pages: Sequence[str],
) -> Redundancy:
    """Return how alike the first k picks of every record are.

    Parameters
    ----------
    picked_at
        int64[U], the step at which each chunk of the pools is picked.
    stored
        float32[n, dim], the vectors of the index, or None.
    pages
        The page of every row of the index.
    """
    picked = np.flatnonzero(picked_at < k)
    record, rows = pools.record[picked], pools.rows[picked]
    edges = np.searchsorted(record, np.arange(pools.n_records + 1))
    spans = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
    spanned = [float(len({pages[row] for row in rows[a:b].tolist()})) for a, b in spans]
    cosines = [] if stored is None else _mean_cosines(stored, [rows[a:b] for a, b in spans])
    return Redundancy(
        cosine=exact_mean(np.array(cosines)) if cosines else None,
        pages=exact_mean(np.array(spanned)),
    )


def _mean_cosines(stored: NDArray[np.float32], picks: Sequence[NDArray[np.int64]]) -> list[float]:
    """Return the mean cosine of all pairs, of every list of two or more rows."""
    by_size: dict[int, list[NDArray[np.int64]]] = {}
    for rows in picks:
        by_size.setdefault(len(rows), []).append(rows)
    means: list[float] = []
    for size, lists in sorted(by_size.items()):
        if size < 2:
            continue
        block = np.stack(lists)
        # Every row against its whole list; the pairs are above the diagonal.
        scores = pair_scores(
            stored[block.reshape(-1)], stored, np.repeat(block, size, axis=0), threads=1
        ).reshape(len(lists), size, size)
        above = np.triu_indices(size, 1)
        means += [exact_mean(one[above].astype(np.float64)) for one in scores]
    return means
