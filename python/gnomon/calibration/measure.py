"""From cached evidence to thresholds, and what they do to probes that had no say in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from gnomon.calibration.sweep import sweep_lexical, sweep_windows
from gnomon.kernels import Purpose, draw_rows
from gnomon.rules.gate import (
    bound_rows,
    choose_tau,
    choose_tau_lexical,
    choose_window,
    failures,
    half_limits,
    has_too_few,
    limits,
)
from gnomon.rules.gate_values import (
    STRATA,
    Cell,
    Counts,
    Failure,
    GateEvidence,
    HeldOut,
    Stratum,
    Window,
    WindowChoice,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from gnomon.calibration.sweep import ProbeEvidence

# The part of each stratum that chooses under --strict; the rest is not looked at before.
FIT_SHARE: Final = (3, 5)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a measurement takes for granted.

    Attributes
    ----------
    incoming
        The window in force before; it is used only to name failures when no window is viable.
    candidates
        The windows to compare: all of them, or in zscore mode the one there is.
    """

    incoming: Window
    candidates: tuple[Window, ...]
    w_dense: float
    w_lexical: float
    seed: int
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Chosen:
    """A window and the thresholds in it.

    Attributes
    ----------
    counts
        Probes per stratum that chose, to which all cells refer.
    choice
        How the window was ranked; None without a dense channel.
    window, cell
        The chosen window and the cell of its threshold; without a viable window the incoming one
        and what its sweep gives.
    sweep
        All cells of that window.
    lexical, lexical_sweep
        The cell of the lexical threshold, and all of that sweep.
    """

    counts: Counts
    choice: WindowChoice | None
    window: Window | None
    cell: Cell | None
    sweep: tuple[Cell, ...]
    lexical: Cell | None
    lexical_sweep: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """Everything that one run measures.

    Attributes
    ----------
    counts
        Probes per stratum that count; positives that retrieval missed are left out.
    misses, with_gold
        How many positives retrieval missed, and how many carry a gold page.
    validation
        What thresholds chosen on one half refuse of the other, both ways round, pooled; None when
        the whole set is too small or no half has a threshold.
    held_out
        Under strict, what the thresholds refuse of the untouched part; else None.
    """

    counts: Counts
    misses: int
    with_gold: int
    chosen: Chosen
    validation: HeldOut | None
    held_out: HeldOut | None
    too_few: tuple[Stratum, ...]
    failures: tuple[Failure, ...]


def measure(
    probes: ProbeEvidence,
    *,
    dense: bool,
    missed: NDArray[np.bool_],
    with_gold: int,
    settings: Settings,
) -> Measured:
    """Choose the thresholds and say what speaks against writing them.

    Parameters
    ----------
    probes
        The evidence of all probes.
    dense
        Whether the index has vectors.
    missed
        bool[P]: positives whose gold page retrieval did not find; they are counted and left out.
    with_gold
        How many positives carry a gold page.
    settings
        Weights, incoming window, seed and strictness.
    """
    counted = probes.part(~missed)
    counts = counted.counts()
    held_out = None
    if settings.strict:
        fit, rest = _split(counted, *FIT_SHARE, purpose=Purpose.UNTOUCHED, seed=settings.seed)
        part = counted.part(fit)
        chosen = _choose(part, limits(part.counts()), settings, dense=dense)
        if chosen.cell is not None or not dense:
            held_out = _refused_of(counted.part(rest), chosen, settings, dense=dense)
    else:
        chosen = _choose(counted, limits(counts), settings, dense=dense)
    evidence = GateEvidence(
        counts=chosen.counts,
        dense=dense,
        cell=chosen.cell,
        lexical=chosen.lexical,
        w_lexical=settings.w_lexical,
        misses=int(missed.sum()),
        with_gold=with_gold,
        held_out=held_out if dense else None,
    )
    return Measured(
        counts=counts,
        misses=int(missed.sum()),
        with_gold=with_gold,
        chosen=chosen,
        validation=_validate(counted, settings) if dense else None,
        held_out=held_out,
        too_few=has_too_few(counts),
        failures=failures(evidence),
    )


def _choose(
    probes: ProbeEvidence,
    allowed: Mapping[Stratum, int | None],
    settings: Settings,
    *,
    dense: bool,
) -> Chosen:
    counts = probes.counts()
    by_words = tuple(sweep_lexical(probes).cells())
    lexical = choose_tau_lexical(by_words, counts)
    if not dense:
        return Chosen(counts, None, None, None, (), lexical, by_words)
    candidates = settings.candidates
    swept = sweep_windows(
        probes, candidates, w_dense=settings.w_dense, w_lexical=settings.w_lexical
    )
    outcomes = swept.outcomes(candidates, lambda cells: choose_tau(cells, allowed))
    choice = choose_window(outcomes, counts, w_lexical=settings.w_lexical)
    if choice.best is not None:
        at = candidates.index(choice.best.window)
        cells = tuple(swept.cells(at))
        return Chosen(
            counts, choice, choice.best.window, choice.best.cell, cells, lexical, by_words
        )
    cells = _cells_in(probes, settings.incoming, settings)
    cell = choose_tau(cells, allowed)
    return Chosen(counts, choice, settings.incoming, cell, cells, lexical, by_words)


def _cells_in(probes: ProbeEvidence, window: Window, settings: Settings) -> tuple[Cell, ...]:
    swept = sweep_windows(probes, [window], w_dense=settings.w_dense, w_lexical=settings.w_lexical)
    return tuple(swept.cells())


def _validate(probes: ProbeEvidence, settings: Settings) -> HeldOut | None:
    """Choose on one half and count on the other, both ways round."""
    allowed = half_limits(limits(probes.counts()))
    halves = _split(probes, 1, 2, purpose=Purpose.HALVES, seed=settings.seed)
    counts: dict[Stratum, int] = dict.fromkeys(STRATA, 0)
    refused: dict[Stratum, int] = dict.fromkeys(STRATA, 0)
    for fit, rest in (halves, halves[::-1]):
        chosen = _choose(probes.part(fit), allowed, settings, dense=True)
        if chosen.cell is None:
            return None
        found = _refused_of(probes.part(rest), chosen, settings, dense=True)
        for stratum in STRATA:
            counts[stratum] += found.counts[stratum]
            refused[stratum] += found.refused[stratum]
    return HeldOut(counts, refused)


def _refused_of(
    probes: ProbeEvidence, chosen: Chosen, settings: Settings, *, dense: bool
) -> HeldOut:
    if dense:
        assert chosen.window is not None
        assert chosen.cell is not None
        cell = _cells_in(probes, chosen.window, settings)[chosen.cell.tau]
    else:
        tau = chosen.lexical.tau if chosen.lexical is not None else 0
        cell = sweep_lexical(probes).cell(0, tau)
    return HeldOut(probes.counts(), cell.refused)


def _split(
    probes: ProbeEvidence, part: int, whole: int, *, purpose: Purpose, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows of a drawn part of every stratum (rounded up) and of the rest, in order."""
    first: list[NDArray[np.int64]] = []
    for stratum in range(len(STRATA)):
        rows = np.flatnonzero(probes.stratum == stratum)
        size = -(-len(rows) * part // whole)
        first.append(draw_rows(seed, purpose, len(probes.stratum), size, among=rows))
    chosen = np.sort(np.concatenate(first))
    return chosen, np.setdiff1d(np.arange(len(probes.stratum)), chosen)


def strict_needs() -> dict[Stratum, int]:
    """Return how many probes of each positive stratum a strict run needs in all."""
    part, whole = FIT_SHARE
    return {row.stratum: -(-row.needed_exact * whole // (whole - part)) for row in bound_rows({})}
