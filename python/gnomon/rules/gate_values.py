"""What the rules of the gate are told and what they answer: counts in, choices out.

Thresholds and windows live on a grid of hundredths and are kept as whole numbers of them, so that
two equal settings are equal to the bit and no rank is decided by a rounding.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Stratum = Literal["U", "S", "F", "N1", "N2", "N3", "N4", "N5", "N6", "X", "P"]
Counts = Mapping[Stratum, int]

POSITIVES: Final[tuple[Stratum, ...]] = ("U", "S", "F")
NEGATIVES: Final[tuple[Stratum, ...]] = ("N1", "N2", "N3", "N4", "N5", "N6", "X", "P")
BLATANT: Final[Stratum] = "N4"
STRATA: Final[tuple[Stratum, ...]] = POSITIVES + NEGATIVES

FailureCode = Literal[
    "no-feasible-tau",
    "tau-below-wlexical",
    "blatant-refusal-below-floor",
    "retrieval-misses-above-floor",
    "lexical-blatant-refusal-below-floor",
    "no-positives",
    "no-negatives",
    "bound-not-held-out",
]


@dataclass(frozen=True, slots=True)
class Cell:
    """How many probes of each stratum one threshold refuses.

    Attributes
    ----------
    tau
        The threshold in hundredths; a probe passes when its score reaches it.
    refused
        Refused probes per stratum: over-refusals of positives, catches of negatives.
    """

    tau: int
    refused: Counts

    @property
    def threshold(self) -> float:
        """The threshold as the gate compares it."""
        return self.tau / 100


@dataclass(frozen=True, slots=True)
class Window:
    """The cosines between which the dense channel rises from 0 to 1, in hundredths."""

    floor: int
    ceiling: int

    @property
    def span(self) -> int:
        """The width in hundredths."""
        return self.ceiling - self.floor


@dataclass(frozen=True, slots=True)
class BoundRow:
    """What one positive stratum can show with the probes that it has.

    Attributes
    ----------
    bound
        The over-refusal that the stratum's upper bound must not exceed.
    upper_at_zero, exact_at_zero
        Wilson's and the exact upper bound if no probe at all were refused.
    tolerated
        Refusals under which Wilson's bound still holds; None when not even zero do.
    needed, needed_exact
        The smallest number of probes whose bound can hold at zero refusals.
    needed_for_one
        The smallest number of probes that tolerates one refusal.
    """

    stratum: Stratum
    n: int
    bound: float
    upper_at_zero: float
    exact_at_zero: float
    tolerated: int | None
    needed: int
    needed_exact: int
    needed_for_one: int


@dataclass(frozen=True, slots=True)
class WindowOutcome:
    """What the sweep measured in one window.

    Attributes
    ----------
    cell
        The cell of the largest feasible threshold, or None when none is feasible.
    on_ramp
        Positives whose cosine lies strictly inside the window.
    """

    window: Window
    cell: Cell | None
    on_ramp: int


@dataclass(frozen=True, slots=True)
class WindowChoice:
    """The window that the ranking puts first, and how many stood for choice.

    Attributes
    ----------
    best
        None when no window is viable.
    degenerate
        True when only windows that act as a step were viable, so that one of them had to do.
    shortlist
        The first few of the ranking, best first.
    """

    best: WindowOutcome | None
    degenerate: bool
    candidates: int
    viable: int
    non_degenerate: int
    shortlist: tuple[WindowOutcome, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why nothing is written: a stable code and a sentence."""

    code: FailureCode
    message: str


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What a threshold chosen elsewhere refuses of probes that had no say in it."""

    counts: Counts
    refused: Counts


@dataclass(frozen=True, slots=True)
class GateEvidence:
    """Everything that decides whether a calibration may be written.

    Attributes
    ----------
    counts
        Probes per stratum that count for the bounds; positives that retrieval missed are left out.
    dense
        Whether there is a dense channel; without one only the lexical threshold is measured.
    cell
        The chosen threshold's cell in the chosen window (in the incoming one when none is viable).
    lexical
        The cell of the chosen lexical threshold, or None when none catches enough.
    w_lexical
        The weight of the lexical channel in the score.
    misses
        How many positives with a gold page retrieval missed, and how many carry one.
    held_out
        With ``--strict``: the untouched part under the thresholds that were chosen without it.
    """

    counts: Counts
    dense: bool
    cell: Cell | None
    lexical: Cell | None
    w_lexical: float
    misses: int = 0
    with_gold: int = 0
    held_out: HeldOut | None = None
