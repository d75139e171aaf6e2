"""Sets without a fault, and the one change of each that lint should notice."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon.golden.facts import IndexFacts

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Fields = dict[str, Any]
Line = Fields | str

TEXTS = {
    "guide/keys#": "Keys\nA key opens the backend.",
    "guide/keys#rotate": (
        "Keys / Rotate\nTo rotate a key, call rotate() and hand the new one to all callers at once."
    ),
    "guide/keys#revoke": "Keys / Revoke\nA revoked key opens nothing.",
    "guide/keys/old#": "Old keys\nThey were longer.",
    "guide/calls#": "Calls\nEvery call is signed.",
    "guide/calls#copied": "Calls / Copied\nThe same words stand twice.",
    "admin/audit#": "Audit\nThe trail lists every call.",
    "admin/copies#": "Calls / Copied\nThe same  words stand twice.",
    "admin/blank#": " ",
    "admin/nested/deep#": "Deep\nOnly the folder above has no page.",
}
FACTS = IndexFacts(
    list(TEXTS),
    [chunk.partition("#")[0] for chunk in TEXTS],
    list(TEXTS.values()),
    frozenset({"a", "an", "the", "do", "i", "can"}),
)

ANSWER = "Call `rotate()` and hand out the new key. " + "The old one keeps working for a day. " * 12

GOLDEN: tuple[Fields, ...] = (
    {
        "id": "g-01",
        "question": "How do I get a fresh secret?",
        "expect": "answer",
        "level": "low",
        "gold_chunks": ["guide/keys#rotate"],
        "gold_answer": ANSWER,
        "identifiers": ["rotate()"],
    },
    {
        "id": "g-02",
        "question": "Is there a mobile app?",
        "expect": "refuse:no-evidence",
        "level": "low",
    },
    {
        "id": "g-03",
        "question": "Who sees what was done?",
        "expect": "refuse:out-of-scope",
        "level": "high",
        "gold_chunks": ["admin/audit"],
        "scope": {"kind": "section", "paths": ["/guide"]},
    },
)
PROBES: tuple[Fields, ...] = (
    {"id": "u-01", "question": "How do I get a fresh secret?", "stratum": "U"},
    {
        "id": "s-01",
        "question": "What is signed?",
        "stratum": "S",
        "scope": ["/guide"],
        "gold_page": "guide/calls",
    },
    {"id": "n-01", "question": "Is there a mobile app?", "stratum": "N2"},
    {
        "id": "x-01",
        "question": "Who sees what was done?",
        "stratum": "X",
        "scope": ["/guide"],
        "gold_page": "admin/audit",
    },
)


@dataclass(frozen=True)
class Case:
    """A set with one fault, and the same set with the fault mended.

    Attributes
    ----------
    broken, right
        The lines of the two.
    line
        Where the fault is, or None when it is the set's.
    said
        What the message must hold.
    """

    code: str
    broken: tuple[Line, ...]
    right: tuple[Line, ...]
    line: int | None
    said: str


def changed(lines: tuple[Fields, ...], number: int, **changes: Any) -> tuple[Fields, ...]:
    """Return the lines with some fields of one changed; ... removes a field."""
    merged = {**lines[number - 1], **changes}
    kept = {name: value for name, value in merged.items() if value is not ...}
    return (*lines[: number - 1], kept, *lines[number:])


def added(lines: tuple[Fields, ...], line: Line | None = None, **fields: Any) -> tuple[Line, ...]:
    """Return the lines with one more: a text, or the first line with some fields changed."""
    return (*lines, changed(lines, 1, id="new", **fields)[0] if line is None else line)


def write_set(file: Path, lines: Iterable[Line]) -> Path:
    """Write records, and texts as they are, a line each."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    file.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return file
