"""Probes by name: what holds a threshold, what lies near it, what it judges wrongly."""

from __future__ import annotations

from gnomon.calibration.by_name import ByName, judge_by_name
from gnomon.golden.probes import Probe

PROBES = [
    Probe("u-1", "asked", "U", lang="en"),
    Probe("u-2", "asked", "U", lang="en"),
    Probe("s-1", "\u0441\u043f\u0440\u043e\u0441", "S"),
    Probe("n-1", "foreign", "N4", lang="en"),
    Probe("n-2", "adjacent", "N1", lang="en"),
]
SCORES = [0.505, 0.9, 0.4, 0.2, 0.7]


def test_by_name() -> None:
    """At 0.50: u-1 goes at 0.51, s-1 is refused and n-2 let through; distances order the near."""
    assert judge_by_name(PROBES, SCORES, 50) == ByName(
        languages={"cyrillic": (1, 0), "en": (4, 3)},
        binding=("u-1",),
        nearest=(("u-1", 0.505), ("s-1", 0.4), ("u-2", 0.9)),
        misjudged=("s-1", "n-2"),
    )


def test_a_score_on_the_threshold_passes() -> None:
    """And the one on the next does not hold it down."""
    found = judge_by_name(PROBES[:2], [0.5, 0.51], 50)
    assert (found.misjudged, found.binding) == ((), ("u-1",))


def test_without_a_threshold() -> None:
    """Nothing is judged; the languages are counted all the same."""
    assert judge_by_name(PROBES, SCORES, None) == ByName({"cyrillic": (1, 0), "en": (4, 0)})
