"""Verification: what is damaged, where, and what cannot be seen."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from gnomon import audit
from gnomon.audit.canonical import canonical_bytes, parse_json, sha256_hex
from gnomon.audit.record import GENESIS
from gnomon.audit.verify import verify_stream
from gnomon.errors import AuditCorruptError, MissingInputError, UsageError

Add = Callable[..., audit.Record]


def lines_of(trail: Path) -> list[bytes]:
    """Return the lines with their line ends."""
    return trail.read_bytes().splitlines(keepends=True)


def problem_after(trail: Path, lines: list[bytes], head: str | None = None) -> audit.Problem:
    """Write ``lines`` as the trail and return the problem that verification names."""
    trail.write_bytes(b"".join(lines))
    problem = audit.verify(trail, head).problem
    assert problem is not None
    return problem


def reforged(line: bytes, **changes: object) -> bytes:
    """Return a record with changed fields and a hash that holds."""
    fields = {**parse_json(line[:-1]), **changes}
    del fields["hash"]
    return canonical_bytes({**fields, "hash": sha256_hex(canonical_bytes(fields))}) + b"\n"


def test_a_whole_trail_verifies(trail: Path) -> None:
    """All records are counted, and the verdict says what it cannot show."""
    verdict = audit.verify(trail.parent)
    assert verdict.ok
    assert verdict.records == verdict.head.seq == 20
    notes = " ".join(verdict.notes)
    assert "tamper-evident, not tamper-proof" in notes
    assert "Without a head a cut tail is not seen" in notes


def test_an_empty_trail_verifies(tmp_path: Path) -> None:
    """A trail without a record is one: head 0 and 64 zeros."""
    (tmp_path / "audit.jsonl").touch()
    assert audit.verify(tmp_path).head == audit.Head(0, GENESIS)


def test_no_trail_is_no_valid_trail(tmp_path: Path) -> None:
    """A missing file is an error: it may have been deleted."""
    with pytest.raises(MissingInputError, match="no audit trail"):
        audit.verify(tmp_path)


@pytest.mark.parametrize("pattern", [0x01, 0x20])
def test_every_flipped_byte_is_detected(trail: Path, pattern: int) -> None:
    """Each byte of 20 records, one at a time; the record that holds it is named."""
    data = trail.read_bytes()
    line_of = [0]
    for byte in data:
        line_of.append(line_of[-1] + (byte == 0x0A))
    for i in range(len(data)):
        damaged = bytearray(data)
        damaged[i] ^= pattern
        problem = verify_stream(io.BytesIO(damaged), len(damaged)).problem
        assert problem is not None, f"byte {i} of record {line_of[i] + 1}"
        assert problem.seq == line_of[i] + 1
        assert problem.kind in {"content_altered", "unreadable_line"}, (i, problem)


def test_every_other_value_of_every_byte_is_detected(state_dir: Path, add: Add) -> None:
    """All 255 other values of each byte of one record, and the line end among them."""
    add(state_dir)
    data = audit.trail_path(state_dir).read_bytes()
    for i in range(len(data)):
        for value in range(256):
            if value != data[i]:
                damaged = data[:i] + bytes([value]) + data[i + 1 :]
                assert not verify_stream(io.BytesIO(damaged), len(damaged)).ok, (i, value)


@pytest.mark.parametrize("index", [0, 7, 18])
def test_a_deleted_record_is_a_gap(trail: Path, index: int) -> None:
    """The first missing number is named."""
    lines = lines_of(trail)
    problem = problem_after(trail, lines[:index] + lines[index + 1 :])
    assert (problem.kind, problem.seq) == ("gap", index + 1)
    assert f"record {index + 2} found" in problem.message


def test_swapped_records_are_a_gap(trail: Path) -> None:
    """Reordering shows at the first record that is out of its place."""
    lines = lines_of(trail)
    lines[4], lines[5] = lines[5], lines[4]
    problem = problem_after(trail, lines)
    assert (problem.kind, problem.seq) == ("gap", 5)


def test_a_repeated_record_is_a_gap(trail: Path) -> None:
    """A line that stands twice is not the next record."""
    lines = lines_of(trail)
    problem = problem_after(trail, [*lines[:10], lines[9], *lines[10:]])
    assert (problem.kind, problem.seq) == ("gap", 11)


def test_a_fork_is_seen_where_it_starts(trail: Path) -> None:
    """Two records with one number: the second does not follow."""
    lines = lines_of(trail)
    problem = problem_after(trail, [*lines[:10], reforged(lines[9], version="9"), *lines[10:]])
    assert (problem.kind, problem.seq) == ("gap", 11)


def test_a_rewritten_record_breaks_the_next_link(trail: Path) -> None:
    """A record that was altered and hashed anew is given away by the one after it."""
    lines = lines_of(trail)
    lines[9] = reforged(lines[9], outputs={"decision": "bridge_sufficient"})
    problem = problem_after(trail, lines)
    assert (problem.kind, problem.seq) == ("link_broken", 11)


def test_a_first_record_that_follows_something_is_a_broken_link(trail: Path) -> None:
    """The chain starts from 64 zeros."""
    lines = lines_of(trail)
    lines[0] = reforged(lines[0], prev="a" * 64)
    assert problem_after(trail, lines).kind == "link_broken"


def test_a_record_of_another_schema_is_named(trail: Path) -> None:
    """A newer format is not called an alteration."""
    lines = lines_of(trail)
    lines[3] = reforged(lines[3], schema="gnomon.audit/9")
    problem = problem_after(trail, lines)
    assert (problem.kind, problem.seq) == ("schema_unknown", 4)
    assert "gnomon.audit/9" in problem.message


@pytest.mark.parametrize(
    ("change", "seq"),
    [
        (lambda data: data.replace(b"\n", b"\r\n"), 1),
        (lambda data: b"\xef\xbb\xbf" + data, 1),
        (lambda data: data.replace(b"\n", b"\n\n", 1), 2),
        (lambda data: b"\n" + data, 1),
        (lambda data: data.decode().encode("utf-16"), 1),
    ],
    ids=["crlf", "byte-order mark", "blank line", "blank first line", "utf-16"],
)
def test_a_rewrite_by_an_editor_is_detected(
    trail: Path, change: Callable[[bytes], bytes], seq: int
) -> None:
    """Line ends, marks and encodings are bytes, and every byte counts."""
    problem = problem_after(trail, [change(trail.read_bytes())])
    assert problem.seq == seq
    assert problem.kind in {"content_altered", "unreadable_line"}


def test_every_cut_within_the_last_record_is_a_torn_tail(trail: Path) -> None:
    """Whatever part of the last line is left, it is told apart from tampering."""
    data = trail.read_bytes()
    start = data.rfind(b"\n", 0, -1) + 1
    for end in range(start + 1, len(data)):
        verdict = verify_stream(io.BytesIO(data[:end]), end)
        assert verdict.problem is not None
        assert (verdict.problem.kind, verdict.problem.seq) == ("torn_tail", 20)
        assert f"{end - start} bytes" in verdict.problem.message
        assert verdict.records == 19


def test_a_torn_tail_of_zeros_is_torn(trail: Path) -> None:
    """After a power cut some file systems show the length and not the bytes."""
    with trail.open("ab") as file:
        file.write(b"\0" * 100)
    assert problem_after(trail, lines_of(trail)).kind == "torn_tail"


@pytest.mark.parametrize("end", [b"}", b"x", b"\r", b"\0", b" "])
def test_an_overwritten_last_line_end_is_no_torn_tail(trail: Path, end: bytes) -> None:
    """No cut-off write leaves a whole record followed by another byte."""
    problem = problem_after(trail, [trail.read_bytes()[:-1] + end])
    assert (problem.kind, problem.seq) == ("unreadable_line", 20)


def test_a_line_longer_than_any_record_is_unreadable(trail: Path) -> None:
    """A reader holds a bounded line, whatever the file claims to be."""
    lines = lines_of(trail)
    problem = problem_after(trail, [*lines[:2], b"x" * (17 * 2**20), *lines[2:]])
    assert (problem.kind, problem.seq) == ("unreadable_line", 3)


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_cut_tail_is_seen_with_a_head_only(trail: Path, cut: int) -> None:
    """The chain alone cannot know how long it was; the head that was kept elsewhere can."""
    lines = lines_of(trail)
    head = audit.verify(trail).head.hash
    trail.write_bytes(b"".join(lines[:-cut]))
    assert audit.verify(trail).ok
    verdict = audit.verify(trail, head)
    assert verdict.problem is not None
    assert verdict.problem.kind == "head_not_found"
    assert not any("Without a head" in note for note in verdict.notes)


def test_an_older_head_is_still_contained(trail: Path, add: Add) -> None:
    """A head stays valid while the chain grows; the verdict says where it stands."""
    head = audit.verify(trail).head
    add(trail.parent)
    verdict = audit.verify(trail, head.hash)
    assert verdict.ok
    assert (verdict.head_seq, verdict.records) == (20, 21)


def test_a_missing_head_is_named_before_a_torn_tail(trail: Path) -> None:
    """Cutting records and leaving half of one is not excused as a torn write."""
    head = audit.verify(trail).head.hash
    lines = lines_of(trail)
    assert problem_after(trail, [*lines[:-3], lines[-3][:50]], head).kind == "head_not_found"


@pytest.mark.parametrize("head", ["", "abc", "A" * 64, "0x" + "0" * 62])
def test_a_head_that_is_no_hash_is_refused(trail: Path, head: str) -> None:
    """A malformed value is an error of usage, not a missing record."""
    with pytest.raises(UsageError, match="64 lower-case hex digits"):
        audit.verify(trail, head)


def test_records_are_read_up_to_the_damage(trail: Path) -> None:
    """Reading yields the good records and then raises with the problem."""
    lines = lines_of(trail)
    trail.write_bytes(b"".join([*lines[:5], b"junk\n", *lines[5:]]))
    reader = audit.read_records(trail)
    assert [next(reader).seq for _ in range(5)] == [1, 2, 3, 4, 5]
    with pytest.raises(audit.TrailProblemError, match="record 6") as found:
        next(reader)
    assert found.value.problem.kind == "unreadable_line"
    assert isinstance(found.value, AuditCorruptError)
    assert audit.read_record(trail, 5).seq == 5
    with pytest.raises(audit.TrailProblemError):
        audit.read_record(trail, 6)


def test_a_record_that_is_not_there_is_an_error_of_usage(trail: Path) -> None:
    """The message says which records there are."""
    with pytest.raises(UsageError, match="records 1 to 20"):
        audit.read_record(trail, 21)


def test_reading_creates_nothing(trail: Path, tmp_path: Path) -> None:
    """A copy that is evidence gets no lock file beside it."""
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "audit.jsonl").write_bytes(trail.read_bytes())
    assert audit.verify(copy).ok
    assert [path.name for path in copy.iterdir()] == ["audit.jsonl"]
