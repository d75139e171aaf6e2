"""The adapter of one affine map: what Procrustes and ridge both end as."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from gnomon import kernels
from gnomon.adapters.base import FittedAdapter, frozen_f32, require_shape

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from gnomon.adapters.pairs import FitContext


@dataclass(frozen=True, eq=False, kw_only=True)
class AffineAdapter(FittedAdapter):
    """g(x) = W x + b, then unit length.

    Attributes
    ----------
    weights
        W, float32[d_old, d_new].
    bias
        b, float32[d_old].
    """

    weights: NDArray[np.float32] = field(repr=False)
    bias: NDArray[np.float32] = field(repr=False)

    tensor_names: ClassVar[tuple[str, ...]] = ("bias", "weights")

    def _map(self, x: NDArray[np.float32], threads: int | None) -> NDArray[np.float32]:
        return self._affine(x, threads=threads)

    def serve(self, x: ArrayLike, threads: int | None = None) -> NDArray[np.float32]:
        """Return g of rows that need not be normalised, in one step."""
        return self._affine.directions(x, threads=threads)

    @cached_property
    def _affine(self) -> kernels.AffineMap:
        return kernels.AffineMap(self.weights, self.bias)

    def tensors(self) -> dict[str, NDArray[Any]]:
        """Return W and b."""
        return {"weights": self.weights, "bias": self.bias}

    @classmethod
    def from_tensors(cls, fields: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> Self:
        """Return the adapter with these common fields and weights."""
        d_old, d_new = fields["d_old"], fields["d_new"]
        return cls(
            weights=require_shape("weights", tensors["weights"], (d_old, d_new)),
            bias=require_shape("bias", tensors["bias"], (d_old,)),
            **fields,
        )


def affine_adapter(
    name: str, context: FitContext, weights: NDArray[np.float64], *, rank: int
) -> AffineAdapter:
    """Return x -> W (x - mean_new) + mean_old, stored as float32 W and b."""
    pairs = context.statistics
    return AffineAdapter(
        name=name,
        d_new=pairs.d_new,
        d_old=pairs.d_old,
        rank=rank,
        n_pairs=pairs.n,
        fewest_pairs=pairs.n,
        weights=frozen_f32(weights),
        bias=frozen_f32(pairs.mean_old - weights @ pairs.mean_new),
    )
