"""Files of which some lines are broken: each is judged alone."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from gnomon.errors import InvalidInputError
from gnomon.sources.each_record import BrokenLine, read_each_line, read_each_record
from gnomon.sources.jsonl import Record, read_records
from gnomon.sources.limits import Limits
from gnomon.sources.qrels import Judgement, read_each_judgement

if TYPE_CHECKING:
    from pathlib import Path


def written(folder: Path, data: bytes) -> Path:
    """Write a file of some bytes."""
    file = folder / "lines"
    file.write_bytes(data)
    return file


def test_whole_files_are_read_alike(tmp_path: Path) -> None:
    """Where no line is broken, records are those of the strict reading."""
    data = b'\xef\xbb\xbf{"a": 1}\r\n\n  \n{"b": {"a": [1], "c": {"a": 2}}}'
    file = written(tmp_path, data)
    assert list(read_each_record(file)) == list(read_records(file))
    packed = written(tmp_path, gzip.compress(data))
    assert [one.line for one in read_each_record(packed)] == [1, 4]


def test_broken_lines_stand_between_whole_ones(tmp_path: Path) -> None:
    """Numbers and offsets count every line, whatever it holds."""
    file = written(tmp_path, b'{"a": 1}\n\xff\n{"a": 1, "a": 2}\n{"b": 2}')
    first, second, third, last = read_each_record(file)
    assert (first, last) == (Record(1, 0, {"a": 1}), Record(4, 28, {"b": 2}))
    assert isinstance(second, BrokenLine)
    assert (second.line, second.problem[:27]) == (2, "byte 1 of the line (0xff) i")
    assert third == BrokenLine(3, "has the key 'a' twice; keep one of them")


@pytest.mark.parametrize("packed", [False, True])
def test_long_lines_are_skipped(tmp_path: Path, packed: bool) -> None:
    """A line over the limit costs no memory beyond it, and the next one is read."""
    data = b"a\n" + b"x" * 1000 + b"\nb\n" + b"y" * 17
    file = written(tmp_path, gzip.compress(data) if packed else data)
    found = list(read_each_line(file, limits=Limits(max_line_bytes=16)))
    assert [getattr(one, "text", None) for one in found] == ["a", None, "b", None]
    assert [isinstance(one, BrokenLine) for one in found] == [False, True, False, True]
    assert found[2][:2] == (3, 1003)  # type: ignore[index]


def test_a_line_of_the_very_limit(tmp_path: Path) -> None:
    """The ending counts as part of the line."""
    file = written(tmp_path, b"x" * 15 + b"\n" + b"y" * 16)
    found = list(read_each_line(file, limits=Limits(max_line_bytes=16)))
    assert [getattr(one, "text", None) for one in found] == ["x" * 15, "y" * 16]


def test_what_a_small_file_unpacks_to_is_bounded(tmp_path: Path) -> None:
    """Compressed data that grows too much stops the reading, in a long line too."""
    file = written(tmp_path, gzip.compress(b" " * 100_000))
    limits = Limits(free_unpacked_bytes=1000, max_ratio=10, max_line_bytes=16)
    with pytest.raises(InvalidInputError, match="unpack"):
        list(read_each_line(file, limits=limits))


def test_nothing_is_read_of_another_encoding(tmp_path: Path) -> None:
    """UTF-16 is told once, not once a line."""
    with pytest.raises(InvalidInputError, match="UTF-16"):
        list(read_each_line(written(tmp_path, "a\nb".encode("utf-16"))))


def test_judgements_line_by_line(tmp_path: Path) -> None:
    """The form is that of the first line that has one."""
    data = (
        b"what is this\n\nquery-id\tcorpus-id\tscore\nq1\td 1\t2\nq1\td2\nq2 0 d1 1\nq2\td1\t-1\n"
    )
    found = list(read_each_judgement(written(tmp_path, data)))
    assert [one for one in found if not isinstance(one, BrokenLine)] == [
        (4, Judgement("q1", "d 1", 2)),
        (7, Judgement("q2", "d1", -1)),
    ]
    assert [one.line for one in found if isinstance(one, BrokenLine)] == [1, 5, 6]
