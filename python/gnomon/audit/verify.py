"""Reading the trail: every record checked by itself and against the one before it.

The chain is tamper-evident, not tamper-proof: whoever can write the file can write a new chain. It
shows corruption, partial edits, deletions and reordering. Without a head that was kept elsewhere it
cannot show that its tail was cut off.
"""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from gnomon.audit.canonical import is_sha256
from gnomon.audit.record import (
    MAX_LINE_BYTES,
    LineProblemError,
    ProblemKind,
    Record,
    parse_line,
)
from gnomon.audit.state import LOCK_NAME, state_errors, trail_lock, trail_path
from gnomon.audit.writer import EMPTY_HEAD, Head
from gnomon.errors import AuditCorruptError, MissingInputError, StateError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EVIDENCE_NOTE = (
    "The trail is tamper-evident, not tamper-proof: whoever can write the file can rewrite the"
    " whole chain."
)
NO_HEAD_NOTE = (
    "Without a head a cut tail is not seen: keep the output of `gnomon audit head` elsewhere and"
    " pass its hash with --head."
)


@dataclass(frozen=True, slots=True)
class Problem:
    """The first thing that is wrong with a trail.

    Attributes
    ----------
    kind
        ``content_altered``, ``link_broken``, ``gap``, ``unreadable_line``, ``torn_tail``,
        ``schema_unknown`` or ``head_not_found``.
    seq
        The sequence number that should stand there; None for ``head_not_found``.
    message
        What was found and what was expected.
    """

    kind: ProblemKind
    seq: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What verification found.

    Attributes
    ----------
    records
        Number of records that verify, counted from the first.
    head
        The last of them.
    problem
        What stopped the reading, or None.
    head_seq
        Where in the chain the head that was asked for stands, or None.
    notes
        What this verification cannot show.
    """

    records: int
    head: Head
    problem: Problem | None
    head_seq: int | None
    notes: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return self.problem is None


class TrailProblemError(AuditCorruptError):
    """The trail does not verify; ``problem`` says where and why."""

    def __init__(self, path: str, problem: Problem) -> None:
        super().__init__(f"the audit trail {path} does not verify: {problem.message}")
        self.problem = problem


def verify(path: str | os.PathLike[str], head: str | None = None) -> Verdict:
    """Check the trail at ``path`` (a state directory or a file), reading it once.

    Parameters
    ----------
    path
        State directory, or the file of a trail or of an export.
    head
        Hash of a record that the chain must still contain, as ``gnomon audit head`` printed it.

    Returns
    -------
    Verdict
        With the first problem, if any. A torn tail is told apart from tampering.

    Raises
    ------
    UsageError
        When ``head`` is not 64 hex digits.
    MissingInputError
        When there is no trail.
    """
    if head is not None and not is_sha256(head):
        raise UsageError(f"the head {head[:80]!r} is no hash: expected 64 lower-case hex digits")
    with open_snapshot(trail_path(path)) as (stream, size):
        return verify_stream(stream, size, head)


def verify_stream(stream: BinaryIO, size: int, head: str | None = None) -> Verdict:
    """Check the first ``size`` bytes of a trail that is open for reading."""
    last, head_seq, problem = EMPTY_HEAD, None, None
    try:
        for record in _walk(stream, size):
            last = Head(record.seq, record.hash)
            if record.hash == head:
                head_seq = record.seq
    except TrailProblemError as found:
        problem = found.problem
    # Behind a torn tail nothing more was written, so the missing head is the graver finding.
    if head is not None and head_seq is None and (problem is None or problem.kind == "torn_tail"):
        problem = _head_not_found(head, last)
    notes = (EVIDENCE_NOTE,) if head is not None else (EVIDENCE_NOTE, NO_HEAD_NOTE)
    return Verdict(last.seq, last, problem, head_seq, notes)


def read_records(path: str | os.PathLike[str]) -> Iterator[Record]:
    """Yield the records of the trail at ``path``, each checked, in order.

    Raises
    ------
    TrailProblemError
        At the first problem, after the records before it.
    MissingInputError
        When there is no trail.
    """
    trail = trail_path(path)
    with open_snapshot(trail) as (stream, size):
        yield from _walk(stream, size, str(trail))


def read_record(path: str | os.PathLike[str], seq: int) -> Record:
    """Return record ``seq`` of the trail at ``path``; the chain up to it has been checked.

    Raises
    ------
    UsageError
        When the trail holds no such record.
    TrailProblemError
        When the chain has a problem at or before it.
    """
    last = 0
    for record in read_records(path):
        if record.seq == seq:
            return record
        last = record.seq
    held = f"holds records 1 to {last}" if last else "holds no record"
    raise UsageError(f"there is no record {seq}: the audit trail {trail_path(path)} {held}")


@contextmanager
def open_snapshot(trail: Path) -> Iterator[tuple[BinaryIO, int]]:
    """Open a trail for reading, with a size at which no append was under way.

    The lock is taken for the size only, and only where a writer has left one: bytes below that
    size never change, and a copy on a read-only medium needs no lock.
    """
    lock_file = trail.with_name(LOCK_NAME)
    shared = os.access(lock_file, os.R_OK | os.W_OK) and os.access(trail.parent, os.W_OK)
    with state_errors("read", trail), ExitStack() as stack:
        try:
            with trail_lock(trail.parent) if shared else nullcontext():
                fd = os.open(trail, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
                stream = stack.enter_context(os.fdopen(fd, "rb"))
                status = os.fstat(stream.fileno())
        except FileNotFoundError:
            raise MissingInputError(
                f"there is no audit trail at {trail}: the first command that decides something"
                " creates it; --state-dir names another place"
            ) from None
        if not stat.S_ISREG(status.st_mode):
            raise StateError(f"the audit trail {trail} is no regular file")
        yield stream, status.st_size


def _walk(stream: BinaryIO, size: int, path: str = "") -> Iterator[Record]:
    last = EMPTY_HEAD
    left = size
    while left:
        line = stream.readline(min(left, MAX_LINE_BYTES))
        if not line:
            return
        left -= len(line)
        record = _next_record(line, last, is_end=not left, path=path)
        yield record
        last = Head(record.seq, record.hash)


def _next_record(line: bytes, last: Head, *, is_end: bool, path: str) -> Record:
    seq = last.seq + 1

    def problem(kind: ProblemKind, message: str) -> TrailProblemError:
        return TrailProblemError(path, Problem(kind, seq, message))

    if not line.endswith(b"\n"):
        if is_end and not _has_whole_record(line):
            raise problem(
                "torn_tail",
                f"record {seq} is a torn tail of {len(line)} bytes, left by a write that was cut"
                " off; the records before it are whole: run `gnomon audit repair`",
            )
        raise problem("unreadable_line", f"record {seq} is not followed by a line end")
    try:
        record = parse_line(line[:-1])
    except LineProblemError as found:
        raise problem(found.kind, f"record {seq}: {found.message}") from None
    if record.seq != seq:
        raise problem(
            "gap",
            f"record {seq} is expected and record {record.seq} found:"
            " a record is missing, repeated or out of order",
        )
    if record.prev != last.hash:
        raise problem(
            "link_broken",
            f"record {seq} follows a record with hash {record.prev[:12]}..., and the one before it"
            f" has {last.hash[:12]}...",
        )
    return record


def _has_whole_record(tail: bytes) -> bool:
    """Tell whether ``tail`` is a record and then something else: no cut-off write leaves that.

    A write that was cut off leaves the beginning of a line. Where the closing brace of a whole
    record is followed by other bytes, its line end has been overwritten.
    """
    for end in {tail.rfind(b"}") + 1, len(tail) - 1}:
        with suppress(LineProblemError):
            if 0 < end < len(tail):
                parse_line(tail[:end])
                return True
    return False


def _head_not_found(head: str, last: Head) -> Problem:
    return Problem(
        "head_not_found",
        None,
        f"no record has the hash {head}: the chain of {last.seq} records no longer contains the"
        " head that was kept, so its tail was cut off or it was rewritten",
    )
