"""How well the best of n chunks stands out by chance: the expectation ladder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from gnomon.retrieval.gate_score import LEAST_SIGMA, MAD_TO_SIGMA

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# Sizes of scopes, in chunks; the whole index is added.
RUNGS: Final = (2, 6, 20, 40, 100, 300, 700)


def measure_ladder(cosines: NDArray[np.float32], pages: Sequence[str]) -> dict[int, float]:
    """Return the median z of the best chunk by size of scope.

    Scopes are runs of whole pages of about the size, in the order of the pages: neighbouring
    paragraphs are correlated, and a random sample would destroy just that.

    Parameters
    ----------
    cosines
        float32[Q, n]: of unscoped questions that the pages answer, with every chunk.
    pages
        The page of every chunk.
    """
    n = len(pages)
    if n == 0 or len(cosines) == 0:
        return {}
    values = cosines.astype(np.float64)
    median = np.median(values, axis=1, keepdims=True)
    mad = np.median(np.abs(values - median), axis=1, keepdims=True)
    z = (values - median) / np.maximum(MAD_TO_SIGMA * mad, LEAST_SIGMA)
    ladder = {}
    for size in (*(rung for rung in RUNGS if rung < n), n):
        starts = _scopes(pages, size)
        best = np.maximum.reduceat(z, starts, axis=1)
        sizes = np.diff([*starts, n])
        ladder[round(float(np.mean(sizes)))] = float(np.median(best))
    return dict(sorted(ladder.items()))


def _scopes(pages: Sequence[str], size: int) -> list[int]:
    """Return where runs of whole pages of ``size`` chunks or more begin; a short rest is joined."""
    starts = [0]
    for row in range(1, len(pages)):
        if pages[row] != pages[row - 1] and row - starts[-1] >= size:
            starts.append(row)
    if len(starts) > 1 and len(pages) - starts[-1] < size:
        starts.pop()
    return starts
