"""The figures on answers, in the form in which every evaluation reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gnomon.evaluation.result import Measure

if TYPE_CHECKING:
    from gnomon.evaluation.answer_scores import AnswerScores

HALLUCINATED: Final = "hallucinated_citation_rate"
ANSWER_MEASURES: Final = (
    Measure("token_f1", "higher", False, "tokens shared with the gold answer, as SQuAD counts"),
    Measure(
        "token_f1_characters",
        "higher",
        False,
        "the same by characters, where the gold answer has no blanks between words",
    ),
    Measure("identifier_recall", "higher", False, "share of the record's identifiers in it"),
    Measure("citation_precision", "higher", False, "share of what it cites that is gold"),
    Measure(HALLUCINATED, "lower", False, "share of what it cites that was not given; must be 0"),
    Measure("language_match", "higher", True, "share of answers in the script of the question"),
    Measure("unanswered", "lower", True, "share of answerable records that got no answer"),
    Measure(
        "negatives_unanswered",
        "higher",
        True,
        "share of negatives that got none, by the guard or by the model's own word",
    ),
)


def answer_values(scores: AnswerScores, *, negative: bool) -> dict[str, float | None]:
    """Return the values of ``ANSWER_MEASURES`` for one record."""
    match, silent = scores.language_match, float(scores.outcome != "answered")
    return {
        "token_f1": scores.token_f1,
        "token_f1_characters": scores.token_f1_characters,
        "identifier_recall": scores.identifier_recall,
        "citation_precision": scores.citation_precision,
        HALLUCINATED: len(scores.hallucinated) / scores.cited if scores.cited else None,
        "language_match": None if match is None else float(match),
        "unanswered": None if negative else silent,
        "negatives_unanswered": silent if negative else None,
    }


def answer_detail(scores: AnswerScores) -> dict[str, Any]:
    """Return what the reader of one record wants to know about its answer, as JSON values."""
    return {
        "outcome": scores.outcome,
        "cited": scores.cited,
        "hallucinated": list(scores.hallucinated),
        "is_cut": scores.is_cut,
    }
