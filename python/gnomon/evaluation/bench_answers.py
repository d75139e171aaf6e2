"""Answers to tasks: one line a task, all of them, none twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gnomon.errors import InvalidInputError, MissingInputError
from gnomon.evaluation.chat import MOST_CHARACTERS
from gnomon.sources.escape import counted, listed, quoted
from gnomon.sources.files import open_regular, shown
from gnomon.sources.jsonl import json_type, read_records, whole_characters

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from gnomon.evaluation.bench_tasks import Task, TaskFile
    from gnomon.sources.jsonl import Record

_MOST_SHOWN: Final = 10


def read_answers(path: Path, tasks: TaskFile) -> dict[str, tuple[str, ...]]:
    """Read the answers to the tasks of a file, by task id: one text for each turn that was asked.

    Parameters
    ----------
    path
        A file of answers, or a folder of them, one for each shard.
    tasks
        What was asked.

    Raises
    ------
    MissingInputError
        When there is nothing of that name, or no ``.jsonl`` in the folder.
    InvalidInputError
        When an answer is no answer, or ids are missing, unknown or there twice; they are named.
    """
    wanted = {task.id: task for task in tasks.to_answer}
    found: dict[str, tuple[str, ...]] = {}
    lines: dict[str, str] = {}
    twice, extra = [], []
    for file, record in _records(path):
        where = f"{shown(file)}: line {record.line}"
        identity = record.fields.get("id")
        if not isinstance(identity, str) or not identity:
            raise InvalidInputError(f"{where}: has no 'id'; give that of the task")
        if identity in found:
            twice.append(f"{quoted(identity)} at {where}, first at {lines[identity]}")
        elif identity not in wanted:
            extra.append(identity)
        else:
            found[identity] = _texts(record.fields, wanted[identity], where)
            lines[identity] = where
    missing = [identity for identity in wanted if identity not in found]
    problems = [
        *([f"answered twice: {', '.join(twice[:_MOST_SHOWN])}"] if twice else []),
        *([f"of no task: {listed(extra, first=_MOST_SHOWN)}"] if extra else []),
        *([f"missing: {listed(missing, first=_MOST_SHOWN)}"] if missing else []),
    ]
    if problems:
        raise InvalidInputError(
            f"{shown(path)}: does not answer {quoted(tasks.name)} "
            f"({counted(len(wanted), 'task')}): "
            f"{'; '.join(problems)}. Every task needs one answer; an id belongs to the very words "
            "that were sent, so answers to another configuration or an older file do not fit"
        )
    return found


def check_there(path: Path) -> None:
    """Refuse a file or folder of answers that is not there, before long work.

    Raises
    ------
    MissingInputError
        When nothing has that name.
    InvalidInputError
        When it may not be read.
    """
    if not path.is_dir():
        open_regular(path).close()


def _records(path: Path) -> Iterator[tuple[Path, Record]]:
    files: Sequence[Path] = [path]
    if path.is_dir():
        files = sorted(path.glob("*.jsonl"))
        if not files:
            raise MissingInputError(f"{shown(path)}: holds no .jsonl file of answers")
    for file in files:
        for record in read_records(file):
            yield file, record


def _texts(fields: dict[str, Any], task: Task, where: str) -> tuple[str, ...]:
    one, many = fields.get("answer"), fields.get("answers")
    if (one is None) == (many is None):
        raise InvalidInputError(
            f"{where}: task {quoted(task.id)} needs either 'answer', a text, or 'answers', a list "
            "with a text for each turn"
        )
    texts = [one] if many is None else many
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        kind = json_type(one if many is None else many)
        raise InvalidInputError(
            f"{where}: the answer to {quoted(task.id)} is a JSON {kind} of something else than "
            "texts; expected a text, or a list of them as 'answers'"
        )
    if len(texts) != task.asked:
        raise InvalidInputError(
            f"{where}: {counted(len(texts), 'answer')} to {quoted(task.id)}, which has "
            f"{counted(task.asked, 'turn')} to answer"
        )
    for text in texts:
        whole_characters(text, f"{where}: the answer to {quoted(task.id)}")
        if len(text) > MOST_CHARACTERS:
            raise InvalidInputError(
                f"{where}: the answer to {quoted(task.id)} holds {len(text):,} characters; at most "
                f"{MOST_CHARACTERS:,} are read"
            )
    return tuple(text.strip() for text in texts)
