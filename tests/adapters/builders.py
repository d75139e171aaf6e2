"""Pairs of vectors whose relation is known, for the tests of the adapters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnomon.adapters.affine import AffineAdapter

F32 = NDArray[np.float32]


def generator(seed: int = 0) -> np.random.Generator:
    """Return the generator of a test."""
    return np.random.default_rng(seed)


def unit_rows(x: NDArray[Any]) -> F32:
    """Return float32 rows of length 1; zero rows stay zero."""
    lengths = np.linalg.norm(x, axis=1, keepdims=True)
    return (x / np.where(lengths == 0.0, 1.0, lengths)).astype(np.float32)


def structured_vectors(n: int, d: int, *, seed: int = 0, topics: int = 12) -> F32:
    """Return vectors like an embedding model's: a cone, topics in it, a falling spectrum."""
    rng = generator(seed)
    spectrum = 1.0 / np.sqrt(1.0 + np.arange(d))
    centres = rng.standard_normal((topics, d)) * spectrum
    cone = rng.standard_normal(d) * 0.5
    points = centres[rng.integers(topics, size=n)] + rng.standard_normal((n, d)) * spectrum
    return unit_rows(points + cone)


def rotation(d_out: int, d_in: int, *, seed: int = 1) -> NDArray[np.float64]:
    """Return a random matrix with orthonormal rows or columns."""
    size = max(d_out, d_in)
    q, _ = np.linalg.qr(generator(seed).standard_normal((size, size)))
    return q[:d_out, :d_in] if d_out <= d_in else q[:, :d_in]


def noisy_pairs(
    n: int, d_new: int, d_old: int, *, noise: float = 0.02, seed: int = 0
) -> tuple[F32, F32]:
    """Return (new, old): old vectors are rotated new ones with a shift and some noise."""
    new = structured_vectors(n, d_new, seed=seed)
    rng = generator(seed + 100)
    shift = 0.2 * rng.standard_normal(d_old) / np.sqrt(d_old)
    old = new @ rotation(d_old, d_new).T + shift
    return new, unit_rows(old + noise * rng.standard_normal(old.shape))


def small_affine(d_new: int = 5, d_old: int = 3) -> AffineAdapter:
    """Return an adapter with weights that are easy to write down."""
    weights = (np.arange(d_old * d_new, dtype=np.float32).reshape(d_old, d_new) - 4) / 8
    return AffineAdapter(
        name="procrustes",
        d_new=d_new,
        d_old=d_old,
        rank=min(d_new, d_old),
        n_pairs=40,
        fewest_pairs=40,
        weights=weights,
        bias=np.linspace(-0.5, 0.5, d_old, dtype=np.float32),
    )
