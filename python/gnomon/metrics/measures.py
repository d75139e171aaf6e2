"""Names of metrics: "ndcg@10", also as ir-measures spells them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gnomon.errors import UsageError
from gnomon.kernels import Metric

_NO_CUTOFF = int(np.iinfo(np.int64).max)
_NAMES = {
    "recall": Metric.RECALL,
    "capped_recall": Metric.CAPPED_RECALL,
    "precision": Metric.PRECISION,
    "rr": Metric.RECIPROCAL_RANK,
    "ap": Metric.AVERAGE_PRECISION,
    "ndcg": Metric.NDCG,
}
_ALIASES = {"r": "recall", "p": "precision", "mrr": "rr", "map": "ap"}
_NEEDS_CUTOFF = {"capped_recall", "precision"}
_FORM = re.compile(r"([A-Za-z_]+)(?:@(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric and its cutoff.

    Attributes
    ----------
    name
        ``recall``, ``capped_recall``, ``precision``, ``rr``, ``ap`` or ``ndcg``.
    cutoff
        How many documents of a list count, at least 1; None for all.
    """

    name: str
    cutoff: int | None

    def __str__(self) -> str:
        """Return the name of the measure, such as ``ndcg@10``."""
        return self.name if self.cutoff is None else f"{self.name}@{self.cutoff}"

    @property
    def for_core(self) -> tuple[Metric, int]:
        """The metric by number, and a cutoff that no list reaches if there is none."""
        return _NAMES[self.name], _NO_CUTOFF if self.cutoff is None else self.cutoff


@lru_cache(maxsize=256)
def parse_measure(text: str) -> Measure:
    """Return the measure that a name means.

    Parameters
    ----------
    text
        A name with or without a cutoff, in any case: ``recall@10``, ``ndcg``, ``rr``. ``R``, ``P``,
        ``MRR`` and ``MAP`` are other names of recall, precision, rr and ap.

    Raises
    ------
    UsageError
        The name is unknown, the cutoff isn't a whole number of at least 1, or one is missing.

    Examples
    --------
    >>> str(parse_measure("nDCG@10")), str(parse_measure("MRR"))
    ('ndcg@10', 'rr')
    """
    found = _FORM.fullmatch(text)
    name = found[1].lower() if found else ""
    name = _ALIASES.get(name, name)
    if found is None or name not in _NAMES:
        raise UsageError(
            f"there is no metric {text!r}; expected one of {', '.join(_NAMES)}, with a cutoff as "
            f"in 'ndcg@10'"
        )
    if found[2] is None:
        if name in _NEEDS_CUTOFF:
            raise UsageError(f"metric {text!r} has no cutoff; write one, as in '{name}@10'")
        return Measure(name, None)
    if not re.fullmatch(r"[0-9]{1,18}", found[2]) or int(found[2]) < 1:
        raise UsageError(
            f"metric {text!r}: the cutoff is {found[2]!r}; expected a whole number of at least 1"
        )
    return Measure(name, int(found[2]))


def parse_measures(names: str | Iterable[str]) -> tuple[Measure, ...]:
    """Return distinct measures in the order in which they are named first.

    Raises
    ------
    UsageError
        None is named, or `parse_measure` refuses a name.
    """
    if isinstance(names, str):
        names = [names]
    if not isinstance(names, Iterable):
        raise UsageError(f"metrics is {names!r}; expected names, such as ['ndcg@10', 'rr']")
    measures = tuple(dict.fromkeys(parse_measure(str(name)) for name in names))
    if not measures:
        raise UsageError("no metric is named; expected at least one, such as 'ndcg@10'")
    return measures
