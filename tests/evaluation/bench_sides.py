"""Tasks of two configurations of a small index, and answerers."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from tests.evaluation.records import record
from tests.retrieval.docs import SubjectEmbedder, build, write_pages

from gnomon.evaluation.asking import ask
from gnomon.evaluation.bench_emit import earlier_tasks, scored_tasks
from gnomon.evaluation.gate_only import setup_of
from gnomon.evaluation.priming import prime
from gnomon.evaluation.prompts import Prompt
from gnomon.retrieval.index import Index

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gnomon.evaluation.bench_tasks import Task, TaskFile
    from gnomon.evaluation.priming import PrimedRecord
    from gnomon.golden.records import GoldenRecord

GOLD = "Every key is rotated once a day by its owner"
RECORDS = (
    record(
        "plain",
        "How do I rotate a key?",
        gold=["guide/keys#rotate"],
        gold_answer=GOLD,
        identifiers=["once"],
    ),
    record("calls", "When does a backend call time out?", gold=["guide/calls"], gold_answer=GOLD),
    record("audit", "What does the audit trail list?", gold=["admin/audit"], gold_answer=GOLD),
    record("sundial", "What is the sundial?", gold=["index"], gold_answer=GOLD),
    record("signed", "Is a call signed with a key?", gold=["guide/calls#"], gold_answer=GOLD),
    record(
        "follow",
        "and for calls?",
        gold=["guide/calls"],
        gold_answer=GOLD,
        previous=["How do I revoke a key?", "and rotate a key?"],
    ),
    record("absent", "borscht recipe", expect="refuse:no-evidence"),
)


def index_of(folder: Path, **changes: Any) -> Index:
    """Build an index of the small pages and open it."""
    docs = write_pages(folder / "docs")
    build(docs, folder / "index", SubjectEmbedder(), **changes)
    return Index.open(folder / "index", embedder=SubjectEmbedder())


def primed_records(index: Index, records: Sequence[GoldenRecord]) -> tuple[PrimedRecord, ...]:
    """Return records with their excerpts."""
    embed = SubjectEmbedder().embed_questions
    return prime(index, ask(index, records, embed, _ignore), embed, _ignore)


def emit(
    index: Index,
    records: Sequence[GoldenRecord] = RECORDS,
    *,
    config: str = "one",
    level: str | None = None,
    stage: int = 2,
) -> TaskFile:
    """Return the tasks of an index; earlier turns are answered with a few words."""
    primed = primed_records(index, records)
    prompt = Prompt()
    setup = setup_of(index, "index", records, level=level, limit=None, prompt_hash=prompt.hash)
    first = earlier_tasks(config, setup, primed, prompt)
    if stage == 1:
        return first
    history = {task.id: ("So.",) * task.asked for task in first.tasks}
    return scored_tasks(config, setup, primed, prompt, history)


def answered(tasks: TaskFile, say: Callable[[Task], str]) -> dict[str, tuple[str, ...]]:
    """Return what an answerer says to every task."""
    return {task.id: (say(task),) for task in tasks.to_answer}


def noisy(seed: str, share: float) -> Callable[[Task], str]:
    """Return an answerer that keeps a part of the gold answer's words, drawn anew for each task."""

    def say(task: Task) -> str:
        words = GOLD.split()
        kept = [w for w in words if _chance(seed, task.record.id, w) < share]
        return f"{' '.join(kept)} [cite:{task.citable[0]}]" if task.citable else " ".join(kept)

    return say


def _chance(*parts: str) -> float:
    digest = hashlib.sha256(json.dumps(parts).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def _ignore(done: int, total: int) -> None:
    """Show nothing."""
