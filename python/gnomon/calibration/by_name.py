"""Which probes hold a threshold where it is, and which it judges wrongly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gnomon.rules.gate_values import POSITIVES
from gnomon.sources.scripts import script_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gnomon.golden.probes import Probe

NEAREST: Final = 10


@dataclass(frozen=True, slots=True)
class ByName:
    """What a threshold does to single probes; without one, all but the languages is empty.

    Attributes
    ----------
    binding
        Ids of the positives that the next threshold would refuse: they hold it where it is.
    nearest
        Ids and scores of the positives nearest the threshold, nearest first.
    misjudged
        Ids of refused positives and admitted negatives.
    languages
        By language, else script: how many probes, and how many of them are judged rightly.
    """

    languages: Mapping[str, tuple[int, int]]
    binding: tuple[str, ...] = ()
    nearest: tuple[tuple[str, float], ...] = ()
    misjudged: tuple[str, ...] = ()


def judge_by_name(probes: Sequence[Probe], scores: Sequence[float], tau: int | None) -> ByName:
    """Judge probes by their scores; ``tau`` is in hundredths, None when there is none."""
    names = [probe.lang or script_of(probe.question) for probe in probes]
    if tau is None:
        return ByName({name: (names.count(name), 0) for name in sorted(set(names))})
    threshold = tau / 100
    judged = list(zip(probes, scores, strict=True))
    right = [(score >= threshold) == (probe.stratum in POSITIVES) for probe, score in judged]
    positives = [(probe, score) for probe, score in judged if probe.stratum in POSITIVES]
    nearest = sorted(positives, key=lambda one: abs(one[1] - threshold))[:NEAREST]
    return ByName(
        languages={
            name: (
                names.count(name),
                sum(good for own, good in zip(names, right, strict=True) if own == name),
            )
            for name in sorted(set(names))
        },
        binding=tuple(p.id for p, score in positives if threshold <= score < (tau + 1) / 100),
        nearest=tuple((probe.id, score) for probe, score in nearest),
        misjudged=tuple(probe.id for probe, good in zip(probes, right, strict=True) if not good),
    )
