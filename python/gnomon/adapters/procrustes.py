"""Centred orthogonal Procrustes: the rotation between two spaces, with or without a scale.

With C = sum (y - mean_old)(x - mean_new)' = U S V', the partial isometry R = U V' minimises
sum |R (x - mean_new) - (y - mean_old)|^2 over all matrices with orthonormal rows or columns
(Schoenemann 1966, "A generalized solution of the orthogonal Procrustes problem", Psychometrika 31;
rectangular and rank-deficient: Gower and Dijksterhuis 2004, "Procrustes Problems", chapters 4-5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.adapters.affine import AffineAdapter, affine_adapter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.adapters.pairs import FitContext

# A direction this much weaker than the strongest carries rounding, and U V' would give it full
# weight: which way it points then hangs on the LAPACK routine.
RELATIVE_TOLERANCE = 1e-9
# The centred sums are differences of sums over unit vectors, so that even pairs without any
# variance leave about 1e-16 per pair; this floor, per pair, keeps such remains out.
ABSOLUTE_TOLERANCE_PER_PAIR = 1e-13


@dataclass(frozen=True, eq=False, slots=True)
class Rotation:
    """R, float64[d_old, d_new], and the number of directions it keeps."""

    matrix: NDArray[np.float64]
    rank: int


def rotation_of(cross: NDArray[np.float64], n_pairs: int) -> Rotation:
    """Return the best partial isometry for a centred cross-product C, float64[d_old, d_new].

    Rank 0 (one pair, or pairs without variance) gives the zero matrix: g is then constant.
    """
    u, sigma, vt = np.linalg.svd(cross, full_matrices=False)
    floor = max(RELATIVE_TOLERANCE * float(sigma[0]), ABSOLUTE_TOLERANCE_PER_PAIR * n_pairs)
    rank = int(np.count_nonzero(sigma > floor))
    return Rotation(u[:, :rank] @ vt[:rank], rank)


def shared_rotation(context: FitContext) -> Rotation:
    """Return the rotation of all pairs of the context."""
    return rotation_of(context.statistics.about_means.old_new, context.n)


def fit_procrustes(context: FitContext) -> AffineAdapter:
    """Return g(x) = R (x - mean_new) + mean_old.

    Without removing the means the rotation is spent on aligning them: embedding spaces are narrow
    cones, and retention falls.
    """
    rotation = context.shared(shared_rotation)
    return affine_adapter("procrustes", context, rotation.matrix, rank=rotation.rank)


def fit_procrustes_scaled(context: FitContext) -> AffineAdapter:
    """Return g(x) = D R (x - mean_new) + mean_old, D diagonal.

    D is the least-squares scale of each old dimension for the R of :func:`fit_procrustes`:
    D_kk = sum z_k y_k / sum z_k^2 with z = R (x - mean_new) and y centred, that is
    (R C')_kk / (R Cxx R')_kk. It is never negative, since R C' = U S U'. R is not optimised again:
    the joint problem has no closed form (Gower and Dijksterhuis 2004, chapter 8).
    """
    rotation = context.shared(shared_rotation)
    scatter = context.statistics.about_means
    agreement = np.einsum("ij,ij->i", rotation.matrix, scatter.old_new)
    energy = np.einsum("ij,ij->i", rotation.matrix @ scatter.new_new, rotation.matrix)
    carried = energy > ABSOLUTE_TOLERANCE_PER_PAIR * context.n
    scale = np.divide(agreement, energy, out=np.zeros_like(energy), where=carried)
    weights = scale[:, None] * rotation.matrix
    return affine_adapter("procrustes_scaled", context, weights, rank=rotation.rank)
