"""Tasks of a comparison: what a configuration retrieves and would send, record by record.

A task file holds everything, gold included; what an answerer gets is cut from it
(`gnomon.evaluation.bench_shards`).
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from gnomon.errors import InvalidInputError
from gnomon.evaluation.bench_lines import RowsHash, line_of
from gnomon.evaluation.chat import Message
from gnomon.golden.levels import LEVELS
from gnomon.golden.records import GoldenRecord
from gnomon.sources.atomic import atomic_write
from gnomon.sources.escape import counted, listed, quoted
from gnomon.sources.files import shown
from gnomon.sources.json_text import WrongPartError, fault_of
from gnomon.sources.jsonl import json_type, read_records

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

SCHEMA: Final = "gnomon.bench-tasks/2"
_SEAL: Final = "sha256"
PROTOCOL: Final = 1
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)

# What a line of the file holds; `gold_answer` may be null too.
_TYPES: Final[Mapping[str, type]] = {
    "id": str,
    "record": str,
    "messages": list,
    "turns": list,
    "citable": list,
    "ranked": list,
    "primed": list,
    "question": str,
    "previous": list,
    "expect": str,
    "gold_chunks": list,
    "identifiers": list,
    "negative": bool,
    "labels": dict,
    "values": dict,
    "gate": dict,
}
_TYPE_NAMES: Final[Mapping[type, str]] = {
    str: "a string",
    list: "an array",
    dict: "an object",
    bool: "true or false",
}

Stage = Literal[1, 2]


@dataclass(frozen=True, slots=True)
class TaskTurn:
    """A message to send.

    Attributes
    ----------
    content
        The question with its excerpts.
    answer
        What is answered without asking, where the guard refuses the turn; else None.
    """

    content: str
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """One conversation to continue.

    Attributes
    ----------
    id
        Made of the record and the very words that are sent: answers to other words don't fit.
    record
        What is asked and what is right; a part of the golden record.
    messages
        The conversation so far, the system's message first.
    turns
        What to send, one after the other; empty when the guard refuses the record.
    citable
        Ids of the excerpts in the conversation.
    ranked
        What was retrieved for the record's own question, best first, by id.
    primed
        Ids of the excerpts of the record's own question.
    negative
        Whether the record must be refused.
    labels, values, detail
        As in an evaluation: groups, figures of retrieval and gate, and what the gate said.
    """

    record: GoldenRecord
    messages: tuple[Message, ...]
    turns: tuple[TaskTurn, ...]
    citable: tuple[str, ...]
    ranked: tuple[str, ...]
    primed: tuple[str, ...]
    negative: bool
    labels: Mapping[str, str]
    values: Mapping[str, float | None]
    detail: Mapping[str, Any]

    @property
    def id(self) -> str:
        """Name of the task; it tells nothing of the gold."""
        said = [
            self.record.id,
            [message.as_dict() for message in self.messages],
            [[turn.content, turn.answer] for turn in self.turns],
        ]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]

    @property
    def is_refused(self) -> bool:
        """Whether the guard refuses the record, so that nothing is sent."""
        return not self.turns

    @property
    def asked(self) -> int:
        """How many answers are expected."""
        return sum(turn.answer is None for turn in self.turns)


@dataclass(frozen=True, slots=True)
class TaskFile:
    """The tasks of one configuration.

    Attributes
    ----------
    config
        Its name.
    stage
        1: the earlier turns of follow-ups; 2: the turns that are scored.
    level
        How the pool was narrowed, or None.
    setup
        What was measured on, as in the report of an evaluation.
    tasks
        By id, so that their order tells nothing.
    """

    config: str
    stage: Stage
    level: str | None
    setup: Mapping[str, Any]
    tasks: tuple[Task, ...]

    @property
    def name(self) -> str:
        """Name of the file."""
        level = "" if self.level is None else f".{self.level}"
        stage = ".stage-1" if self.stage == 1 else ""
        return f"{self.config}{level}{stage}.tasks.jsonl"

    @property
    def to_answer(self) -> tuple[Task, ...]:
        """The tasks that an answerer gets."""
        return tuple(task for task in self.tasks if not task.is_refused)

    @property
    def hash(self) -> str:
        """sha256 over the ids, in hexadecimal digits: which tasks these are."""
        return hashlib.sha256("\n".join(task.id for task in self.tasks).encode()).hexdigest()


def write_tasks(folder: Path, file: TaskFile) -> Path:
    """Write a task file and return its path.

    Raises
    ------
    StateError
        When it cannot be written; what was there stays.
    """
    path = folder / file.name
    rows = [_as_json(task) for task in file.tasks]
    head = {
        "schema": SCHEMA,
        "protocol": PROTOCOL,
        "config": file.config,
        "stage": file.stage,
        "level": file.level,
        "setup": dict(file.setup),
        "tasks": len(file.tasks),
    }
    head[_SEAL] = RowsHash([head, *rows]).hex
    with atomic_write(path) as out:
        for value in (head, *rows):
            out.write(line_of(value))
    return path


def read_tasks(path: Path) -> TaskFile:
    """Read a task file.

    Raises
    ------
    MissingInputError
        When there is none.
    InvalidInputError
        When it is of another version, cut short, edited or damaged, with the line where one can be
        named.
    """
    head: dict[str, Any] | None = None
    tasks, rows = [], RowsHash()
    for record in read_records(path):
        where = f"{shown(path)}: line {record.line}"
        if head is None:
            head = record.fields
            _check_head(head, where)
            rows.add({name: value for name, value in head.items() if name != _SEAL})
            continue
        tasks.append(_task(record.fields, where))
        rows.add(record.fields)
    if head is None:
        raise InvalidInputError(f"{shown(path)}: is empty; run gnomon bench emit again")
    if len(tasks) != head.get("tasks"):
        raise InvalidInputError(
            f"{shown(path)}: holds {counted(len(tasks), 'task')} and says "
            f"{head.get('tasks')!r:.20}; it was cut short or edited: run gnomon bench emit again"
        )
    if rows.hex != head.get(_SEAL):
        raise InvalidInputError(
            f"{shown(path)}: was edited since it was written: it says something else than what "
            "line 1 has the sha256 of. Restore it, or run gnomon bench emit again"
        )
    stage: Stage = 1 if head.get("stage") == 1 else 2
    return TaskFile(head["config"], stage, head.get("level"), head["setup"], tuple(tasks))


def _check_head(head: Mapping[str, Any], where: str) -> None:
    if head.get("schema") != SCHEMA or head.get("protocol") != PROTOCOL:
        raise InvalidInputError(
            f"{where}: the schema is {str(head.get('schema'))!r:.60}, protocol "
            f"{head.get('protocol')!r:.10}; expected {SCHEMA!r}, protocol {PROTOCOL}, as gnomon "
            "bench emit writes them"
        )
    # Both become parts of file names.
    name, level = head.get("config"), head.get("level")
    if not isinstance(name, str) or not is_config_name(name) or level not in (None, *LEVELS):
        raise InvalidInputError(
            f"{where}: the configuration {str(name)!r:.80} or the level {str(level)!r:.20} is none"
        )
    setup = _object_or_empty(head.get("setup"))
    index = _object_or_empty(setup.get("index"))
    said = [("index", index, "name"), ("index", index, "hash")]
    said += [("setup", setup, "golden_hash"), ("setup", setup, "prompt_hash")]
    if lost := [f"{of}.{name}" for of, part, name in said if not isinstance(part.get(name), str)]:
        raise InvalidInputError(
            f"{where}: the head does not say what was measured on: {listed(lost)} are no texts; "
            "run gnomon bench emit again"
        )


def _object_or_empty(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def is_config_name(name: str) -> bool:
    """Return whether a text can name a configuration; it becomes a part of file names.

    A dot would be taken for the mark of a level.

    Examples
    --------
    >>> is_config_name("lambda-07"), is_config_name("../x"), is_config_name("a.low")
    (True, False, False)
    """
    return _NAME.fullmatch(name) is not None


def sorted_by_id(tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Return tasks in the order of their ids, which has nothing to do with that of the set."""
    return tuple(sorted(tasks, key=lambda task: task.id))


def _as_json(task: Task) -> dict[str, Any]:
    record = task.record
    return {
        "id": task.id,
        "record": record.id,
        "messages": [message.as_dict() for message in task.messages],
        "turns": [{"content": turn.content, "answer": turn.answer} for turn in task.turns],
        "citable": list(task.citable),
        "ranked": list(task.ranked),
        "primed": list(task.primed),
        "question": record.question,
        "previous": list(record.previous),
        "expect": record.expect,
        "gold_chunks": list(record.gold_chunks),
        "gold_answer": record.gold_answer,
        "identifiers": list(record.identifiers),
        "negative": task.negative,
        "labels": dict(task.labels),
        "values": dict(task.values),
        "gate": dict(task.detail),
    }


def _task(fields: Mapping[str, Any], where: str) -> Task:
    _check_types(fields, where)
    try:
        task = Task(
            record=GoldenRecord(
                id=str(fields["record"]),
                question=str(fields["question"]),
                expect=fields["expect"],
                gold_chunks=tuple(map(str, fields["gold_chunks"])),
                gold_answer=_text_or_none(fields["gold_answer"]),
                identifiers=tuple(map(str, fields["identifiers"])),
                previous=tuple(map(str, fields["previous"])),
            ),
            messages=tuple(Message(m["role"], str(m["content"])) for m in fields["messages"]),
            turns=tuple(
                TaskTurn(str(t["content"]), _text_or_none(t["answer"])) for t in fields["turns"]
            ),
            citable=tuple(map(str, fields["citable"])),
            ranked=tuple(map(str, fields["ranked"])),
            primed=tuple(map(str, fields["primed"])),
            negative=bool(fields["negative"]),
            labels={str(name): str(label) for name, label in fields["labels"].items()},
            values={str(name): _share(value) for name, value in fields["values"].items()},
            detail=dict(fields["gate"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInputError(
            f"{where}: the task is damaged: {fault_of(error)}; run gnomon bench emit again"
        ) from None
    if fields.get("id") != task.id:
        raise InvalidInputError(
            f"{where}: the task was edited: its id is not that of its words; run gnomon bench emit "
            "again"
        )
    return task


def _check_types(fields: Mapping[str, Any], where: str) -> None:
    """Refuse a task that lacks a field, or has one of another type, by the name of the field."""
    missing = [name for name in _TYPES if name not in fields]
    wrong = [
        f"{quoted(name)} is a JSON {json_type(fields[name])} instead of {_TYPE_NAMES[kind]}"
        for name, kind in _TYPES.items()
        if name in fields and not isinstance(fields[name], kind)
    ]
    if missing:
        wrong.append(f"{', '.join(map(quoted, missing))} missing")
    if wrong:
        raise InvalidInputError(
            f"{where}: the task is damaged: {'; '.join(wrong)}; run gnomon bench emit again"
        )


def _text_or_none(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise WrongPartError(f"{value!r:.40} is no text")
    return value


def _share(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ValueError(f"{value!r:.40} is no figure")
    return float(value)
