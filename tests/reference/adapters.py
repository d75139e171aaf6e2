"""The adapters in plain float64 NumPy, written from their formulas and nothing else.

Every fit works on the centred pairs themselves, never on sums; nothing here imports gnomon.
A fitted map is a pair (W, b) of float64 arrays; its images are brought to unit length.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Map = tuple[Floats, Floats]


def unit(x: Floats) -> Floats:
    """Return the rows at length 1; zero rows stay zero."""
    lengths = np.sqrt((x * x).sum(axis=1, keepdims=True))
    return x / np.where(lengths == 0.0, 1.0, lengths)


def images(fitted: Map, x: Floats) -> Floats:
    """Return W x + b for each row, at unit length; a zero row stays zero."""
    weights, bias = fitted
    mapped = unit(x @ weights.T + bias)
    mapped[~x.any(axis=1)] = 0.0
    return mapped


def identity(d_new: int, d_old: int) -> Map:
    """Return the map that pads with zeros or cuts off."""
    return np.eye(d_old, d_new), np.zeros(d_old)


def _about_means(new: Floats, old: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    mean_new, mean_old = new.mean(axis=0), old.mean(axis=0)
    return new - mean_new, old - mean_old, mean_new, mean_old


def procrustes(new: Floats, old: Floats) -> Map:
    """Return the rotation that brings centred new vectors nearest to centred old ones."""
    x, y, mean_new, mean_old = _about_means(new, old)
    left, sigma, right = np.linalg.svd(y.T @ x, full_matrices=False)
    kept = sigma > 1e-9 * sigma[0]
    rotation = left[:, kept] @ right[kept]
    return rotation, mean_old - rotation @ mean_new


def procrustes_scaled(new: Floats, old: Floats) -> Map:
    """Return the rotation followed by the least-squares scale of each old dimension."""
    x, y, mean_new, mean_old = _about_means(new, old)
    rotation, _ = procrustes(new, old)
    rotated = x @ rotation.T
    scale = np.array(
        [
            np.dot(rotated[:, k], y[:, k]) / np.dot(rotated[:, k], rotated[:, k])
            for k in range(old.shape[1])
        ]
    )
    weights = np.diag(scale) @ rotation
    return weights, mean_old - weights @ mean_new


def ridge(new: Floats, old: Floats, relative_penalty: float) -> Map:
    """Return the ridge map; the penalty is a multiple of the mean eigenvalue of X'X.

    Solved as least squares on the rows [X; sqrt(p) I] against [Y; 0].
    """
    x, y, mean_new, mean_old = _about_means(new, old)
    d_new = x.shape[1]
    penalty = relative_penalty * (x * x).sum() / d_new
    rows = np.vstack([x, np.sqrt(penalty) * np.eye(d_new)])
    targets = np.vstack([y, np.zeros((d_new, y.shape[1]))])
    weights = np.linalg.lstsq(rows, targets, rcond=None)[0].T
    return weights, mean_old - weights @ mean_new


def best_penalty(
    new: Floats, old: Floats, held_out: NDArray[np.int64], penalties: list[float]
) -> float:
    """Return the penalty whose map, fitted on the other pairs, errs least on the held-out ones."""
    training = np.setdiff1d(np.arange(len(new)), held_out)
    errors = []
    for penalty in penalties:
        weights, bias = ridge(new[training], old[training], penalty)
        errors.append(((new[held_out] @ weights.T + bias - old[held_out]) ** 2).sum())
    return penalties[int(np.argmin(errors))]


def low_rank(new: Floats, old: Floats, relative_penalty: float, energy: float) -> tuple[Map, int]:
    """Return the ridge map cut to the directions that carry ``energy``, and their number.

    The directions are the right singular vectors of the fitted values of the rows of `ridge`.
    """
    weights, _ = ridge(new, old, relative_penalty)
    x, _, mean_new, mean_old = _about_means(new, old)
    penalty = relative_penalty * (x * x).sum() / x.shape[1]
    rows = np.vstack([x, np.sqrt(penalty) * np.eye(x.shape[1])])
    _, sigma, right = np.linalg.svd(rows @ weights.T, full_matrices=False)
    kept = np.cumsum(sigma**2) / (sigma**2).sum()
    rank = int((kept < energy).sum()) + 1
    cut = right[:rank].T @ right[:rank] @ weights
    return (cut, mean_old - cut @ mean_new), rank


def csls(cosines: Floats, neighbours: int) -> Floats:
    """Return 2 cos - r_T - r_S for a whole matrix, queries by documents."""

    def mean_of_best(row: Floats) -> float:
        best = sorted(row.tolist(), reverse=True)[:neighbours]
        return sum(best) / len(best)

    of_query = np.array([mean_of_best(row) for row in cosines])
    of_document = np.array([mean_of_best(column) for column in cosines.T])
    return 2.0 * cosines - of_query[:, None] - of_document[None, :]
