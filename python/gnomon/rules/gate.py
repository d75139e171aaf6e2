"""From what score may a system say that the documents answer a question? The rule of calibration.

Over-refusal is bounded and the threshold is the largest that keeps the bounds; how many negatives
that catches is reported and never moves the threshold. A window is ranked by what it catches.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from gnomon.rules.gate_values import (
    BLATANT,
    NEGATIVES,
    POSITIVES,
    BoundRow,
    Cell,
    Counts,
    Failure,
    GateEvidence,
    HeldOut,
    Stratum,
    Window,
    WindowChoice,
    WindowOutcome,
)
from gnomon.stats.intervals import clopper_pearson_upper, wilson_upper

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# Over-refusal that the 95% upper bound of a positive stratum must not exceed. Follow-ups are given
# more room: they depend on a second question.
BOUNDS: Final[Mapping[Stratum, float]] = {"U": 0.05, "S": 0.05, "F": 0.08}
THRESHOLDS: Final = range(101)  # hundredths
# A threshold under this admits everything; what looks like one is a gate that is always open.
LEAST_TAU: Final = 5
# Share of blatantly foreign questions that a gate worth its name refuses: four of five.
BLATANT_FLOOR: Final = (4, 5)
# Share of positives whose page retrieval may miss before the measurement is about retrieval.
MISS_FLOOR: Final = (1, 20)
# Share of positives that must lie on a window's ramp, else the window is a step: a third.
RAMP_FLOOR: Final = (1, 3)
# Floors reach as high as the cosines of embedders that crowd everything near 1.
FLOORS: Final = range(0, 87, 2)
SPANS: Final = range(8, 41, 2)
HIGHEST_CEILING: Final = 95
SHORTLIST: Final = 5


def windows() -> tuple[Window, ...]:
    """Return the 612 windows that calibration compares, lowest floor first, then narrowest."""
    return tuple(
        Window(floor, floor + span)
        for floor in FLOORS
        for span in SPANS
        if floor + span <= HIGHEST_CEILING
    )


def tolerated(n: int, bound: float) -> int | None:
    """Return the most refusals of n whose Wilson bound keeps to the bound; None if 0 do not."""
    allowed = None
    for refused in range(n + 1):
        if wilson_upper(refused, n) > bound:
            break
        allowed = refused
    return allowed


def limits(counts: Counts) -> dict[Stratum, int | None]:
    """Return the over-refusals that each positive stratum with probes tolerates."""
    return {s: tolerated(counts[s], BOUNDS[s]) for s in POSITIVES if counts.get(s, 0) > 0}


def half_limits(whole: Mapping[Stratum, int | None]) -> dict[Stratum, int | None]:
    """Return what a half of the probes tolerates: half of what the whole set does, rounded down.

    Holding a half to the bound of its own would ask for twice the probes.
    """
    return {s: None if allowed is None else allowed // 2 for s, allowed in whole.items()}


def bound_rows(counts: Counts) -> tuple[BoundRow, ...]:
    """Return, for every bound, what the probes can show and how many would show more."""
    return tuple(_bound_row(s, counts.get(s, 0)) for s in POSITIVES)


def needed_probes(stratum: Stratum) -> int:
    """Return the smallest number of probes whose Wilson bound can hold at zero refusals."""
    return _smallest_n(lambda m: wilson_upper(0, m) <= BOUNDS[stratum])


def _bound_row(stratum: Stratum, n: int) -> BoundRow:
    bound = BOUNDS[stratum]
    return BoundRow(
        stratum=stratum,
        n=n,
        bound=bound,
        upper_at_zero=wilson_upper(0, n),
        exact_at_zero=clopper_pearson_upper(0, n),
        tolerated=tolerated(n, bound),
        needed=needed_probes(stratum),
        needed_exact=_smallest_n(lambda m: clopper_pearson_upper(0, m) <= bound),
        needed_for_one=_smallest_n(lambda m: wilson_upper(1, m) <= bound),
    )


def feasible(cell: Cell, allowed: Mapping[Stratum, int | None]) -> bool:
    """Return whether no positive stratum is refused more often than it tolerates."""
    return all(
        limit is not None and cell.refused.get(stratum, 0) <= limit
        for stratum, limit in allowed.items()
    )


def choose_tau(sweep: Sequence[Cell], allowed: Mapping[Stratum, int | None]) -> Cell | None:
    """Return the cell of the largest feasible threshold, or None.

    ``sweep`` runs over rising thresholds. Over-refusals never fall as the threshold rises, so the
    feasible cells are the first ones.
    """
    first_infeasible = bisect_left(sweep, True, key=lambda cell: not feasible(cell, allowed))
    return sweep[first_infeasible - 1] if first_infeasible else None


def gate_precision(cell: Cell, counts: Counts) -> float | None:
    """Return the share of all negatives that are refused; None without negatives."""
    return _share(_caught(cell), sum(counts.get(s, 0) for s in NEGATIVES))


def blatant_refusal(cell: Cell, counts: Counts) -> float | None:
    """Return the share of blatantly foreign questions that are refused; None without any."""
    return _share(cell.refused.get(BLATANT, 0), counts.get(BLATANT, 0))


def catches_blatant(cell: Cell, counts: Counts) -> bool:
    """Return whether enough foreign questions are refused; not armed, so true, without any."""
    part, whole = BLATANT_FLOOR
    return cell.refused.get(BLATANT, 0) * whole >= counts.get(BLATANT, 0) * part


def is_viable(outcome: WindowOutcome, counts: Counts, *, w_lexical: float) -> bool:
    """Return whether a window leaves a gate: open to no word alone, shut to the foreign."""
    cell = outcome.cell
    return (
        cell is not None
        and cell.tau >= LEAST_TAU
        and cell.threshold > w_lexical
        and catches_blatant(cell, counts)
    )


def is_degenerate(outcome: WindowOutcome, counts: Counts) -> bool:
    """Return whether a window is a step: nearly every positive lies under or over its ramp."""
    part, whole = RAMP_FLOOR
    positives = sum(counts.get(s, 0) for s in POSITIVES)
    return outcome.on_ramp * whole < positives * part


def choose_window(
    outcomes: Sequence[WindowOutcome], counts: Counts, *, w_lexical: float
) -> WindowChoice:
    """Return the window that catches most, then has the largest threshold, then is widest.

    The last tie goes to the lower floor. Degenerate windows stand only if no other is viable.
    """
    viable = [o for o in outcomes if is_viable(o, counts, w_lexical=w_lexical)]
    sound = [o for o in viable if not is_degenerate(o, counts)]
    ranked = sorted(sound or viable, key=_window_rank)
    return WindowChoice(
        best=ranked[0] if ranked else None,
        degenerate=bool(ranked) and not sound,
        candidates=len(outcomes),
        viable=len(viable),
        non_degenerate=len(sound),
        shortlist=tuple(ranked[:SHORTLIST]),
    )


def _window_rank(outcome: WindowOutcome) -> tuple[int, int, int, int]:
    assert outcome.cell is not None  # only viable windows are ranked
    return (
        -_caught(outcome.cell),
        -outcome.cell.tau,
        -outcome.window.span,
        outcome.window.floor,
    )


def choose_tau_lexical(sweep: Sequence[Cell], counts: Counts) -> Cell | None:
    """Return the cell of the smallest lexical threshold that catches the foreign questions.

    None when no threshold does, and when there is no foreign question to measure it on.
    """
    if counts.get(BLATANT, 0) == 0:
        return None
    return next((c for c in sweep if c.tau >= LEAST_TAU and catches_blatant(c, counts)), None)


def failures(evidence: GateEvidence) -> tuple[Failure, ...]:
    """Return every reason why this calibration may not be written; none when it may."""
    counts = evidence.counts
    found = [*_missing_sides(counts), *_retrieval_misses(evidence)]
    if evidence.dense:
        found += _threshold_failures(evidence)
    if counts.get(BLATANT, 0) > 0 and evidence.lexical is None:
        found.append(
            Failure(
                "lexical-blatant-refusal-below-floor",
                "no lexical threshold refuses four of five N4 questions; words alone do not "
                "keep foreign questions out of this corpus",
            )
        )
    if evidence.held_out is not None:
        found += _not_held_out(evidence.held_out)
    return tuple(found)


def has_too_few(counts: Counts) -> tuple[Stratum, ...]:
    """Return the positive strata whose bound can't hold even if nothing is refused."""
    return tuple(s for s, allowed in limits(counts).items() if allowed is None)


def _missing_sides(counts: Counts) -> list[Failure]:
    found = []
    if not any(counts.get(s, 0) for s in POSITIVES):
        found.append(
            Failure("no-positives", "no probe of U, S or F: nothing bounds what is refused")
        )
    if not any(counts.get(s, 0) for s in NEGATIVES):
        found.append(
            Failure("no-negatives", "no probe of N1 to N6, X or P: nothing says what to refuse")
        )
    return found


def _retrieval_misses(evidence: GateEvidence) -> list[Failure]:
    part, whole = MISS_FLOOR
    if evidence.misses * whole <= evidence.with_gold * part:
        return []
    return [
        Failure(
            "retrieval-misses-above-floor",
            f"retrieval misses the gold page of {evidence.misses} of {evidence.with_gold} "
            "positives, more than 5%; mend retrieval before a threshold is measured behind it",
        )
    ]


def _threshold_failures(evidence: GateEvidence) -> list[Failure]:
    cell = evidence.cell
    if cell is None or cell.tau < LEAST_TAU:
        return [Failure("no-feasible-tau", _why_infeasible(evidence.counts))]
    found = []
    if cell.threshold <= evidence.w_lexical:
        found.append(
            Failure(
                "tau-below-wlexical",
                f"the largest feasible threshold is {cell.threshold:.2f}, not above the lexical "
                f"weight {evidence.w_lexical:.2f}: rare words alone would open the gate",
            )
        )
    if not catches_blatant(cell, evidence.counts):
        found.append(
            Failure(
                "blatant-refusal-below-floor",
                f"at {cell.threshold:.2f} only {cell.refused.get(BLATANT, 0)} of "
                f"{evidence.counts[BLATANT]} N4 questions are refused; four of five are needed",
            )
        )
    return found


def _why_infeasible(counts: Counts) -> str:
    short = [f"{s} has {counts[s]}" for s in has_too_few(counts)]
    if short:
        return (
            f"too few probes ({', '.join(short)}): the bound can't hold even if nothing is "
            "refused; add probes"
        )
    return (
        f"not separable: every threshold from {LEAST_TAU / 100:.2f} up refuses more positives "
        "than the bounds allow"
    )


def _not_held_out(held_out: HeldOut) -> list[Failure]:
    broken = []
    for s in POSITIVES:
        n = held_out.counts.get(s, 0)
        refused = held_out.refused.get(s, 0)
        if n > 0 and clopper_pearson_upper(refused, n) > BOUNDS[s]:
            broken.append(
                f"{s}: {refused} of {n} refused, exact upper bound "
                f"{clopper_pearson_upper(refused, n):.4f} above {BOUNDS[s]:.2f}"
            )
    if not broken:
        return []
    return [
        Failure(
            "bound-not-held-out",
            "the untouched probes do not confirm the bound (" + "; ".join(broken) + ")",
        )
    ]


def _caught(cell: Cell) -> int:
    return sum(cell.refused.get(s, 0) for s in NEGATIVES)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _smallest_n(holds: Callable[[int], bool]) -> int:
    n = 1
    while not holds(n):
        n += 1
    return n
