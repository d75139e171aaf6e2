"""HDF5: what lies in the file is read, what leads out of it is refused."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np
import pytest

from gnomon.errors import InvalidInputError, MissingDependencyError
from gnomon.sources import Limits, VectorSource, read_vectors

if TYPE_CHECKING:
    from pathlib import Path

MATRIX = np.arange(60, dtype=np.float32).reshape(20, 3)


def read(path: Path, **options: Any) -> VectorSource:
    """Read a file under the name that the messages should begin with."""
    return read_vectors(path, name="documents", **options)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where the test writes its file."""
    return tmp_path / "docs.h5"


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint8"])
@pytest.mark.parametrize("packed", [False, True])
def test_every_type_plain_and_packed(path: Path, dtype: str, packed: bool) -> None:
    """A contiguous dataset is mapped, a packed one read; both as stored."""
    options: dict[str, Any] = {"compression": "gzip", "shuffle": True} if packed else {}
    with h5py.File(path, "w") as file:
        file.create_dataset("emb", data=MATRIX.astype(dtype), **options)
    source = read(path)
    np.testing.assert_array_equal(source.array, MATRIX.astype(dtype))
    assert source.array.dtype == dtype
    assert isinstance(source.array, np.memmap) is not packed
    assert source.kind == "hdf5"


def test_key_and_ids(path: Path) -> None:
    """Datasets go by their path; ids may be text or numbers."""
    with h5py.File(path, "w") as file:
        file["a/emb"] = MATRIX
        file["b"] = -MATRIX
        file["c"] = MATRIX
        file["a/ids"] = [f"é{row}" for row in range(20)]
        file["fixed"] = np.array([f"d{row}".encode() for row in range(20)])
        file["n"] = np.arange(20)
    np.testing.assert_array_equal(read(path, key="b").array, -MATRIX)
    assert read(path, key="/a/emb", id_column="a/ids").ids == tuple(f"é{n}" for n in range(20))
    assert read(path, key="b", id_column="fixed").ids == tuple(f"d{n}" for n in range(20))
    assert read(path, key="b", id_column="n").ids == tuple(str(n) for n in range(20))
    for options, message in (
        ({}, "has 2 two-dimensional datasets at the top"),
        ({"key": "z"}, "holds no dataset 'z'; it holds 'a', 'b'"),
        ({"key": "a"}, "'a' is a group of 'emb', 'ids'"),
        ({"key": "a/z"}, "holds no dataset 'a/z'; it holds 'emb', 'ids' where 'z'"),
        ({"key": "b/z"}, "holds no dataset 'b/z'"),
        ({"key": "a/../b"}, "holds no dataset"),
        ({"key": "n"}, "type int64; expected"),
        ({"key": "a/ids"}, "varying length or text"),
        ({"key": "b", "id_column": "c"}, "ids have the shape"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            read(path, **options)


def test_links_out_of_the_file(path: Path, tmp_path: Path) -> None:
    """External and soft links are refused by name, at every step of the path."""
    other = tmp_path / "secret.h5"
    with h5py.File(other, "w") as file:
        file["group/emb"] = MATRIX
    with h5py.File(path, "w") as file:
        file["out"] = h5py.ExternalLink(str(other), "/group/emb")
        file["outgroup"] = h5py.ExternalLink(str(other), "/group")
        file["soft"] = h5py.SoftLink("/outgroup/emb")
    for key, kind in (("out", "an external"), ("outgroup/emb", "an external"), ("soft", "a soft")):
        with pytest.raises(InvalidInputError, match=f"'{key}' is {kind} link"):
            read(path, key=key)
    found = "has 0 two-dimensional datasets .*links are not followed: 'out', 'outgroup', 'soft'"
    with pytest.raises(InvalidInputError, match=found):
        read(path)


def test_storage_in_other_files(path: Path, tmp_path: Path) -> None:
    """External raw storage and virtual datasets are refused."""
    raw = tmp_path / "raw.bin"
    raw.write_bytes(MATRIX.tobytes())
    other = tmp_path / "other.h5"
    with h5py.File(other, "w") as file:
        file["emb"] = MATRIX
    layout = h5py.VirtualLayout((20, 3), "f4")
    layout[...] = h5py.VirtualSource(str(other), "emb", (20, 3))
    with h5py.File(path, "w") as file:
        file.create_dataset("raw", (20, 3), "f4", external=[(str(raw), 0, h5py.h5f.UNLIMITED)])
        file.create_virtual_dataset("virtual", layout)
    for key in ("raw", "virtual"):
        with pytest.raises(InvalidInputError, match=f"'{key}': is kept in other files"):
            read(path, key=key)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (np.zeros(3, "f4"), r"has 1 dimension \(3,\)"),
        (np.zeros((2, 2, 2), "f4"), "has 3 dimensions"),
        (np.zeros((0, 3), "f4"), "is empty: 0 rows of 3"),
        (np.zeros((2, 2), "i8"), "type int64"),
        (np.zeros((2, 2), "c8"), "type complex64"),
        (np.zeros((2, 2), ">f4"), "byte order of another machine"),
        (np.zeros((2, 2), [("x", "f4")]), "elements of type"),
        (h5py.Empty("f4"), "empty dataset"),
    ],
    ids=range(8),
)
def test_refused_arrays(path: Path, data: Any, message: str) -> None:
    """Shapes and types that are no vectors are refused."""
    with h5py.File(path, "w") as file:
        file["emb"] = data
    with pytest.raises(InvalidInputError, match=message):
        read(path, key="emb")


def test_ragged_rows(path: Path) -> None:
    """Rows of varying length are refused."""
    with h5py.File(path, "w") as file:
        ragged = file.create_dataset("emb", (2,), h5py.vlen_dtype("f4"))
        ragged[0] = [1.0]
    with pytest.raises(InvalidInputError, match="varying length"):
        read(path, key="emb")


def test_declared_size_is_not_believed(path: Path) -> None:
    """A dataset that declares much and stores nothing is refused before memory is reserved."""
    with h5py.File(path, "w") as file:
        file.create_dataset("huge", (10**9, 1000), "f4", chunks=(10, 1000))
        file.create_dataset("large", (10**6, 100), "f4", chunks=(10, 100))
    with pytest.raises(InvalidInputError, match="holds an array of 4,000,000,000,000 bytes"):
        read(path, key="huge")
    with pytest.raises(InvalidInputError, match="0 stored bytes unpack to 400,000,000"):
        read(path, key="large")
    with pytest.raises(InvalidInputError, match="array of 400,000,000 bytes"):
        read(path, key="large", limits=Limits(max_array_bytes=1000))


def test_filters_that_need_a_plugin(path: Path) -> None:
    """A filter that HDF5 would have to load from elsewhere is refused by number."""
    with h5py.File(path, "w") as file:
        layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        layout.set_chunk((20, 3))
        layout.set_filter(32015, h5py.h5z.FLAG_OPTIONAL)
        space = h5py.h5s.create_simple((20, 3))
        h5py.h5d.create(file.id, b"emb", h5py.h5t.NATIVE_FLOAT, space, layout)
    with pytest.raises(InvalidInputError, match="HDF5 filter 32015, which needs a plug-in"):
        read(path, key="emb")


def test_truncated_and_other_files(path: Path) -> None:
    """A file that is cut or of another kind is refused."""
    with h5py.File(path, "w") as file:
        file["emb"] = MATRIX
    content = path.read_bytes()
    for kept in range(16, len(content), 97):
        path.write_bytes(content[:kept])
        with pytest.raises(InvalidInputError, match="cut short or damaged"):
            read(path)
    path.write_bytes(b"not HDF5")
    with pytest.raises(InvalidInputError, match="is not an HDF5 file: it is text"):
        read(path)


def test_missing_package(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without h5py the message names the extra."""
    path.write_bytes(b"\x89HDF\r\n\x1a\n")
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'gnomon\[hdf5\]'"):
        read(path)
