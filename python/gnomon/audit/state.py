"""The state directory on disk: its names, its lock, durable writes and errors that give advice."""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from gnomon.errors import GnomonError, StateError

if TYPE_CHECKING:
    from collections.abc import Iterator

TRAIL_NAME = "audit.jsonl"
LOCK_NAME = "audit.lock"
LOCK_TIMEOUT_SECONDS = 60.0
_POLL_SECONDS = 0.005

_ADVICE = {
    errno.ENOSPC: "the disk is full: free some space",
    errno.EDQUOT: "the disk quota is used up: free some space",
    errno.EACCES: "permission is missing: change it",
    errno.EPERM: "permission is missing: change it",
    errno.EROFS: "the file system is read-only",
    errno.ENOTDIR: "a part of the path is a regular file, not a directory",
    errno.EEXIST: "a part of the path is a regular file, not a directory",
    errno.ENOENT: "a part of the path does not exist",
    errno.EISDIR: "it is a directory, not a file",
    errno.ELOOP: "it is a symbolic link",
    errno.ENAMETOOLONG: "the path is too long",
}


def trail_path(state_dir: str | os.PathLike[str]) -> Path:
    """Return the trail's path in ``state_dir``; the path of a file, such as an export, stays."""
    path = Path(state_dir)
    return path if path.is_file() else path / TRAIL_NAME


@contextmanager
def state_errors(doing: str, path: Path) -> Iterator[None]:
    """Turn an OSError into a StateError that says what was tried, where, why and what to do."""
    try:
        yield
    except GnomonError:
        raise  # some of them are OSErrors as well, and have said already what to do
    except OSError as error:
        why = _ADVICE.get(error.errno or 0, error.strerror or str(error))
        raise StateError(
            f"cannot {doing} {path}: {why}; --state-dir names another place"
        ) from error


def ensure_directory(directory: Path) -> None:
    """Create ``directory`` and its parents with mode 0700, durably, when it is missing."""
    with state_errors("create the directory", directory):
        missing = [p for p in (directory, *directory.parents) if not p.exists()]
        for path in reversed(missing):
            with suppress(FileExistsError):
                path.mkdir(mode=0o700)
            fsync_directory(path.parent)
        if not directory.is_dir():
            raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))


@contextmanager
def trail_lock(directory: Path, timeout: float = LOCK_TIMEOUT_SECONDS) -> Iterator[None]:
    """Hold the one lock of the trail in ``directory``; the kernel drops it when a process dies."""
    path = directory / LOCK_NAME
    lock = FileLock(path, mode=0o600)
    with state_errors("lock", path):
        try:
            lock.acquire(timeout=timeout, poll_interval=_POLL_SECONDS)
        except Timeout:
            raise StateError(
                f"another process has held the audit trail's lock {path} for {timeout:g} s:"
                " wait until it has finished and run the command again"
            ) from None
    try:
        yield
    finally:
        lock.release()


def fsync_directory(directory: Path) -> None:
    """Make the names in ``directory`` durable, where the file system can."""
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    except OSError as error:
        # Some network and FUSE file systems refuse fsync on directories altogether.
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:
            raise
    finally:
        os.close(fd)


def create_durably(path: Path, data: bytes) -> None:
    """Write ``data`` to the new file ``path`` (O_EXCL, mode 0600) and make its bytes durable.

    Raises FileExistsError when the name is taken; a file that could not be finished is removed.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(path, flags, 0o600)
    try:
        write_all(fd, data)
        os.fsync(fd)
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise
    finally:
        os.close(fd)


def replace_durably(path: Path, data: bytes) -> None:
    """Put ``data`` at ``path`` as a whole: a temporary file beside it, fsync, rename, fsync."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    create_durably(temporary, data)
    try:
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    fsync_directory(path.parent)


def write_all(fd: int, data: bytes) -> None:
    """Write all of ``data``, in as many calls as the system needs."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
