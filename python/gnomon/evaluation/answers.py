"""Answers over a golden set, beside what the index retrieves and refuses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon.evaluation.answer_measures import ANSWER_MEASURES, answer_detail, answer_values
from gnomon.evaluation.answer_scores import score_answer
from gnomon.evaluation.answering import answer_records
from gnomon.evaluation.asking import ask
from gnomon.evaluation.gate_only import GATE_ONLY_MEASURES, detail, gate_values, labels
from gnomon.evaluation.priming import prime
from gnomon.evaluation.result import EvaluationResult, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.embedding.embedder import Embed
    from gnomon.evaluation.chat import ChatModel
    from gnomon.evaluation.journal import Journal
    from gnomon.evaluation.prompts import Prompt
    from gnomon.evaluation.result import Setup
    from gnomon.golden.records import GoldenRecord
    from gnomon.retrieval.index import Index
    from gnomon.types import Progress


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who answers, and what it is told.

    Attributes
    ----------
    address
        Of the service.
    """

    model: ChatModel
    prompt: Prompt
    address: str


def measurement(setup: Setup, speaker: Speaker) -> dict[str, Any]:
    """Return what makes a measurement this one: answers of another are not mixed in."""
    return {
        **setup.to_json(),
        "endpoint": speaker.address,
        "temperature": speaker.model.temperature,
    }


def evaluate_answers(
    index: Index,
    records: Sequence[GoldenRecord],
    embed: Embed | None,
    setup: Setup,
    speaker: Speaker,
    journal: Journal,
    progress: Progress,
    *,
    seed: int,
) -> EvaluationResult:
    """Ask a chat model every record of a pool and measure what it answers.

    Parameters
    ----------
    embed
        Returns the vectors of questions; None for an index without vectors.
    journal
        Keeps the answers as they come.

    Raises
    ------
    InvalidInputError
        When the scope of a record matches no page.
    EndpointError
        When the service fails; what it answered is in the journal.
    """
    asked = ask(index, records, embed, _silent)
    primed = prime(index, asked, embed, _silent)
    given = answer_records(primed, speaker.model, speaker.prompt, journal, progress)
    rows = []
    for one, reply in zip(asked, given, strict=True):
        scores = score_answer(one.record, reply, negative=one.negative)
        values = gate_values(one) | answer_values(scores, negative=one.negative)
        rows.append(Row(one.record.id, labels(one), values, detail(one) | answer_detail(scores)))
    return EvaluationResult(setup, GATE_ONLY_MEASURES + ANSWER_MEASURES, tuple(rows), seed)


def _silent(done: int, total: int) -> None:
    """Show nothing: this takes no time beside the answers."""
