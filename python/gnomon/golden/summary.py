"""What a labelled set holds, counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gnomon.golden.levels import LEVELS, level_of, pool
from gnomon.golden.records import EXPECTATIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gnomon.golden.probes import Probe
    from gnomon.golden.records import GoldenRecord

# What a record without a label is counted as.
UNLABELLED: Final = "(none)"


@dataclass(frozen=True, slots=True)
class SetSummary:
    """Counts of a set; the records that could not be read are not among them.

    Attributes
    ----------
    n
        Records.
    by_label
        By what they should get: expectation, or stratum.
    by_depth
        By the number of questions before.
    by_level
        Tier to the size of its pool and what the tier added; empty for a set without tiers.
    by_kind, by_lang
        By free label; empty when no record has one.
    """

    n: int
    by_label: dict[str, int]
    by_depth: dict[str, int]
    by_level: dict[str, tuple[int, int]]
    by_kind: dict[str, int]
    by_lang: dict[str, int]

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as JSON can hold them."""
        return {
            "records": self.n,
            "by_label": self.by_label,
            "by_depth": self.by_depth,
            "by_level": {
                name: {"pool": pooled, "added": added}
                for name, (pooled, added) in self.by_level.items()
            },
            "by_kind": self.by_kind,
            "by_lang": self.by_lang,
        }


def golden_summary(records: Sequence[GoldenRecord]) -> SetSummary:
    """Return the counts of a golden set."""
    added = Counter(level_of(record) for record in records)
    return SetSummary(
        len(records),
        {expect: sum(r.expect == expect for r in records) for expect in EXPECTATIONS},
        _depths(records),
        {level: (len(pool(records, level)), added[level]) for level in LEVELS},
        _labels([record.kind for record in records]),
        _labels([record.lang for record in records]),
    )


def probe_summary(probes: Sequence[Probe], order: Iterable[str]) -> SetSummary:
    """Return the counts of a probe set, strata in a given order."""
    strata = Counter(str(probe.stratum) for probe in probes)
    return SetSummary(
        len(probes),
        {name: strata[name] for name in order if strata[name]},
        _depths(probes),
        {},
        {},
        _labels([probe.lang for probe in probes]),
    )


def _depths(records: Sequence[GoldenRecord] | Sequence[Probe]) -> dict[str, int]:
    depths = Counter(len(record.previous) for record in records)
    return {str(depth): depths[depth] for depth in sorted(depths)}


def _labels(labels: Sequence[str | None]) -> dict[str, int]:
    return _counted(label or UNLABELLED for label in labels) if any(labels) else {}


def _counted(labels: Iterable[str]) -> dict[str, int]:
    counts = Counter(labels)
    return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))
