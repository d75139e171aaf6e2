"""How much of the oracle's top k another ranking shares, and how well the order agrees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gnomon.errors import InvalidInputError, UsageError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def overlap_at(k: int, predicted: Ints, oracle: Ints) -> Floats:
    """Return per query the share of the oracle's top k that is in the predicted top k.

    Parameters
    ----------
    k
        Cutoff, at least 1.
    predicted, oracle
        int64[Q, >= k or all there are], document rows in rank order; -1 pads a short list.

    Returns
    -------
    numpy.ndarray
        float64[Q] in [0, 1].

    Raises
    ------
    UsageError
        If k is under 1.
    InvalidInputError
        If the rankings have different queries or an oracle list is empty.

    Examples
    --------
    >>> overlap_at(2, np.array([[7, 3]]), np.array([[3, 5]])).tolist()
    [0.5]
    """
    position, present = _positions(k, predicted, oracle)
    shared: Floats = (position <= k).sum(axis=1) / present.sum(axis=1)
    return shared


def spearman_at(k: int, predicted: Ints, oracle: Ints) -> Floats:
    """Return per query Spearman's rank correlation over the oracle's top k.

    A document that is missing from the predicted top k gets rank k + 1; ties share their mean
    rank. Where the correlation is undefined it is 0 (none of the documents was found, so nothing
    agrees), and a list of one document is 1 when it was found, else 0.

    Parameters and errors as in `overlap_at`; float64[Q] in [-1, 1].

    Examples
    --------
    >>> spearman_at(3, np.array([[1, 2, 3], [3, 2, 1]]), np.array([[1, 2, 3], [1, 2, 3]])).tolist()
    [1.0, -1.0]
    """
    position, present = _positions(k, predicted, oracle)
    size = present.sum(axis=1)
    # Twice the mid-rank is an integer, so every sum below is exact.
    twice = np.zeros_like(position)
    for j in range(position.shape[1]):
        other, there = position[:, j : j + 1], present[:, j : j + 1]
        twice += np.where(there, 2 * (other < position) + (other == position), 0)
    twice = np.where(present, twice + 1 - (size[:, None] + 1), 0)
    truth = np.where(present, 2 * np.arange(1, position.shape[1] + 1) - (size[:, None] + 1), 0)
    covariance = (twice * truth).sum(axis=1)
    spread = (twice * twice).sum(axis=1) * (truth * truth).sum(axis=1)
    found = (position <= k).any(axis=1)
    correlation = covariance / np.sqrt(np.where(spread > 0, spread, 1).astype(np.float64))
    result: Floats = np.where(spread > 0, correlation, ((size == 1) & found).astype(np.float64))
    return result


def _positions(k: int, predicted: Ints, oracle: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Return where the prediction ranks each oracle document (k + 1 when missing), and the mask."""
    if k < 1:
        raise UsageError(f"k is {k}; a cutoff is at least 1")
    if len(predicted) != len(oracle):
        raise InvalidInputError(f"{len(predicted)} predicted rankings for {len(oracle)} oracle's")
    oracle, predicted = oracle[:, :k], predicted[:, :k]
    present: NDArray[np.bool_] = oracle >= 0
    if not present.any(axis=1).all():
        raise InvalidInputError(
            f"the oracle ranking of query {int(present.any(axis=1).argmin())} is empty"
        )
    position = np.full(oracle.shape, k + 1, dtype=np.int64)
    for rank in range(predicted.shape[1], 0, -1):
        position[(predicted[:, rank - 1 : rank] == oracle) & present] = rank
    return position, present
