"""A threshold carried to another embedder: anchors, filters and the ranking of windows."""

from __future__ import annotations

from fractions import Fraction

import pytest

from gnomon.rules.gate_transfer import anchors_missing, anchors_needed, choose_transfer
from gnomon.rules.gate_values import STRATA, Cell, Counts, Stratum, Window, WindowOutcome

COUNTS: Counts = {"U": 100, "F": 60, "N1": 20, "N4": 30}
SOURCE: dict[Stratum, Fraction] = {
    "U": Fraction(1, 100),
    "F": Fraction(1, 60),
    "N1": Fraction(1, 2),
    "N4": Fraction(1),
}


def candidate(
    *,
    u: int = 1,
    f: int = 1,
    n1: int = 10,
    n4: int = 30,
    floor: int = 40,
    span: int = 20,
    on_ramp: int = 100,
    tau: int = 50,
) -> WindowOutcome:
    """Return a window that has the source's own rates unless told otherwise."""
    cell = Cell(tau, {"U": u, "F": f, "N1": n1, "N4": n4})
    return WindowOutcome(Window(floor, floor + span), cell, on_ramp)


def chosen(*candidates: WindowOutcome) -> WindowOutcome | None:
    """Return the window that the fit chooses."""
    choice = choose_transfer(candidates, COUNTS, SOURCE, w_lexical=0.25)
    return None if choice is None else choice.outcome


def test_anchors() -> None:
    """52, 52 and 32 positives, 30 blatant, 15 of every other kind."""
    assert {s: anchors_needed(s) for s in STRATA} == {
        "U": 52, "S": 52, "F": 32, "N1": 15, "N2": 15, "N3": 15, "N4": 30, "N5": 15, "N6": 15,
        "X": 15, "P": 15,
    }  # fmt: skip


def test_missing_anchors_are_counted_per_stratum_present() -> None:
    """An absent stratum asks for nothing; a short one says how many it lacks."""
    assert anchors_missing({"U": 50, "F": 32, "N4": 1}) == {"U": 2, "N4": 29}


@pytest.mark.parametrize(
    "unfit",
    [
        candidate(u=3),
        candidate(u=2),
        candidate(f=2),
        candidate(n4=23),
        candidate(tau=25),
    ],
    ids=["breaks a bound", "refuses more than the source", "likewise F", "blatant", "w_lexical"],
)
def test_hard_filters(unfit: WindowOutcome) -> None:
    """A window that breaks one is never chosen, not even alone or with more catches."""
    assert chosen(unfit) is None
    assert chosen(unfit, candidate()) == candidate()


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (candidate(n1=20), candidate(n1=10)),
        (candidate(n1=10), candidate(n1=11, n4=29)),
        (candidate(span=22), candidate(span=20, floor=0)),
        (candidate(floor=38), candidate(floor=40)),
        (candidate(n1=0), candidate(n1=20, on_ramp=53)),
    ],
    ids=["catches more", "drifts less", "wider", "lower floor", "no step while another fits"],
)
def test_ranking(better: WindowOutcome, worse: WindowOutcome) -> None:
    """Catches, then drift, then width, then floor; a step only for want of anything else."""
    assert chosen(better, worse) == chosen(worse, better) == better


def test_a_step_is_flagged_and_drift_is_a_sum_of_distances() -> None:
    """|0 - 1/100| + |0 - 1/60| + |1/2 - 15/20| + 0."""
    choice = choose_transfer(
        [candidate(u=0, f=0, n1=15, on_ramp=0)], COUNTS, SOURCE, w_lexical=0.25
    )
    assert choice is not None
    assert choice.degenerate
    assert choice.drift == float(Fraction(1, 100) + Fraction(1, 60) + Fraction(1, 4))
