"""Index files: opened by descriptor, replaced as a whole."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.errors import MissingInputError, StateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextlib.contextmanager
def opened_file(name: str) -> Iterator[int]:
    """Open a file to read, and close it in the end.

    Yields
    ------
    int
        Its descriptor.

    Raises
    ------
    MissingInputError
        There is no such file.
    StateError
        It can't be read.
    """
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        raise MissingInputError(f"{name}: there is no such index file") from None
    except OSError as error:
        raise StateError(f"{name}: the index can't be read: {error.strerror}") from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def replace_file(target: Path, write: Callable[[int], None]) -> None:
    """Let ``write`` fill a new file beside the old one, which then takes the old one's place.

    File and folder are on the disk when this returns.
    """
    descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        try:
            write(descriptor)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make a new name in a folder survive a power cut, where the file system offers that."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network and FUSE file systems refuse fsync on folders altogether.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)
