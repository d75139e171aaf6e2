"""Files of which some lines may be broken: each line is judged alone, and the rest is read."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.errors import InvalidInputError
from gnomon.sources.files import shown, size_of
from gnomon.sources.jsonl import Record, parse_object
from gnomon.sources.limits import DEFAULT_LIMITS, Limits, check_unpacked_size
from gnomon.sources.textlines import Line, decoded_line, open_text

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from typing import BinaryIO

_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """A line that holds no record.

    Attributes
    ----------
    line
        Its number, from 1.
    problem
        What is wrong with it and what was expected, without the file and the line.
    """

    line: int
    problem: str


def read_each_line(
    path: str | os.PathLike[str], *, limits: Limits = DEFAULT_LIMITS
) -> Iterator[Line | BrokenLine]:
    """Yield every line of a text file, or what is wrong with it; blank lines are skipped.

    The rules are those of `read_lines`.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        When no line could be read: a folder, UTF-16, damaged gzip data.
    """
    with open_text(path) as file:
        stored = size_of(file)
        packed = isinstance(file, gzip.GzipFile)
        offset = number = 0
        while raw := file.readline(limits.max_line_bytes + 1):
            number += 1
            size = len(raw)
            too_long = size > limits.max_line_bytes
            if too_long:
                size += _skipped(file, raw, limits)
            if packed:
                check_unpacked_size(shown(path), offset + size, stored, limits)
            if too_long:
                yield BrokenLine(
                    number,
                    f"is longer than {limits.max_line_bytes:,} bytes; expected one record a line",
                )
            else:
                yield from _decoded(raw, path, number, offset)
            offset += size


def read_each_record(
    path: str | os.PathLike[str], *, limits: Limits = DEFAULT_LIMITS
) -> Iterator[Record | BrokenLine]:
    """Yield every line of a JSON Lines file as its object, or as what is wrong with it.

    The rules are those of `read_records`.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        When no line could be read: a folder, UTF-16, damaged gzip data.
    """
    for line in read_each_line(path, limits=limits):
        if isinstance(line, BrokenLine):
            yield line
            continue
        try:
            fields = parse_object(line, path)
        except InvalidInputError as error:
            yield broken_line(error, path, line.number)
        else:
            yield Record(line.number, line.offset, fields)


def broken_line(error: InvalidInputError, path: str | os.PathLike[str], number: int) -> BrokenLine:
    """Return a line of which reading has complained, without the place in front."""
    where = f"{shown(path)}: line {number}"
    return BrokenLine(number, str(error).removeprefix(where).lstrip(": "))


def _skipped(file: BinaryIO, raw: bytes, limits: Limits) -> int:
    """Read on to the end of the line and return how many bytes that were."""
    skipped = 0
    while not raw.endswith(b"\n") and (raw := file.readline(limits.max_line_bytes)):
        skipped += len(raw)
    return skipped


def _decoded(
    raw: bytes, path: str | os.PathLike[str], number: int, offset: int
) -> Iterator[Line | BrokenLine]:
    try:
        line = Line(number, offset, decoded_line(raw, path, number))
    except InvalidInputError as error:
        if number == 1 and raw.startswith(_UTF16_BOMS):
            raise
        yield broken_line(error, path, number)
    else:
        if line.text.strip(" \t\r"):
            yield line
