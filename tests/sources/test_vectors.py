"""What all vector formats share: the choice of the reader, and the match with ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.errors import InvalidInputError
from gnomon.sources import VectorSource, read_vectors

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def source(tmp_path: Path) -> VectorSource:
    """Return three vectors without ids."""
    np.save(tmp_path / "docs.npy", np.eye(3, dtype=np.float32))
    return read_vectors(tmp_path / "docs.npy", name="old documents")


def test_unknown_endings(tmp_path: Path) -> None:
    """A file of no known ending is refused with what it looks like and what is accepted."""
    for name, message in (
        ("docs.csv", "has '.csv', and looks like text beginning '1,2'; expected"),
        ("docs", "has no ending"),
        ("docs.npy.gz", "has '.gz'.*unpack it first"),
        ("docs.pkl", r"ends in \.npy, \.npz, \.parquet"),
    ):
        (tmp_path / name).write_bytes(b"1,2")
        with pytest.raises(InvalidInputError, match=message):
            read_vectors(tmp_path / name, name="documents")


def test_endings_in_capitals(tmp_path: Path) -> None:
    """The ending may be written in capitals."""
    with (tmp_path / "DOCS.NPY").open("wb") as file:
        np.save(file, np.eye(2))
    assert read_vectors(tmp_path / "DOCS.NPY", name="documents").kind == "npy"


def test_ids_must_match_the_rows(source: VectorSource) -> None:
    """More or fewer ids than rows are refused with both numbers."""
    assert source.with_ids(["a", "b", "c"], where="ids.txt").ids == ("a", "b", "c")
    for ids in (["a", "b"], ["a", "b", "c", "d"]):
        with pytest.raises(InvalidInputError, match=f"has 3 rows, ids.txt has {len(ids)} ids"):
            source.with_ids(ids, where="ids.txt")


def test_two_orders_are_refused(source: VectorSource) -> None:
    """Ids in the file and ids from elsewhere must be the same in the same order."""
    known = source.with_ids(["a", "b", "c"], where="x")
    assert known.with_ids(["a", "b", "c"], where="y").ids == ("a", "b", "c")
    with pytest.raises(InvalidInputError, match=r"row 1 \(id 'b'\): ids.txt says 'c' there"):
        known.with_ids(["a", "c", "b"], where="ids.txt")


def test_row_label(source: VectorSource) -> None:
    """A row is named with its file and, where known, its id, escaped."""
    assert source.row_label(2).startswith("old documents: ")
    assert source.row_label(2).endswith("docs.npy: row 2")
    named = source.with_ids(["a", "b\x1b", "c"], where="x")
    assert named.row_label(1).endswith("row 1 (id 'b\\x1b')")
