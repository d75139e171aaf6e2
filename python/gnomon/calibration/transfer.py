"""Carrying thresholds to another embedder: which probes to ask again, and the window that fits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.calibration.sweep import sweep_windows
from gnomon.errors import InvalidInputError, MismatchError
from gnomon.kernels import Purpose, draw_rows
from gnomon.rules.gate import gate_precision, windows
from gnomon.rules.gate_transfer import (
    Anchors,
    TransferChoice,
    anchors_missing,
    anchors_needed,
    choose_transfer,
)
from gnomon.rules.gate_values import STRATA
from gnomon.sources.json_text import fault_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from gnomon.calibration.sweep import ProbeEvidence
    from gnomon.retrieval.calibration_file import Calibration, Footing
    from gnomon.retrieval.guard import Guard
    from gnomon.rules.gate_values import Counts, Stratum


def draw_anchors(stratum: NDArray[np.int64], *, anchors: Anchors, seed: int) -> NDArray[np.int64]:
    """Return the rows of the probes that a transfer asks again, in order.

    Parameters
    ----------
    stratum
        int64[P], positions in ``STRATA``.
    anchors
        ``bounded``: as few as can keep the bounds; ``full``: all.

    Raises
    ------
    InvalidInputError
        When a stratum that is present has fewer probes than a bounded transfer needs.
    """
    if anchors == "full":
        return np.arange(len(stratum))
    numbers = np.bincount(stratum, minlength=len(STRATA)).tolist()
    missing = anchors_missing(dict(zip(STRATA, numbers, strict=True)))
    if missing:
        short = ", ".join(f"{s} lacks {lack}" for s, lack in missing.items())
        raise InvalidInputError(
            f"too few probes for a bounded transfer: {short}; add probes, or calibrate anew"
        )
    drawn = [
        draw_rows(seed, Purpose.ANCHORS, len(stratum), anchors_needed(name), among=rows)
        for at, name in enumerate(STRATA)
        if len(rows := np.flatnonzero(stratum == at))
    ]
    return np.sort(np.concatenate(drawn))


def fit_window(
    probes: ProbeEvidence,
    *,
    tau: int,
    source: Mapping[Stratum, Fraction],
    w_dense: float,
    w_lexical: float,
) -> TransferChoice | None:
    """Return the window in which an inherited threshold refuses no more than at its source.

    Parameters
    ----------
    tau
        The inherited threshold, in hundredths.
    source
        Refusal rate per stratum that the source measured.
    """
    candidates = windows()
    swept = sweep_windows(probes, candidates, w_dense=w_dense, w_lexical=w_lexical)
    outcomes = swept.outcomes(candidates, lambda cells: cells[tau])
    return choose_transfer(outcomes, probes.counts(), source, w_lexical=w_lexical)


@dataclass(frozen=True, slots=True)
class Transfer:
    """A threshold on another embedder: a bounded bet, not a measurement.

    Attributes
    ----------
    guard
        The inherited thresholds in the window that fits here; None when none does.
    counts
        Anchors per stratum.
    choice
        The window and how far the rates drifted.
    """

    footing: Footing
    source_hash: str
    guard: Guard | None
    counts: Counts
    choice: TransferChoice | None
    anchors: Anchors
    seed: int
    probes_hash: str

    def to_json(self) -> dict[str, Any]:
        """Return the transfer as JSON values; they are also what its calibration file holds."""
        cell = None if self.choice is None else self.choice.outcome.cell
        return {
            "verdict": "transferred" if self.guard is not None else "refused",
            "footing": self.footing.as_dict(),
            "guard": None if self.guard is None else self.guard.as_dict(),
            "transferred_from": self.source_hash,
            "over_refusal_ub95": None,
            "gate_precision": None,
            "transfer_check": None
            if cell is None or self.choice is None
            else {
                "anchors": self.anchors,
                "strata": {
                    s: {"n": n, "refused": cell.refused.get(s, 0)}
                    for s, n in self.counts.items()
                    if n
                },
                "gate_precision": gate_precision(cell, self.counts),
                "drift": self.choice.drift,
                "degenerate": self.choice.degenerate,
            },
            "seed": self.seed,
            "probes_hash": self.probes_hash,
        }


def check_transferable(source: Calibration, footing: Footing) -> None:
    """Refuse a transfer that nothing licenses.

    Raises
    ------
    MismatchError
        The pages, the vocabulary or the levers differ, the embedder does not, the source is without
        vectors or itself transferred, or a side is in zscore mode.
    """
    measured, why = source.footing, []
    if source.guard.source == "calibrated-lexical":
        why.append("the source was measured without vectors")
    if source.guard.source == "transferred-window":
        why.append("the source is itself transferred; start from a measurement")
    if measured.corpus_hash != footing.corpus_hash:
        why.append("the source was measured on other pages")
    if measured.vocab_hash != footing.vocab_hash:
        why.append("words are cut into terms in another way")
    if dict(measured.levers) != dict(footing.levers):
        why.append("the levers that move a verdict differ")
    if footing.fingerprint is None:
        why.append("this index has no vectors")
    elif (measured.fingerprint, measured.dim) == (footing.fingerprint, footing.dim):
        why.append("the embedder is the same; calibrate, there is nothing to carry over")
    if {measured.dense_mode, footing.dense_mode} != {"cosine"}:
        why.append("only cosines have a window, and a side is in zscore mode")
    if why:
        raise MismatchError(f"the calibration cannot be transferred: {'; '.join(why)}")


def source_rates(source: Calibration) -> dict[Stratum, Fraction]:
    """Return the refusal rate of every stratum that the source measured.

    A strict source measured them on its untouched part.

    Raises
    ------
    InvalidInputError
        The file does not hold them.
    """
    body = source.body
    try:
        strata = body["held_out"] if body.get("strict") else body["chosen"]["strata"]
        return {s: Fraction(strata[s]["refused"], strata[s]["n"]) for s in STRATA if s in strata}
    except (KeyError, TypeError, ZeroDivisionError) as error:
        raise InvalidInputError(
            f"the calibration does not say what it refused of each stratum ({fault_of(error)}); "
            "run gnomon calibrate again and transfer its file"
        ) from error


def transfer(
    source: Calibration,
    evidence: ProbeEvidence,
    footing: Footing,
    *,
    anchors: Anchors,
    seed: int,
    source_hash: str,
    probes_hash: str,
) -> Transfer:
    """Fit the window of inherited thresholds on anchors.

    Parameters
    ----------
    evidence
        Of the anchors, from the index that the thresholds are carried to.
    """
    guard = source.guard
    assert guard.tau is not None  # only dense sources are transferable
    choice = fit_window(
        evidence,
        tau=round(100 * guard.tau),
        source=source_rates(source),
        w_dense=guard.w_dense,
        w_lexical=guard.w_lexical,
    )
    carried = None
    if choice is not None:
        window = choice.outcome.window
        carried = replace(
            guard,
            cos_floor=window.floor / 100,
            cos_ceil=window.ceiling / 100,
            source="transferred-window",
        )
    return Transfer(
        footing=footing,
        source_hash=source_hash,
        guard=carried,
        counts=evidence.counts(),
        choice=choice,
        anchors=anchors,
        seed=seed,
        probes_hash=probes_hash,
    )
