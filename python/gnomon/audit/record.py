"""One audit record: its fields, its line in the trail, and the checks that a line alone allows."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import metadata
from typing import Any, Literal

from gnomon.audit.canonical import canonical_bytes, is_sha256, parse_json, sha256_hex
from gnomon.errors import InvalidInputError

SCHEMA = "gnomon.audit/1"
GENESIS = "0" * 64
"""``prev`` of the first record."""
MAX_LINE_BYTES = 16 * 2**20
"""Longest line of a trail, its line end included; bounds what a reader must hold."""

ProblemKind = Literal[
    "content_altered",
    "link_broken",
    "gap",
    "unreadable_line",
    "torn_tail",
    "schema_unknown",
    "head_not_found",
]

_ACTION = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)*", re.ASCII)
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Record:
    """A record as it is stored.

    Attributes
    ----------
    seq
        Position in the trail, from 1, without gaps.
    ts
        When it was written, UTC, RFC 3339 with microseconds and ``Z``.
    action
        What was done: ``probe``, ``fit``, ``repair``, ``blind.plan`` ...
    inputs, outputs, env
        What went in, what came out, and where it ran; JSON objects.
    version
        Version of gnomon that wrote the record.
    metric_version
        Version of the metrics' definitions, or None when the action measures nothing.
    prev
        ``hash`` of the record before; 64 zeros for the first.
    hash
        SHA-256 of the canonical JSON of all other fields.
    schema
        Format of the record.
    """

    seq: int
    ts: str
    action: str
    inputs: dict[str, Any]
    outputs: dict[str, Any]
    env: dict[str, Any]
    version: str
    metric_version: int | None
    prev: str
    hash: str
    schema: str = SCHEMA

    @property
    def decision(self) -> str | None:
        """The decision in ``outputs``, or None when the action decided nothing."""
        decision = self.outputs.get("decision")
        return decision if isinstance(decision, str) else None

    def to_json(self) -> dict[str, Any]:
        """Return the record as the JSON object that is stored."""
        return asdict(self)


FIELDS = frozenset(Record.__dataclass_fields__)


class LineProblemError(Exception):
    """A line of the trail is no valid record; carries the kind and a sentence."""

    def __init__(self, kind: ProblemKind, message: str) -> None:
        super().__init__(message)
        self.kind: ProblemKind = kind
        self.message = message


def draft_record(
    *,
    action: str,
    inputs: dict[str, Any],
    outputs: dict[str, Any],
    env: dict[str, Any],
    version: str | None,
    metric_version: int | None,
) -> dict[str, Any]:
    """Return the fields that do not depend on the place in the trail, checked.

    Raises
    ------
    InvalidInputError
        When a value is not storable, or the record would be longer than a line may be.
    """
    if not _ACTION.fullmatch(action):
        raise InvalidInputError(
            f"the action {action!r} is no name: expected lower-case words joined by dots"
        )
    draft = {
        "schema": SCHEMA,
        "ts": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "action": action,
        "inputs": inputs,
        "outputs": outputs,
        "env": env,
        "version": installed_version() if version is None else version,
        "metric_version": metric_version,
    }
    # The fields still missing (seq, prev, hash and their names) need less than 256 bytes.
    size = len(canonical_bytes(draft)) + 256
    if size > MAX_LINE_BYTES:
        raise InvalidInputError(
            f"the {action!r} record has {size} bytes, and a line of the trail holds at most"
            f" {MAX_LINE_BYTES}: records keep figures and fingerprints, not data"
        )
    return draft


def seal_record(draft: dict[str, Any], seq: int, prev: str) -> bytes:
    """Return the line, line end included, that puts ``draft`` at its place in the chain."""
    fields = {**draft, "seq": seq, "prev": prev}
    return canonical_bytes({**fields, "hash": sha256_hex(canonical_bytes(fields))}) + b"\n"


def parse_line(line: bytes) -> Record:
    """Return the record of a stored line (without its line end), checked by itself.

    The line must equal its canonical form byte for byte, so that no byte can change unseen.

    Raises
    ------
    LineProblemError
        ``unreadable_line``, ``content_altered`` or ``schema_unknown``.
    """
    fields = _readable_object(line)
    claimed = fields.get("hash")
    rest = {name: value for name, value in fields.items() if name != "hash"}
    try:
        is_canonical = canonical_bytes(fields) == line
        hash_holds = is_canonical and sha256_hex(canonical_bytes(rest)) == claimed
    except InvalidInputError:
        is_canonical = hash_holds = False
    if not is_canonical:
        raise LineProblemError("content_altered", "the stored line is not in canonical form")
    if not hash_holds:
        raise LineProblemError("content_altered", "the content does not match its hash")
    if fields.get("schema") != SCHEMA:
        raise LineProblemError(
            "schema_unknown",
            f"its schema is {fields.get('schema')!r} and this gnomon reads {SCHEMA!r}:"
            " use the version that wrote it",
        )
    _check_shape(fields)
    return Record(**fields)


def installed_version() -> str:
    """Return the version of the installed gnomon, or ``unknown`` when it runs uninstalled."""
    try:
        return metadata.version("gnomon")
    except metadata.PackageNotFoundError:
        return "unknown"


def _readable_object(line: bytes) -> dict[str, Any]:
    try:
        fields = parse_json(line)
    except ValueError as error:
        reason = "not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        raise LineProblemError("unreadable_line", f"the line is no JSON: {reason}") from None
    if not isinstance(fields, dict):
        raise LineProblemError("unreadable_line", "the line is no JSON object")
    return fields


def _check_shape(fields: dict[str, Any]) -> None:
    if fields.keys() != FIELDS:
        odd = ", ".join(sorted(fields.keys() ^ FIELDS))
        raise LineProblemError("content_altered", f"fields are missing or unknown: {odd}")
    texts = all(isinstance(fields[name], str) for name in ("action", "version", "ts", "prev"))
    objects = all(isinstance(fields[name], dict) for name in ("inputs", "outputs", "env"))
    seq, metric_version = fields["seq"], fields["metric_version"]
    if not (
        texts
        and objects
        and type(seq) is int
        and seq >= 1
        and (metric_version is None or type(metric_version) is int)
        and is_sha256(fields["prev"])
        and _ACTION.fullmatch(fields["action"])
        and _TIMESTAMP.fullmatch(fields["ts"])
    ):
        raise LineProblemError("content_altered", "a field has another type or form")
