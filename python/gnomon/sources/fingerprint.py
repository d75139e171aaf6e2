"""What a file was: how large, how many rows, and the sha256 of its bytes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.errors import InvalidInputError
from gnomon.sources.files import open_regular, shown, size_of

if TYPE_CHECKING:
    import os


@dataclass(frozen=True, slots=True)
class FileFingerprint:
    """What identifies the content of a file that was read.

    Where it was read from is recorded by `gnomon.audit`, which knows what may be written down.

    Attributes
    ----------
    size
        Bytes.
    rows
        Rows, records or judgements, where they were counted.
    sha256
        64 hexadecimal digits, of the bytes as stored (of the packed ones, for gzip).
    """

    size: int
    rows: int | None
    sha256: str


def fingerprint(path: str | os.PathLike[str], *, rows: int | None = None) -> FileFingerprint:
    """Read a file once and return what identifies its content.

    Parameters
    ----------
    path
        The file, of any size; memory holds one block of it.
    rows
        How many rows the caller found in it.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        When the file grows or shrinks while it is read.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ids.txt"
    >>> _ = path.write_bytes(b"abc")
    >>> found = fingerprint(path, rows=1)
    >>> found.size, found.sha256[:16]
    (3, 'ba7816bf8f01cfea')
    """
    with open_regular(path) as file:
        size = size_of(file)
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        if file.tell() != size or size_of(file) != size:
            raise InvalidInputError(
                f"{shown(path)}: changed while it was read; wait until it is written"
            )
    return FileFingerprint(size, rows, sha256)
