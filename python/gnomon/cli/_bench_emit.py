"""The part of ``gnomon bench emit`` that asks the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.cli._embedding import question_embedding
from gnomon.cli._eval_answers import prompt_of
from gnomon.cli._eval_pool import open_pool
from gnomon.cli._progress import progress_shown
from gnomon.errors import UsageError
from gnomon.evaluation.asking import ask
from gnomon.evaluation.bench_answers import check_there, read_answers
from gnomon.evaluation.bench_emit import earlier_tasks, scored_tasks
from gnomon.evaluation.bench_shards import write_protocol
from gnomon.evaluation.bench_tasks import write_tasks
from gnomon.evaluation.gate_only import setup_of
from gnomon.evaluation.priming import prime
from gnomon.sources.files import shown

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.cli._configured import Configured
    from gnomon.cli._eval_pool import Asking
    from gnomon.evaluation.bench_tasks import TaskFile


def emit(
    asking: Asking,
    config: str,
    history: Path | None,
    folder: Path,
    settings: Configured,
    *,
    quiet: bool,
) -> tuple[TaskFile, Path]:
    """Write the tasks of a configuration and return them with their file.

    Without a history the earlier turns of follow-ups are written, if there are any.

    Raises
    ------
    MissingInputError
        When there is no such history.
    UsageError
        When a history is given and nothing has an earlier turn.
    InvalidInputError
        When the history does not answer the tasks of stage 1.
    """
    if history is not None:
        check_there(history)
    prompt = prompt_of(settings)
    pool = open_pool(asking)
    setup = setup_of(
        pool.index, asking.place.resolve().name, pool.records,
        level=asking.level, limit=None, prompt_hash=prompt.hash,
    )  # fmt: skip
    with (
        progress_shown("records", quiet=quiet) as progress,
        question_embedding(pool.index, asking.place, asking.embedder, settings) as embed,
    ):
        asked = ask(pool.index, pool.records, embed, progress)
        primed = prime(pool.index, asked, embed, progress)
    file = earlier_tasks(config, setup, primed, prompt)
    if history is not None and not file.tasks:
        raise UsageError(
            f"--history {shown(history)}: no record has an earlier turn to answer; leave it out"
        )
    if history is not None or not file.tasks:
        answers = {} if history is None else read_answers(history, file)
        file = scored_tasks(config, setup, primed, prompt, answers)
    write_protocol(folder)
    return file, write_tasks(folder, file)
