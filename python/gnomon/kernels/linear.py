"""Linear kernels over rows: norms, normalisation, affine maps, cosines of pairs, sums by group.

Every dot product is the float64 lane sum of the numeric contract, so that results are the same bits
on every CPU and at any number of threads. float64 input is rounded to float32 first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, SupportsIndex, runtime_checkable

import numpy as np

from gnomon import _core
from gnomon.errors import InvalidInputError, InvalidTypeError
from gnomon.kernels._arrays import (
    as_count,
    as_matrix,
    as_rows,
    as_threads,
    check_finite,
    check_same_width,
    nonfinite_row,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@runtime_checkable
class RaggedRows(Protocol):
    """Row numbers of several queries: those of q are ``ids[offsets[q]:offsets[q + 1]]``."""

    @property
    def ids(self) -> NDArray[np.int64]:
        """Row numbers of all queries."""

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each query begins, and the end."""


def norms(x: ArrayLike, *, threads: int | None = None) -> NDArray[np.float64]:
    """Return the Euclidean norm of every row, in float64.

    Parameters
    ----------
    x
        Vectors, shape (n, d), or one vector of shape (d,).
    threads
        Default: ``GNOMON_NUM_THREADS``, else the CPUs of this process.

    Returns
    -------
    numpy.ndarray
        float64 of shape (n,): the square root of the lane sum of squares.

    Raises
    ------
    InvalidInputError
        A row holds NaN or infinity; the message names it.
    InvalidTypeError
        The dtype isn't taken; the message names the cast.

    Examples
    --------
    >>> import numpy as np
    >>> norms(np.array([[3, 4], [0, 0]], np.float32))
    array([5., 0.])
    """
    workers = as_threads(threads)
    return _core.norms(_finite_matrix(x, "x", workers, one_row=True), workers)


def normalize(x: ArrayLike, *, threads: int | None = None) -> NDArray[np.float32]:
    """Return every row divided by its norm.

    Parameters
    ----------
    x
        Vectors, shape (n, d), or one vector of shape (d,). Never written to.
    threads
        Default: ``GNOMON_NUM_THREADS``, else the CPUs of this process.

    Returns
    -------
    numpy.ndarray
        A new float32 array of shape (n, d). Each quotient is computed in float64 and rounded once.
        A row of zeros stays zero; any other row is divided by its norm, however small.

    Raises
    ------
    InvalidInputError
        A row holds NaN or infinity; the message names it.
    InvalidTypeError
        The dtype isn't taken; the message names the cast.

    Examples
    --------
    >>> import numpy as np
    >>> normalize(np.array([[0.0, 1e-30], [0.0, 0.0]], np.float32)).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    workers = as_threads(threads)
    return _core.normalize(_finite_matrix(x, "x", workers, one_row=True), workers)


def affine_map(
    x: ArrayLike,
    weights: NDArray[np.float32],
    bias: NDArray[np.float32] | None,
    *,
    threads: int | None = None,
) -> NDArray[np.float32]:
    """Return ``weights @ row + bias`` for every row.

    Parameters
    ----------
    x
        Vectors, shape (n, d_in), or one vector of shape (d_in,).
    weights
        float32 of shape (d_out, d_in).
    bias
        float32 of shape (d_out,), or None.
    threads
        Default: ``GNOMON_NUM_THREADS``, else the CPUs of this process.

    Returns
    -------
    numpy.ndarray
        float32 of shape (n, d_out): dot and bias are added in float64 and rounded once. A result
        beyond the range of float32 is infinite.

    Raises
    ------
    InvalidInputError
        Shapes don't fit, or a value isn't finite; the message names the array and the row.
    InvalidTypeError
        A dtype isn't taken; the message names the cast.

    Examples
    --------
    >>> import numpy as np
    >>> w = np.array([[1, 1], [1, -1], [0, 2]], np.float32)
    >>> affine_map(np.array([[3, 1]], np.float32), w, np.array([0.5, 0, 0], np.float32)).tolist()
    [[4.5, 2.0, 2.0]]
    """
    workers = as_threads(threads)
    rows = as_matrix(x, "x", one_row=True)
    matrix = as_matrix(_as_float32(weights, "weights"), "weights")
    check_same_width(rows, "rows of x", matrix, "rows of weights")
    shift = None if bias is None else _as_bias(bias, len(matrix))
    check_finite(rows, "x", workers)
    check_finite(matrix, "weights", workers)
    return _core.affine_map(rows, matrix, shift, workers)


def pair_scores(
    queries: ArrayLike,
    docs: ArrayLike,
    ids: ArrayLike | RaggedRows,
    *,
    threads: int | None = None,
) -> NDArray[np.float32]:
    """Return the cosine of each query with the documents that are named for it.

    Parameters
    ----------
    queries
        Vectors, shape (Q, d), or one query of shape (d,).
    docs
        Vectors, shape (n, d). Only the rows that are named are read.
    ids
        Rows of ``docs``: integers of shape (Q, m), or an object with ``ids`` and ``offsets``, as
        `Hits` has.
    threads
        Default: ``GNOMON_NUM_THREADS``, else the CPUs of this process.

    Returns
    -------
    numpy.ndarray
        float32 of the shape of ``ids``, with the bits that a top-k would give for the same pairs.

    Raises
    ------
    InvalidInputError
        Shapes don't fit, a row number is out of range, or a vector isn't finite.
    InvalidTypeError
        A dtype isn't taken; the message names the cast.

    Examples
    --------
    >>> import numpy as np
    >>> docs = np.array([[1, 0], [0, 2], [3, 4]], np.float32)
    >>> pair_scores(np.array([0, 1], np.float32), docs, [[2, 0]]).tolist()
    [[0.800000011920929, 0.0]]
    """
    workers = as_threads(threads)
    query_rows = _finite_matrix(queries, "queries", workers, one_row=True)
    doc_rows = as_matrix(docs, "docs")
    check_same_width(query_rows, "queries", doc_rows, "docs")
    flat, offsets, shape = _pairs(ids, len(query_rows), len(doc_rows))
    scores, bad_row = _core.pair_scores(query_rows, doc_rows, flat, offsets, workers)
    if bad_row is not None:
        raise nonfinite_row(doc_rows, "docs", bad_row)
    return scores.reshape(shape)


def nearest(
    x: ArrayLike, centroids: ArrayLike, *, threads: int | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the centroid with the greatest cosine to every row, and that cosine.

    The same bits as a top-1 over the centroids, for few of them: every pair is scored, nothing is
    screened.

    Parameters
    ----------
    x
        Vectors, shape (n, d).
    centroids
        Vectors, shape (c, d), at least one.
    threads
        Default: ``GNOMON_NUM_THREADS``, else the CPUs of this process.

    Returns
    -------
    labels : numpy.ndarray
        int64 of shape (n,): rows of ``centroids``; of equal cosines the lowest, which is what a row
        of zeros gets.
    scores : numpy.ndarray
        float32 of shape (n,).

    Raises
    ------
    InvalidInputError
        Widths don't fit, there is no centroid, or a row isn't finite.
    InvalidTypeError
        A dtype isn't taken; the message names the cast.

    Examples
    --------
    >>> import numpy as np
    >>> x, axes = np.array([[3, 4], [2, 0]], np.float32), np.eye(2, dtype=np.float32)
    >>> labels, scores = nearest(x, axes)
    >>> labels.tolist(), scores.tolist()
    ([1, 0], [0.800000011920929, 1.0])
    """
    workers = as_threads(threads)
    rows = _finite_matrix(x, "x", workers, one_row=False)
    centres = _finite_matrix(centroids, "centroids", workers, one_row=False)
    check_same_width(rows, "rows of x", centres, "centroids")
    if len(centres) == 0:
        raise InvalidInputError("centroids: there are none; expected at least one row")
    return _core.nearest(rows, centres, workers)


def group_sums(
    x: ArrayLike, labels: ArrayLike, n_groups: SupportsIndex, *, threads: int | None = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the sum of the rows of each group, and how many there are.

    Parameters
    ----------
    x
        Vectors, shape (n, d).
    labels
        Integers of shape (n,), each in [0, n_groups).
    n_groups
        How many groups there are; some may be empty.
    threads
        Default: ``GNOMON_NUM_THREADS``, else the CPUs of this process.

    Returns
    -------
    sums : numpy.ndarray
        float64 of shape (n_groups, d), added in the order of the rows.
    counts : numpy.ndarray
        int64 of shape (n_groups,).

    Raises
    ------
    InvalidInputError
        Lengths don't fit, a label is out of range, or a row isn't finite.
    InvalidTypeError
        A dtype isn't taken; the message names the cast.

    Examples
    --------
    >>> import numpy as np
    >>> sums, counts = group_sums(np.array([[1, 2], [3, 4], [5, 6]], np.float32), [1, 0, 1], 2)
    >>> sums.tolist(), counts.tolist()
    ([[3.0, 4.0], [6.0, 8.0]], [1, 2])
    """
    workers = as_threads(threads)
    groups = as_count(n_groups, "n_groups")
    rows = as_matrix(x, "x")
    group_of_row = as_rows(labels, "labels", groups)
    if group_of_row.shape != (len(rows),):
        raise InvalidInputError(
            f"labels have shape {group_of_row.shape}; expected one label for each of the "
            f"{len(rows)} rows of x"
        )
    check_finite(rows, "x", workers)
    return _core.group_sums(rows, group_of_row, groups, workers)


def _finite_matrix(x: ArrayLike, name: str, workers: int, *, one_row: bool) -> NDArray[Any]:
    matrix = as_matrix(x, name, one_row=one_row)
    check_finite(matrix, name, workers)
    return matrix


def _as_float32(x: NDArray[np.float32], name: str) -> NDArray[np.float32]:
    array = np.asarray(x)
    if array.dtype != np.float32:
        raise InvalidTypeError(
            f"{name}: dtype {array.dtype} was given; expected float32; convert it with "
            f"{name}.astype(np.float32)"
        )
    return np.require(array, np.float32, ["C_CONTIGUOUS", "ALIGNED"])


def _as_bias(bias: NDArray[np.float32], d_out: int) -> NDArray[np.float32]:
    array = _as_float32(bias, "bias")
    if array.shape != (d_out,):
        raise InvalidInputError(
            f"bias has shape {array.shape}; expected ({d_out},), one value for each row of weights"
        )
    if not np.isfinite(array).all():
        place = int(np.isfinite(array).argmin())
        raise InvalidInputError(f"bias: element {place} is {array[place]}; expected a finite value")
    return array


def _pairs(
    ids: ArrayLike | RaggedRows, n_queries: int, n_docs: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], tuple[int, ...]]:
    """Return row numbers, offsets, and the shape of the scores."""
    if isinstance(ids, RaggedRows):
        flat = as_rows(ids.ids, "ids", n_docs)
        offsets = np.require(ids.offsets, np.int64, ["C_CONTIGUOUS", "ALIGNED"])
        if offsets.shape != (n_queries + 1,):
            raise InvalidInputError(
                f"ids hold rows for {len(offsets) - 1} queries; there are {n_queries}"
            )
        return flat, offsets, flat.shape
    rows = as_rows(ids, "ids", n_docs)
    if rows.ndim != 2 or len(rows) != n_queries:
        raise InvalidInputError(
            f"ids have shape {rows.shape}; expected one row of documents for each of the "
            f"{n_queries} queries"
        )
    offsets = np.arange(n_queries + 1, dtype=np.int64) * rows.shape[1]
    return rows.reshape(-1), offsets, rows.shape
