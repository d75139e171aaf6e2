"""The sweep against a slow loop over windows, thresholds and probes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gnomon.calibration.sweep import ProbeEvidence, sweep_lexical, sweep_windows
from gnomon.rules.gate import THRESHOLDS
from gnomon.rules.gate_values import POSITIVES, STRATA, Window

W_DENSE, W_LEXICAL = 0.75, 0.25
WINDOWS = (Window(44, 64), Window(0, 8), Window(86, 94), Window(30, 70))


@st.composite
def evidence(draw: st.DrawFn) -> ProbeEvidence:
    """Draw probes of one to three turns, with scores that often lie exactly on a threshold."""
    seed, n, turns = draw(st.integers(0, 2**32)), draw(st.integers(1, 40)), draw(st.integers(1, 3))
    random = np.random.default_rng(seed)
    admissible = random.random((turns, 3, n)) < 0.5
    admissible[-1, 0] = True
    admissible[0, 1:] = False
    return ProbeEvidence(
        stratum=random.integers(0, len(STRATA), n),
        cosine=(random.integers(0, 101, (turns, 3, n)) / 100).astype(np.float32),
        coverage=random.integers(0, 13, (turns, 3, n)) / 12,
        admissible=admissible,
    )


def score(probes: ProbeEvidence, probe: int, window: Window | None) -> tuple[float, float]:
    """Return (score, cosine) of the winning channel of one probe, turn by turn."""
    floor, ceiling = (window.floor / 100, window.ceiling / 100) if window else (0.0, 0.0)

    def of(turn: int, channel: int) -> float:
        if not probes.admissible[turn, channel, probe]:
            return -np.inf
        lexical = float(probes.coverage[turn, channel, probe])
        if window is None:
            return lexical
        cosine = float(probes.cosine[turn, channel, probe])
        dense = min(max((cosine - floor) / (ceiling - floor), 0.0), 1.0)
        return W_DENSE * dense + W_LEXICAL * lexical

    channel, best = 0, 0.0
    for turn in range(len(probes.cosine)):
        composed = 2 if channel else 1
        raw = of(turn, 0)
        channel = composed if of(turn, composed) > raw else 0
        best = of(turn, channel)
    return best, float(probes.cosine[-1, channel, probe])


@given(evidence())
def test_every_cell_by_hand(probes: ProbeEvidence) -> None:
    """Refused is under the threshold; a score on the threshold passes."""
    sweep = sweep_windows(probes, WINDOWS, w_dense=W_DENSE, w_lexical=W_LEXICAL)
    for w, window in enumerate(WINDOWS):
        found = [score(probes, p, window) for p in range(len(probes.stratum))]
        for tau in THRESHOLDS:
            cell = sweep.cell(w, tau)
            for s, stratum in enumerate(STRATA):
                under = [
                    g < tau / 100
                    for (g, _), of in zip(found, probes.stratum, strict=True)
                    if of == s
                ]
                assert cell.refused[stratum] == sum(under)
        inside = [
            window.floor / 100 < cosine < window.ceiling / 100
            for (_, cosine), of in zip(found, probes.stratum, strict=True)
            if STRATA[of] in POSITIVES
        ]
        assert sweep.on_ramp[w] == sum(inside)


@given(evidence())
def test_lexical_by_hand(probes: ProbeEvidence) -> None:
    """Without vectors the score is the coverage."""
    sweep = sweep_lexical(probes)
    found = [score(probes, p, None)[0] for p in range(len(probes.stratum))]
    for tau in (0, 5, 25, 50, 75, 100):
        cell = sweep.cell(0, tau)
        total = sum(cell.refused.values())
        assert total == sum(g < tau / 100 for g in found)


@given(evidence())
def test_refusals_never_fall_as_tau_rises(probes: ProbeEvidence) -> None:
    """Monotone in every stratum and window, from at least nobody to at most everybody."""
    sweep = sweep_windows(probes, WINDOWS, w_dense=W_DENSE, w_lexical=W_LEXICAL)
    assert (np.diff(sweep.refused, axis=2) >= 0).all()
    assert (sweep.refused[:, :, 100] <= np.bincount(probes.stratum, minlength=len(STRATA))).all()


@given(evidence())
def test_parts_add_up(probes: ProbeEvidence) -> None:
    """The refusals of two halves are those of the whole."""
    first = np.arange(len(probes.stratum)) % 2 == 0
    whole, one, other = (
        sweep_windows(p, WINDOWS, w_dense=W_DENSE, w_lexical=W_LEXICAL).refused
        for p in (probes, probes.part(first), probes.part(~first))
    )
    assert (whole == one + other).all()
