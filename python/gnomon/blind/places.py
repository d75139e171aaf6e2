"""Where files of a check may lie: never where they could be committed, never readable by others."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.errors import StateError, UsageError
from gnomon.sources.files import reason, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

_PRIVATE_FOLDER = 0o700


def refuse_in_repository(paths: Iterable[str | os.PathLike[str]], *, allow: bool) -> None:
    """Refuse paths inside a Git work tree, whether they exist yet or not.

    A folder is taken for a work tree when it holds anything called ``.git``: a folder, or the file
    that linked work trees and submodules have. Both the path as written and the one that its
    symbolic links lead to are looked at, up to the root.

    Parameters
    ----------
    allow
        True lets all pass: ``--allow-in-repo``.

    Raises
    ------
    UsageError
        Naming the path and the work tree.
    """
    if allow:
        return
    for path in paths:
        tree = work_tree_of(path)
        if tree is not None:
            raise UsageError(
                f"{shown(path)} lies in the Git work tree {shown(tree)}, where readings of people "
                "could be committed; take a place outside, or say --allow-in-repo"
            )


def work_tree_of(path: str | os.PathLike[str]) -> Path | None:
    """Return the Git work tree that a path lies in, or None."""
    written = Path(os.path.abspath(path))  # noqa: PTH100  # resolve() would follow links
    named = os.environ.get("GIT_WORK_TREE")
    for start in (written, _resolved(Path(path))):
        for folder in (start, *start.parents):
            if os.path.lexists(folder / ".git"):
                return folder
            if named and folder == _resolved(Path(named)):
                return folder
    return None


def private_folder(path: str | os.PathLike[str]) -> Path:
    """Make a folder for the files of a draw, mode 0700, or take one that is empty and private.

    Raises
    ------
    UsageError
        When something is there already: a file, a folder with content, or one that others may
        read.
    StateError
        When it cannot be made.
    """
    folder = Path(path)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=_PRIVATE_FOLDER)
        folder.chmod(_PRIVATE_FOLDER)  # whatever the umask takes away
    except FileExistsError:
        _check_empty(folder)
    except OSError as error:
        raise StateError(f"{shown(folder)}: the folder cannot be made: {reason(error)}") from error
    return folder


def private_parent(path: str | os.PathLike[str]) -> None:
    """Make the folder of a file with readings, mode 0700, or take one that is private.

    Raises
    ------
    UsageError
        When others may look into the folder.
    StateError
        When it cannot be made.
    """
    folder = Path(path).parent
    if not folder.exists():
        private_folder(folder)
    elif folder.is_dir():
        _check_mode(folder)


def check_folder_free(path: str | os.PathLike[str]) -> None:
    """Refuse now what `private_folder` would refuse after long work; makes nothing.

    Raises
    ------
    UsageError
        As `private_folder`.
    """
    if os.path.lexists(path):
        _check_empty(Path(path))


def _check_empty(folder: Path) -> None:
    if not folder.is_dir() or folder.is_symlink():
        raise UsageError(f"{shown(folder)} is no folder; name one that is new, or empty")
    try:
        held = any(folder.iterdir())
    except OSError as error:
        raise StateError(f"{shown(folder)}: cannot be read: {reason(error)}") from error
    if held:
        raise UsageError(
            f"{shown(folder)} is not empty; a draw gets a folder of its own, so that nothing of an "
            "earlier one is written over"
        )
    _check_mode(folder)


def _check_mode(folder: Path) -> None:
    mode = stat.S_IMODE(folder.stat().st_mode)
    if mode & 0o077:
        raise UsageError(
            f"{shown(folder)} has mode {mode:04o}, so others may look in; run: chmod 700 on it, or "
            "name a folder that does not exist yet"
        )


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # a loop of links leads nowhere
        return path
