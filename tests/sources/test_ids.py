"""Ids are strings exactly as written, unique, one for every row."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gnomon.errors import InvalidInputError
from gnomon.sources import Limits, check_unique, read_ids, rows_of

if TYPE_CHECKING:
    from pathlib import Path


def written(folder: Path, name: str, content: str | bytes) -> Path:
    """Write a file and return its path."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_text_ids_keep_their_spelling(tmp_path: Path) -> None:
    """Nothing is stripped but the line end and a byte-order mark; case and form are kept."""
    ids = ["a", " a", "a ", "A", "é", "e\u0301", "{3F25-04E0}", "None", "1", "01"]
    content = "\ufeff" + "\r\n".join(ids)
    assert read_ids(written(tmp_path, "ids.txt", content)) == tuple(ids)
    assert read_ids(written(tmp_path, "ids.gz", gzip.compress(content.encode()))) == tuple(ids)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no id"),
        ("a\n\nb", "line 2: is blank; expected one id a line"),
        ("a\n \nb", "line 2: is blank"),
        ("a\nb\n\n", "line 3: is blank"),
        ("b\na\nb\na\n", "2 ids occur more than once: 'a', 'b'; every id must be unique"),
        ('{"_id": "a"}\n', r"line 1: holds a JSON object; .*name the file \.jsonl"),
        (b"a\n\xff", "line 2: .* is not UTF-8"),
    ],
)
def test_refused_text(tmp_path: Path, content: str | bytes, message: str) -> None:
    """Blank and duplicate ids are refused, with the line or in sorted order."""
    with pytest.raises(InvalidInputError, match=rf"ids\.txt: {message}"):
        read_ids(written(tmp_path, "ids.txt", content))


def test_jsonl_ids(tmp_path: Path) -> None:
    """JSON Lines give their `_id`, whatever else a record holds."""
    content = '{"_id": "a", "text": [1]}\n\n{"_id": 7}\n'
    assert read_ids(written(tmp_path, "docs.jsonl", content)) == ("a", "7")
    assert read_ids(written(tmp_path, "d.ndjson.gz", gzip.compress(content.encode()))) == ("a", "7")


@pytest.mark.parametrize(
    ("array", "ids"),
    [
        (np.array(["a", "bé", "日本"]), ("a", "bé", "日本")),
        (np.array(["a", "b"], ">U2"), ("a", "b")),
        (np.array([b"a", "é".encode()]), ("a", "é")),
        (np.array([3, -1, 2]), ("3", "-1", "2")),
        (np.array([2**64 - 1], np.uint64), ("18446744073709551615",)),
    ],
    ids=range(5),
)
def test_npy_ids(tmp_path: Path, array: Any, ids: tuple[str, ...]) -> None:
    """Fixed-width text, bytes and integers are taken from `.npy`."""
    np.save(tmp_path / "ids.npy", array)
    assert read_ids(tmp_path / "ids.npy") == ids


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array(["a"], dtype=object), "pickled and never opened"),
        (np.array([1.5]), "holds float64 values"),
        (np.array([["a"]]), r"shape \(1, 1\)"),
        (np.array([True]), "holds bool values"),
        (np.array(["a", "a"]), "1 id occurs more than once"),
        (np.array([], "U3"), "holds no id"),
        (np.array(["a", ""]), "row 1: the id is blank"),
        (np.array([97, 0x110000, 98], "<u4").view("<U1"), "row 1: .*no character"),
        (np.array([0xD800], "<u4").view("<U1"), "row 0: .*surrogate"),
    ],
    ids=range(9),
)
def test_refused_npy(tmp_path: Path, array: Any, message: str) -> None:
    """Objects are not unpickled; floats, tables and what is no text are refused."""
    np.save(tmp_path / "ids.npy", array, allow_pickle=True)
    with pytest.raises(InvalidInputError, match=message):
        read_ids(tmp_path / "ids.npy")


def test_npy_size_is_checked(tmp_path: Path) -> None:
    """An id array over the limit is refused, one that is cut short as such."""
    path = tmp_path / "ids.npy"
    np.save(path, np.array(["abcd"] * 10))
    with pytest.raises(InvalidInputError, match="array of 160 bytes"):
        read_ids(path, limits=Limits(max_array_bytes=100))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InvalidInputError, match="cut short"):
        read_ids(path)


def test_check_unique_names_five() -> None:
    """Many duplicates are counted, five of them named, sorted by their characters."""
    ids = [str(n) for n in range(12)] * 2
    with pytest.raises(InvalidInputError, match=r"12 ids .*: '0', '1', '10', '11', '2' and 7 more"):
        check_unique(ids, where="ids")
    check_unique(["a", "b"], where="ids")


def test_rows_of() -> None:
    """A subset of ids becomes rows, in the order of the subset."""
    rows = rows_of(["c", "a"], ["a", "b", "c"], where="new-ids", known="the corpus")
    assert rows.dtype == np.int64
    assert rows.tolist() == [2, 0]


@pytest.mark.parametrize(
    ("subset", "hint"),
    [
        (["zz"], "'zz'$"),
        (["D1 "], "'D1 ' is 'D1' without its outer blanks; ids are compared exactly"),
        (["d1"], "'d1' is 'D1' but for upper and lower case"),
        (["e\u0301"], "is 'é' in another Unicode form"),
    ],
)
def test_unknown_ids_are_counted(subset: list[str], hint: str) -> None:
    """Unknown ids are refused; a near miss in spelling is pointed out, never assumed."""
    with pytest.raises(
        InvalidInputError, match=rf"new-ids: 1 of 2 ids is not in the corpus: .*{hint}"
    ):
        rows_of([*subset, "x"], ["D1", "é", "x"], where="new-ids", known="the corpus")
