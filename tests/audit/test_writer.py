"""Appending: whole records in one chain, or an error and the trail as it was."""

from __future__ import annotations

import errno
import json
import math
import os
import re
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from gnomon import audit
from gnomon.audit.record import GENESIS
from gnomon.errors import AuditCorruptError, InvalidInputError, StateError

Add = Callable[..., audit.Record]


def test_records_form_a_chain_from_one(state_dir: Path, add: Add) -> None:
    """The first record is number 1 after 64 zeros; each next one holds the hash before it."""
    first, second = add(state_dir, 1), add(state_dir, 2)
    assert (first.seq, first.prev) == (1, GENESIS)
    assert (second.seq, second.prev) == (2, first.hash)
    lines = audit.trail_path(state_dir).read_bytes().split(b"\n")
    assert [json.loads(line)["hash"] for line in lines[:-1]] == [first.hash, second.hash]
    assert lines[-1] == b""


def test_the_returned_record_is_the_stored_one(state_dir: Path, add: Add) -> None:
    """Tuples have become lists and 1.0 has become 1: what is returned is what a reader gets."""
    record = add(state_dir, 1, pair=(1.0, 2.5))
    assert record.outputs["pair"] == [1, 2.5]
    assert audit.read_record(state_dir, 1) == record


def test_the_time_is_utc_with_z(state_dir: Path, add: Add) -> None:
    """RFC 3339, microseconds, ``Z``, and now."""
    ts = add(state_dir).ts
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", ts)
    assert abs(datetime.fromisoformat(ts) - datetime.now(UTC)) < timedelta(minutes=5)


@pytest.mark.parametrize("bad", [math.nan, math.inf, 2**53, "\ud800", object()])
def test_a_value_json_cannot_hold_writes_nothing(state_dir: Path, add: Add, bad: object) -> None:
    """The value is refused before a directory, a lock or a byte exists."""
    with pytest.raises(InvalidInputError, match=r"outputs\.bad"):
        add(state_dir, bad=bad)
    assert not state_dir.exists()


def test_files_and_directory_are_private(state_dir: Path, add: Add) -> None:
    """Trail and lock have mode 0600, a directory that was created 0700, whatever the umask."""
    before = os.umask(0)
    try:
        add(state_dir)
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in state_dir.iterdir()}
    assert modes == {"audit.jsonl": 0o600, "audit.lock": 0o600}
    assert stat.S_IMODE(state_dir.stat().st_mode) == 0o700


@pytest.mark.parametrize("cut", [1, 2, 100])
def test_a_torn_tail_is_not_built_upon(trail: Path, add: Add, cut: int) -> None:
    """Appending after a torn line would fuse two records, so it is refused and repair named."""
    torn = trail.read_bytes()[:-cut]
    trail.write_bytes(torn)
    with pytest.raises(AuditCorruptError, match=r"torn line .*gnomon audit repair"):
        add(trail.parent)
    assert trail.read_bytes() == torn


@pytest.mark.parametrize("damage", [(b"caution", b"Caution"), (b'"seq":20', b'"seq":21')])
def test_a_head_that_does_not_verify_is_not_built_upon(
    trail: Path, add: Add, damage: tuple[bytes, bytes]
) -> None:
    """The last line must match its own hash before anything is chained to it."""
    lines = trail.read_bytes().splitlines(keepends=True)
    lines[-1] = lines[-1].replace(*damage)
    trail.write_bytes(b"".join(lines))
    with pytest.raises(AuditCorruptError, match=r"does not verify.*audit verify"):
        add(trail.parent)
    assert trail.read_bytes() == b"".join(lines)


def test_a_blank_last_line_is_not_built_upon(trail: Path, add: Add) -> None:
    """A line end too many is damage as well."""
    with trail.open("ab") as file:
        file.write(b"\n")
    with pytest.raises(AuditCorruptError, match="does not verify"):
        add(trail.parent)


def test_a_tail_without_any_line_end_is_bounded(state_dir: Path, add: Add) -> None:
    """Looking for the head stops at the longest line there can be, however large the file."""
    state_dir.mkdir()
    with audit.trail_path(state_dir).open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(AuditCorruptError, match="more than 16777216 bytes"):
        add(state_dir)


def test_the_head_is_found_without_reading_the_whole_trail(
    trail: Path, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One block from the end is read, and a head longer than the block is found all the same."""
    asked = []
    real = os.pread

    def counting(fd: int, count: int, start: int) -> bytes:
        asked.append(count)
        return real(fd, count, start)

    long = add(trail.parent, text="x" * 200_000)
    for number in range(200):
        add(trail.parent, number)
    monkeypatch.setattr(os, "pread", counting)
    add(trail.parent)
    assert sum(asked) <= 64 * 1024 < trail.stat().st_size
    monkeypatch.undo()
    assert add(trail.parent, text="y" * 200_000).seq == long.seq + 202
    assert add(trail.parent).seq == long.seq + 203
    assert audit.verify(trail).ok


def test_a_path_below_a_regular_file_is_a_state_error(tmp_path: Path, add: Add) -> None:
    """The message names the path, the reason and the flag."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(StateError, match=r"file/state.*regular file.*--state-dir"):
        add(tmp_path / "file" / "state")
    with pytest.raises(StateError, match="regular file"):
        add(tmp_path / "file")


def test_a_directory_in_the_trails_place_is_a_state_error(state_dir: Path, add: Add) -> None:
    """``audit.jsonl`` must be a file."""
    (state_dir / "audit.jsonl").mkdir(parents=True)
    with pytest.raises(StateError, match="is a directory"):
        add(state_dir)


def test_a_pipe_in_the_trails_place_is_a_state_error(state_dir: Path, add: Add) -> None:
    """Nothing waits for the pipe's other end."""
    state_dir.mkdir()
    os.mkfifo(state_dir / "audit.jsonl")
    with pytest.raises(StateError, match="no regular file"):
        add(state_dir)
    with pytest.raises(StateError, match="no regular file"):
        audit.verify(state_dir)


def test_a_symbolic_link_in_the_trails_place_is_refused(trail: Path, add: Add) -> None:
    """Two links to one trail have two locks and could fork the chain; reading one is harmless."""
    other = trail.parent.parent / "other"
    other.mkdir()
    (other / "audit.jsonl").symlink_to(trail)
    with pytest.raises(StateError, match="symbolic link"):
        add(other)
    assert audit.verify(other).records == 20


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EACCES, "permission is missing"),
        (errno.EROFS, "read-only"),
        (errno.ENOSPC, "disk is full"),
        (errno.EDQUOT, "quota"),
        (errno.EIO, "Input/output error"),
    ],
)
def test_a_trail_that_cannot_be_opened_is_a_state_error(
    trail: Path, add: Add, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    """Each reason has its words and its advice."""
    real = os.open

    def refusing(path: Any, flags: int, *args: Any, **kwargs: Any) -> int:
        if str(path) == str(trail):
            raise OSError(number, os.strerror(number), str(path))
        return real(path, flags, *args, **kwargs)

    monkeypatch.setattr(os, "open", refusing)
    with pytest.raises(StateError, match=f"{words}.*--state-dir"):
        add(trail.parent)


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("raises", [True, False], ids=["raises", "short"])
def test_a_write_that_fails_leaves_the_trail_as_it_was(
    trail: Path, add: Add, monkeypatch: pytest.MonkeyPatch, share: float, raises: bool
) -> None:
    """Disk full at the first byte, halfway, or reported by fsync: no record, no torn tail."""
    before = trail.read_bytes()
    write, fsync = os.write, os.fsync

    def short(fd: int, data: bytes) -> int:
        if share == 0.0 and raises:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(fd, bytes(data)[: int(len(data) * share)])

    def failing(fd: int) -> None:
        if share == 1.0 and stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(fd)

    monkeypatch.setattr(os, "write", short)
    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(StateError, match=r"disk is full.*free some space"):
        add(trail.parent)
    monkeypatch.undo()
    assert trail.read_bytes() == before
    assert add(trail.parent).seq == 21


def test_an_interrupt_during_the_write_takes_it_back(
    trail: Path, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C between write and fsync leaves no record of a decision that is never printed."""
    before = trail.read_bytes()

    def interrupted(fd: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        add(trail.parent)
    monkeypatch.undo()
    assert trail.read_bytes() == before


def test_a_foreign_write_past_the_lock_is_not_taken_back(
    trail: Path, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes that someone else appended are evidence; a failing append removes only its own."""
    before = trail.read_bytes()

    def foreign(fd: int) -> None:
        monkeypatch.undo()
        with trail.open("ab") as file:
            file.write(b"foreign")
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", foreign)
    with pytest.raises(StateError):
        add(trail.parent)
    assert trail.read_bytes().startswith(before)
    assert trail.read_bytes().endswith(b"foreign")


def test_a_held_lock_is_waited_for_and_then_named(trail: Path) -> None:
    """A second writer does not go ahead without the lock; it says what holds it up."""
    with (
        FileLock(trail.with_name("audit.lock")),
        pytest.raises(StateError, match=r"another process.*audit\.lock for 0\.05 s"),
    ):
        audit.append(trail.parent, action="probe", inputs={}, outputs={}, env={}, lock_timeout=0.05)
    assert audit.verify(trail).records == 20
