"""What the kernels take: every dtype of the contract, any strides, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np
import pytest
from tests.hostile_data import DTYPES, typed
from tests.reference import cosine as reference

from gnomon import kernels
from gnomon.errors import InvalidInputError, InvalidTypeError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

MATRIX = np.arange(1, 31, dtype=np.float32).reshape(5, 6)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", [1, 7, 8, 9, 31, 33, 100])
def test_every_dtype_is_taken_as_its_float32_values(dtype: str, width: int, isa: str) -> None:
    """float64 is rounded to float32, everything else widens exactly."""
    rows = typed(np.random.default_rng(width), 9, width, dtype)
    np.testing.assert_array_equal(kernels.norms(rows), reference.norms(rows), strict=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_strides_don_t_matter(dtype: str, isa: str) -> None:
    """Transposed, sliced, reversed, broadcast and Fortran-ordered views give the bits of a copy."""
    rows = typed(np.random.default_rng(3), 12, 20, dtype)
    views: list[NDArray[Any]] = [
        rows.T,
        rows[::2, 1::3],
        rows[::-1, ::-1],
        np.asfortranarray(rows),
        np.broadcast_to(rows[0], (4, 20)),
        np.broadcast_to(rows[:, :1], (12, 5)),
        rows[:0],
        rows[:, :0],
    ]
    for view in views:
        copy = np.array(view, order="C", copy=True)
        np.testing.assert_array_equal(kernels.norms(view), kernels.norms(copy), strict=True)
        np.testing.assert_array_equal(kernels.normalize(view), kernels.normalize(copy), strict=True)


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "int8"])
def test_read_only_memory_maps_are_taken(dtype: str, tmp_path: Path) -> None:
    """A file opened with mode "r" is as good as an array."""
    rows = typed(np.random.default_rng(4), 8, 10, dtype)
    np.save(tmp_path / "rows.npy", rows)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    assert not mapped.flags.writeable
    np.testing.assert_array_equal(kernels.norms(mapped), kernels.norms(rows))


@pytest.mark.parametrize("dtype", DTYPES)
def test_unaligned_arrays_are_taken(dtype: str) -> None:
    """Rows that start at an odd address are read as well."""
    rows = typed(np.random.default_rng(5), 6, 11, dtype)
    raw = np.frombuffer(b"\0" + rows.tobytes(), np.uint8, offset=1)
    odd = np.ndarray(rows.shape, rows.dtype, raw)
    np.testing.assert_array_equal(kernels.norms(odd), kernels.norms(rows))


def test_inputs_are_never_written_to_nor_handed_out() -> None:
    """Outputs are new arrays; the argument keeps its bits."""
    rows = kernels.normalize(MATRIX)
    before = rows.copy()
    again = kernels.normalize(rows)
    assert not np.shares_memory(again, rows)
    np.testing.assert_array_equal(rows, before)


def test_lists_are_taken_as_numpy_takes_them() -> None:
    """A list of floats is a float64 array."""
    assert kernels.norms([[3.0, 4.0], [0.0, 0.0]]).tolist() == [5.0, 0.0]


def test_one_vector_is_one_row() -> None:
    """A one-dimensional array counts as one query."""
    assert kernels.normalize(np.array([0, 2], np.float32)).tolist() == [[0.0, 1.0]]


WRONG_DTYPES: dict[str, object] = {
    "int64": np.ones((2, 2), np.int64),
    "int16": np.ones((2, 2), np.int16),
    "uint16": np.ones((2, 2), np.uint16),
    "bool": np.ones((2, 2), np.bool_),
    "complex": np.ones((2, 2), np.complex64),
    "float8": np.ones((2, 2), ml_dtypes.float8_e5m2),
    "foreign byte order": np.ones((2, 2), ">f4"),
    "text": np.array([["1", "2"]]),
    "objects": np.array([[None, 1.0]]),
    "list of ints": [[1, 2], [3, 4]],
}


@pytest.mark.parametrize("bad", WRONG_DTYPES.values(), ids=WRONG_DTYPES)
def test_other_dtypes_are_refused_with_the_cast(bad: object) -> None:
    """The message names the array, the dtype and what to do."""
    with pytest.raises(InvalidTypeError, match=r"x: dtype .*x\.astype\(np\.float32\)") as caught:
        kernels.norms(bad)  # type: ignore[arg-type]
    assert isinstance(caught.value, TypeError)


class ForeignTensor:
    """Stands for a tensor that NumPy can't read."""

    def __array__(self, dtype: object = None, copy: object = None) -> NDArray[Any]:
        """Refuse, as tensors of other devices and types do."""
        raise TypeError("Got unsupported ScalarType BFloat16")


def test_tensors_that_numpy_can_t_read_are_refused_with_the_cast() -> None:
    """The message passes the reason on and names the conversion."""
    with pytest.raises(InvalidTypeError, match=r"BFloat16.*\.float\(\)"):
        kernels.norms(ForeignTensor())


def test_masked_arrays_are_refused() -> None:
    """Values behind a mask would silently count."""
    with pytest.raises(InvalidInputError, match="masked"):
        kernels.norms(np.ma.masked_invalid([[1.0, np.nan]]))


def test_shapes_other_than_rows_are_refused() -> None:
    """Scalars, three dimensions and ragged lists are errors that show what was given."""
    with pytest.raises(InvalidInputError, match=r"shape \(\)"):
        kernels.norms(np.float32(1))
    with pytest.raises(InvalidInputError, match=r"shape \(1, 2, 3\)"):
        kernels.norms(np.ones((1, 2, 3), np.float32))
    with pytest.raises(InvalidInputError, match="don't form an array"):
        kernels.norms([[1.0, 2.0], [3.0]])
    with pytest.raises(InvalidInputError, match=r"shape \(6,\)"):
        kernels.group_sums(MATRIX[0], [0] * 6, 1)


@pytest.mark.parametrize(
    ("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "inf")]
)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_what_is_not_finite_is_named_with_row_and_column(
    dtype: str, value: float, word: str, isa: str
) -> None:
    """The first bad row is named, at any number of threads."""
    rows = np.ones((5000, 40)).astype(
        np.dtype(dtype) if dtype != "bfloat16" else ml_dtypes.bfloat16
    )
    rows[4321, 7] = value
    rows[4999, 0] = np.nan
    for threads in (1, 2, 7):
        with pytest.raises(InvalidInputError, match=f"x: row 4321 holds {word}.* in column 7"):
            kernels.normalize(rows, threads=threads)


def test_a_float64_beyond_float32_is_refused_with_its_value() -> None:
    """It would become infinite; the largest that rounds to a float32 is taken."""
    limit = float.fromhex("0x1.ffffffp+127")
    below = np.nextafter(limit, 0)
    assert kernels.normalize([[below, 0.0]]).tolist() == [[1.0, 0.0]]
    with pytest.raises(InvalidInputError, match=r"row 1 holds 1e\+39, which is beyond .* column 0"):
        kernels.normalize([[1.0, 1.0], [1e39, 1.0]])
    with pytest.raises(InvalidInputError, match="row 0 holds"):
        kernels.normalize([[limit]])
