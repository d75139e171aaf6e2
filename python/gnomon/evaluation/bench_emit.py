"""From golden records and an index to tasks: the earlier turns first, then the scored ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.evaluation.bench_tasks import Task, TaskFile, TaskTurn, sorted_by_id
from gnomon.evaluation.gate_only import detail, gate_values, labels
from gnomon.evaluation.prompts import REFUSAL, asking, conversation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gnomon.evaluation.priming import PrimedRecord
    from gnomon.evaluation.prompts import PrimedTurn, Prompt
    from gnomon.evaluation.result import Setup


def earlier_tasks(
    config: str, setup: Setup, primed: Sequence[PrimedRecord], prompt: Prompt
) -> TaskFile:
    """Return the tasks of stage 1: the earlier turns of follow-ups, asked one after the other.

    Records without an earlier turn that needs an answer have none.
    """
    tasks = [
        _task(one, prompt, (), one.earlier)
        for one in primed
        if not one.turn.refused and any(not turn.refused for turn in one.earlier)
    ]
    return TaskFile(config, 1, setup.level, setup.to_json(), sorted_by_id(tasks))


def scored_tasks(
    config: str,
    setup: Setup,
    primed: Sequence[PrimedRecord],
    prompt: Prompt,
    history: Mapping[str, tuple[str, ...]],
) -> TaskFile:
    """Return the tasks of stage 2: the turns that are scored, behind the answers before them.

    Parameters
    ----------
    history
        The answers to the tasks of stage 1, by task id.
    """
    before = earlier_tasks(config, setup, primed, prompt)
    earlier = {task.record.id: task.id for task in before.tasks}
    tasks = []
    for one in primed:
        said = history[earlier[one.record.id]] if one.record.id in earlier else ()
        if one.turn.refused:
            tasks.append(_task(one, prompt, (), ()))
        else:
            tasks.append(_task(one, prompt, _filled(one.earlier, said), (one.turn,)))
    return TaskFile(config, 2, setup.level, setup.to_json(), sorted_by_id(tasks))


def _task(
    one: PrimedRecord, prompt: Prompt, answers: Sequence[str], turns: Sequence[PrimedTurn]
) -> Task:
    before = one.earlier[: len(answers)]
    shown = [turn for turn in (*before, *turns) if not turn.refused]
    return Task(
        record=one.record,
        messages=conversation(prompt, before, answers),
        turns=tuple(
            TaskTurn(asking(turn).content, REFUSAL if turn.refused else None) for turn in turns
        ),
        citable=tuple(dict.fromkeys(e.id for turn in shown for e in turn.excerpts)),
        ranked=one.asked.ranked,
        primed=one.asked.primed,
        negative=one.asked.negative,
        labels=labels(one.asked),
        values=gate_values(one.asked),
        detail=detail(one.asked),
    )


def _filled(turns: Sequence[PrimedTurn], said: Iterable[str]) -> list[str]:
    """Return an answer for every earlier turn: those that were given, and none where refused."""
    given = iter(said)
    return ["" if turn.refused else next(given) for turn in turns]
