"""What the command line expects of figures: ``recall@8>=0.8``, checked before any work starts."""

from __future__ import annotations

import difflib
import math
import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gnomon.errors import UsageError
from gnomon.sources.escape import counted, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gnomon.evaluation.result import EvaluationResult, Measure

# Behind the name of a measure: the number of records behind its mean, instead of the mean. A mean
# that rises because fewer records are measured is no better.
COUNT_MARK: Final = ":n"
# Records that are named beside an expectation that was not met.
MOST_NAMED: Final = 20

_COMPARISONS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
}
_SHAPE = re.compile(
    r"\s*(?P<name>[A-Za-z][\w@.:-]*)\s*(?P<sign>>=|<=|==|>|<)\s*"
    r"(?P<bound>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Expectation:
    """A figure, a comparison and a number.

    Attributes
    ----------
    text
        As it was given, without blanks around it.
    of_count
        Whether it is about the number of records behind the mean.
    """

    text: str
    measure: str
    of_count: bool
    sign: str
    bound: float

    def is_met(self, value: float | None) -> bool:
        """Return whether a figure meets it; one that was not measured never does."""
        return value is not None and _COMPARISONS[self.sign](value, self.bound)


@dataclass(frozen=True, slots=True)
class Outcome:
    """An expectation and the figure that it met, or not.

    Attributes
    ----------
    value
        The mean, or the number of records behind it; None when it was not measured.
    n_measured, n_total
        How many records stand behind it, and how many there are.
    records
        Ids of the records that speak most against a figure that did not meet it.
    """

    expectation: Expectation
    value: float | None
    n_measured: int
    n_total: int
    met: bool
    records: tuple[str, ...]

    def __str__(self) -> str:
        """Return what was expected and what was found."""
        one = self.expectation
        if self.value is None:
            return f"{one.text}: no record has a {one.measure} to measure"
        if one.of_count:
            return f"{one.text}: {one.measure} is measured on {counted(self.n_measured, 'record')}"
        return (
            f"{one.text}: {one.measure} is {self.value:.4f}, "
            f"measured on {self.n_measured:,} of {counted(self.n_total, 'record')}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as JSON values."""
        return {
            "expectation": self.expectation.text,
            "measure": self.expectation.measure,
            "of_count": self.expectation.of_count,
            "value": self.value,
            "n_measured": self.n_measured,
            "n_total": self.n_total,
            "met": self.met,
            "records": list(self.records),
        }


def parse_expectations(texts: Iterable[str], measures: Sequence[str]) -> tuple[Expectation, ...]:
    """Return the expectations of a command line.

    Parameters
    ----------
    texts
        Each a measure, one of ``>= > <= < ==``, and a number; ``:n`` behind the measure is the
        number of records behind its mean.
    measures
        The names that there will be figures of.

    Raises
    ------
    UsageError
        When one has another shape or names another measure.

    Examples
    --------
    >>> parse_expectations(["recall@8 >= 0.8"], ["recall@8"])[0].bound
    0.8
    """
    return tuple(_parsed(text, measures) for text in texts)


def judge_expectations(
    expectations: Iterable[Expectation], result: EvaluationResult
) -> tuple[Outcome, ...]:
    """Return whether each expectation is met by the means of a run."""
    by_name = {measure.name: measure for measure in result.measures}
    outcomes = []
    for one in expectations:
        measure = by_name[one.measure]
        values = result.values(measure.name)
        value = float(len(values)) if one.of_count else result.figure(measure).value
        met = one.is_met(value)
        against = () if met or one.of_count else _worst(values, measure)
        outcomes.append(Outcome(one, value, len(values), len(result.rows), met, against))
    return tuple(outcomes)


def _worst(values: Mapping[str, float], measure: Measure) -> tuple[str, ...]:
    """Return the ids of the records with the worst values, none that could not be better."""
    best, sign = (1.0, 1.0) if measure.better == "higher" else (0.0, -1.0)
    imperfect = [record for record, value in values.items() if value != best]
    return tuple(sorted(imperfect, key=lambda record: sign * values[record])[:MOST_NAMED])


def _parsed(text: str, measures: Sequence[str]) -> Expectation:
    found = _SHAPE.fullmatch(text)
    if found is None:
        raise UsageError(
            f"--expect {quoted(text)} is no expectation; expected a measure, one of "
            f"{' '.join(_COMPARISONS)}, and a number, such as 'recall@8>=0.8'"
        )
    name, bound = found["name"].removesuffix(COUNT_MARK), float(found["bound"])
    if name not in measures:
        near = difflib.get_close_matches(name, measures, n=1)
        hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(measures)}"
        raise UsageError(f"--expect {quoted(text)}: no measure is called {quoted(name)}{hint}")
    if not math.isfinite(bound):
        raise UsageError(f"--expect {quoted(text)}: the number is too large")
    of_count = found["name"].endswith(COUNT_MARK)
    return Expectation(text.strip(), name, of_count, found["sign"], bound)
