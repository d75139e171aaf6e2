"""Lines of text files: UTF-8 always, numbered, bounded, gzip by content."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from gnomon.errors import InvalidInputError
from gnomon.sources.limits import Limits
from gnomon.sources.textlines import read_lines

if TYPE_CHECKING:
    from pathlib import Path


def texts(path: Path, limits: Limits | None = None) -> list[str]:
    """Return the lines of a file."""
    return [line.text for line in read_lines(path, limits=limits or Limits())]


def test_endings_and_byte_order_mark(tmp_path: Path) -> None:
    """A mark is dropped, LF and CRLF end a line, nothing else does, the last needs no ending."""
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeffa\r\n\nb\u2028c\x85d\x0be\rf\ng".encode())
    assert texts(path) == ["a", "", "b\u2028c\x85d\x0be\rf", "g"]


def test_numbers_and_offsets(tmp_path: Path) -> None:
    """An offset is where the line can be read again, the mark included in the first line."""
    content = "\ufeffä\r\nbc\n\nd".encode()
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    lines = list(read_lines(path))
    assert [line.number for line in lines] == [1, 2, 3, 4]
    assert [line.offset for line in lines] == [0, 7, 10, 11]


def test_empty_file_has_no_lines(tmp_path: Path) -> None:
    """An empty file, plain or packed, has no lines."""
    (tmp_path / "a").write_bytes(b"")
    (tmp_path / "b").write_bytes(gzip.compress(b""))
    assert texts(tmp_path / "a") == texts(tmp_path / "b") == []


def test_gzip_is_told_by_content(tmp_path: Path) -> None:
    """Packed and plain files are told apart whatever they are called; members are joined."""
    (tmp_path / "packed.txt").write_bytes(gzip.compress(b"a\nb") + gzip.compress(b"c\nd"))
    (tmp_path / "plain.gz").write_bytes(b"a\nb")
    assert texts(tmp_path / "packed.txt") == ["a", "bc", "d"]
    assert texts(tmp_path / "plain.gz") == ["a", "b"]


@pytest.mark.parametrize("kept", [12, 30, -9, -4, -1])
def test_truncated_gzip(tmp_path: Path, kept: int) -> None:
    """Gzip data that is cut anywhere is refused, never taken for a shorter file."""
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"line of some text\n" * 50)[:kept])
    with pytest.raises(InvalidInputError, match="cut short or damaged"):
        texts(path)


@pytest.mark.parametrize("at", [15, -6, -2])
def test_damaged_gzip(tmp_path: Path, at: int) -> None:
    """A wrong byte in the data, the checksum or the declared size is noticed."""
    content = bytearray(gzip.compress(b"line of some text\n" * 50))
    content[at] ^= 0xFF
    (tmp_path / "a.gz").write_bytes(content)
    with pytest.raises(InvalidInputError, match=r"damaged|not UTF-8"):
        texts(tmp_path / "a.gz")


def test_gzip_bomb_of_lines(tmp_path: Path) -> None:
    """Packed lines that unpack to implausibly much are refused while they are read."""
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"\n" * 1_000_000))
    limits = Limits(free_unpacked_bytes=1000)
    with pytest.raises(InvalidInputError, match="stored bytes unpack to"):
        texts(path, limits)
    with pytest.raises(InvalidInputError, match="over the limit of 5,000"):
        texts(path, Limits(max_unpacked_bytes=5000))


def test_line_without_end(tmp_path: Path) -> None:
    """A line over the cap is refused without being held whole."""
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"ok\n" + b"x" * 1_000_000))
    with pytest.raises(InvalidInputError, match="line 2: is longer than 1,000 bytes"):
        texts(path, Limits(max_line_bytes=1000))
    (tmp_path / "b").write_bytes(b"x" * 999 + b"\n")
    assert texts(tmp_path / "b", Limits(max_line_bytes=1000)) == ["x" * 999]


def test_other_encodings_are_named(tmp_path: Path) -> None:
    """Bytes of a code page or of UTF-16 are refused, with the line."""
    path = tmp_path / "a.txt"
    path.write_bytes("fine\nit\u2019s".encode("cp1252"))
    with pytest.raises(InvalidInputError, match=r"line 2: byte 3 of the line \(0x92\)"):
        texts(path)
    path.write_bytes("a\nb".encode("utf-16"))
    with pytest.raises(InvalidInputError, match="UTF-16"):
        texts(path)


def test_code_page_of_the_system_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Curly quotes arrive whole whatever the locale says."""
    monkeypatch.setenv("LC_ALL", "C")
    path = tmp_path / "a.txt"
    path.write_bytes("“quoted”".encode())
    assert texts(path) == ["“quoted”"]
