"""Appending to the trail: one lock, one write, one fsync, or nothing at all."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gnomon.audit.record import (
    GENESIS,
    MAX_LINE_BYTES,
    LineProblemError,
    Record,
    draft_record,
    parse_line,
    seal_record,
)
from gnomon.audit.state import (
    LOCK_TIMEOUT_SECONDS,
    TRAIL_NAME,
    ensure_directory,
    fsync_directory,
    state_errors,
    trail_lock,
)
from gnomon.errors import AuditCorruptError, StateError

_FIRST_STEP = 64 * 1024
_OPEN_FLAGS = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Head:
    """The last record's place in the chain; 0 and 64 zeros for an empty trail."""

    seq: int
    hash: str


EMPTY_HEAD = Head(0, GENESIS)


def append(
    state_dir: str | os.PathLike[str],
    *,
    action: str,
    inputs: dict[str, Any],
    outputs: dict[str, Any],
    env: dict[str, Any],
    version: str | None = None,
    metric_version: int | None = None,
    lock_timeout: float = LOCK_TIMEOUT_SECONDS,
) -> Record:
    """Append a record to the trail of ``state_dir`` and return it once it is on the disk.

    When this returns, the record is durable; when it raises, the trail is as it was. Killed in
    between, the trail holds the old state, the new one, or a torn last line.

    Parameters
    ----------
    state_dir
        The state directory; created with mode 0700 when missing.
    action
        Lower-case words joined by dots, such as ``probe`` or ``blind.plan``.
    inputs, outputs, env
        JSON objects without document text, query text, vectors, credentials or user names.
    version
        Version of gnomon; by default that of the installed package.
    metric_version
        Version of the metrics' definitions, None when the action measures nothing.
    lock_timeout
        Seconds to wait for another process that is appending.

    Raises
    ------
    InvalidInputError
        When a value cannot be stored as JSON; nothing has been written then.
    AuditCorruptError
        When the trail ends in a torn line or in a record that does not verify.
    StateError
        When the directory or the trail cannot be written, or the lock was not free in time.
    """
    draft = draft_record(
        action=action,
        inputs=inputs,
        outputs=outputs,
        env=env,
        version=version,
        metric_version=metric_version,
    )
    directory = Path(state_dir)
    ensure_directory(directory)
    path = directory / TRAIL_NAME
    with trail_lock(directory, lock_timeout), state_errors("append to", path):
        fd = open_trail(path)
        try:
            size = os.fstat(fd).st_size
            if size == 0:
                # Before the first record, so that no record ever stands in a file without a name.
                fsync_directory(directory)
            head = read_head(fd, size, path)
            line = seal_record(draft, head.seq + 1, head.hash)
            _append_line(fd, size, line)
        finally:
            os.close(fd)
    return parse_line(line[:-1])


def check_appendable(
    state_dir: str | os.PathLike[str], *, lock_timeout: float = LOCK_TIMEOUT_SECONDS
) -> None:
    """Refuse now what ``append`` would refuse after long work; changes no trail.

    Raises
    ------
    AuditCorruptError
        When the trail ends in a torn line or in a record that does not verify.
    StateError
        When the directory can neither be made nor written, or the trail cannot be opened.
    """
    directory = Path(state_dir)
    path = directory / TRAIL_NAME
    existing = next(p for p in (directory.absolute(), *directory.absolute().parents) if p.exists())
    with state_errors("write to", directory):
        if not existing.is_dir():
            raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if not os.access(existing, os.W_OK | os.X_OK):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
    if not path.exists():
        return
    with trail_lock(directory, lock_timeout), state_errors("append to", path):
        fd = open_trail(path)
        try:
            read_head(fd, os.fstat(fd).st_size, path)
        finally:
            os.close(fd)


def open_trail(path: Path) -> int:
    """Open the trail for appending, created with mode 0600 when missing; return the descriptor."""
    try:
        fd = os.open(path, _OPEN_FLAGS | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        fd = _open_existing(path)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise StateError(f"the audit trail {path} is no regular file: move it away")
    return fd


def read_head(fd: int, size: int, path: Path) -> Head:
    """Return the head of a trail of ``size`` bytes, reading its last line only.

    Raises
    ------
    AuditCorruptError
        When the last line is torn, or is no valid record.
    """
    if size == 0:
        return EMPTY_HEAD
    tail = read_last_line(fd, size)
    if tail is None:
        raise AuditCorruptError(
            f"the audit trail {path} ends in a line of more than {MAX_LINE_BYTES} bytes, which is"
            " no record: run `gnomon audit verify`"
        )
    if not tail.endswith(b"\n"):
        raise AuditCorruptError(
            f"the audit trail {path} ends in a torn line of {len(tail)} bytes, left by a write"
            " that was cut off: run `gnomon audit repair`"
        )
    try:
        record = parse_line(tail[:-1])
    except LineProblemError as problem:
        raise AuditCorruptError(
            f"the last record of the audit trail {path} does not verify: {problem.message}."
            " Nothing is built upon it: run `gnomon audit verify`, keep the file as evidence"
            " and start another --state-dir"
        ) from None
    return Head(record.seq, record.hash)


def read_last_line(fd: int, size: int) -> bytes | None:
    """Return the bytes after the last line end but one, or None when they exceed a line's limit.

    The bytes end with a line end unless the last line is torn. At most ``MAX_LINE_BYTES`` and one
    step are read, however long the trail is.
    """
    step = _FIRST_STEP
    while True:
        start = max(0, size - step)
        block = _read_at(fd, start, size - start)
        before = block.rfind(b"\n", 0, len(block) - 1)
        if before >= 0:
            return block[before + 1 :]
        if start == 0:
            return block if size <= MAX_LINE_BYTES else None
        if step > MAX_LINE_BYTES:
            return None
        step *= 4


def _open_existing(path: Path) -> int:
    try:
        return os.open(path, _OPEN_FLAGS)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise StateError(
                f"the audit trail {path} is a symbolic link, and its lock stands beside the link:"
                " two names of one trail could fork the chain. Name the real directory with"
                " --state-dir"
            ) from error
        raise


def _append_line(fd: int, size: int, line: bytes) -> None:
    written = 0
    try:
        written = os.write(fd, line)
        _refuse_short_write(written, len(line))
        os.fsync(fd)
    except BaseException:
        # Only our own bytes may be taken back: had someone else written past the lock, the size
        # would tell.
        with suppress(OSError):
            if written and os.fstat(fd).st_size == size + written:
                os.ftruncate(fd, size)
                os.fsync(fd)
        raise


def _refuse_short_write(written: int, wanted: int) -> None:
    if written != wanted:
        raise OSError(errno.ENOSPC, f"{written} of {wanted} bytes were written")


def _read_at(fd: int, start: int, count: int) -> bytes:
    blocks = []
    while count:
        block = os.pread(fd, count, start)
        if not block:
            break
        blocks.append(block)
        start += len(block)
        count -= len(block)
    return b"".join(blocks)
