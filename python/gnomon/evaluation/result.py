"""The result of an evaluation: measures by record, their means, and what they were measured on.

This is the core that every evaluation over a golden set shares. One that measures more brings its
own `Measure` list and puts more values on each `Row`; figures, groups, comparison, expectations and
both forms of the report follow from those without knowing what they mean.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

import numpy as np

from gnomon.golden.levels import LEVELS, pool_suffix
from gnomon.stats.intervals import wilson
from gnomon.stats.means import mean
from gnomon.stats.resampling import resample_queries
from gnomon.types import Figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from gnomon.stats.resampling import ResampledColumns

SCHEMA: Final = "gnomon.eval/1"
# Goes up when a measure gets another definition, so that old reports are not compared with new.
METRIC_VERSION: Final = 1
GATE_ONLY: Final = "gate-only"
# What records are grouped by, and the heading of each table.
GROUPS: Final[Mapping[str, str]] = {
    "kind": "kind",
    "level": "level at which the record enters",
    "language": "language of the question, else script",
    "depth": "questions before it",
    "expect": "what it must get",
}
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure of an evaluation.

    Attributes
    ----------
    name
        As ``--expect`` and the JSON spell it.
    better
        Which way is better.
    counted
        Whether every value is 0 or 1, so that the mean is a share of records and has a Wilson
        interval; a mean of fractions is resampled.
    means
        What it is, in one line for a reader.
    """

    name: str
    better: Literal["higher", "lower"]
    counted: bool
    means: str


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured on one record.

    Attributes
    ----------
    labels
        By name of ``GROUPS``.
    values
        By name of the measure, in [0, 1]; None where the record has nothing to measure.
    detail
        What the reader of one record wants to know, as JSON values.
    """

    id: str
    labels: Mapping[str, str]
    values: Mapping[str, float | None]
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Setup:
    """What was measured, and on what: two reports are compared when the last five agree.

    Attributes
    ----------
    index_name
        The name of the index's folder.
    index
        Hash, model, guard and levers of the index, as JSON values; they may differ between reports
        that are compared, since that is what a comparison is for.
    model
        The chat model, or None where none was asked.
    level, limit
        How the pool was narrowed.
    golden_hash
        Of the scored fields of the pool's records.
    prompt_hash
        Of all fixed text that the chat model was sent, or None.
    """

    index_name: str
    index: Mapping[str, Any]
    level: str | None
    limit: int | None
    golden_hash: str
    model: str | None = None
    prompt_hash: str | None = None

    # What a comparison calls that which ``golden_hash`` covers, and what it says when all of
    # ``index`` is as it was.
    scored: ClassVar[str] = "what is scored of the golden set"
    unchanged: ClassVar[str] = "the same pages, model, gate and levers"

    @property
    def name(self) -> str:
        """Name of the report's files, without their ending: a narrowed pool has its own."""
        middle = GATE_ONLY
        if self.model is not None:
            middle = f"{safe_name(self.model)}-{(self.prompt_hash or '')[:8]}"
        return f"{safe_name(self.index_name)}-{middle}{pool_suffix(self.level, self.limit)}"

    def to_json(self) -> dict[str, Any]:
        """Return the set-up as JSON values."""
        return {
            "index": {"name": self.index_name, **self.index},
            "model": self.model,
            "pool": {"level": self.level, "limit": self.limit},
            "golden_hash": self.golden_hash,
            "prompt_hash": self.prompt_hash,
            "metric_version": METRIC_VERSION,
        }


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """Everything that one run measures.

    Attributes
    ----------
    measures
        What was measured, in the order of the report.
    rows
        By record, in the order of the golden set.
    seed
        Of the intervals' draws.
    """

    setup: Setup
    measures: tuple[Measure, ...]
    rows: tuple[Row, ...]
    seed: int

    def values(self, name: str) -> dict[str, float]:
        """Return the measured values of one measure by record id; what is null is left out."""
        found = ((row.id, row.values.get(name)) for row in self.rows)
        return {record: value for record, value in found if value is not None}

    def figure(self, measure: Measure) -> Figure:
        """Return the mean of a measure with its 95% interval; missing when nothing is measured."""
        return _figures({measure: list(self.values(measure.name).values())}, self.seed)[measure]

    def figures(self) -> dict[str, dict[str, Any]]:
        """Return every mean with its interval and the numbers behind it, as JSON values."""
        values = {one: list(self.values(one.name).values()) for one in self.measures}
        figures = _figures(values, self.seed)
        return {
            measure.name: {
                **_figure_json(figures[measure]),
                "n_measured": len(values[measure]),
                "n_total": len(self.rows),
                "better": measure.better,
                "means": measure.means,
            }
            for measure in self.measures
        }

    def groups(self) -> dict[str, dict[str, Any]]:
        """Return the means of every group of ``GROUPS``, each with the numbers behind it.

        They carry no interval: most groups are too small for one.
        """
        return {
            group: {
                label: self._means([row for row in self.rows if row.labels.get(group) == label])
                for label in sorted(
                    {row.labels[group] for row in self.rows if group in row.labels}, key=_order
                )
            }
            for group in GROUPS
        }

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values, without the comparison."""
        return {
            **self.setup.to_json(),
            "seed": self.seed,
            "n_records": len(self.rows),
            "figures": self.figures(),
            "groups": self.groups(),
            "records": [
                {"id": row.id, **row.labels, **row.detail, "values": dict(row.values)}
                for row in self.rows
            ],
        }

    def _means(self, rows: Sequence[Row]) -> dict[str, Any]:
        means: dict[str, Any] = {"n_total": len(rows)}
        for measure in self.measures:
            found = [v for row in rows if (v := row.values.get(measure.name)) is not None]
            means[measure.name] = {
                "mean": mean(np.array(found, dtype=np.float64)) if found else None,
                "n_measured": len(found),
            }
        return means


def safe_name(name: str) -> str:
    """Return a name that is one part of a file name, whatever it held; others stay apart.

    Examples
    --------
    >>> safe_name("gpt-4.1"), safe_name("org/model:7b")
    ('gpt-4.1', 'org-model-7b-a0975b6b')
    """
    safe = _UNSAFE.sub("-", name).strip(".-") or "unnamed"
    if safe == name:
        return name
    return f"{safe}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def _order(label: str) -> tuple[int, str]:
    """Return where a label stands in its table: levels as they are nested, others by name."""
    return next((at for at, level in enumerate(LEVELS) if level == label), len(LEVELS)), label


def resampled_by_size(
    columns: Mapping[str, Sequence[float]], seed: int
) -> dict[str, ResampledColumns]:
    """Return for each column, which may differ in length, the bootstrap that it is part of.

    Draws depend on the seed and the length alone, so columns of one length share theirs.
    """
    by_size: dict[int, dict[str, NDArray[np.float64]]] = {}
    for name, values in columns.items():
        by_size.setdefault(len(values), {})[name] = np.array(values, dtype=np.float64)
    return {
        name: drawn
        for same in by_size.values()
        for drawn in [resample_queries(same, seed=seed)]
        for name in same
    }


def _figures(values: Mapping[Measure, Sequence[float]], seed: int) -> dict[Measure, Figure]:
    drawn = resampled_by_size(
        {one.name: found for one, found in values.items() if found and not one.counted}, seed
    )
    figures = {}
    for measure, found in values.items():
        if not found:
            figures[measure] = Figure.missing(f"no record has a {measure.name} to measure")
        elif measure.counted:
            figures[measure] = wilson(round(sum(found)), len(found))
        else:
            figures[measure] = drawn[measure.name].mean_figure(measure.name)
    return figures


def _figure_json(figure: Figure) -> dict[str, Any]:
    return {
        "mean": figure.value,
        "low": figure.low,
        "high": figure.high,
        "reason": figure.reason,
    }
