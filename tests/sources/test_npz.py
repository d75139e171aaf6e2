"""`.npz` archives: sizes are checked before they are believed."""

from __future__ import annotations

import io
import struct
import zipfile
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np
import pytest

from gnomon.errors import InvalidInputError
from gnomon.sources import Limits, VectorSource, read_vectors

if TYPE_CHECKING:
    from pathlib import Path

MATRIX = np.arange(12, dtype=np.float16).reshape(4, 3)


def read(path: Path, **options: Any) -> VectorSource:
    """Read an archive under the name that the messages should begin with."""
    return read_vectors(path, name="new documents", **options)


def npy_bytes(array: Any) -> bytes:
    """Return an array in the `.npy` format."""
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def archive_of(folder: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    """Write a zip archive."""
    path = folder / "docs.npz"
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def redeclared(path: Path, *, size: int) -> Path:
    """Change the unpacked size that an archive of one member declares, in both places."""
    content = bytearray(path.read_bytes())
    directory = content.index(b"PK\x01\x02")
    struct.pack_into("<I", content, 22, size)
    struct.pack_into("<I", content, directory + 24, size)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("order", ["C", "F"])
def test_one_array_and_ids(tmp_path: Path, save: Any, order: Any) -> None:
    """The only array besides the ids is the vectors; ids come along."""
    path = tmp_path / "docs.npz"
    save(path, emb=np.asarray(MATRIX, order=order), ids=np.array(["a", "b", "é", "d d"]))
    source = read(path)
    np.testing.assert_array_equal(source.array, MATRIX)
    assert source.array.dtype == np.float16
    assert source.ids == ("a", "b", "é", "d d")
    assert source.kind == "npz"


def test_key_and_id_column(tmp_path: Path) -> None:
    """With several arrays the caller names them; integer ids become their digits."""
    path = tmp_path / "docs.npz"
    np.savez(path, a=MATRIX, b=MATRIX + 1, n=np.array([7, 8, 9, 10]))
    with pytest.raises(InvalidInputError, match="3 arrays besides 'ids': 'a', 'b', 'n'"):
        read(path)
    source = read(path, key="b", id_column="n")
    np.testing.assert_array_equal(source.array, MATRIX + 1)
    assert source.ids == ("7", "8", "9", "10")
    for options in ({"key": "z"}, {"key": "a", "id_column": "z"}, {"key": "../a"}):
        with pytest.raises(InvalidInputError, match=r"holds no array .*it holds 'a', 'b', 'n'"):
            read(path, **options)


def test_bfloat16(tmp_path: Path) -> None:
    """Two-byte elements are bfloat16 when the caller says so."""
    path = tmp_path / "docs.npz"
    np.savez(path, MATRIX.astype(ml_dtypes.bfloat16))
    assert read(path, dtype="bfloat16").array.dtype == ml_dtypes.bfloat16


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (np.array(["a", "b", "c"]), "has 4 rows, .*has 3 ids"),
        (np.array(["a", "b", "b", "a"]), "2 ids occur more than once: 'a', 'b'"),
        (np.array(["a", "b", "", "d"]), "row 2: the id is blank"),
        (np.array([b"a", b"b", b"\xff", b"d"]), "row 2: the id is not UTF-8"),
        (np.array([["a", "b", "c", "d"]]), r"shape \(1, 4\); expected one dimension"),
        (np.array([1.0, 2, 3, 4]), "holds float64 values; expected ids as strings"),
    ],
)
def test_refused_ids(tmp_path: Path, ids: Any, message: str) -> None:
    """Ids that do not fit the rows are refused."""
    path = tmp_path / "docs.npz"
    np.savez(path, emb=MATRIX, ids=ids)
    with pytest.raises(InvalidInputError, match=message):
        read(path)


def test_characters_that_do_not_exist(tmp_path: Path) -> None:
    """Fixed-width text with a number that is no character is refused."""
    bad = np.array([0x110000, 97, 98, 99], "<u4").view("<U1")
    half = np.array([0xD800, 97, 98, 99], "<u4").view("<U1")
    for ids in (bad, half):
        path = archive_of(tmp_path, {"e.npy": npy_bytes(MATRIX), "ids.npy": npy_bytes(ids)})
        with pytest.raises(InvalidInputError, match="no character"):
            read(path)


def test_object_arrays_are_refused(tmp_path: Path) -> None:
    """Neither vectors nor ids are unpickled."""
    path = tmp_path / "docs.npz"
    objects = np.array(["a", "b", "c", "d"], dtype=object)
    np.savez(path, emb=MATRIX, ids=objects)
    with pytest.raises(InvalidInputError, match="never opened; save the ids as fixed-width"):
        read(path)
    np.savez(path, emb=objects.reshape(2, 2))
    with pytest.raises(InvalidInputError, match="type object"):
        read(path)


def test_bomb_by_ratio(tmp_path: Path) -> None:
    """Zeros that were packed a thousandfold are refused before they are unpacked."""
    path = tmp_path / "docs.npz"
    np.savez_compressed(path, np.zeros((1000, 1000), np.float32))
    with pytest.raises(InvalidInputError, match="stored bytes unpack to 4,000,128 or more"):
        read(path, limits=Limits(free_unpacked_bytes=100_000))
    with pytest.raises(InvalidInputError, match=r"array of 4,000,128 bytes; .*memory-mapped"):
        read(path, limits=Limits(max_array_bytes=1_000_000))


def test_declares_less_than_it_unpacks_to(tmp_path: Path) -> None:
    """A member that goes on after its declared size is refused, whatever its checksum."""
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        content = npy_bytes(MATRIX)
        path = redeclared(
            archive_of(tmp_path, {"e.npy": content + b"\0" * 5000}, method), size=len(content)
        )
        with pytest.raises(InvalidInputError, match=r"unpacks to (another size|more)"):
            read(path)


def test_declares_more_than_it_unpacks_to(tmp_path: Path) -> None:
    """A member that ends before its declared size is refused."""
    header = npy_bytes(np.zeros((1000, 3), np.float16))
    path = redeclared(archive_of(tmp_path, {"e.npy": header[:500]}), size=len(header))
    with pytest.raises(InvalidInputError, match=r"cut short|another size"):
        read(path)


@pytest.mark.parametrize("change", [-6, 6])
def test_header_and_archive_disagree(tmp_path: Path, change: int) -> None:
    """The array's own header must declare the size that the archive declares."""
    content = npy_bytes(MATRIX)
    content = content[:change] if change < 0 else content + b"\0" * change
    with pytest.raises(InvalidInputError, match=r"the archive declares .* its NumPy header"):
        read(archive_of(tmp_path, {"e.npy": content}))


def test_huge_header_in_a_small_member(tmp_path: Path) -> None:
    """A member whose header declares a huge array is refused without reserving it."""
    content = npy_bytes(MATRIX).replace(b"(4, 3)", b"(4,3)+")
    with pytest.raises(InvalidInputError, match="header is cut short or malformed"):
        read(archive_of(tmp_path, {"e.npy": content}))
    huge = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000, 9), }"
    content = b"\x93NUMPY\x01\x00" + len(huge).to_bytes(2, "little") + huge
    with pytest.raises(InvalidInputError, match="its NumPy header 36,000,000,000,"):
        read(archive_of(tmp_path, {"e.npy": content}))


def test_truncated_anywhere(tmp_path: Path) -> None:
    """An archive that is cut at any byte is refused."""
    path = tmp_path / "docs.npz"
    np.savez_compressed(path, emb=MATRIX)
    content = path.read_bytes()
    for kept in range(0, len(content), 7):
        path.write_bytes(content[:kept])
        with pytest.raises(InvalidInputError, match=r"docs\.npz"):
            read(path)


def test_damaged_anywhere(tmp_path: Path) -> None:
    """One wrong byte gives an error or the same vectors, never others."""
    path = tmp_path / "docs.npz"
    np.savez_compressed(path, emb=MATRIX)
    content = path.read_bytes()
    for at in range(len(content)):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :])
        try:
            source = read(path)
        except InvalidInputError:
            continue
        np.testing.assert_array_equal(source.array, MATRIX)


def test_member_names_are_only_names(tmp_path: Path) -> None:
    """A member whose name climbs out of the folder is read like any other, and written nowhere."""
    (tmp_path / "inner").mkdir()
    path = archive_of(tmp_path / "inner", {"../../evil.npy": npy_bytes(MATRIX)})
    np.testing.assert_array_equal(read(path).array, MATRIX)
    assert sorted(item.name for item in tmp_path.rglob("*")) == ["docs.npz", "inner"]


def test_other_archives(tmp_path: Path) -> None:
    """Archives without arrays, with unusual packing, or no archives at all are refused."""
    with pytest.raises(InvalidInputError, match="holds no array"):
        read(archive_of(tmp_path, {"readme.txt": b"hello"}))
    with pytest.raises(InvalidInputError, match="packed by a method that numpy does not write"):
        read(archive_of(tmp_path, {"e.npy": npy_bytes(MATRIX)}, zipfile.ZIP_LZMA))
    path = tmp_path / "docs.npz"
    path.write_bytes(npy_bytes(MATRIX))
    with pytest.raises(InvalidInputError, match=r"it is a NumPy .npy file; expected"):
        read(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("e.npy", npy_bytes(MATRIX))
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("e.npy", npy_bytes(MATRIX))
    with pytest.raises(InvalidInputError, match="holds the array 'e' twice"):
        read(path)


def test_encrypted_member(tmp_path: Path) -> None:
    """An encrypted member is refused without asking for a password."""
    path = archive_of(tmp_path, {"e.npy": npy_bytes(MATRIX)})
    content = bytearray(path.read_bytes())
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(InvalidInputError, match="is encrypted"):
        read(path)
