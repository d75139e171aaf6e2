"""Moving a torn tail aside and exporting a copy: the two commands that write beside the trail."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.audit.canonical import sha256_hex
from gnomon.audit.record import Record, draft_record, parse_line, seal_record
from gnomon.audit.state import (
    LOCK_TIMEOUT_SECONDS,
    create_durably,
    fsync_directory,
    replace_durably,
    state_errors,
    trail_lock,
    trail_path,
)
from gnomon.audit.verify import TrailProblemError, Verdict, open_snapshot, verify_stream
from gnomon.errors import StateError, UsageError

if TYPE_CHECKING:
    import os


@dataclass(frozen=True, slots=True)
class Repair:
    """What a repair moved, where to, and the record that says so.

    Attributes
    ----------
    moved_to
        The side file that now holds the torn bytes.
    moved_bytes
        How many they are.
    moved_sha256
        Their SHA-256.
    record
        The ``repair`` record at the trail's end.
    """

    moved_to: Path
    moved_bytes: int
    moved_sha256: str
    record: Record


def repair(
    state_dir: str | os.PathLike[str],
    *,
    env: dict[str, Any],
    version: str | None = None,
    lock_timeout: float = LOCK_TIMEOUT_SECONDS,
) -> Repair | None:
    """Move a torn tail to a side file and append a ``repair`` record; None when nothing is torn.

    The tail is copied first; then a new trail (the whole records and the ``repair`` record)
    replaces the old one by a rename, so a repair that is cut off leaves the torn trail.

    Raises
    ------
    TrailProblemError
        When anything else is wrong with the trail: that is no torn write, and it is not mended.
    MissingInputError, StateError
        When there is no trail, or the directory cannot be written.
    """
    trail = Path(state_dir) / trail_path(state_dir).name
    with open_snapshot(trail):
        pass
    with trail_lock(trail.parent, lock_timeout), state_errors("repair", trail):
        if trail.is_symlink():
            raise StateError(f"the audit trail {trail} is a symbolic link: name its directory")
        data = trail.read_bytes()
        verdict = verify_stream(io.BytesIO(data), len(data))
        if verdict.problem is None:
            return None
        if verdict.problem.kind != "torn_tail":
            raise TrailProblemError(str(trail), verdict.problem)
        return _move_tail(trail, data, verdict, env, version)


def export(path: str | os.PathLike[str], out: str | os.PathLike[str]) -> Verdict:
    """Write the trail at ``path``, verified, to the file ``out`` as a whole; return the verdict.

    Raises
    ------
    TrailProblemError
        When the trail does not verify; ``out`` is untouched then.
    UsageError
        When ``out`` is the trail itself.
    """
    trail, target = trail_path(path), Path(out)
    with open_snapshot(trail) as (stream, size):
        if target.exists() and target.samefile(trail):
            raise UsageError(f"{target} is the audit trail itself: name another file with --out")
        data = stream.read(size)
    verdict = verify_stream(io.BytesIO(data), len(data))
    if verdict.problem is not None:
        raise TrailProblemError(str(trail), verdict.problem)
    with state_errors("write the export", target):
        replace_durably(target, data)
    return verdict


def _move_tail(
    trail: Path, data: bytes, verdict: Verdict, env: dict[str, Any], version: str | None
) -> Repair:
    whole = data.rfind(b"\n") + 1
    tail = data[whole:]
    digest = sha256_hex(tail)
    aside = trail.with_name(f"audit.torn-{verdict.records + 1}-{digest[:16]}.bin")
    draft = draft_record(
        action="repair",
        inputs={"torn": {"bytes": len(tail), "sha256": digest}},
        outputs={"moved_to": aside.name},
        env=env,
        version=version,
        metric_version=None,
    )
    line = seal_record(draft, verdict.head.seq + 1, verdict.head.hash)
    _keep_aside(aside, tail)
    replace_durably(trail, data[:whole] + line)
    return Repair(aside, len(tail), digest, parse_line(line[:-1]))


def _keep_aside(aside: Path, tail: bytes) -> None:
    try:
        create_durably(aside, tail)
    except FileExistsError:
        # A repair that was cut off has left it; its name carries the hash of its bytes.
        if aside.is_symlink() or aside.read_bytes() != tail:
            raise StateError(
                f"{aside} exists and holds other bytes than the torn tail: move it away"
            ) from None
    fsync_directory(aside.parent)
