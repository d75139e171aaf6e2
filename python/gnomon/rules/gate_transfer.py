"""Thresholds measured with one embedder, carried to another: only the window is fitted anew.

``tau``, ``tau_lexical`` and the weights are in normalised units and describe the corpus; the window
alone says where an embedder's cosines lie.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal

from gnomon.rules.gate import feasible, is_degenerate, is_viable, limits, needed_probes
from gnomon.rules.gate_values import BLATANT, NEGATIVES, POSITIVES, STRATA

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gnomon.rules.gate_values import Counts, Stratum, WindowOutcome

Anchors = Literal["bounded", "full"]

BLATANT_ANCHORS: Final = 30
NEGATIVE_ANCHORS: Final = 15


@dataclass(frozen=True, slots=True)
class TransferChoice:
    """The window that fits the inherited threshold, with how far the rates drifted.

    Attributes
    ----------
    drift
        Sum over the strata of the distance between the refusal rate here and at the source.
    """

    outcome: WindowOutcome
    degenerate: bool
    drift: float


def anchors_needed(stratum: Stratum) -> int:
    """Return how many probes of a stratum a bounded transfer asks for."""
    if stratum in POSITIVES:
        return needed_probes(stratum)
    return BLATANT_ANCHORS if stratum == BLATANT else NEGATIVE_ANCHORS


def anchors_missing(counts: Counts) -> dict[Stratum, int]:
    """Return how many probes each stratum lacks; strata without any probe are left out."""
    present = [s for s in STRATA if counts.get(s, 0) > 0]
    lacking = {s: anchors_needed(s) - counts[s] for s in present}
    return {s: lack for s, lack in lacking.items() if lack > 0}


def choose_transfer(
    outcomes: Sequence[WindowOutcome],
    counts: Counts,
    source: Mapping[Stratum, Fraction],
    *,
    w_lexical: float,
) -> TransferChoice | None:
    """Return the window for an inherited threshold, or None when none keeps the bounds.

    Parameters
    ----------
    outcomes
        One per window, its cell being that of the inherited threshold.
    counts
        Anchors per stratum.
    source
        Refusal rate per stratum that the source measured at that threshold.
    w_lexical
        The weight of the lexical channel in the score.
    """
    allowed = limits(counts)
    fitting = [
        o
        for o in outcomes
        if is_viable(o, counts, w_lexical=w_lexical)
        and o.cell is not None
        and feasible(o.cell, allowed)
        and _refuses_no_more(o, counts, source)
    ]
    sound = [o for o in fitting if not is_degenerate(o, counts)]
    pool = sound or fitting
    if not pool:
        return None
    best = min(pool, key=lambda o: _rank(o, counts, source))
    return TransferChoice(
        outcome=best, degenerate=not sound, drift=float(_drift(best, counts, source))
    )


def _refuses_no_more(
    outcome: WindowOutcome, counts: Counts, source: Mapping[Stratum, Fraction]
) -> bool:
    return all(
        _rate(outcome, s, counts) <= source[s]
        for s in POSITIVES
        if counts.get(s, 0) > 0 and s in source
    )


def _rank(
    outcome: WindowOutcome, counts: Counts, source: Mapping[Stratum, Fraction]
) -> tuple[int, Fraction, int, int]:
    assert outcome.cell is not None  # viable windows have one
    caught = sum(outcome.cell.refused.get(s, 0) for s in NEGATIVES)
    return (
        -caught,
        _drift(outcome, counts, source),
        -outcome.window.span,
        outcome.window.floor,
    )


def _drift(outcome: WindowOutcome, counts: Counts, source: Mapping[Stratum, Fraction]) -> Fraction:
    shared = [s for s in STRATA if counts.get(s, 0) > 0 and s in source]
    return sum((abs(_rate(outcome, s, counts) - source[s]) for s in shared), Fraction(0))


def _rate(outcome: WindowOutcome, stratum: Stratum, counts: Counts) -> Fraction:
    assert outcome.cell is not None  # viable windows have one
    return Fraction(outcome.cell.refused.get(stratum, 0), counts[stratum])
