"""Index files: opened by descriptor, replaced as a whole."""

from __future__ import annotations

import contextlib
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
    """Let ``write`` fill a new file beside the old one, which then takes the old one's place."""
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
