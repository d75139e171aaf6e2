"""A calibration's promises, held against the population that its probes were drawn from."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUNS = 40  # docs/gate.md has the table of 400

pytestmark = pytest.mark.skipif(not (ROOT / "bench").is_dir(), reason="needs the checkout")


def test_a_bound_in_sample_is_optimistic() -> None:
    """The winner of a search breaks its promise now and then: that is why halves are measured."""
    from bench.broken_promises import POPULATIONS, PROBE_SETS, simulate

    seen = simulate(POPULATIONS["apart"], PROBE_SETS["60 U"], runs=RUNS, strict=False)
    assert seen.written == RUNS
    assert seen.broken >= 2
    assert seen.by_stratum["U"] == seen.broken


def test_strict_keeps_what_it_promises() -> None:
    """At most 5% of the runs and three standard errors; many runs refuse to promise anything."""
    from bench.broken_promises import POPULATIONS, PROBE_SETS, simulate

    seen = simulate(POPULATIONS["overlapping"], PROBE_SETS["148 U"], runs=RUNS, strict=True)
    assert seen.broken <= seen.allowed == 6
    assert 0 < seen.written < RUNS


def test_the_number_of_broken_promises_allowed() -> None:
    """Of 400 runs 5% are 20, and three standard errors 13."""
    from bench.broken_promises import Outcome

    assert Outcome(400, 400, 0, {}).allowed == 33
