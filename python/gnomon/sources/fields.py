"""Text files of so many columns a line between blanks, read whole and split by array operations.

TREC runs and judgements have this form, and a run holds millions of lines: a loop over lines would
take most of the time of an evaluation.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeAlias

import numpy as np

from gnomon.errors import InvalidInputError
from gnomon.sources.escape import quoted
from gnomon.sources.files import shown, size_of
from gnomon.sources.limits import DEFAULT_LIMITS, Limits, check_unpacked_size
from gnomon.sources.textlines import decoded_line, open_text
from gnomon.sources.words import PADDING

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Bytes: TypeAlias = NDArray[np.uint8]
    Places: TypeAlias = NDArray[np.int64]

# The arrays of a block of this size stay in the cache of one core.
BLOCK_BYTES: Final = 1 << 19
_LINE_FEED: Final = 10
_BLANK: Final = 32  # and everything below it that is not refused
_LARGEST_KEPT_BYTES: Final = 31 << 20  # glibc's own limit is 32 MiB
_LAST_ASCII: Final = 127
_PIECE_BYTES: Final = 16 << 20
_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, eq=False)
class TextBuffer:
    """A text file in memory.

    Attributes
    ----------
    path
        The file.
    data
        uint8: line feeds, the text, line feeds; ``words.PADDING`` of them at least.
    begin, end
        Where the text stands; it ends with a line feed.
    """

    path: Path
    data: Bytes
    begin: int
    end: int

    def line_at(self, place: int) -> int:
        """Return the number of the line, from 1, in which a byte stands."""
        return 1 + self.count_lines(self.begin, place)

    def count_lines(self, begin: int, end: int) -> int:
        """Return how many lines end between two places."""
        # In pieces, so that what is compared stays in the cache.
        return sum(
            int(np.count_nonzero(self.data[at : min(at + BLOCK_BYTES, end)] == _LINE_FEED))
            for at in range(begin, end, BLOCK_BYTES)
        )

    def text(self, begin: int, end: int) -> str:
        """Return a part as text."""
        return self.data[begin:end].tobytes().decode("utf-8", "replace")

    def blocks(self, *, limits: Limits = DEFAULT_LIMITS) -> list[tuple[int, int]]:
        """Return places that cut the text into whole lines.

        Raises
        ------
        InvalidInputError
            For a line that is too long.
        """
        found, begin = [], self.begin
        while begin < self.end:
            end = self._after_line(min(begin + BLOCK_BYTES, self.end), limits)
            found.append((begin, end))
            begin = end
        return found

    def _after_line(self, place: int, limits: Limits) -> int:
        """Return the place behind the line in which the byte before ``place`` stands."""
        begin, reach = place - 1, 1 << 10
        while begin < self.end:
            at = np.flatnonzero(self.data[begin : begin + reach] == _LINE_FEED)
            if len(at):
                return begin + int(at[0]) + 1
            if reach > limits.max_line_bytes:
                break
            begin, reach = begin + reach, 2 * reach
        raise InvalidInputError(
            f"{shown(self.path)}: line {self.line_at(place - 1)}: is longer than "
            f"{limits.max_line_bytes:,} bytes; expected one record a line"
        )


def load_text(path: str | os.PathLike[str], *, limits: Limits = DEFAULT_LIMITS) -> TextBuffer:
    """Read a text file, plain or gzip, into memory.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        When it is over ``limits``, damaged gzip data, or UTF-16.
    """
    _keep_freed_memory()
    with open_text(path) as file:
        stored = size_of(file)
        packed = isinstance(file, gzip.GzipFile)
        if packed:
            data = _padded_pieces(_unpacked(file, path, stored, limits))
        else:
            _check_held(path, stored, limits)
            data = _padded(file, stored)
    begin, end = PADDING, len(data) - 2 * PADDING
    head = data[begin : min(begin + len(_BOM), end)].tobytes()
    if head == _BOM:
        data[begin : begin + len(_BOM)] = _LINE_FEED
        begin += len(_BOM)
    decoded_line(head[:2] if head[:1] in {b"\xff", b"\xfe"} else b"", path, 1)
    if end > begin and data[end - 1] != _LINE_FEED:
        end += 1
    return TextBuffer(Path(path), data, begin, end)


def text_of_lines(lines: Sequence[bytes], name: str) -> TextBuffer:
    """Return lines, none with a line feed in it, as a text that was read."""
    data = _padded_pieces(line + b"\n" for line in lines)
    return TextBuffer(Path(name), data, PADDING, len(data) - 2 * PADDING)


def split_columns(
    text: TextBuffer, begin: int, end: int, n_columns: int, *, expected: str
) -> tuple[Places, Places]:
    """Return where the columns of some lines begin and end.

    Columns are separated by blanks, tabs and the other white space of ASCII, any number of them;
    lines end at LF or CRLF; lines without a column are skipped.

    Parameters
    ----------
    text, begin, end
        Whole lines of a text.
    n_columns
        How many columns each line must have.
    expected
        What to say of a line with another number.

    Returns
    -------
    int64[lines, n_columns] twice
        Places in ``text.data``.

    Raises
    ------
    InvalidInputError
        Naming the first line that has another number of columns, holds a control character or
        isn't UTF-8.
    """
    block = text.data[begin - 1 : end]  # the line feed before it included
    filled = block > _BLANK
    n_white = len(block) - int(np.count_nonzero(filled))
    n_plain = int(np.count_nonzero(block == _BLANK)) + int(np.count_nonzero(block == _LINE_FEED))
    if n_white != n_plain or block.max() > _LAST_ASCII:
        _check_characters(text, begin, end)
    edges = np.flatnonzero(filled[1:] != filled[:-1])
    edges += begin
    starts, ends = edges[0::2], edges[1::2]
    if not _is_regular(text, begin, end, ends, n_columns):
        _check_lines(text, begin, end, starts, n_columns, expected)
    return starts.reshape(-1, n_columns), ends.reshape(-1, n_columns)


def _is_regular(text: TextBuffer, begin: int, end: int, ends: Places, n_columns: int) -> bool:
    """Return whether every line obviously has its columns, and nothing behind the last of them."""
    n_lines, rest = divmod(len(ends), n_columns)
    data = text.data
    if rest or np.count_nonzero(data[begin:end] == _LINE_FEED) != n_lines:
        return False
    last = ends[n_columns - 1 :: n_columns]
    after = data[last]
    if bool((after == _LINE_FEED).all()):
        return True
    return bool(((after == _LINE_FEED) | (data[last + 1] == _LINE_FEED)).all())


def _check_lines(
    text: TextBuffer, begin: int, end: int, starts: Places, n_columns: int, expected: str
) -> None:
    """Refuse the first line that has neither no column nor ``n_columns``."""
    feeds = begin + np.flatnonzero(text.data[begin:end] == _LINE_FEED)
    counts = np.bincount(np.searchsorted(feeds, starts), minlength=len(feeds))
    wrong = np.flatnonzero((counts != 0) & (counts != n_columns))
    if len(wrong) == 0:
        return
    line = int(wrong[0])
    first = begin if line == 0 else int(feeds[line - 1]) + 1
    content = text.text(first, int(feeds[line])).strip()
    raise InvalidInputError(
        f"{shown(text.path)}: line {text.line_at(first)}: has {counts[line]} "
        f"{'column' if counts[line] == 1 else 'columns'} ({quoted(content)}); expected {expected}"
    )


def _check_characters(text: TextBuffer, begin: int, end: int) -> None:
    """Refuse control characters other than white space, and bytes that are not UTF-8."""
    block = text.data[begin:end]
    # Unsigned: bytes under 14 wrap round to more than 18.
    controls = ((block - np.uint8(14)) < np.uint8(18)) | (block < np.uint8(9))
    if controls.any():
        place = begin + int(controls.argmax())
        raise InvalidInputError(
            f"{shown(text.path)}: line {text.line_at(place)}: holds the control character "
            f"0x{text.data[place]:02x}; expected text"
        )
    if block.max() > _LAST_ASCII:
        try:
            block.tobytes().decode("utf-8")
        except UnicodeDecodeError as error:
            line = text.line_at(begin + error.start)
            first = begin + block[: error.start].tobytes().rfind(b"\n") + 1
            decoded_line(block[first - begin :].tobytes().partition(b"\n")[0], text.path, line)
            raise


def _keep_freed_memory() -> None:
    """Let the C library keep what the arrays of a block free, for those of the next one.

    glibc gives memory back to the system when more than a threshold of it is free, and the
    threshold follows the largest piece that was freed. Without this, every block pages its
    arrays in anew, which takes as long as all the reading does.
    """
    np.empty(_LARGEST_KEPT_BYTES, np.uint8)


def _check_held(path: str | os.PathLike[str], size: int, limits: Limits) -> None:
    if size > limits.max_array_bytes:
        raise InvalidInputError(
            f"{shown(path)}: holds {size:,} bytes of text; such a file is read into memory, up to "
            f"{limits.max_array_bytes:,} bytes. Split it by queries"
        )


def _padded(file: BinaryIO, size: int) -> Bytes:
    data = _buffer(size)
    view, at = data.data[PADDING : PADDING + size], 0
    reader: Any = file
    while at < size:
        n_read = reader.readinto(view[at : at + _PIECE_BYTES])
        if n_read == 0:  # someone has cut it short since
            data[PADDING + at : PADDING + size] = _LINE_FEED
            break
        at += n_read
    return data


def _padded_pieces(pieces: Iterable[bytes]) -> Bytes:
    content = b"".join(pieces)
    data = _buffer(len(content))
    data[PADDING : PADDING + len(content)] = np.frombuffer(content, np.uint8)
    return data


def _unpacked(
    file: BinaryIO, path: str | os.PathLike[str], stored: int, limits: Limits
) -> Iterable[bytes]:
    size = 0
    while piece := file.read(_PIECE_BYTES):
        size += len(piece)
        check_unpacked_size(shown(path), size, stored, limits)
        _check_held(path, size, limits)
        yield piece


def _buffer(size: int) -> Bytes:
    try:
        data = np.empty(size + 3 * PADDING, np.uint8)
    except MemoryError:
        raise InvalidInputError(
            f"a text of {size:,} bytes is read into memory, which this machine has too little of; "
            "split the file by queries"
        ) from None
    data[:PADDING] = _LINE_FEED
    data[PADDING + size :] = _LINE_FEED
    return data
