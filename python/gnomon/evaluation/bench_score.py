"""Two configurations by their answers: the figures of an evaluation, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gnomon.errors import InvalidInputError, MismatchError
from gnomon.evaluation.answer_measures import ANSWER_MEASURES, answer_detail, answer_values
from gnomon.evaluation.answer_scores import score_answer
from gnomon.evaluation.answering import given_by, refused
from gnomon.evaluation.chat import Reply
from gnomon.evaluation.gate_only import GATE_ONLY_MEASURES
from gnomon.evaluation.result import EvaluationResult, Row, Setup
from gnomon.sources.escape import quoted
from gnomon.stats.resampling import resample_queries
from gnomon.stats.sign_flips import sign_flip_p
from gnomon.types import Figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gnomon.evaluation.bench_tasks import TaskFile
    from gnomon.evaluation.result import Measure

SCHEMA: Final = "gnomon.bench-score/1"
MEASURES: Final = GATE_ONLY_MEASURES + ANSWER_MEASURES
NOT_MEASURED: Final = ("the agent loop", "tool calls", "iterations", "latency", "tokens")

# By task id, a text for each turn.
Answers = dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Paired:
    """Second side less first on the records that both measured.

    Attributes
    ----------
    figure
        The mean difference with its paired 95% interval.
    p
        Of sign flips; 1 when no record differs, None without records.
    better, worse
        How many records are better on the second side, and worse.
    """

    figure: Figure
    p: float | None
    n: int
    better: int
    worse: int

    def as_json(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {
            "difference": self.figure.value,
            "low": self.figure.low,
            "high": self.figure.high,
            "reason": self.figure.reason,
            "p": self.p,
            "n_pairs": self.n,
            "n_better": self.better,
            "n_worse": self.worse,
        }


def score_side(tasks: TaskFile, answers: Answers, *, seed: int) -> EvaluationResult:
    """Return the figures of one configuration, by the functions of an evaluation.

    Parameters
    ----------
    answers
        What `gnomon.evaluation.bench_answers.read_answers` returned for these tasks.
    """
    rows = []
    for task in tasks.tasks:
        given = refused()
        if not task.is_refused:
            given = given_by(Reply(answers[task.id][-1]), task.citable)
        scores = score_answer(task.record, given, negative=task.negative)
        values = {**task.values, **answer_values(scores, negative=task.negative)}
        details = {**task.detail, **answer_detail(scores)}
        rows.append(Row(task.record.id, task.labels, values, details))
    return EvaluationResult(_setup(tasks), MEASURES, tuple(rows), seed)


def check_sides(sides: Sequence[TaskFile]) -> None:
    """Refuse task files that cannot be scored, or not beside each other.

    Raises
    ------
    InvalidInputError
        When one holds earlier turns only.
    MismatchError
        When two measure different records, prompts or pools; every reason is told.
    """
    for side in sides:
        if side.stage == 1:
            raise InvalidInputError(
                f"{side.name}: holds the earlier turns of follow-ups, which are not scored; give "
                "their answers to gnomon bench emit --history and score what it writes"
            )
    first, *others = sides
    for other in others:
        reasons = [
            words
            for words, name in (
                ("what is scored of the golden set differs", "golden_hash"),
                ("the prompt differs", "prompt_hash"),
                ("the measures are of another version", "metric_version"),
            )
            if first.setup.get(name) != other.setup.get(name)
        ]
        if first.level != other.level:
            reasons.append("the pool differs")
        if reasons:
            raise MismatchError(
                f"{quoted(first.config)} and {quoted(other.config)} cannot be compared: "
                f"{'; '.join(reasons)}. Emit both from one golden set, level and configuration of "
                "the prompt"
            )


def compare_values(
    first: Mapping[str, float], second: Mapping[str, float], measure: Measure, *, seed: int
) -> Paired:
    """Return the second side less the first, record by record."""
    pairs = [record for record in first if record in second]
    if not pairs:
        reason = f"no record has a {measure.name} on both sides"
        return Paired(Figure.missing(reason), None, 0, 0, 0)
    a = np.array([first[record] for record in pairs], dtype=np.float64)
    b = np.array([second[record] for record in pairs], dtype=np.float64)
    moves = b - a if measure.better == "higher" else a - b
    figure = resample_queries({"a": a, "b": b}, seed=seed).difference_figure("b", "a")
    return Paired(
        figure,
        sign_flip_p(b - a, seed=seed),
        len(pairs),
        better=int((moves > 0.0).sum()),
        worse=int((moves < 0.0).sum()),
    )


def score_json(sides: Sequence[TaskFile], results: Sequence[EvaluationResult]) -> dict[str, Any]:
    """Return the table of one or two sides as JSON values."""
    compared = None
    if len(results) == 2:
        first, second = results
        compared = {
            measure.name: compare_values(
                first.values(measure.name),
                second.values(measure.name),
                measure,
                seed=first.seed,
            ).as_json()
            for measure in MEASURES
        }
    return {
        "seed": results[0].seed,
        "sides": [side_json(*pair) for pair in zip(sides, results, strict=True)],
        "differences": compared,
        "same_words": same_words(sides),
        "proves": "nothing: one run of answers shows no run-to-run spread",
        "not_measured": list(NOT_MEASURED),
    }


def side_json(tasks: TaskFile, result: EvaluationResult) -> dict[str, Any]:
    """Return one side as JSON values."""
    hallucinating = [row.id for row in result.rows if row.detail["hallucinated"]]
    return {
        "config": tasks.config,
        "tasks_hash": tasks.hash,
        **tasks.setup,
        "n_records": len(result.rows),
        "n_refused": sum(task.is_refused for task in tasks.tasks),
        "hallucinating": hallucinating,
        "figures": result.figures(),
    }


def same_words(sides: Sequence[TaskFile]) -> int | None:
    """Return how many tasks say the same words on both sides; None for one side."""
    if len(sides) != 2:
        return None
    first, second = ({task.id for task in side.tasks} for side in sides)
    return len(first & second)


def _setup(tasks: TaskFile) -> Setup:
    index = dict(tasks.setup["index"])
    return Setup(
        index_name=str(index.pop("name", "")),
        index=index,
        level=tasks.level,
        limit=None,
        golden_hash=str(tasks.setup["golden_hash"]),
        prompt_hash=str(tasks.setup["prompt_hash"]),
    )
