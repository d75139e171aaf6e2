"""`.npy` files: every layout mapped without copying, everything else refused by name."""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib import format as npy_format

from gnomon.errors import InvalidInputError, MissingInputError, UsageError
from gnomon.sources import VectorSource, read_vectors

MATRIX = np.arange(12, dtype=np.float32).reshape(4, 3)


def read(path: Path, **options: Any) -> VectorSource:
    """Read a file under the name that the messages should begin with."""
    return read_vectors(path, name="old documents", **options)


def saved(folder: Path, array: Any, **options: Any) -> Path:
    """Save an array as `.npy`."""
    path = folder / "docs.npy"
    np.save(path, array, **options)
    return path


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_dtype_and_order_is_mapped(tmp_path: Path, dtype: str, order: Any) -> None:
    """The array is a read-only map of the file, with the stored type and values."""
    array = np.asarray(MATRIX, dtype=dtype, order=order)
    source = read(saved(tmp_path, array))
    assert isinstance(source.array, np.memmap)
    assert not source.array.flags.writeable
    assert source.array.dtype == dtype
    assert source.array.flags.f_contiguous == (order == "F")
    np.testing.assert_array_equal(source.array, array)
    assert (source.rows, source.dim, source.kind, source.ids) == (4, 3, "npy", None)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version(tmp_path: Path, version: tuple[int, int]) -> None:
    """Format versions 1 to 3 are read."""
    path = tmp_path / "docs.npy"
    with path.open("wb") as file:
        npy_format.write_array(file, MATRIX, version=version)
    np.testing.assert_array_equal(read(path).array, MATRIX)


def test_later_version_is_named(tmp_path: Path) -> None:
    """A version that does not exist yet is refused as such."""
    path = saved(tmp_path, MATRIX)
    path.write_bytes(b"\x93NUMPY\x04\x00" + path.read_bytes()[8:])
    with pytest.raises(InvalidInputError, match=r"version 4\.0; expected version 1 to 3"):
        read(path)


def test_bfloat16_when_it_is_named(tmp_path: Path) -> None:
    """NumPy stores bfloat16 without its type, so it is read when the caller names it."""
    array = MATRIX.astype(ml_dtypes.bfloat16)
    path = saved(tmp_path, array)
    with pytest.raises(InvalidInputError, match="bfloat16, say so"):
        read(path)
    source = read(path, dtype="bfloat16")
    assert source.array.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(source.array.astype(np.float32), MATRIX)
    with pytest.raises(InvalidInputError, match="expected the two-byte elements"):
        read(saved(tmp_path, MATRIX), dtype="bfloat16")
    with pytest.raises(UsageError, match="'float32' cannot be chosen"):
        read(path, dtype="float32")


def test_values_are_not_looked_at(tmp_path: Path) -> None:
    """Rows that are not finite are the kernels' business; they arrive as stored."""
    assert np.isnan(read(saved(tmp_path, np.full((2, 2), np.nan))).array).all()


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(5, "f4"), r"has 1 dimension \(5,\); expected 2.*reshape\(1, -1\)"),
        (np.zeros((2, 3, 4), "f4"), r"has 3 dimensions \(2, 3, 4\); expected 2"),
        (np.zeros((), "f4"), r"has 0 dimensions \(\)"),
        (np.zeros((0, 3), "f4"), "is empty: 0 rows of 3"),
        (np.zeros((3, 0), "f4"), "has 3 rows of 0 columns"),
        (np.zeros((2, 2), "c8"), "type complex64; expected float16.*real"),
        (np.zeros((2, 2), "?"), "type bool; expected"),
        (np.zeros((2, 2), "i8"), r"type int64; .*astype\(numpy.float32\)"),
        (np.zeros((2, 2), "u2"), "type uint16; expected"),
        (np.zeros((2, 2), "U3"), "type <U3; .*convert the strings"),
        (np.zeros((2, 2), "S3"), r"type \|S3; "),
        (np.zeros((2, 2), "g"), "type .*128; expected"),
        (np.zeros((2, 2), "M8[s]"), "type datetime64"),
        (np.zeros((2, 2), [("a", "f4")]), "elements of type"),
        (np.zeros((2, 2), ">f4"), r"byte order of another machine; .*astype"),
    ],
    ids=range(15),
)
def test_refused_arrays(tmp_path: Path, array: Any, message: str) -> None:
    """Shapes and types that are no vectors are refused with what was found and what to do."""
    with pytest.raises(InvalidInputError, match=rf"old documents: .*docs\.npy: .*{message}"):
        read(saved(tmp_path, array))


class _Trap:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return Path.touch, (self.path,)


def test_pickles_are_never_opened(tmp_path: Path) -> None:
    """An object array is refused, and what its pickle would do does not happen."""
    trap = tmp_path / "sprung"
    path = saved(tmp_path, np.array([[_Trap(trap)]], dtype=object), allow_pickle=True)
    with pytest.raises(InvalidInputError, match=r"type object; .*never opened"):
        read(path)
    path.write_bytes(pickle.dumps(_Trap(trap)))
    with pytest.raises(InvalidInputError, match="not a NumPy file: it is a Python pickle"):
        read(path)
    assert not trap.exists()
    pickle.loads(path.read_bytes())
    assert trap.exists(), "the trap works, so the test means something"


def test_truncated_anywhere(tmp_path: Path) -> None:
    """A file that is cut at any byte is refused; within the data the whole rows are counted."""
    path = saved(tmp_path, MATRIX)
    content = path.read_bytes()
    for kept in range(len(content)):
        path.write_bytes(content[:kept])
        with pytest.raises(InvalidInputError, match=r"docs\.npy: .*(cut short|not a NumPy file)"):
            read(path)
    path.write_bytes(content[:-13])
    with pytest.raises(InvalidInputError, match=r"declares 4 rows \(48 bytes\).*2 whole rows"):
        read(path)


def test_trailing_bytes(tmp_path: Path) -> None:
    """Two arrays saved into one file are refused: the second would be lost silently."""
    path = tmp_path / "docs.npy"
    with path.open("wb") as file:
        np.save(file, MATRIX)
        np.save(file, MATRIX)
    with pytest.raises(InvalidInputError, match="176 bytes more than its header declares"):
        read(path)


def test_other_files_are_recognised(tmp_path: Path) -> None:
    """A wrong file says what it looks like."""
    path = tmp_path / "docs.npy"
    packed = io.BytesIO()
    np.savez(packed, MATRIX)
    for content, found in (
        (b"", "it is empty"),
        (packed.getvalue(), "a zip archive"),
        (b"0.1,0.2\n0.3,0.4\n", "text beginning '0.1,0.2"),
        (b"<!DOCTYPE html>", "an HTML page"),
    ):
        path.write_bytes(content)
        with pytest.raises(InvalidInputError, match=f"is not a NumPy file: .*{found}"):
            read(path)


def hostile_header(text: bytes) -> bytes:
    """Return a version 1 file with the given header text."""
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        b"{'descr': '<f4'}",
        b"__import__('os').getcwd()",
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (-4, 3)}",
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (4.0, 3)}",
        b"{'descr': '<f4', 'fortran_order': 'no', 'shape': (4, 3)}",
        b"{'descr': 'nonsense', 'fortran_order': False, 'shape': (4, 3)}",
        b"{'descr': [[[]]], 'fortran_order': False, 'shape': (4, 3)}",
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 3), 'more': 1}",
        b"(" * 5000,
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (" + b"9" * 5000 + b", 3)}",
    ],
    ids=range(13),
)
def test_hostile_headers(tmp_path: Path, text: bytes) -> None:
    """A header is data, not a program, and one that makes no sense is refused."""
    path = tmp_path / "docs.npy"
    path.write_bytes(hostile_header(text) + b"\0" * 48)
    with pytest.raises(InvalidInputError, match=r"docs\.npy"):
        read(path)


def test_declared_size_is_not_believed(tmp_path: Path) -> None:
    """A small file that declares a huge array is refused before anything is reserved for it."""
    path = tmp_path / "docs.npy"
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000, 1000000)}"
    path.write_bytes(hostile_header(header))
    with pytest.raises(InvalidInputError, match="cut short: its header declares 1,000,000,000,000"):
        read(path)


@given(flips=st.lists(st.tuples(st.integers(0, 127), st.integers(1, 255)), max_size=4))
def test_damaged_headers(
    tmp_path_factory: pytest.TempPathFactory, flips: list[tuple[int, int]]
) -> None:
    """Any damage to the header gives an array of the file's own bytes, or our error."""
    path = saved(tmp_path_factory.mktemp("n"), MATRIX)
    content = bytearray(path.read_bytes())
    for at, change in flips:
        content[at] ^= change
    path.write_bytes(content)
    try:
        source = read(path)
    except InvalidInputError:
        return
    assert source.array.nbytes <= len(content)


def test_missing_file(tmp_path: Path) -> None:
    """A file that is not there is named."""
    with pytest.raises(MissingInputError, match=r"docs\.npy: no such file"):
        read(tmp_path / "docs.npy")
