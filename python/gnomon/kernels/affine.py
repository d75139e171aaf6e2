"""An affine map that is checked once and applied often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon import _core
from gnomon.errors import InvalidInputError
from gnomon.kernels._arrays import as_matrix, as_threads, check_finite, nonfinite_row
from gnomon.kernels.linear import affine_map

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_FEW_ROWS = 8  # fewer are never worth a second thread, as in the core


class AffineMap:
    """x -> weights x + bias with the bits of :func:`gnomon.kernels.affine_map`.

    Looking for NaN in the weights costs more than mapping one vector; this looks once.

    Parameters
    ----------
    weights
        float32[d_out, d_in]; kept, not copied: changing it afterwards is an error that nobody sees.
    bias
        float32[d_out], or None.

    Raises
    ------
    InvalidInputError, InvalidTypeError
        As :func:`gnomon.kernels.affine_map`.

    Examples
    --------
    >>> import numpy as np
    >>> turn = AffineMap(np.array([[0, -1], [1, 0]], np.float32), None)
    >>> turn(np.array([[3, 4]], np.float32)).tolist()
    [[-4.0, 3.0]]
    >>> turn.directions(np.array([[3, 4], [0, 0]], np.float32)).tolist()
    [[-0.800000011920929, 0.6000000238418579], [0.0, 0.0]]
    """

    __slots__ = ("_bias", "_maps", "_weights")

    def __init__(self, weights: NDArray[np.float32], bias: NDArray[np.float32] | None) -> None:
        # A map of no rows runs every check on weights and bias, and nothing else.
        affine_map(np.empty((0, np.shape(weights)[-1]), np.float32), weights, bias)
        self._weights = np.require(weights, np.float32, ["C_CONTIGUOUS", "ALIGNED"])
        self._bias = None if bias is None else np.require(bias, np.float32, ["C", "ALIGNED"])
        self._maps = [(self._weights, self._bias)]

    def __call__(self, x: ArrayLike, *, threads: int | None = None) -> NDArray[np.float32]:
        """Return weights @ row + bias for every row, float32[n, d_out].

        Parameters
        ----------
        x
            Vectors, shape (n, d_in), or one vector of shape (d_in,).
        threads
            Default: ``GNOMON_NUM_THREADS``, else the CPUs of this process.

        Raises
        ------
        InvalidInputError, InvalidTypeError
            The shape or dtype of ``x`` is not taken, or a row is not finite.
        """
        workers = as_threads(threads)
        return _core.affine_map(self._rows(x, workers), self._weights, self._bias, workers)

    def directions(
        self, x: ArrayLike, *, then: AffineMap | None = None, threads: int | None = None
    ) -> NDArray[np.float32]:
        """Return the images of directions as directions: normalise, map, normalise.

        The bits are those of the three kernels called one after the other.

        Parameters
        ----------
        x
            Vectors, shape (n, d_in), or one vector of shape (d_in,); need not be normalised.
        then
            A second map, applied to the images (float32) before they are normalised.
        threads
            Default: ``GNOMON_NUM_THREADS``, else the CPUs of this process.

        Returns
        -------
        numpy.ndarray
            A new float32[n, d_out], rows of unit length. A row of zeros has no direction and gives
            a row of zeros, whatever the bias.

        Raises
        ------
        InvalidInputError, InvalidTypeError
            The shape or dtype of ``x`` is not taken, or a row is not finite.
        """
        rows = self._fitting(x)
        # A few rows are mapped by the calling thread: looking up how many others there might be
        # would cost more than their normalisation.
        workers = 1 if threads is None and len(rows) < _FEW_ROWS else as_threads(threads)
        maps = self._maps if then is None else self._maps + then._maps
        images, bad_row = _core.map_directions(rows, maps, workers)
        if bad_row is not None:
            raise nonfinite_row(rows, "x", bad_row)
        return images

    def _rows(self, x: ArrayLike, workers: int) -> NDArray[Any]:
        rows = self._fitting(x)
        check_finite(rows, "x", workers)
        return rows

    def _fitting(self, x: ArrayLike) -> NDArray[Any]:
        rows = as_matrix(x, "x", one_row=True)
        if rows.shape[1] != self._weights.shape[1]:
            raise InvalidInputError(
                f"rows of x have {rows.shape[1]} dimensions, but rows of weights have "
                f"{self._weights.shape[1]}"
            )
        return rows


def without_zero_rows(
    images: NDArray[np.float32], originals: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return ``images`` with the rows set to zero whose originals are zero.

    Parameters
    ----------
    images
        float32[n, d_out]; changed in place.
    originals
        float32[n, d_in].
    """
    if len(originals) == 1:
        if not originals.any():
            images[:] = 0.0
        return images
    directed = originals.any(axis=1)
    if not directed.all():
        images[~directed] = 0.0
    return images
