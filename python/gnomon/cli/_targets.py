"""What a command is about to write, checked before any work starts."""

from __future__ import annotations

import os
from itertools import combinations
from typing import TYPE_CHECKING

from gnomon.errors import StateError, UsageError
from gnomon.sources.files import is_same_file, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


def check_targets(written: Mapping[str, Path], read: Iterable[Path]) -> None:
    """Refuse files that could not be written, or that hold what the command reads.

    Links are followed. What lies in a folder that is read, as an index is, is a part of it.

    Parameters
    ----------
    written
        Files, by the flag that names them.
    read
        Files and folders.

    Raises
    ------
    UsageError
        When one is a folder, the same file as another, or a part of what is read.
    StateError
        When its folder is none or can't be written to.
    """
    for flag, file in written.items():
        check_file_name(flag, file)
        for source in read:
            if _holds(source, file):
                raise UsageError(
                    f"{flag} {shown(file)} is read by this command and would be lost; write to "
                    "another file"
                )
        check_folder(file.parent)
    for (flag, file), (other, also) in combinations(written.items(), 2):
        if is_same_file(file, also):
            raise UsageError(f"{flag} and {other} name the same file, {shown(also)}")


def check_file_name(flag: str, file: Path) -> None:
    """Refuse a folder in the place of a file that is to be written.

    Raises
    ------
    UsageError
        When ``file`` is a folder, or no name at all.
    """
    if file.is_dir() or not file.name:
        raise UsageError(f"{flag} {shown(file)} is a folder; expected a file name")


def check_folder(folder: Path) -> None:
    """Refuse a folder that could not be made or written to.

    Raises
    ------
    StateError
        When a part of the path is a file, or permission is missing.
    """
    nearest = next(one for one in (folder, *folder.parents) if os.path.lexists(one))
    if not nearest.is_dir():
        raise StateError(f"{shown(folder)}: the folder cannot be made: {shown(nearest)} is a file")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise StateError(
            f"{shown(nearest)}: nothing can be written there, permission is missing; change it, or "
            "name another place"
        )


def _holds(source: Path, file: Path) -> bool:
    if source.is_dir():
        real = os.path.realpath(source)
        return os.path.commonpath([real, os.path.realpath(file)]) == real
    return is_same_file(source, file)
