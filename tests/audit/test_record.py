"""A record: its bytes, its hash, its form."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from gnomon.audit.canonical import canonical_bytes, sha256_hex
from gnomon.audit.record import (
    FIELDS,
    GENESIS,
    LineProblemError,
    draft_record,
    parse_line,
    seal_record,
)
from gnomon.errors import InvalidInputError

DRAFT: dict[str, Any] = {
    "schema": "gnomon.audit/1",
    "ts": "2030-01-02T03:04:05.000006Z",
    "action": "probe",
    "inputs": {"k": 10},
    "outputs": {"decision": "caution"},
    "env": {"threads": 2},
    "version": "0.1.0",
    "metric_version": 1,
}


def resealed(**changes: Any) -> bytes:
    """Return a line with changed fields whose hash holds all the same."""
    fields = {**DRAFT, "seq": 1, "prev": GENESIS, **changes}
    fields = {name: value for name, value in fields.items() if value is not ...}
    return canonical_bytes({**fields, "hash": sha256_hex(canonical_bytes(fields))})


def test_the_hash_is_that_of_the_other_fields() -> None:
    """An independent writer of sorted compact JSON gets the same hash (ASCII, no floats)."""
    line = seal_record(DRAFT, 1, GENESIS)
    fields = json.loads(line)
    claimed = fields.pop("hash")
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    assert claimed == hashlib.sha256(text.encode()).hexdigest()
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1


def test_a_line_reads_back_as_the_record() -> None:
    """Every field survives; the decision is a short cut to outputs."""
    record = parse_line(seal_record(DRAFT, 7, "a" * 64)[:-1])
    assert record.to_json() == {**DRAFT, "seq": 7, "prev": "a" * 64, "hash": record.hash}
    assert record.to_json().keys() == FIELDS
    assert record.decision == "caution"


@pytest.mark.parametrize(
    "line",
    [
        seal_record(DRAFT, 1, GENESIS)[:-1] + b"\r",
        b" " + seal_record(DRAFT, 1, GENESIS)[:-1],
        b'{"action":"x",' + seal_record(DRAFT, 1, GENESIS)[1:-1],
        json.dumps(json.loads(seal_record(DRAFT, 1, GENESIS))).encode(),
        seal_record(DRAFT, 1, GENESIS)[:-1].replace(b'"k":10', b'"k":10.0'),
        seal_record(DRAFT, 1, GENESIS)[:-1].replace(b'"k":10', b'"k":1e1'),
        seal_record(DRAFT, 1, GENESIS)[:-1].replace(b"caution", b"c\\u0061ution"),
    ],
    ids=["cr", "space", "repeated key", "spaces", "10.0", "1e1", "escape"],
)
def test_another_spelling_of_the_same_content_is_an_alteration(line: bytes) -> None:
    """The stored line must be its canonical form byte for byte, though it parses to the same."""
    with pytest.raises(LineProblemError) as found:
        parse_line(line)
    assert found.value.kind == "content_altered"


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"schema": "gnomon.audit/2"}, "schema_unknown"),
        ({"schema": ...}, "schema_unknown"),
        ({"extra": 1}, "content_altered"),
        ({"env": ...}, "content_altered"),
        ({"seq": 0}, "content_altered"),
        ({"seq": True}, "content_altered"),
        ({"seq": "1"}, "content_altered"),
        ({"seq": 1.5}, "content_altered"),
        ({"prev": "A" * 64}, "content_altered"),
        ({"ts": "2030-01-02T03:04:05Z"}, "content_altered"),
        ({"ts": "2030-01-02T03:04:05.000006+01:00"}, "content_altered"),
        ({"action": "Probe it"}, "content_altered"),
        ({"inputs": []}, "content_altered"),
        ({"metric_version": "1"}, "content_altered"),
    ],
)
def test_a_valid_hash_does_not_excuse_another_form(changes: dict[str, Any], kind: str) -> None:
    """Fields that are missing, unknown or of another type are named even when the hash holds."""
    with pytest.raises(LineProblemError) as found:
        parse_line(resealed(**changes))
    assert found.value.kind == kind


@pytest.mark.parametrize("line", [b"", b"null", b"[]", b"\xff\xfe", b"{", b"\x00" * 9, b"not json"])
def test_what_is_no_json_object_is_unreadable(line: bytes) -> None:
    """A blank line, another value, or bytes that are no text are unreadable lines."""
    with pytest.raises(LineProblemError) as found:
        parse_line(line)
    assert found.value.kind == "unreadable_line"


@pytest.mark.parametrize("action", ["", "Probe", "probe ", "blind.", ".plan", "a b", "probe\n"])
def test_an_action_is_a_plain_name(action: str) -> None:
    """Actions are lower-case words joined by dots."""
    with pytest.raises(InvalidInputError, match="action"):
        draft_record(action=action, inputs={}, outputs={}, env={}, version="0", metric_version=None)


def test_a_record_too_long_for_a_line_is_refused() -> None:
    """Readers hold one line at a time, so a line has a limit and the message says so."""
    with pytest.raises(InvalidInputError, match="at most 16777216"):
        draft_record(
            action="probe",
            inputs={},
            outputs={"text": "x" * 17_000_000},
            env={},
            version="0",
            metric_version=None,
        )
