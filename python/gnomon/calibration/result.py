"""What a calibration run found, as values and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon.rules.gate import (
    BOUNDS,
    blatant_refusal,
    bound_rows,
    gate_precision,
)
from gnomon.rules.gate_values import POSITIVES, STRATA
from gnomon.stats.intervals import clopper_pearson_upper, wilson_upper

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.calibration.by_name import ByName
    from gnomon.calibration.measure import Measured
    from gnomon.retrieval.calibration_file import Footing
    from gnomon.retrieval.guard import Guard
    from gnomon.rules.gate_values import Cell, Counts, HeldOut, WindowOutcome

SCHEMA = "gnomon.calibrate/1"


@dataclass(frozen=True, slots=True)
class CalibrationResult:
    """One run.

    Attributes
    ----------
    guard
        What may be written; None when something speaks against it.
    incoming
        The guard in force before.
    narrowed
        Whether only a part of the probe set was looked at: then nothing is written.
    auc
        Area under the ROC curve of the raw best cosine, positives against all negatives.
    named
        What the threshold does to single probes.
    """

    footing: Footing
    measured: Measured
    guard: Guard | None
    incoming: Guard
    ladder: Mapping[int, float]
    probes_hash: str
    seed: int
    strict: bool
    narrowed: bool
    auc: float | None
    named: ByName

    @property
    def written(self) -> bool:
        """Whether the thresholds may be written."""
        return self.guard is not None and not self.narrowed

    def to_json(self) -> dict[str, Any]:
        """Return the run as JSON values."""
        measured, chosen = self.measured, self.measured.chosen
        return {
            "verdict": "measured" if self.guard is not None else "refused",
            "narrowed": self.narrowed,
            "strict": self.strict,
            "seed": self.seed,
            "probes_hash": self.probes_hash,
            "footing": self.footing.as_dict(),
            "incoming": self.incoming.as_dict(),
            "guard": None if self.guard is None else self.guard.as_dict(),
            "counts": {s: n for s, n in measured.counts.items() if n},
            "unmeasured": [s for s in STRATA if not measured.counts.get(s)],
            "misses": {"missed": measured.misses, "with_gold": measured.with_gold},
            "bounds": [_bound_json(row) for row in bound_rows(measured.counts)],
            "window": None
            if chosen.choice is None
            else {
                "candidates": chosen.choice.candidates,
                "viable": chosen.choice.viable,
                "non_degenerate": chosen.choice.non_degenerate,
                "degenerate": chosen.choice.degenerate,
                "shortlist": [_outcome_json(o, chosen.counts) for o in chosen.choice.shortlist],
            },
            "chosen": None if chosen.cell is None else cell_json(chosen.cell, chosen.counts),
            "lexical": None if chosen.lexical is None else cell_json(chosen.lexical, chosen.counts),
            "validation": held_out_json(measured.validation),
            "held_out": held_out_json(measured.held_out),
            "auc": self.auc,
            "binding": list(self.named.binding),
            "nearest": [{"id": name, "score": score} for name, score in self.named.nearest],
            "misjudged": list(self.named.misjudged),
            "languages": {
                name: {"n": n, "right": right} for name, (n, right) in self.named.languages.items()
            },
            "too_few": list(measured.too_few),
            "failures": [{"code": f.code, "message": f.message} for f in measured.failures],
        }

    def file_body(self) -> dict[str, Any]:
        """Return what ``calibration.json`` holds."""
        assert self.guard is not None  # only a guard is written
        chosen = self.measured.chosen
        body = self.to_json()
        kept = ("counts", "bounds", "chosen", "lexical", "validation", "held_out", "misses")
        return {
            "footing": self.footing.as_dict(),
            "guard": self.guard.as_dict(),
            "strict": self.strict,
            "seed": self.seed,
            "probes_hash": self.probes_hash,
            **{name: body[name] for name in kept},
            "sweep": [_sweep_json(cell) for cell in chosen.sweep],
            "lexical_sweep": [_sweep_json(cell) for cell in chosen.lexical_sweep],
        }


def cell_json(cell: Cell, counts: Counts) -> dict[str, Any]:
    """Return what a threshold does, with the upper bounds of the positive strata."""
    return {
        "tau": cell.threshold,
        "strata": {
            s: {"n": counts[s], "refused": cell.refused.get(s, 0)}
            | (_upper_json(cell.refused.get(s, 0), counts[s], s) if s in POSITIVES else {})
            for s in STRATA
            if counts.get(s)
        },
        "gate_precision": gate_precision(cell, counts),
        "blatant_refusal": blatant_refusal(cell, counts),
    }


def held_out_json(held_out: HeldOut | None) -> dict[str, Any] | None:
    """Return what thresholds do to probes that had no say in them."""
    if held_out is None:
        return None
    return {
        s: {"n": held_out.counts[s], "refused": held_out.refused.get(s, 0)}
        | (_upper_json(held_out.refused.get(s, 0), held_out.counts[s], s) if s in POSITIVES else {})
        for s in STRATA
        if held_out.counts.get(s)
    }


def _upper_json(refused: int, n: int, stratum: Any) -> dict[str, Any]:
    return {
        "ub95": wilson_upper(refused, n),
        "ub95_exact": clopper_pearson_upper(refused, n),
        "bound": BOUNDS[stratum],
    }


def _bound_json(row: Any) -> dict[str, Any]:
    return {name: getattr(row, name) for name in row.__slots__}


def _outcome_json(outcome: WindowOutcome, counts: Counts) -> dict[str, Any]:
    positives = sum(counts.get(s, 0) for s in POSITIVES)
    assert outcome.cell is not None  # only viable windows are on the list
    return {
        "window": [outcome.window.floor / 100, outcome.window.ceiling / 100],
        "tau": outcome.cell.threshold,
        "gate_precision": gate_precision(outcome.cell, counts),
        "blatant_refusal": blatant_refusal(outcome.cell, counts),
        "ramp": outcome.on_ramp / positives if positives else None,
    }


def _sweep_json(cell: Cell) -> dict[str, Any]:
    return {"tau": cell.threshold, "refused": {s: n for s, n in cell.refused.items() if n}}
