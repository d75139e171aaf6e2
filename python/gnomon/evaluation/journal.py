"""Answers as they come in, so that a run which breaks off can go on, and only that very run."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from gnomon.errors import (
    InvalidInputError,
    MismatchError,
    MissingInputError,
    StateError,
    UsageError,
)
from gnomon.evaluation.chat import Reply
from gnomon.sources.atomic import atomic_write, write_text
from gnomon.sources.files import reason, shown
from gnomon.sources.json_text import RepeatedKeyError, parse_json
from gnomon.sources.jsonl import json_type, whole_characters

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SCHEMA: Final = "gnomon.answers/1"
_MOST_SHOWN: Final = 60


@dataclass(slots=True)
class Journal:
    """A file of answers: one line for the measurement, then one for every answer.

    Attributes
    ----------
    path
        Where it is.
    kept
        What was answered, by request.
    """

    path: Path
    kept: dict[str, Reply] = field(default_factory=dict)

    @classmethod
    def begin(cls, path: Path, measurement: Mapping[str, Any]) -> Journal:
        """Begin the journal of a measurement.

        Raises
        ------
        UsageError
            When one is there: it holds answers of a run that broke off.
        """
        if path.exists():
            raise UsageError(
                f"{shown(path)}: holds the answers of a run that broke off; go on with --resume, "
                "or remove the file to ask everything again"
            )
        write_text(path, _line({"schema": SCHEMA, "measurement": dict(measurement)}))
        return cls(path)

    @classmethod
    def resume(cls, path: Path, measurement: Mapping[str, Any]) -> Journal:
        """Go on with the journal of the very same measurement.

        A last line that was cut short is dropped: its answer is asked for again.

        Raises
        ------
        MissingInputError
            When there is none.
        InvalidInputError
            When it is no journal, or damaged.
        MismatchError
            When it belongs to another measurement; the message says what differs.
        """
        if not path.is_file():
            raise MissingInputError(
                f"{shown(path)}: there is no run to go on with; leave out --resume"
            )
        content = path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        lines = whole.split(b"\n")[:-1]
        head = _object(lines[0], path, 1) if lines else {}
        if head.get("schema") != SCHEMA or not isinstance(head.get("measurement"), dict):
            raise InvalidInputError(
                f"{shown(path)}: line 1 is no head of {SCHEMA}; remove the file to ask again"
            )
        _check_same(path, head["measurement"], json.loads(json.dumps(dict(measurement))))
        kept: dict[str, Reply] = {}
        line_of: dict[str, int] = {}
        for number, line in enumerate(lines[1:], 2):
            entry = _object(line, path, number)
            request, text = entry.get("request"), entry.get("text")
            if not isinstance(request, str) or not isinstance(text, str):
                raise InvalidInputError(
                    f"{shown(path)}: line {number} is no answer; remove the line to ask again"
                )
            where = f"{shown(path)}: line {number}"
            reply = Reply(whole_characters(text, where), is_cut=entry.get("is_cut") is True)
            first = line_of.setdefault(request, number)
            if kept.setdefault(request, reply) != reply:
                raise InvalidInputError(
                    f"{where} answers in other words what line {first} answers; remove one of them"
                )
        if whole != content:
            with atomic_write(path) as file:
                file.write(whole)
        return cls(path, kept)

    def add(self, request: str, record: str, reply: Reply) -> None:
        """Keep an answer; it is on the disk when this returns.

        Raises
        ------
        StateError
            When it cannot be written.
        """
        entry = {"request": request, "record": record, "text": reply.text, "is_cut": reply.is_cut}
        line = _line(entry).encode()
        try:
            handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
            try:
                if os.write(handle, line) != len(line):
                    raise OSError("only a part of a line was written")
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise StateError(
                f"{shown(self.path)}: the answer cannot be kept: {reason(error)}"
            ) from error
        self.kept[request] = reply

    def discard(self) -> None:
        """Remove the file: it holds nothing that was answered."""
        self.path.unlink(missing_ok=True)

    def finish(self, final: Path) -> None:
        """Give the journal its last name; answers of an earlier run under it are replaced."""
        try:
            self.path.replace(final)
        except OSError as error:
            raise StateError(
                f"{shown(final)}: the answers cannot be kept there: {reason(error)}; they are in "
                f"{shown(self.path)}"
            ) from error
        self.path = final


def _check_same(path: Path, found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    differing = _differing(found, expected)
    if differing:
        raise MismatchError(
            f"{shown(path)}: belongs to another measurement, and answers of two don't mix: "
            f"{'; '.join(differing)}. Restore what differs, or remove the file and leave out "
            "--resume"
        )


def _differing(found: Mapping[str, Any], expected: Mapping[str, Any]) -> list[str]:
    """Return what differs, a lever by its own name and not as a part of the index."""
    said = []
    for name in sorted({*found, *expected}):
        was, now = found.get(name), expected.get(name)
        if was == now:
            continue
        if isinstance(was, dict) and isinstance(now, dict):
            said += [f"{name}.{part}" for part in _differing(was, now)]
        else:
            said.append(f"{ascii(name)[1:-1]} was {_shown(was)}, is {_shown(now)}")
    return said


def _shown(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


def _object(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        value = parse_json(line)
    except RepeatedKeyError as error:
        problem = error.problem.partition(";")[0]
    except ValueError:
        problem = "is not JSON"
    else:
        if isinstance(value, dict):
            return value
        problem = f"holds a JSON {json_type(value)}"
    raise InvalidInputError(
        f"{shown(path)}: line {number} is a damaged line (it {problem}); remove it to ask again"
    )


def _line(value: Mapping[str, Any]) -> str:
    return json.dumps(value) + "\n"
