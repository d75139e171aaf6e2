"""An earlier report beside this one: whether the two may be compared, and what moved.

Two reports measure the same thing when their pool, their prompt and what is scored of the golden
set agree. The index, the model and the levers may differ: that is what is compared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gnomon.audit.canonical import is_sha256
from gnomon.errors import InvalidInputError, MismatchError
from gnomon.evaluation.result import METRIC_VERSION, SCHEMA, resampled_by_size
from gnomon.evaluation.stored_json import read_stored
from gnomon.sources.escape import counted
from gnomon.sources.files import shown
from gnomon.sources.json_text import WrongPartError, fault_of
from gnomon.sources.limits import MIB
from gnomon.types import Figure

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gnomon.evaluation.result import EvaluationResult, Measure, Setup
    from gnomon.stats.resampling import ResampledColumns

# Records that are named in a comparison, of those that moved most each way.
MOST_NAMED: Final = 10
_MAX_BYTES: Final = 64 * MIB
# What two reports may differ in, by its name for a reader and its key among the index's facts.
_FACTS: Final[Mapping[str, str]] = {
    "pages": "hash",
    "words": "vocab_hash",
    "embedder": "embed_model",
    "model profile": "profile",
    "dense mode": "dense_mode",
    "threshold": "threshold",
}
_WITHOUT_VALUES: Final = frozenset({"pages", "words", "model profile"})


@dataclass(frozen=True, slots=True)
class Baseline:
    """An earlier report.

    Attributes
    ----------
    name
        The file, as it may be shown.
    index_hash, golden_hash, prompt_hash, model, level, limit, metric_version
        What it was measured on.
    index
        What it says of the index beside the hash.
    values
        By measure, then by record id.
    """

    name: str
    index_hash: str
    golden_hash: str
    prompt_hash: str | None
    model: str | None
    level: str | None
    limit: int | None
    metric_version: int
    index: Mapping[str, Any]
    values: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Difference:
    """What one measure did between two reports.

    Attributes
    ----------
    figure
        Now less before, over the records that both measured, with its paired 95% interval.
    n_pairs
        How many those are.
    better, worse
        Ids of the records that moved, those that moved most first.
    was, now
        Values of the records that moved, by id.
    """

    figure: Figure
    n_pairs: int
    better: tuple[str, ...]
    worse: tuple[str, ...]
    was: Mapping[str, float]
    now: Mapping[str, float]


def read_baseline(path: Path) -> Baseline:
    """Read a report that `gnomon eval` wrote.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        When it is no report, of another version, or damaged.
    """
    where = shown(path)
    body = read_stored(path, limit=_MAX_BYTES, schema=SCHEMA, what="report of gnomon eval")
    try:
        return _baseline(body, where)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InvalidInputError(
            f"{where}: the report is damaged ({fault_of(error)}); expected one as gnomon eval "
            "wrote it: run that again"
        ) from None


def why_not(setup: Setup, baseline: Baseline) -> tuple[str, ...]:
    """Return why a run can't be compared with a report; empty when it can."""
    reasons = []
    if (setup.level, setup.limit) != (baseline.level, baseline.limit):
        reasons.append(
            f"the pool differs: {_pool(baseline.level, baseline.limit)} there, "
            f"{_pool(setup.level, setup.limit)} here"
        )
    if setup.golden_hash != baseline.golden_hash:
        reasons.append(f"{setup.scored} differs")
    if setup.prompt_hash != baseline.prompt_hash:
        reasons.append(
            f"the prompt differs: {_prompt(baseline.prompt_hash)} there, "
            f"{_prompt(setup.prompt_hash)} here"
        )
    if baseline.metric_version != METRIC_VERSION:
        reasons.append(
            f"the measures are of version {baseline.metric_version} there, {METRIC_VERSION} here"
        )
    return tuple(reasons)


def require_comparable(setup: Setup, baseline: Baseline) -> None:
    """Refuse a baseline that was named and does not fit; nothing need be measured to know.

    Raises
    ------
    MismatchError
        With every reason.
    """
    reasons = why_not(setup, baseline)
    if reasons:
        raise MismatchError(
            f"--baseline {baseline.name} cannot be compared with this run: {'; '.join(reasons)}"
        )


def no_comparison(file: str | None, reason: str) -> dict[str, Any]:
    """Return what stands in the place of a comparison when there is nothing to compare with."""
    return {
        "file": file,
        "index_hash": None,
        "changed": [],
        "comparable": False,
        "why_not": [reason],
        "differences": None,
    }


def compare(result: EvaluationResult, baseline: Baseline) -> dict[str, Difference]:
    """Return what every measure did since a report that may be compared, by name."""
    pairs = {
        one: _pairs(result.values(one.name), baseline.values.get(one.name, {}))
        for one in result.measures
    }
    columns = {
        f"{one.name} {side}": [pair[at] for pair in found.values()]
        for one, found in pairs.items()
        if found
        for at, side in enumerate(("was", "now"))
    }
    drawn = resampled_by_size(columns, result.seed)
    return {
        one.name: _difference(one, found, drawn.get(f"{one.name} now"))
        for one, found in pairs.items()
    }


def comparison_json(result: EvaluationResult, baseline: Baseline) -> dict[str, Any]:
    """Return the comparison with an earlier report as JSON values, or why there is none."""
    reasons = why_not(result.setup, baseline)
    against = {
        "file": baseline.name,
        "index_hash": baseline.index_hash,
        "changed": _changed(result.setup, baseline),
        "unchanged": result.setup.unchanged,
        "comparable": not reasons,
        "why_not": list(reasons),
    }
    if reasons:
        return {**against, "differences": None}
    found = compare(result, baseline)
    return {**against, "differences": {name: _as_json(one) for name, one in found.items()}}


def _pairs(now: Mapping[str, float], before: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    """Return what it was and what it is now of the records that both measured."""
    return {record: (before[record], now[record]) for record in now if record in before}


def _difference(
    measure: Measure, pairs: Mapping[str, tuple[float, float]], drawn: ResampledColumns | None
) -> Difference:
    if drawn is None:
        figure = Figure.missing(f"no record has a {measure.name} in both reports")
        return Difference(figure, 0, (), (), {}, {})
    figure = drawn.difference_figure(f"{measure.name} now", f"{measure.name} was")
    sign = 1.0 if measure.better == "higher" else -1.0
    moves = {record: sign * (now - was) for record, (was, now) in pairs.items()}
    better = sorted((r for r in pairs if moves[r] > 0), key=lambda r: -moves[r])
    worse = sorted((r for r in pairs if moves[r] < 0), key=lambda r: moves[r])
    moved = (*better, *worse)
    return Difference(
        figure,
        len(pairs),
        tuple(better),
        tuple(worse),
        {record: pairs[record][0] for record in moved},
        {record: pairs[record][1] for record in moved},
    )


def _as_json(one: Difference) -> dict[str, Any]:
    def named(ids: tuple[str, ...]) -> list[dict[str, Any]]:
        return [{"id": r, "was": one.was[r], "now": one.now[r]} for r in ids[:MOST_NAMED]]

    return {
        "difference": one.figure.value,
        "low": one.figure.low,
        "high": one.figure.high,
        "reason": one.figure.reason,
        "n_pairs": one.n_pairs,
        "n_better": len(one.better),
        "n_worse": len(one.worse),
        "better": named(one.better),
        "worse": named(one.worse),
    }


def _baseline(body: Mapping[str, Any], where: str) -> Baseline:
    values: dict[str, dict[str, float]] = {}
    _check_records(body["records"], body["n_records"])
    for row in body["records"]:
        for name, value in row["values"].items():
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise WrongPartError(f"{name} is {value!r}")
            if not (math.isfinite(value) and 0.0 <= value <= 1.0):
                raise ValueError(f"{name} is {value}")
            values.setdefault(name, {})[str(row["id"])] = float(value)
    pool = body["pool"]
    limit = pool["limit"]
    return Baseline(
        name=where,
        index_hash=_hash(body["index"]["hash"]),
        golden_hash=_hash(body["golden_hash"]),
        prompt_hash=None if body["prompt_hash"] is None else _hash(body["prompt_hash"]),
        model=None if body["model"] is None else str(body["model"]),
        level=None if pool["level"] is None else str(pool["level"]),
        limit=None if limit is None else int(limit),
        metric_version=int(body["metric_version"]),
        index=dict(body["index"]),
        values=values,
    )


def _check_records(rows: object, expected: object) -> None:
    """Refuse records that are not those that were measured, each once."""
    if not isinstance(rows, list):
        raise WrongPartError("'records' is no list")
    ids = [row["id"] for row in rows]
    if not all(isinstance(one, str) for one in ids):
        raise WrongPartError("the id of a record is no text")
    if len(set(ids)) != len(ids):
        raise ValueError("a record stands twice")
    if isinstance(expected, bool) or len(ids) != expected:
        raise ValueError(f"it holds {counted(len(ids), 'record')} and says {expected!r:.20}")


def _changed(setup: Setup, baseline: Baseline) -> list[str]:
    """Return what a difference between two reports may come from, in words."""
    was, now = _facts(baseline.index), _facts(setup.index)
    was["chat model"], now["chat model"] = baseline.model, setup.model
    if "facts" in setup.index:  # a run has fewer than an index
        now = {name: value for name, value in now.items() if name in was}
    return [
        name if name in _WITHOUT_VALUES else f"{name} {_shown(was.get(name))} to {_shown(value)}"
        for name, value in now.items()
        if was.get(name) != value
    ]


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else f"{value!s:.60}"


def _facts(index: Mapping[str, Any]) -> dict[str, Any]:
    facts = index.get("facts")
    if isinstance(facts, dict):  # of a run on a collection
        return dict(facts)
    levers = index.get("levers")
    return {
        **{name: index.get(key) for name, key in _FACTS.items()},
        **{
            name: lever.get("value") if isinstance(lever, dict) else None
            for name, lever in (levers if isinstance(levers, dict) else {}).items()
        },
    }


def _hash(value: object) -> str:
    if not isinstance(value, str) or not is_sha256(value):
        raise ValueError(f"{value!r:.80} is no sha256")
    return value


def _pool(level: str | None, limit: int | None) -> str:
    named = f"level {level}" if level is not None else "the whole set"
    return named if limit is None else f"{named}, the first {limit}"


def _prompt(prompt_hash: str | None) -> str:
    return "no prompt" if prompt_hash is None else f"prompt {prompt_hash[:8]}"
