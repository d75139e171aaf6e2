"""What a file of candidates holds, counted: by suggestion, language and cause, and the worst."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon.errors import InvalidInputError
from gnomon.feedback.questions import Figures, parse_figures
from gnomon.feedback.turns import Vote, folded
from gnomon.sources.escape import quoted
from gnomon.sources.files import shown
from gnomon.sources.jsonl import json_type
from gnomon.sources.scripts import script_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from gnomon.feedback.candidates import Row
    from gnomon.rules.feedback import Verdict


@dataclass(frozen=True, slots=True)
class Disliked:
    """A question that was voted down under a verdict.

    Attributes
    ----------
    up, down
        Votes on turns with that verdict only.
    score, threshold
        What the gate recorded last, if anything.
    """

    id: str
    question: str
    verdict: Verdict
    up: int
    down: int
    score: float | None
    threshold: float | None
    needs_review: bool


@dataclass(frozen=True, slots=True)
class FeedbackSummary:
    """The counts of a file of candidates.

    Attributes
    ----------
    questions, to_review
        Rows, and those that no person has reviewed.
    turns, up, down
        Over all rows.
    by_suggestion
        Rows by stratum; those without one by their options, joined by a bar.
    by_cause
        Rows by the cause of the last recorded verdict, or by that it passed.
    refusals
        Refused or below the threshold, most down-voted first.
    admitted
        Admitted and voted down, most down-voted first.
    """

    questions: int
    to_review: int
    turns: int
    up: int
    down: int
    by_suggestion: dict[str, int]
    by_target: dict[str, int]
    by_language: dict[str, int]
    by_cause: dict[str, int]
    refusals: tuple[Disliked, ...]
    admitted: tuple[Disliked, ...]

    @property
    def is_purely_negative(self) -> bool:
        """Whether there are votes, all of them against."""
        return self.down > 0 and self.up == 0


def summarise(rows: Iterable[Row], path: Path, *, top: int = 10) -> FeedbackSummary:
    """Return the counts of a file's rows.

    Parameters
    ----------
    top
        How many of the most down-voted questions are listed, of each kind.

    Raises
    ------
    InvalidInputError
        When a row has a field of another type, or figures that are not counts.
    """
    suggestions, targets = Counter[str](), Counter[str]()
    languages, causes = Counter[str](), Counter[str]()
    refusals: list[Disliked] = []
    admitted: list[Disliked] = []
    votes = Counter[Vote]()
    questions = to_review = 0
    for row in rows:
        where = f"{shown(path)}: line {row.line}"
        fields = row.fields
        question = _text(fields, "question", where)
        found = fields.get("feedback")
        figures = Figures() if found is None else parse_figures(found, where)
        questions += 1
        to_review += fields.get("needs_review") is not False
        votes.update({vote: figures.count(vote) for vote in ("up", "down", "none")})
        suggestions[_suggested(fields, where)] += 1
        targets[_text(fields, "target", where) or "none"] += 1
        languages[_text(fields, "lang", where) or script_of(question)] += 1
        causes[_cause(figures)] += 1
        refusals += _disliked(fields, question, figures, ("refused", "unenforced"))
        admitted += _disliked(fields, question, figures, ("admitted",))
    return FeedbackSummary(
        questions,
        to_review,
        votes.total(),
        votes["up"],
        votes["down"],
        _most_first(suggestions),
        _most_first(targets),
        _most_first(languages),
        _most_first(causes),
        tuple(sorted(refusals, key=_rank)[:top]),
        tuple(sorted(admitted, key=_rank)[:top]),
    )


def _suggested(fields: dict[str, Any], where: str) -> str:
    stratum = _text(fields, "stratum", where)
    options = fields.get("options") or []
    if not isinstance(options, list) or not all(isinstance(one, str) for one in options):
        raise InvalidInputError(f"{where}: 'options' is no list of strata")
    return stratum or "|".join(options) or "none"


def _cause(figures: Figures) -> str:
    gate = figures.gate
    if gate is None:
        return "not recorded"
    return "passed" if gate.passes else gate.cause or "not told"


def _disliked(
    fields: dict[str, Any], question: str, figures: Figures, verdicts: tuple[Verdict, ...]
) -> list[Disliked]:
    gate = figures.gate
    name = fields.get("id")
    return [
        Disliked(
            name if isinstance(name, str) else "",
            question,
            verdict,
            figures.count("up", verdict),
            down,
            None if gate is None else gate.score,
            None if gate is None else gate.threshold,
            fields.get("needs_review") is not False,
        )
        for verdict in verdicts
        if (down := figures.count("down", verdict))
    ]


def _rank(one: Disliked) -> tuple[int, int, str, str]:
    return -one.down, one.up, folded(one.question), one.id


def _most_first(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _text(fields: dict[str, Any], name: str, where: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidInputError(f"{where}: {quoted(name)} is a JSON {json_type(value)}, no text")
    return value
