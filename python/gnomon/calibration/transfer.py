"""Carrying thresholds to another embedder: which probes to ask again, and the window that fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.calibration.sweep import sweep_windows
from gnomon.errors import InvalidInputError
from gnomon.kernels import Purpose, draw_rows
from gnomon.rules.gate import windows
from gnomon.rules.gate_transfer import (
    Anchors,
    TransferChoice,
    anchors_missing,
    anchors_needed,
    choose_transfer,
)
from gnomon.rules.gate_values import STRATA, WindowOutcome

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from numpy.typing import NDArray

    from gnomon.calibration.sweep import ProbeEvidence
    from gnomon.rules.gate_values import Stratum


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
    outcomes = [
        WindowOutcome(window, swept.cell(at, tau), int(swept.on_ramp[at]))
        for at, window in enumerate(candidates)
    ]
    return choose_transfer(outcomes, probes.counts(), source, w_lexical=w_lexical)
