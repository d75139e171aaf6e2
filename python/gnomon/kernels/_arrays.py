"""What every kernel does with its arguments: take any dtype, name what is wrong.

The compiled core takes any dtype of the contract with any strides, so nothing here copies a matrix.
"""

from __future__ import annotations

import contextlib
import math
import operator
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from gnomon import _core
from gnomon.errors import GnomonError, InvalidInputError, InvalidTypeError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

TAKEN = "float32, float16, float64, bfloat16, int8 or uint8"
_TAKEN_DTYPES = frozenset(  # those of this machine's byte order
    np.dtype(kind) for kind in ("float16", "float32", "float64", "int8", "uint8")
)
_BOOLEANS = (bool, np.bool_)
_BFLOAT16_BITS = np.dtype(np.uint16)
_MOST_THREADS = 4096
_MAX_INT64 = np.iinfo(np.int64).max


def as_matrix(x: ArrayLike, name: str, *, one_row: bool = False) -> NDArray[Any]:
    """Return ``x`` as the two-dimensional array that the core reads, without a copy.

    Parameters
    ----------
    x
        An array of shape (rows, dimensions), or (dimensions,) when ``one_row`` is set; of float32,
        float16, float64, bfloat16 (``ml_dtypes``), int8 or uint8; with any strides; may be
        read-only.
    name
        What messages call it.
    one_row
        Take a one-dimensional array as one row.

    Returns
    -------
    numpy.ndarray
        A view of ``x``. bfloat16 comes as its bits, in uint16, the form in which the core takes it.

    Raises
    ------
    InvalidTypeError
        The dtype is another one; the message names the cast.
    InvalidInputError
        The array isn't two-dimensional, or masks values.
    """
    if type(x) is np.ndarray and x.ndim == 2 and x.dtype in _TAKEN_DTYPES:
        return x  # what most callers give; the checks below take longer than mapping a short vector
    matrix = as_taken(x, name)
    if matrix.ndim == 1 and one_row:
        matrix = matrix[np.newaxis, :]
    if matrix.ndim != 2:
        raise InvalidInputError(
            f"{name}: an array of shape {matrix.shape} was given; expected two dimensions, "
            f"(rows, dimensions){', or one vector' if one_row else ''}"
        )
    return matrix


def as_taken(x: ArrayLike, name: str) -> NDArray[Any]:
    """Return ``x`` as an array of any shape whose dtype the core takes; see `as_matrix`."""
    return _supported(_as_array(x, name), name)


def _as_array(x: ArrayLike, name: str) -> NDArray[Any]:
    if isinstance(x, np.ma.MaskedArray):
        raise InvalidInputError(
            f"{name}: a masked array was given; drop the masked rows, or fill them with "
            f"{name}.filled(...)"
        )
    try:
        return np.asarray(x)
    except ValueError as error:
        raise InvalidInputError(f"{name}: the rows don't form an array: {error}") from None
    except (TypeError, RuntimeError) as error:  # tensors that NumPy can't read say so this way
        raise InvalidTypeError(
            f"{name}: {type(x).__name__} can't be read as a NumPy array ({error}); convert it to a "
            f"float32 array first, as .astype(np.float32) does for arrays and "
            f".float().detach().cpu().numpy() for tensors"
        ) from None


def _supported(array: NDArray[Any], name: str) -> NDArray[Any]:
    dtype = array.dtype
    if dtype in _TAKEN_DTYPES:
        return array
    if dtype.name == "bfloat16" and dtype.itemsize == _BFLOAT16_BITS.itemsize:
        return array.view(_BFLOAT16_BITS)
    found = dtype.name if dtype.isnative else f"{dtype.name} in foreign byte order"
    raise InvalidTypeError(
        f"{name}: dtype {found} was given; expected {TAKEN}; convert it with "
        f"{name}.astype(np.float32)"
    )


def check_same_width(a: NDArray[Any], a_name: str, b: NDArray[Any], b_name: str) -> None:
    """Raise `InvalidInputError`, with both widths, unless the two matrices have as many columns."""
    if a.shape[1] != b.shape[1]:
        raise InvalidInputError(
            f"{a_name} have {a.shape[1]} dimensions, but {b_name} have {b.shape[1]}"
        )


def check_finite(matrix: NDArray[Any], name: str, threads: int) -> None:
    """Raise `InvalidInputError` that names the first row with NaN or infinity.

    Parameters
    ----------
    matrix
        What `as_matrix` returned.
    name
        What the message calls it.
    threads
        How many threads look.
    """
    row = _core.first_nonfinite_row(matrix, threads)
    if row is not None:
        raise nonfinite_row(matrix, name, row)


def nonfinite_row(matrix: NDArray[Any], name: str, row: int) -> InvalidInputError:
    """Return the error that tells what isn't finite in a row of what `as_matrix` returned."""
    for column, stored in enumerate(matrix[row].tolist()):
        value = _from_bfloat16(stored) if matrix.dtype == _BFLOAT16_BITS else stored
        what = _why_not_finite(value)
        if what is not None:
            return InvalidInputError(
                f"{name}: row {row} holds {what} in column {column}; every value must be finite: "
                f"drop the row or compute its vector again"
            )
    return InvalidInputError(f"{name}: row {row} holds a value that isn't finite")


def _from_bfloat16(bits: int) -> float:
    return float(np.array(bits << 16, np.uint32).view(np.float32))


def _why_not_finite(value: float) -> str | None:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "infinity"
    with np.errstate(over="ignore"):
        if np.isinf(np.float32(value)):
            return f"{value!r}, which is beyond the range of float32,"
    return None


def as_threads(threads: int | None) -> int:
    """Return the number of threads: the argument, else ``GNOMON_NUM_THREADS``, else the CPUs.

    Not more than any machine has CPUs: a kernel may keep a little for each thread.

    Raises
    ------
    UsageError
        The number, or the variable, isn't a whole number of at least 1.
    """
    if threads is None:
        return _core.default_threads()
    return min(as_count(threads, "threads", least=1, most=np.iinfo(np.int32).max), _MOST_THREADS)


def as_count(value: SupportsIndex, name: str, *, least: int = 0, most: int = _MAX_INT64) -> int:
    """Return ``value`` as an int, or raise `UsageError` unless it is a whole number in range."""
    try:
        count = operator.index(value)
    except TypeError:
        raise UsageError(f"{name} is {value!r}; expected a whole number") from None
    if isinstance(value, _BOOLEANS) or not least <= count <= most:
        limit = f"of at least {least}" if count < least else f"of at most {most}"
        raise UsageError(f"{name} is {value!r}; expected a whole number {limit}")
    return count


def as_rows(rows: ArrayLike, name: str, n: int) -> NDArray[np.int64]:
    """Return row numbers as a contiguous int64 array, all of them checked to lie in [0, n).

    Raises
    ------
    InvalidTypeError
        The numbers aren't integers.
    InvalidInputError
        One is out of range; the message gives it and its place.
    """
    given = _as_array(rows, name)
    if given.size == 0:
        return np.zeros(given.shape, np.int64)
    if given.dtype.kind not in "iu":
        raise InvalidTypeError(
            f"{name}: dtype {given.dtype} was given; expected integers; convert them with "
            f"{name}.astype(np.int64)"
        )
    outside = (given < 0) | (given >= n)
    if outside.any():
        place = np.unravel_index(int(outside.argmax()), given.shape)
        where = ", ".join(str(int(i)) for i in place)
        raise InvalidInputError(
            f"{name}: {given[place]} at position {where} is out of range; expected 0 to {n - 1}"
            if n > 0
            else f"{name}: {given[place]} at position {where} is out of range: there are no rows"
        )
    return np.require(given, np.int64, ["C_CONTIGUOUS", "ALIGNED"])


@contextlib.contextmanager
def core_errors() -> Iterator[None]:
    """Turn a refusal of the core into gnomon's own error where the binding didn't do it."""
    try:
        yield
    except GnomonError:
        raise
    except ValueError as error:
        raise InvalidInputError(str(error)) from None
