"""The part of ``gnomon eval`` that asks a chat model."""

from __future__ import annotations

import os
import re
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final

from gnomon.cli._embedding import question_embedding
from gnomon.cli._eval_ending import end
from gnomon.cli._eval_pool import open_pool
from gnomon.cli._output import only_results_on_stdout, print_note
from gnomon.cli._progress import progress_shown
from gnomon.errors import UsageError
from gnomon.evaluation.answer_measures import ANSWER_MEASURES, HALLUCINATED
from gnomon.evaluation.answers import Speaker, evaluate_answers, measurement
from gnomon.evaluation.baseline import require_comparable
from gnomon.evaluation.chat import open_chat, temperature_of, withheld_key
from gnomon.evaluation.gate_only import GATE_ONLY_MEASURES, setup_of
from gnomon.evaluation.journal import Journal
from gnomon.evaluation.prompts import Prompt
from gnomon.evaluation.result import safe_name
from gnomon.golden.levels import pool_suffix
from gnomon.report.answers_markdown import answers_markdown
from gnomon.sources.atomic import make_folder
from gnomon.sources.escape import by_number, counted
from gnomon.sources.files import shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gnomon.cli._configured import Configured
    from gnomon.cli._eval_ending import Ending
    from gnomon.cli._eval_pool import Asking
    from gnomon.evaluation.result import EvaluationResult, Setup

MEASURES: Final = GATE_ONLY_MEASURES + ANSWER_MEASURES
_PROMPT: Final = "[0-9a-f]{8}"
_MOST_NAMED: Final = 5


def open_speaker(settings: Configured) -> Speaker:
    """Return the chat model of the configuration and what it is told.

    Raises
    ------
    UsageError
        When the configuration names none, or half of one.
    """
    address, name = settings.setting("chat.endpoint"), settings.value("chat.model")
    if address.value is None:
        raise UsageError(
            "answers can't be measured without a chat endpoint; set chat.endpoint and chat.model "
            "(GNOMON_CHAT_ENDPOINT, GNOMON_CHAT_MODEL), or add --gate-only to measure retrieval "
            "and refusal"
        )
    if name is None:
        raise UsageError(
            f"{address.where} names a chat endpoint and nothing names its model; set chat.model "
            "(GNOMON_CHAT_MODEL)"
        )
    timeout = settings.setting("chat.timeout")
    if not 1 <= timeout.value <= 3600:
        raise UsageError(f"{timeout.where}: chat.timeout is {timeout.value}; expected 1 to 3600")
    withheld = withheld_key(address.value, address.origin, os.environ)
    if withheld is not None:
        print_note(
            f"{withheld} is not sent: {address.where} comes with the project; name chat.endpoint "
            "in the shell or in your own configuration to send it"
        )
    model = open_chat(
        address.value,
        address.origin,
        name,
        environment=os.environ,
        temperature=temperature_of(settings.value("chat.temperature")),
        timeout_s=float(timeout.value),
    )
    return Speaker(model, prompt_of(settings), address.value.rstrip("/"))


def prompt_of(settings: Configured) -> Prompt:
    """Return the fixed text of the configuration."""
    return Prompt(
        settings.value("product"),
        settings.value("prompt.override"),
        settings.value("prompt.extend"),
    )


def measure_answers(
    asking: Asking,
    ending: Ending,
    settings: Configured,
    speaker: Speaker,
    *,
    resume: bool,
    quiet: bool,
) -> int:
    """Measure answers on a pool, beside retrieval and refusal, and return the exit code."""
    with only_results_on_stdout(), progress_shown("answers", quiet=quiet) as progress:
        pool = open_pool(asking)
        setup = setup_of(
            pool.index, asking.index_name, pool.records,
            level=asking.level, limit=asking.limit,
            model=speaker.model.name, prompt_hash=speaker.prompt.hash,
        )  # fmt: skip
        if ending.baseline is not None:
            require_comparable(setup, ending.baseline)
        make_folder(ending.reports)
        partial = ending.reports / f"{setup.name}.answers.partial.jsonl"
        begin = Journal.resume if resume else Journal.begin
        journal = begin(partial, measurement(setup, speaker))
        with (
            _kept(journal),
            closing(speaker.model),
            question_embedding(pool.index, asking.place, asking.embedder, settings) as embed,
        ):
            result = evaluate_answers(
                pool.index, pool.records, embed, setup, speaker, journal, progress,
                seed=asking.seed,
            )  # fmt: skip
    answers = ending.reports / f"{setup.name}.answers.jsonl"
    with _kept(journal):
        code = end(
            result,
            ending,
            inputs={
                **pool.recorded(asking, setup, ending.state_dir),
                "temperature": speaker.model.temperature,
            },
            markdown=answers_markdown,
            no_baseline=_no_baseline(ending.reports, setup),
            more={"temperature": speaker.model.temperature, "answers": str(answers)},
            faults=_faults(result),
        )
    journal.finish(answers)
    return code


@contextmanager
def _kept(journal: Journal) -> Iterator[None]:
    """Say, when a run breaks off, what is kept and how to go on; nothing is kept of nothing."""
    try:
        yield
    except BaseException as error:
        if not journal.kept:
            journal.discard()
        elif isinstance(error, KeyboardInterrupt):
            print_note(_how_to_go_on(journal))
        else:
            error.add_note(_how_to_go_on(journal))
        raise


def _faults(result: EvaluationResult) -> list[str]:
    found = {name: rate for name, rate in result.values(HALLUCINATED).items() if rate > 0.0}
    if not found:
        return []
    named = ", ".join(ascii(name)[1:-1] for name in list(found)[:_MOST_NAMED])
    more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    fault = f"{len(found)} of {counted(len(result.rows), 'record')} "
    fault += f"{by_number(len(found), 'has', 'have')} an answer that cites what it was not "
    return [f"{fault}given: {named}{more}; the report names the ids"]


def _no_baseline(reports: Path, setup: Setup) -> str:
    """Return why there is no baseline: another prompt made the older reports incomparable."""
    front = f"{safe_name(setup.index_name)}-{safe_name(setup.model or '')}-"
    pattern = re.compile(
        re.escape(front) + _PROMPT + re.escape(f"{pool_suffix(setup.level, setup.limit)}.json")
    )
    names = (path.name for path in reports.iterdir())
    older = sorted(name for name in names if pattern.fullmatch(name))
    if not older:
        return "this is the first report of its pool here"
    return (
        f"the prompt moved to {str(setup.prompt_hash)[:8]}, which made older reports of this pool "
        f"incomparable ({', '.join(older[:_MOST_NAMED])})"
    )


def _how_to_go_on(journal: Journal) -> str:
    return (
        f"{counted(len(journal.kept), 'answer')} kept in {shown(journal.path)}; run the same "
        "command with --resume to go on"
    )
