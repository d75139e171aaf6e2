"""Ridge regression of old vectors on new ones, with a penalty that pairs held out have chosen.

W = C (Cxx + p I)^-1 minimises sum |W x - y|^2 + p |W|^2 over centred pairs (Hoerl and Kennard
1970, "Ridge regression", Technometrics 12).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.adapters.affine import AffineAdapter, affine_adapter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.adapters.pairs import FitContext, PairStatistics, Scatter

# Penalties, as multiples of the mean eigenvalue of Cxx, so that they mean the same whatever the
# number of pairs; the strongest first, so that a tie goes to it.
RELATIVE_PENALTIES: tuple[float, ...] = tuple(10.0 ** (step / 2) for step in range(4, -13, -1))


@dataclass(frozen=True, eq=False, slots=True)
class RidgeSolution:
    """The fitted map and the penalty that was chosen for it.

    Attributes
    ----------
    weights
        W, float64[d_old, d_new].
    relative_penalty
        The chosen multiple of the mean eigenvalue.
    """

    weights: NDArray[np.float64]
    relative_penalty: float


def shared_ridge(context: FitContext) -> RidgeSolution:
    """Return the ridge solution of all pairs under the penalty that the held-out ones chose.

    Below five pairs nothing can be held out, and the strongest penalty is taken.
    """
    pairs = context.statistics
    held_out = context.held_out
    training = pairs if held_out is None else pairs - held_out
    eigenvalues, vectors = np.linalg.eigh(training.about_means.new_new)
    eigenvalues = np.maximum(eigenvalues, 0.0)
    mean_eigenvalue = float(eigenvalues.mean())
    relative = RELATIVE_PENALTIES[0]
    if held_out is not None and mean_eigenvalue > 0.0:
        errors = _held_out_errors(training, held_out, eigenvalues, vectors)
        relative = RELATIVE_PENALTIES[int(np.argmin(errors))]
    return RidgeSolution(_solve(pairs.about_means, relative), relative)


def fit_ridge(context: FitContext) -> AffineAdapter:
    """Return g(x) = W (x - mean_new) + mean_old with the ridge solution W."""
    solution = context.shared(shared_ridge)
    rank = min(solution.weights.shape) if solution.weights.any() else 0
    return affine_adapter("ridge", context, solution.weights, rank=rank)


def _held_out_errors(
    training: PairStatistics,
    held_out: PairStatistics,
    eigenvalues: NDArray[np.float64],
    vectors: NDArray[np.float64],
) -> list[float]:
    """Return the sum of squared errors on the held-out pairs, one number per relative penalty.

    In the eigenbasis V of the training pairs W = A diag(1 / (l + p)) V' with A = C V, so that the
    error is a quadratic form in s = 1 / (l + p): |y|^2 - 2 s'(A * B).sum + s' ((A'A) * H) s, with
    B and H the held-out cross sums and sums of squares in that basis. One pass serves
    all penalties.
    """
    judged = held_out.about(training.mean_new, training.mean_old)
    fitted = training.about_means.old_new @ vectors
    linear = np.einsum("ij,ij->j", fitted, judged.old_new @ vectors)
    quadratic = (fitted.T @ fitted) * (vectors.T @ judged.new_new @ vectors)
    mean_eigenvalue = float(eigenvalues.mean())
    inverses = [1.0 / (eigenvalues + p * mean_eigenvalue) for p in RELATIVE_PENALTIES]
    return [
        judged.old_squares - 2.0 * float(s @ linear) + float(s @ quadratic @ s) for s in inverses
    ]


def _solve(scatter: Scatter, relative_penalty: float) -> NDArray[np.float64]:
    d_new = len(scatter.new_new)
    penalty = relative_penalty * float(np.trace(scatter.new_new)) / d_new
    if penalty <= 0.0:
        return np.zeros_like(scatter.old_new)
    penalised = scatter.new_new + penalty * np.eye(d_new)
    return np.ascontiguousarray(np.linalg.solve(penalised, scatter.old_new.T).T)
