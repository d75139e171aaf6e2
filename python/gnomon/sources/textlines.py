"""Lines of UTF-8 text files, plain or gzip, with their numbers and byte offsets."""

from __future__ import annotations

import gzip
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

from gnomon.errors import InvalidInputError
from gnomon.sources.files import open_regular, reason, shown, size_of
from gnomon.sources.limits import DEFAULT_LIMITS, Limits, check_unpacked_size

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
_GZIP = b"\x1f\x8b"


class Line(NamedTuple):
    """One line of a text file.

    Attributes
    ----------
    number
        From 1.
    offset
        Byte position of the line in the unpacked file.
    text
        The line without its ending (LF or CRLF) and without a byte-order mark.
    """

    number: int
    offset: int
    text: str


@contextmanager
def open_text(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a text file as unpacked bytes; gzip is told by its content, not by its name.

    Raises
    ------
    InvalidInputError
        When compressed data is cut short or damaged, at the point where that is noticed.
    """
    with open_regular(path) as file:
        if file.peek(2)[:2] != _GZIP:
            yield file
            return
        try:
            with gzip.GzipFile(fileobj=file, mode="rb") as unpacked:
                yield cast("BinaryIO", unpacked)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InvalidInputError(
                f"{shown(path)}: the gzip data is cut short or damaged ({reason(error)}); "
                "copy or compress the file again"
            ) from error


def read_lines(path: str | os.PathLike[str], *, limits: Limits = DEFAULT_LIMITS) -> Iterator[Line]:
    """Yield the lines of a text file, one at a time.

    The encoding is always UTF-8, with or without a byte-order mark. A line ends at LF or CRLF and
    nowhere else; the last one needs no ending.

    Raises
    ------
    InvalidInputError
        For bytes that are not UTF-8, a line over ``limits.max_line_bytes``, gzip data that is
        damaged or unpacks to more than ``limits`` allow; the message names the line.
    """
    with open_text(path) as file:
        stored = size_of(file)
        packed = isinstance(file, gzip.GzipFile)
        offset = number = 0
        while raw := file.readline(limits.max_line_bytes + 1):
            number += 1
            if len(raw) > limits.max_line_bytes:
                raise InvalidInputError(
                    f"{shown(path)}: line {number}: is longer than {limits.max_line_bytes:,} bytes;"
                    " expected one record a line"
                )
            if packed:
                check_unpacked_size(shown(path), offset + len(raw), stored, limits)
            yield Line(number, offset, decoded_line(raw, path, number))
            offset += len(raw)


def decoded_line(raw: bytes, path: str | os.PathLike[str], number: int) -> str:
    """Return one line as text, its ending and a byte-order mark on line 1 removed.

    Raises
    ------
    InvalidInputError
        When the bytes are not UTF-8.
    """
    if number == 1:
        if raw.startswith(_UTF16_BOMS):
            raise InvalidInputError(
                f"{shown(path)}: is UTF-16 text; expected UTF-8, save it with that encoding"
            )
        raw = raw.removeprefix(_BOM)
    try:
        return raw.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{shown(path)}: line {number}: byte {error.start + 1} of the line "
            f"(0x{raw[error.start]:02x}) is not UTF-8; save the file as UTF-8"
        ) from error
