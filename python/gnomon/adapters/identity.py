"""The adapter that does nothing clever: pad with zeros, or cut off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gnomon.adapters.base import FittedAdapter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from gnomon.adapters.pairs import FitContext


@dataclass(frozen=True, eq=False, kw_only=True)
class IdentityAdapter(FittedAdapter):
    """g(x) = the first d_old coordinates of x, zeros behind them when there are fewer.

    It is the baseline that makes "do nothing clever" a number.
    """

    learns = False

    def _map(self, x: NDArray[np.float32], threads: int | None) -> NDArray[np.float32]:
        del threads
        kept = min(self.d_new, self.d_old)
        images = np.zeros((len(x), self.d_old), dtype=np.float32)
        images[:, :kept] = x[:, :kept]
        return images

    def tensors(self) -> dict[str, NDArray[Any]]:
        """Return no weights: there are none."""
        return {}

    @classmethod
    def from_tensors(cls, fields: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> Self:
        """Return the adapter with these common fields."""
        del tensors
        return cls(**fields)


def fit_identity(context: FitContext) -> IdentityAdapter:
    """Return the identity between the widths of these pairs; nothing is learnt from them."""
    d_new, d_old = context.new_pairs.shape[1], context.old_pairs.shape[1]
    return IdentityAdapter(
        name="identity",
        d_new=d_new,
        d_old=d_old,
        rank=min(d_new, d_old),
        n_pairs=0,
        fewest_pairs=0,
    )
