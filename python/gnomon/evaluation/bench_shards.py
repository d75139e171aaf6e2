"""What answerers get: their part of the tasks, without anything that is scored against."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from gnomon.errors import UsageError
from gnomon.evaluation.bench_tasks import PROTOCOL
from gnomon.sources.atomic import atomic_write
from gnomon.sources.escape import counted

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.evaluation.bench_tasks import Task, TaskFile

SCHEMA: Final = "gnomon.bench-shard/1"
PROTOCOL_FILE: Final = "bench-protocol.md"


def write_shards(folder: Path, file: TaskFile, shards: int) -> list[Path]:
    """Write the tasks of a file in so many parts, whose sizes differ by one at most.

    Raises
    ------
    UsageError
        When there are fewer tasks than parts.
    StateError
        When a file cannot be written.
    """
    tasks = file.to_answer
    if shards > len(tasks):
        raise UsageError(
            f"--shards {shards} is more than the {counted(len(tasks), 'task')} to answer"
        )
    stem = file.name.removesuffix(".tasks.jsonl")
    paths = []
    for number in range(1, shards + 1):
        part = tasks[number - 1 :: shards]
        head = {
            "schema": SCHEMA,
            "protocol": PROTOCOL,
            "stage": file.stage,
            "shard": number,
            "of": shards,
            "tasks": len(part),
            "tasks_hash": file.hash,
        }
        path = folder / f"{stem}.shard-{number}-of-{shards}.jsonl"
        with atomic_write(path) as out:
            for value in (head, *(shown_to_answerer(task) for task in part)):
                out.write(json.dumps(value, allow_nan=False).encode() + b"\n")
        paths.append(path)
    write_protocol(folder)
    return paths


def shown_to_answerer(task: Task) -> dict[str, Any]:
    """Return what an answerer sees of a task: words, and the ids that may be cited."""
    return {
        "id": task.id,
        "messages": [message.as_dict() for message in task.messages],
        "turns": [{"content": turn.content, "answer": turn.answer} for turn in task.turns],
        "citable": list(task.citable),
    }


def write_protocol(folder: Path) -> Path:
    """Write what an answerer gets and must return beside the tasks."""
    path = folder / PROTOCOL_FILE
    with atomic_write(path) as out:
        out.write(protocol())
    return path


def protocol() -> bytes:
    """Return the protocol of this version, as Markdown in UTF-8."""
    return (resources.files("gnomon") / "data" / PROTOCOL_FILE).read_bytes()
