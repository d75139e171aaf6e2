"""Writing a file so that a reader sees the old content or the new one, never a part."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import stat
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

from gnomon.errors import StateError
from gnomon.sources.files import reason, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Where a reader holds the old file open, some systems refuse to replace it for a moment.
_REPLACE_WAITS_S = (0.01, 0.03, 0.1, 0.3)
_WRITE_FAILURES = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG, errno.EROFS})


@contextmanager
def atomic_write(path: str | os.PathLike[str], *, private: bool = False) -> Iterator[BinaryIO]:
    """Write ``path`` through a temporary file beside it.

    The temporary file is created exclusively with mode 0600. When the block ends well it is flushed
    to the disk, given its final mode and renamed over ``path``; when the block raises anything, a
    ``KeyboardInterrupt`` included, it is removed and what was at ``path`` stays as it was. A
    symbolic link at ``path`` is replaced, not followed.

    Parameters
    ----------
    path
        The file to write; its folder must exist.
    private
        True keeps mode 0600, for state that only its owner should read. False, for reports that
        are passed on, keeps the mode of the file that is replaced, or for a new file takes what
        the umask allows (commonly 0644).

    Yields
    ------
    BinaryIO
        The temporary file, open for writing bytes.

    Raises
    ------
    StateError
        When the file cannot be created, written or renamed: a missing or read-only folder, a full
        disk, or something at ``path`` that is not a regular file.
    """
    target = Path(path)
    mode = _final_mode(target, private=private)
    temporary = target.with_name(f".gnomon-{secrets.token_hex(8)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        handle = os.open(temporary, flags, 0o600)
    except OSError as error:
        _fail(target, error)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        _replace(temporary, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and error.errno in _WRITE_FAILURES:
            _fail(target, error)
        raise
    _sync_folder(target.parent)


def write_text(path: str | os.PathLike[str], text: str, *, private: bool = False) -> None:
    """Write ``text`` as UTF-8 with its line ends unchanged, as `atomic_write` does.

    Raises
    ------
    StateError
        When the file cannot be written; what was there stays.
    """
    with atomic_write(path, private=private) as file:
        file.write(text.encode("utf-8"))


def write_json(path: Path, body: Mapping[str, Any]) -> None:
    """Write a JSON object, its keys sorted; its folder is made when it is not there.

    Raises
    ------
    StateError
        When it cannot be written; the old file, if any, is as it was.
    """
    text = json.dumps(body, indent=2, sort_keys=True, allow_nan=False)
    make_folder(path.parent)
    write_text(path, f"{text}\n")


def make_folder(path: str | os.PathLike[str]) -> None:
    """Make a folder and those above it; one that is there is left as it is.

    Raises
    ------
    StateError
        When it cannot be made, for instance below a regular file.
    """
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StateError(f"{shown(path)}: the folder cannot be made: {reason(error)}") from error


def _final_mode(target: Path, *, private: bool) -> int:
    try:
        found = target.stat().st_mode
    except OSError:
        found = None
    if found is not None and not stat.S_ISREG(found):
        raise StateError(
            f"{shown(target)}: is a folder or a device; expected the name of a regular file"
        )
    if private:
        return 0o600
    return 0o666 & ~_umask() if found is None else stat.S_IMODE(found)


def _umask() -> int:
    # os.umask only reads by setting, which other threads would notice; Linux shows it in /proc.
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/self/status").read_text("ascii", "replace").splitlines():
            if line.startswith("Umask:"):
                return int(line.split()[1], 8)
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _replace(temporary: Path, target: Path) -> None:
    try:
        for wait_s in _REPLACE_WAITS_S:
            try:
                temporary.replace(target)
            except PermissionError:
                time.sleep(wait_s)
            else:
                return
        temporary.replace(target)
    except OSError as error:
        _fail(target, error)


def _sync_folder(folder: Path) -> None:
    """Make the new name itself durable; file systems without folder sync are left alone."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _fail(target: Path, error: OSError) -> NoReturn:
    failure = StateError(
        f"{shown(target)}: cannot be written: {reason(error)}; nothing that was there has changed"
    )
    failure.errno = error.errno
    raise failure from error
