"""`.fvecs` and `.bvecs`: a strided view over the file, every width checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gnomon.errors import InvalidInputError, UsageError
from gnomon.sources import VectorSource, read_vectors

if TYPE_CHECKING:
    from pathlib import Path

MATRIX = np.arange(12, dtype=np.float32).reshape(4, 3)


def read(path: Path, **options: Any) -> VectorSource:
    """Read a file under the name that the messages should begin with."""
    return read_vectors(path, name="documents", **options)


def vecs(array: Any) -> bytes:
    """Return an array with the width in front of every row."""
    return b"".join(np.int32(len(row)).tobytes() + row.tobytes() for row in array)


@pytest.mark.parametrize(("ending", "dtype"), [(".fvecs", np.float32), (".bvecs", np.uint8)])
def test_mapped_without_a_copy(tmp_path: Path, ending: str, dtype: Any) -> None:
    """The result steps over the widths in the mapped file."""
    path = tmp_path / f"docs{ending}"
    path.write_bytes(vecs(MATRIX.astype(dtype)))
    source = read(path)
    np.testing.assert_array_equal(source.array, MATRIX.astype(dtype))
    assert source.array.dtype == dtype
    assert source.array.strides == (4 + 3 * np.dtype(dtype).itemsize, np.dtype(dtype).itemsize)
    assert not source.array.flags.owndata
    assert not source.array.flags.writeable
    assert source.kind == ending[1:]


def test_other_width_is_named(tmp_path: Path) -> None:
    """A row of another width is named, also when the file size would fit."""
    path = tmp_path / "docs.fvecs"
    path.write_bytes(vecs([*MATRIX, MATRIX[0, :2]]))
    with pytest.raises(InvalidInputError, match="cut short: 12 bytes follow row 3"):
        read(path)
    content = bytearray(vecs(MATRIX))
    content[32:36] = np.int32(2).tobytes()
    path.write_bytes(content)
    with pytest.raises(InvalidInputError, match="row 2: declares a width of 2, the rows before"):
        read(path)


def test_truncated_anywhere(tmp_path: Path) -> None:
    """A file cut within a row is refused."""
    path = tmp_path / "docs.fvecs"
    content = vecs(MATRIX)
    for kept in range(len(content)):
        path.write_bytes(content[:kept])
        if kept and kept % 16 == 0:
            assert read(path).rows == kept // 16
        else:
            with pytest.raises(InvalidInputError, match=r"cut short|is empty|does not begin"):
                read(path)


@pytest.mark.parametrize("width", [0, -1, 2_000_000])
def test_absurd_widths(tmp_path: Path, width: int) -> None:
    """A file that does not begin with a width is refused as another kind of file."""
    path = tmp_path / "docs.fvecs"
    path.write_bytes(np.int32(width).tobytes() + b"\0" * 100)
    with pytest.raises(InvalidInputError, match="does not begin with the width"):
        read(path)


def test_options_of_other_formats(tmp_path: Path) -> None:
    """An option that cannot have an effect is refused."""
    path = tmp_path / "docs.fvecs"
    path.write_bytes(vecs(MATRIX))
    for options in ({"column": "x"}, {"key": "x"}, {"id_column": "x"}, {"dtype": "bfloat16"}):
        with pytest.raises(UsageError, match="does not apply to fvecs files"):
            read(path, **options)
