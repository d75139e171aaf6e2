"""Opening the files that were named: regular files only, bounded, and told apart by content."""

from __future__ import annotations

import importlib
import os
import stat
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO

from gnomon.errors import InvalidInputError, MissingDependencyError, MissingInputError
from gnomon.sources.escape import printable, quoted

if TYPE_CHECKING:
    import io

_SIGNATURES = (
    (b"\x93NUMPY", "a NumPy .npy file"),
    (b"PK\x03\x04", "a zip archive (.npz)"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow IPC file"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"\x1f\x8b", "gzip data"),
    (b"\x28\xb5\x2f\xfd", "zstandard data"),
    (b"BZh", "bzip2 data"),
    (b"\x80", "a Python pickle, which gnomon never opens"),
    (b"version https://git-lfs", "a Git LFS pointer; fetch the real file with `git lfs pull`"),
    (b"<!DOCTYPE", "an HTML page"),
    (b"<html", "an HTML page"),
    (b"\xef\xbb\xbf", "UTF-8 text with a byte-order mark"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
)


def shown(path: str | os.PathLike[str]) -> str:
    """Return ``path`` as it may appear in a message."""
    return printable(os.fspath(path))


def open_regular(path: str | os.PathLike[str]) -> io.BufferedReader:
    """Open a regular file for reading bytes, symbolic links followed.

    Raises
    ------
    MissingInputError
        When nothing is there.
    InvalidInputError
        When it is a folder, a pipe or a device, or may not be read.
    """
    try:
        # Without O_NONBLOCK, opening a named pipe would wait for a writer for ever.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        raise MissingInputError(
            f"{shown(path)}: no such file; check the path (relative paths start at "
            "the current folder)"
        ) from None
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"{shown(path)}: cannot be opened: {reason(error)}") from error
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        found = "a folder" if stat.S_ISDIR(mode) else "a pipe, a socket or a device"
        raise InvalidInputError(f"{shown(path)}: is {found}; expected a regular file")
    return os.fdopen(handle, "rb")


def size_of(file: BinaryIO) -> int:
    """Return the size in bytes of an open regular file."""
    return os.fstat(file.fileno()).st_size


def read_bounded(path: str | os.PathLike[str], *, limit: int) -> bytes:
    """Return the whole content of a small file.

    Raises
    ------
    InvalidInputError
        When the file holds more than ``limit`` bytes.
    """
    with open_regular(path) as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise InvalidInputError(
            f"{shown(path)}: holds more than {limit:,} bytes; a file of this kind is smaller"
        )
    return content


def described(head: bytes) -> str:
    """Say what a file that begins with ``head`` looks like.

    Examples
    --------
    >>> described(b"PAR1....")
    'a Parquet file'
    >>> described(b"0.1 0.2 0.3")
    "text beginning '0.1 0.2 0.3'"
    """
    if not head:
        return "empty"
    for signature, name in _SIGNATURES:
        if head.startswith(signature):
            return name
    start = head[:24]
    if all(byte in b"\t\n\r" or 32 <= byte < 127 for byte in start):
        return f"text beginning {quoted(start.decode('ascii'))}"
    return f"data beginning with the bytes {start[:8].hex(' ')}"


def plain_relative(name: str, *, where: str) -> PurePosixPath:
    """Return a name from inside a file as a relative path that cannot leave its folder.

    Raises
    ------
    InvalidInputError
        When ``name`` is absolute, has a ``..`` part, a backslash or a control character.
    """
    parts = name.split("/")
    if (
        "\\" in name
        or not name.isprintable()
        or any(part in {"", ".", ".."} for part in parts)
        or (len(parts[0]) > 1 and parts[0][1] == ":")
    ):
        raise InvalidInputError(
            f"{where}: names the file {quoted(name)}; expected a plain relative name, without "
            "'..', a leading slash, a backslash or control characters"
        )
    return PurePosixPath(name)


def is_same_file(one: Path, other: Path) -> bool:
    """Return whether two paths lead to one file, links followed; neither needs to be there."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    try:
        return one.samefile(other)
    except OSError:
        return False


def suffix_of(path: str | os.PathLike[str]) -> str:
    """Return the ending of a file name without ``.gz``: ``.jsonl`` of ``A.JSONL.gz``."""
    name = Path(path)
    if name.suffix.lower() == ".gz":
        name = name.with_suffix("")
    return name.suffix.lower()


def optional_module(name: str, *, extra: str, where: str) -> Any:
    """Import an optional package.

    Raises
    ------
    MissingDependencyError
        When it is not installed; the message names the extra that brings it.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingDependencyError(
            f"{where}: reading this format needs {name.partition('.')[0]}; "
            f"run: pip install 'gnomon[{extra}]'"
        ) from error


def reason(error: BaseException) -> str:
    """Return why an operation failed, without the path that the message names already."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return printable(str(error)) or type(error).__name__
