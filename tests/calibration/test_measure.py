"""Measuring thresholds: what is chosen, what is refused, what holds on untouched probes."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
from tests.calibration.probes import one_turn, overlapping

from gnomon.calibration.measure import Measured, Settings, measure, strict_needs
from gnomon.calibration.sweep import ProbeEvidence
from gnomon.calibration.transfer import draw_anchors, fit_window
from gnomon.errors import InvalidInputError
from gnomon.rules.gate import windows
from gnomon.rules.gate_values import STRATA, Window

PLAIN = Settings(
    incoming=Window(44, 64), candidates=windows(), w_dense=0.75, w_lexical=0.25, seed=1
)


def measured(
    probes: ProbeEvidence, *, missed: int = 0, dense: bool = True, strict: bool = False
) -> Measured:
    """Measure, the first ``missed`` probes being missed by retrieval."""
    n = len(probes.stratum)
    return measure(
        probes,
        dense=dense,
        missed=np.arange(n) < missed,
        with_gold=n if missed else 0,
        settings=dataclasses.replace(PLAIN, strict=strict),
    )


def codes(found: Measured) -> list[str]:
    """Return the codes of the failures."""
    return [failure.code for failure in found.failures]


def test_well_separated() -> None:
    """Positives at 0.7, foreign at 0.2: nothing is refused wrongly and everything foreign is."""
    probes = one_turn({"U": np.linspace(0.55, 0.8, 60), "N4": np.linspace(0.1, 0.3, 30)})
    found = measured(probes)
    assert codes(found) == []
    assert found.chosen.cell is not None
    assert (found.chosen.cell.refused["U"], found.chosen.cell.refused["N4"]) == (0, 30)
    assert found.validation is not None
    assert found.validation.counts["U"] == 60


def test_a_bound_that_tolerates_exactly_one() -> None:
    """Of 87 positives one lies with the foreign: it is given up and no second one is."""
    probes = one_turn({"U": [0.1, *np.linspace(0.6, 0.8, 86)], "N4": np.linspace(0.1, 0.3, 30)})
    found = measured(probes)
    assert found.chosen.cell is not None
    assert found.chosen.cell.refused["U"] == 1
    assert codes(found) == []
    strict_bound = measured(probes.part(np.r_[0:86, 87:117]))  # 86 tolerate none
    assert strict_bound.chosen.cell is None or strict_bound.chosen.cell.refused["U"] == 0


@pytest.mark.parametrize(
    ("probes", "code"),
    [
        (one_turn({"U": [0.7] * 17, "N4": [0.1] * 30}), "no-feasible-tau"),
        (one_turn({"U": [0.1] * 60, "N4": [0.9] * 30}, {"U": [0.0] * 60}), "no-feasible-tau"),
        (one_turn({"U": [0.0] * 60, "N4": [0.0] * 30}), "tau-below-wlexical"),
        (
            one_turn({"U": [0.7] * 60, "N4": [0.9] * 30}, {"U": [1.0] * 60, "N4": [1.0] * 30}),
            "blatant-refusal-below-floor",
        ),
        (one_turn({"N4": [0.1] * 30}), "no-positives"),
        (one_turn({"U": [0.7] * 60}), "no-negatives"),
    ],
)
def test_failures_from_probes(probes: ProbeEvidence, code: str) -> None:
    """Each condition, from probes that have it."""
    assert code in codes(measured(probes))


def test_words_that_open_everything() -> None:
    """Foreign questions whose every word occurs: no lexical threshold below 1 shuts them out."""
    probes = one_turn(
        {"U": np.linspace(0.6, 0.8, 60), "N4": [0.1] * 30}, {"U": [1.0] * 60, "N4": [1.0] * 30}
    )
    assert codes(measured(probes)) == ["lexical-blatant-refusal-below-floor"]


def test_missed_by_retrieval() -> None:
    """Missed positives are left out of the bounds, and too many of them stop the run."""
    probes = one_turn({"U": np.linspace(0.55, 0.8, 100), "N4": np.linspace(0.1, 0.3, 30)})
    few, many = measured(probes, missed=6), measured(probes, missed=7)
    assert few.counts["U"] == 94
    assert codes(few) == []
    assert codes(many) == ["retrieval-misses-above-floor"]


def test_without_vectors() -> None:
    """Only the lexical threshold is measured."""
    probes = one_turn({"U": [np.nan] * 60, "N4": [np.nan] * 30})
    found = measured(probes, dense=False)
    assert (found.chosen.window, found.chosen.cell, found.chosen.choice) == (None, None, None)
    assert found.chosen.lexical is not None
    assert found.chosen.lexical.tau == 5
    assert codes(found) == []


def test_every_probe_is_validated_once() -> None:
    """Both ways round, every probe is measured by thresholds that it did not choose."""
    probes = overlapping(3)
    found = measured(probes)
    assert found.validation is not None
    assert found.validation.counts == probes.counts()


def test_strict_writes_what_the_fit_part_chose() -> None:
    """The untouched part has two fifths of each stratum and no say in the thresholds."""
    probes = overlapping(5, n=150)
    found = measured(probes, strict=True)
    assert found.held_out is not None
    assert [found.held_out.counts[s] for s in ("U", "S", "F", "N1", "N4")] == [60, 60, 60, 30, 30]
    bound = {"U": 0.05, "S": 0.05, "F": 0.08}
    assert codes(found) in ([], ["bound-not-held-out"])
    for stratum in bound:
        if found.held_out.refused[stratum] > 0 and stratum != "F":
            assert codes(found) == ["bound-not-held-out"]  # 60 tolerate none


def test_strict_needs() -> None:
    """148, 148 and 90 in all; with 147 the untouched part has 58."""
    assert strict_needs() == {"U": 148, "S": 148, "F": 90}
    few = one_turn({"U": [0.7] * 147, "N4": [0.1] * 30})
    enough = one_turn({"U": [0.7] * 148, "N4": [0.1] * 30})
    assert codes(measured(few, strict=True)) == ["bound-not-held-out"]
    assert codes(measured(enough, strict=True)) == []


@pytest.mark.parametrize("seed", range(5))
def test_transfer_onto_the_same_cosines_returns_the_source(seed: int) -> None:
    """The pinned fit on the embedder that measured the source finds the source's own window."""
    probes = overlapping(seed)
    source = measured(probes)
    assert codes(source) == []
    cell, counts = source.chosen.cell, source.counts
    assert cell is not None
    rates = {s: Fraction(cell.refused[s], counts[s]) for s in STRATA if counts[s]}
    fitted = fit_window(probes, tau=cell.tau, source=rates, w_dense=0.75, w_lexical=0.25)
    assert fitted is not None
    assert fitted.outcome.window == source.chosen.window
    assert fitted.drift == 0.0


@pytest.mark.parametrize("shift", [-0.2, 0.1])
def test_transfer_follows_the_cosines(shift: float) -> None:
    """On an embedder whose cosines all lie elsewhere, the window moves along."""
    probes = overlapping(2)
    source = measured(probes)
    assert source.chosen.cell is not None
    assert source.chosen.window is not None
    moved = dataclasses.replace(probes, cosine=probes.cosine + np.float32(shift))
    rates = {s: Fraction(source.chosen.cell.refused[s], n) for s, n in source.counts.items() if n}
    fitted = fit_window(
        moved, tau=source.chosen.cell.tau, source=rates, w_dense=0.75, w_lexical=0.25
    )
    assert fitted is not None
    middle = (fitted.outcome.window.floor + fitted.outcome.window.ceiling) / 200
    before = (source.chosen.window.floor + source.chosen.window.ceiling) / 200
    assert middle - before == pytest.approx(shift, abs=0.04)


def test_anchors_are_drawn_per_stratum() -> None:
    """The smallest set that can keep the bounds, the same for the same seed."""
    stratum = np.repeat([0, 2, 3, 6], [80, 60, 20, 40])
    drawn = draw_anchors(stratum, anchors="bounded", seed=4)
    assert np.bincount(stratum[drawn]).tolist() == [52, 0, 32, 15, 0, 0, 30]
    assert (drawn == draw_anchors(stratum, anchors="bounded", seed=4)).all()
    assert not np.array_equal(drawn, draw_anchors(stratum, anchors="bounded", seed=5))
    assert len(draw_anchors(stratum, anchors="full", seed=4)) == 200


def test_too_few_anchors() -> None:
    """The message says which stratum lacks how many."""
    with pytest.raises(InvalidInputError, match="U lacks 2, N4 lacks 29"):
        draw_anchors(np.repeat([0, 6], [50, 1]), anchors="bounded", seed=1)
