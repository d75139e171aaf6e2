"""What every fitted adapter is: a map from the new space to the old one, with its own bytes."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from gnomon import kernels
from gnomon.adapters.container import pack
from gnomon.errors import InvalidInputError, MismatchError
from gnomon.kernels.affine import without_zero_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

FORMAT = "gnomon.adapter/1"
DIRECTION = "new->old"
MAX_DIM = 65_536


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedAdapter(ABC):
    """A map g from the new model's space to the old model's.

    Attributes
    ----------
    name
        Its name in the table of adapters.
    d_new, d_old
        Width of a vector before and after.
    rank
        Number of directions of the new space that reach the old one.
    n_pairs
        Pairs it was fitted on; 0 for the identity.
    fewest_pairs
        Pairs behind its least supported map: ``n_pairs``, but for an adapter of several maps.
    """

    name: str
    d_new: int
    d_old: int
    rank: int
    n_pairs: int
    fewest_pairs: int

    tensor_names: ClassVar[tuple[str, ...]] = ()
    learns: ClassVar[bool] = True

    @abstractmethod
    def _map(self, x: NDArray[np.float32], threads: int | None) -> NDArray[np.float32]:
        """Return the images of normalised rows, before they are normalised."""

    @abstractmethod
    def tensors(self) -> dict[str, NDArray[Any]]:
        """Return the weights by name: exactly ``tensor_names``."""

    @classmethod
    @abstractmethod
    def from_tensors(cls, fields: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> Self:
        """Return the adapter with these common fields and weights.

        Raises
        ------
        InvalidInputError
            The weights don't have the shapes that the fields ask for.
        """

    def apply(self, x: NDArray[np.float32], threads: int | None = None) -> NDArray[np.float32]:
        """Return g(x), each row at unit length.

        Only the kernels compute here, so that the bits depend neither on the machine nor on
        ``threads`` nor on which rows share a call. A zero row has no direction and stays zero.

        Parameters
        ----------
        x
            float32[m, d_new], l2-normalised; never written to, never part of the result.
        threads
            Number of threads; None for the default of the kernels.

        Returns
        -------
        numpy.ndarray
            float32[m, d_old], l2-normalised, a new array.

        Raises
        ------
        MismatchError
            ``x`` is not a matrix of width ``d_new``.
        """
        if x.ndim != 2 or x.shape[1] != self.d_new:
            raise MismatchError(
                f"adapter {self.name} maps width {self.d_new} to {self.d_old}, "
                f"got an array of shape {x.shape}"
            )
        images = kernels.normalize(self._map(x, threads), threads=threads)
        return without_zero_rows(images, x)

    def serve(self, x: ArrayLike, threads: int | None = None) -> NDArray[np.float32]:
        """Return g of rows that need not be normalised: :meth:`apply` behind a normalisation.

        Parameters
        ----------
        x
            [m, d_new] in any dtype of the kernels; its width is the caller's to check.

        Returns
        -------
        numpy.ndarray
            float32[m, d_old] with the bits of :meth:`apply`.
        """
        return self.apply(kernels.normalize(x, threads=threads), threads)

    @property
    def n_parameters(self) -> int:
        """How many stored numbers serving has to read: the price by which adapters compare."""
        return sum(tensor.size for tensor in self.tensors().values())

    @property
    def few_pairs(self) -> bool:
        """Whether some map rests on no more pairs than it has dimensions."""
        return self.learns and self.fewest_pairs <= min(self.d_new, self.d_old)

    @cached_property
    def canonical_bytes(self) -> bytes:
        """Its safetensors file: weights, and the fields as metadata, in one fixed byte order."""
        fields = {
            "format": FORMAT,
            "direction": DIRECTION,
            "name": self.name,
            "d_new": str(self.d_new),
            "d_old": str(self.d_old),
            "rank": str(self.rank),
            "n_pairs": str(self.n_pairs),
            "fewest_pairs": str(self.fewest_pairs),
        }
        return pack(self.tensors(), fields)

    @cached_property
    def sha256(self) -> str:
        """sha256 of :attr:`canonical_bytes`, 64 hex digits."""
        return hashlib.sha256(self.canonical_bytes).hexdigest()


def require_shape(
    name: str, tensor: NDArray[Any], shape: tuple[int, ...], dtype: type[np.generic] = np.float32
) -> NDArray[Any]:
    """Return ``tensor`` when it has this shape and dtype and finite values, else refuse."""
    if tensor.shape != shape or tensor.dtype != np.dtype(dtype):
        raise InvalidInputError(
            f"tensor {name!r} is {tensor.dtype}{list(tensor.shape)}, "
            f"expected {np.dtype(dtype)}{list(shape)}"
        )
    if not np.isfinite(tensor).all():
        raise InvalidInputError(f"tensor {name!r} holds NaN or infinity")
    return tensor


def frozen_f32(values: NDArray[Any]) -> NDArray[np.float32]:
    """Return a contiguous read-only float32 copy: the one rounding between fit and weights."""
    weights = np.array(values, dtype=np.float32, order="C")
    weights.flags.writeable = False
    return weights
