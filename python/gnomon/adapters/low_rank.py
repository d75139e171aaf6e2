"""Ridge cut to the rank that its singular spectrum asks for.

The best fit of rank r under the ridge penalty is P W: W the ridge solution, P the projection on
the r leading directions of the fitted old vectors, the eigenvectors of W C' (Mukherjee and Zhu
2011, "Reduced rank ridge regression and its kernel extensions", Stat. Anal. Data Min. 4).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from gnomon import kernels
from gnomon.adapters.base import FittedAdapter, frozen_f32, require_shape
from gnomon.adapters.ridge import shared_ridge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from gnomon.adapters.pairs import FitContext

ENERGY_KEPT = 0.99


@dataclass(frozen=True, eq=False, kw_only=True)
class LowRankAdapter(FittedAdapter):
    """g(x) = up (down x) + b, then unit length; the inner vector is rounded to float32.

    Attributes
    ----------
    down, up
        float32[r, d_new] and float32[d_old, r].
    bias
        b, float32[d_old].
    """

    down: NDArray[np.float32] = field(repr=False)
    up: NDArray[np.float32] = field(repr=False)
    bias: NDArray[np.float32] = field(repr=False)

    tensor_names: ClassVar[tuple[str, ...]] = ("bias", "down", "up")

    def _map(self, x: NDArray[np.float32], threads: int | None) -> NDArray[np.float32]:
        return self._to_old(self._to_inner(x, threads=threads), threads=threads)

    def serve(self, x: ArrayLike, threads: int | None = None) -> NDArray[np.float32]:
        """Return g of rows that need not be normalised, in one step."""
        return self._to_inner.directions(x, then=self._to_old, threads=threads)

    @cached_property
    def _to_inner(self) -> kernels.AffineMap:
        return kernels.AffineMap(self.down, None)

    @cached_property
    def _to_old(self) -> kernels.AffineMap:
        return kernels.AffineMap(self.up, self.bias)

    def tensors(self) -> dict[str, NDArray[Any]]:
        """Return both factors and b."""
        return {"down": self.down, "up": self.up, "bias": self.bias}

    @classmethod
    def from_tensors(cls, fields: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> Self:
        """Return the adapter with these common fields and weights."""
        d_old, d_new, rank = fields["d_old"], fields["d_new"], max(fields["rank"], 1)
        return cls(
            down=require_shape("down", tensors["down"], (rank, d_new)),
            up=require_shape("up", tensors["up"], (d_old, rank)),
            bias=require_shape("bias", tensors["bias"], (d_old,)),
            **fields,
        )


def fit_low_rank(context: FitContext) -> LowRankAdapter:
    """Return the ridge solution cut to the rank of :func:`rank_of_energy`, kept as two factors."""
    pairs = context.statistics
    solution = context.shared(shared_ridge)
    explained = solution.weights @ pairs.about_means.old_new.T
    energies, directions = np.linalg.eigh((explained + explained.T) / 2)
    rank = min(rank_of_energy(energies[::-1]), pairs.d_new)
    up = directions[:, ::-1][:, : max(rank, 1)]
    down = up.T @ solution.weights
    return LowRankAdapter(
        name="low_rank",
        d_new=pairs.d_new,
        d_old=pairs.d_old,
        rank=rank,
        n_pairs=pairs.n,
        fewest_pairs=pairs.n,
        down=frozen_f32(down),
        up=frozen_f32(up),
        bias=frozen_f32(pairs.mean_old - up @ (down @ pairs.mean_new)),
    )


def rank_of_energy(energies: NDArray[np.float64]) -> int:
    """Return the smallest rank that keeps 99% of the sum of some falling energies.

    The share of explained variation is the plainest of the rules of Jolliffe 2002, "Principal
    Component Analysis", section 6.1.1. Stricter ones that look for the level of the noise cut
    directions that carry little variance and many rankings: see the decision record 0022.

    Returns
    -------
    int
        0 when no energy is positive.

    Examples
    --------
    >>> rank_of_energy(np.array([90.0, 9.5, 0.5, 0.0]))
    2
    """
    kept = np.cumsum(np.maximum(energies, 0.0))
    if len(kept) == 0 or kept[-1] <= 0.0:
        return 0
    return int(np.searchsorted(kept, ENERGY_KEPT * kept[-1])) + 1
