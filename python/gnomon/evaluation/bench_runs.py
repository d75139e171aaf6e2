"""The same two configurations answered several times: the difference beside the spread of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gnomon.evaluation.bench_score import (
    MEASURES,
    NOT_MEASURED,
    compare_values,
    same_words,
    score_side,
)
from gnomon.rules.moved import LEAST_DIFFERENCE, judge_difference
from gnomon.stats.means import mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gnomon.evaluation.bench_score import Answers
    from gnomon.evaluation.bench_tasks import TaskFile
    from gnomon.evaluation.result import Measure

SCHEMA: Final = "gnomon.bench-runs/1"

# The values of one measure in one run, by record.
Values = dict[str, float]


def compare_runs(
    sides: Sequence[TaskFile], runs: Sequence[Sequence[Answers]], *, seed: int
) -> dict[str, Any]:
    """Return the difference of two sides and the spread of each, measure by measure.

    A record counts by its mean over the runs that measured it, and only when both sides did. The
    spread of a side is the largest difference between the means of two of its runs over those
    records.

    Parameters
    ----------
    sides
        The tasks of two configurations.
    runs
        For each side the answers of every run.

    Returns
    -------
    dict
        JSON values: figures and a verdict for every measure, the second side less the first.
    """
    scored = [
        [score_side(tasks, answers, seed=seed) for answers in side]
        for tasks, side in zip(sides, runs, strict=True)
    ]
    measures = []
    for measure in MEASURES:
        first, second = ([run.values(measure.name) for run in side] for side in scored)
        measures.append(measured(measure, first, second, seed=seed))
    return {
        "seed": seed,
        "sides": [
            {
                "config": tasks.config,
                "tasks_hash": tasks.hash,
                **tasks.setup,
                "n_records": len(tasks.tasks),
                "n_refused": sum(task.is_refused for task in tasks.tasks),
                "runs": len(side),
                "distinct_runs": len({tuple(sorted(answers.items())) for answers in side}),
            }
            for tasks, side in zip(sides, runs, strict=True)
        ],
        "least_difference": LEAST_DIFFERENCE,
        "measures": measures,
        "same_words": same_words(sides),
        "not_measured": list(NOT_MEASURED),
    }


def measured(
    measure: Measure, first: Sequence[Values], second: Sequence[Values], *, seed: int
) -> dict[str, Any]:
    """Return one measure of two sides, from the values of every run, as JSON values."""
    a, b = _over_runs(first), _over_runs(second)
    paired = compare_values(a, b, measure, seed=seed)
    common = a.keys() & b.keys()
    means = [_means(side, common) for side in (first, second)]
    spreads = [max(side) - min(side) if side else None for side in means]
    known = [spread for spread in spreads if spread is not None]
    spread = max(known) if known else None
    found = judge_difference(paired.figure.value, spread, paired.figure.low, paired.figure.high)
    return {
        "name": measure.name,
        "better": measure.better,
        "means": measure.means,
        "first": _mean([a[record] for record in a if record in common]),
        "second": _mean([b[record] for record in b if record in common]),
        "first_runs": means[0],
        "second_runs": means[1],
        "first_spread": spreads[0],
        "second_spread": spreads[1],
        "spread": spread,
        **paired.as_json(),
        "verdict": found.verdict,
        "verdict_reason": found.reason,
    }


def _over_runs(runs: Sequence[Values]) -> Values:
    """Return the mean of every record over the runs that measured it."""
    records = dict.fromkeys(record for run in runs for record in run)
    found = {record: _mean([run[record] for run in runs if record in run]) for record in records}
    return {record: value for record, value in found.items() if value is not None}


def _means(runs: Sequence[Values], common: frozenset[str] | set[str]) -> list[float]:
    """Return the mean of every run over some records; a run that measured none has none."""
    found = [_mean([run[record] for record in run if record in common]) for run in runs]
    return [value for value in found if value is not None]


def _mean(values: Sequence[float]) -> float | None:
    return mean(np.array(values, dtype=np.float64)) if values else None


def moved(body: Mapping[str, Any]) -> list[str]:
    """Return the names of the measures that moved."""
    return [one["name"] for one in body["measures"] if one["verdict"] == "moved"]
