"""Repair moves what a cut-off write left, records that, and touches no other damage."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gnomon import audit
from gnomon.errors import MissingInputError, StateError, UsageError

Add = Callable[..., audit.Record]


@pytest.fixture
def torn(trail: Path) -> Path:
    """Return a trail of 19 records and a part of the twentieth."""
    trail.write_bytes(trail.read_bytes()[:-40])
    return trail


def tail_of(trail: Path) -> bytes:
    """Return the bytes after the last line end."""
    return trail.read_bytes().rpartition(b"\n")[2]


def test_the_torn_tail_is_moved_and_recorded(torn: Path, add: Add) -> None:
    """Side file with exactly the torn bytes, and a record that names their size and hash."""
    tail, whole = tail_of(torn), torn.read_bytes()[: -len(tail_of(torn))]
    done = audit.repair(torn.parent, env={"gnomon": "0"})
    assert done is not None
    assert done.moved_to.read_bytes() == tail
    assert done.moved_to.parent == torn.parent
    assert stat.S_IMODE(done.moved_to.stat().st_mode) == 0o600
    assert stat.S_IMODE(torn.stat().st_mode) == 0o600
    assert torn.read_bytes().startswith(whole)
    record = audit.read_record(torn, 20)
    assert record == done.record
    assert record.action == "repair"
    assert record.inputs == {
        "torn": {"bytes": len(tail), "sha256": hashlib.sha256(tail).hexdigest()}
    }
    assert record.outputs == {"moved_to": done.moved_to.name}
    assert add(torn.parent).seq == 21
    assert audit.verify(torn).ok


@pytest.mark.parametrize("left", [1, 17, -1])
def test_a_torn_first_record_is_mended_too(state_dir: Path, add: Add, left: int) -> None:
    """Without any whole record the repair is record 1."""
    add(state_dir)
    trail = audit.trail_path(state_dir)
    trail.write_bytes(trail.read_bytes()[:left])
    done = audit.repair(state_dir, env={})
    assert done is not None
    assert done.record.seq == 1
    assert audit.verify(state_dir).records == 1


def test_a_whole_trail_is_left_alone(trail: Path) -> None:
    """Nothing to repair changes nothing."""
    before = trail.read_bytes()
    assert audit.repair(trail.parent, env={}) is None
    assert trail.read_bytes() == before


def test_other_damage_is_evidence(torn: Path) -> None:
    """With an altered record before it, not even the torn tail is moved."""
    damaged = torn.read_bytes().replace(b"caution", b"Caution", 1)
    torn.write_bytes(damaged)
    with pytest.raises(audit.TrailProblemError, match="record 1"):
        audit.repair(torn.parent, env={})
    assert torn.read_bytes() == damaged
    assert not list(torn.parent.glob("audit.torn-*"))


def test_no_trail_is_no_repair(tmp_path: Path) -> None:
    """A missing trail is an error, and no directory or lock appears."""
    with pytest.raises(MissingInputError):
        audit.repair(tmp_path / "none", env={})
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("call", range(2))
def test_a_repair_that_fails_leaves_the_torn_trail(
    torn: Path, monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    """Disk full while writing the side file or the new trail: old bytes, and a second try works."""
    before = torn.read_bytes()
    real, left = os.write, call

    def full(fd: int, data: Any) -> int:
        nonlocal left
        if left == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left -= 1
        return real(fd, data)

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StateError, match="disk is full"):
        audit.repair(torn.parent, env={})
    monkeypatch.undo()
    assert torn.read_bytes() == before
    assert not list(torn.parent.glob("*.tmp"))
    assert audit.repair(torn.parent, env={}) is not None
    assert audit.verify(torn).ok


def test_a_taken_side_name_is_not_overwritten(torn: Path) -> None:
    """The side file is created exclusively; other bytes under its name stop the repair."""
    tail = tail_of(torn)
    name = f"audit.torn-20-{hashlib.sha256(tail).hexdigest()[:16]}.bin"
    aside = torn.with_name(name)
    aside.write_bytes(b"other")
    with pytest.raises(StateError, match="other bytes"):
        audit.repair(torn.parent, env={})
    assert aside.read_bytes() == b"other"


def test_an_export_is_the_trail_byte_for_byte(trail: Path, tmp_path: Path) -> None:
    """The export verifies by itself, replaces an older one as a whole, and has mode 0600."""
    out = tmp_path / "export.jsonl"
    out.write_text("old")
    verdict = audit.export(trail.parent, out)
    assert out.read_bytes() == trail.read_bytes()
    assert audit.verify(out, verdict.head.hash).records == 20
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".tmp"] == []


def test_a_trail_that_does_not_verify_is_not_exported(torn: Path, tmp_path: Path) -> None:
    """The receiver would believe it."""
    with pytest.raises(audit.TrailProblemError, match="torn tail"):
        audit.export(torn.parent, tmp_path / "export.jsonl")
    assert not (tmp_path / "export.jsonl").exists()


def test_an_export_over_the_trail_is_refused(trail: Path) -> None:
    """--out may not name the trail itself, by whatever name."""
    link = trail.with_name("link.jsonl")
    link.symlink_to(trail)
    for out in (trail, link):
        with pytest.raises(UsageError, match="the audit trail itself"):
            audit.export(trail.parent, out)


def test_an_export_that_fails_keeps_the_old_one(
    trail: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Disk full halfway: the older export is intact and no temporary file is left."""
    out = tmp_path / "export.jsonl"
    out.write_text("old")

    def full(fd: int, data: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StateError, match="disk is full"):
        audit.export(trail.parent, out)
    monkeypatch.undo()
    assert out.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["export.jsonl", "state"]
