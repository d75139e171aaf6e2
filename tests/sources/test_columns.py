"""Parquet and Arrow: lists of equal length become one array, batch by batch."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from gnomon.errors import InvalidInputError, MissingDependencyError
from gnomon.sources import Limits, VectorSource, read_ids, read_vectors

if TYPE_CHECKING:
    from pathlib import Path

MATRIX = np.arange(60, dtype=np.float32).reshape(20, 3)
IDS = [f"d{row}" for row in range(20)]


def read(path: Path, **options: Any) -> VectorSource:
    """Read a file under the name that the messages should begin with."""
    return read_vectors(path, name="documents", **options)


def lists(array: Any, kind: str = "list", value: pa.DataType | None = None) -> pa.Array:
    """Return rows as an Arrow array of lists."""
    value = value or pa.from_numpy_dtype(array.dtype)
    types = {
        "list": pa.list_(value),
        "large": pa.large_list(value),
        "fixed": pa.list_(value, array.shape[1]),
    }
    if value == pa.float16():
        flat = pa.array(array.reshape(-1))
        return pa.FixedSizeListArray.from_arrays(flat, array.shape[1]).cast(types[kind])
    return pa.array(array.tolist(), types[kind])


def parquet_of(folder: Path, columns: dict[str, Any], **options: Any) -> Path:
    """Write a Parquet file of small row groups."""
    path = folder / "docs.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=7, **options)
    return path


@pytest.mark.parametrize("kind", ["list", "large", "fixed"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint8"])
def test_every_list_and_type(tmp_path: Path, kind: str, dtype: str) -> None:
    """Lists of every kind and number type arrive with the stored type."""
    array = MATRIX.astype(dtype)
    source = read(parquet_of(tmp_path, {"emb": lists(array, kind)}))
    np.testing.assert_array_equal(source.array, array)
    assert source.array.dtype == dtype
    assert (source.kind, source.ids) == ("parquet", None)


def test_ids_and_other_columns(tmp_path: Path) -> None:
    """Columns go by name; other columns are not read; integer ids become their digits."""
    path = parquet_of(
        tmp_path,
        {"_id": IDS, "n": list(range(20)), "a": lists(MATRIX), "b": lists(-MATRIX), "t": IDS},
    )
    source = read(path, column="b", id_column="_id")
    np.testing.assert_array_equal(source.array, -MATRIX)
    assert source.ids == tuple(IDS)
    assert read(path, column="a", id_column="n").ids == tuple(str(n) for n in range(20))
    assert read_ids(path, column="_id") == tuple(IDS)
    for options in ({}, {"column": "z"}, {"column": "a", "id_column": "z"}, {"column": "t"}):
        with pytest.raises(InvalidInputError, match=r"docs\.parquet: .*column"):
            read(path, **options)
    with pytest.raises(InvalidInputError, match="say which one holds the ids"):
        read_ids(path)


@pytest.mark.parametrize("stream", [False, True])
def test_arrow_files_and_streams(tmp_path: Path, stream: bool) -> None:
    """Arrow IPC files and streams, as datasets libraries write them, are read in batches."""
    table = pa.table({"emb": lists(MATRIX, "fixed"), "_id": IDS})
    path = tmp_path / "docs.arrow"
    new = pa.ipc.new_stream if stream else pa.ipc.new_file
    with new(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=6)
    source = read(path, id_column="_id")
    np.testing.assert_array_equal(source.array, MATRIX)
    assert (source.kind, source.ids) == ("arrow", tuple(IDS))


def test_feather(tmp_path: Path) -> None:
    """A Feather file is an Arrow file."""
    pyarrow.feather.write_feather(pa.table({"emb": lists(MATRIX)}), tmp_path / "docs.feather")
    np.testing.assert_array_equal(read(tmp_path / "docs.feather").array, MATRIX)


def test_tensor_column(tmp_path: Path) -> None:
    """A column of fixed-shape tensors is read by its storage."""
    tensors = pa.ExtensionArray.from_storage(
        pa.fixed_shape_tensor(pa.float32(), (3,)), lists(MATRIX, "fixed")
    )
    np.testing.assert_array_equal(read(parquet_of(tmp_path, {"emb": tensors})).array, MATRIX)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1.0, 2.0]] * 9 + [[1.0]], "row 9: has 1 numbers, the rows before have 2"),
        ([[1.0, 2.0]] * 9 + [None], "row 9: is null"),
        ([[1.0, 2.0]] * 9 + [[None, 1.0]], "row 9: holds a null among"),
        ([[], []], "has lists of 0 numbers"),
        ([], "is empty: 0 rows"),
    ],
)
def test_refused_rows(tmp_path: Path, rows: list[Any], message: str) -> None:
    """A row that is missing, short or holed is named, across row groups."""
    path = parquet_of(tmp_path, {"emb": pa.array(rows, pa.list_(pa.float32()))})
    with pytest.raises(InvalidInputError, match=message):
        read(path)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pa.array([["a"]]), "0 of the columns 'emb' hold lists of numbers"),
        (pa.array([1.5]), "0 of the columns 'emb'"),
        (pa.array([[[1.0]]]), "0 of the columns 'emb'"),
        (pa.array([[1, 2]]), "elements of type int64; expected"),
    ],
)
def test_refused_columns(tmp_path: Path, column: pa.Array, message: str) -> None:
    """A column that is no list of an accepted number type is refused."""
    with pytest.raises(InvalidInputError, match=message):
        read(parquet_of(tmp_path, {"emb": column}))


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["a", "b", "a"], "1 id occurs more than once: 'a'"),
        (["a", None, "c"], "row 1: the id is null"),
        (["a", " ", "c"], "row 1: the id is blank"),
        ([1.0, 2.0, 3.0], "row 0: the id is a value of type float"),
    ],
)
def test_refused_ids(tmp_path: Path, ids: list[Any], message: str) -> None:
    """Ids that are no ids are refused by row."""
    path = parquet_of(tmp_path, {"emb": lists(MATRIX[:3]), "_id": ids})
    with pytest.raises(InvalidInputError, match=message):
        read(path, id_column="_id")


def test_truncated_and_other_files(tmp_path: Path) -> None:
    """A file that is cut or of another kind is refused, whatever its ending says."""
    path = parquet_of(tmp_path, {"emb": lists(MATRIX)})
    content = path.read_bytes()
    for kept in (4, 50, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:kept])
        with pytest.raises(InvalidInputError, match="cut short or damaged"):
            read(path)
    for wrong in (b"", b"id,x\n1,2\n", b"\x93NUMPY"):
        path.write_bytes(wrong)
        with pytest.raises(InvalidInputError, match="is not a Parquet or Arrow file: it is"):
            read(path)


def test_damaged_anywhere(tmp_path: Path) -> None:
    """One wrong byte gives an array or our error, never another exception."""
    path = parquet_of(tmp_path, {"emb": lists(MATRIX)}, compression="none")
    content = path.read_bytes()
    for at in range(0, len(content), 3):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0x41]) + content[at + 1 :])
        try:
            read(path)
        except InvalidInputError:
            continue


def test_small_file_of_a_huge_array(tmp_path: Path) -> None:
    """Rows that repeat pack to almost nothing; the array's size is checked before it is made."""
    path = parquet_of(tmp_path, {"emb": lists(np.zeros((5000, 50), np.float32))})
    with pytest.raises(InvalidInputError, match="holds an array of 1,000,000 bytes; this format"):
        read(path, limits=Limits(max_array_bytes=999_999))


def test_missing_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyarrow the message names the extra."""
    path = parquet_of(tmp_path, {"emb": lists(MATRIX)})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'gnomon\[parquet\]'"):
        read(path)
