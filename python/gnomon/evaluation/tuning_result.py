"""What a tuning run found, as values and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from gnomon.evaluation.tuning_gain import HeldOut
    from gnomon.evaluation.tuning_redundancy import Redundancy
    from gnomon.evaluation.tuning_refusals import Refusals
    from gnomon.retrieval.levers import Lever
    from gnomon.rules.tuning import Axis, Cell
    from gnomon.types import Figure

SCHEMA: Final = "gnomon.tune/1"
NARROWED: Final = "narrowed pool: REPORT ONLY, tuning.json will not be written"


@dataclass(frozen=True, slots=True)
class Pool:
    """The records that were asked.

    Attributes
    ----------
    golden_hash
        Of what is scored of them.
    level, limit
        What the pool was narrowed to, as given.
    suffix
        What the name of a narrowed pool's report ends in; empty for the whole set.
    records, with_gold
        All of them, and those with gold inside their own scope, over which means are taken.
    """

    golden_hash: str
    level: str | None
    limit: int | None
    suffix: str
    records: int
    with_gold: int


@dataclass(frozen=True, slots=True)
class Footing:
    """The index that was asked.

    Attributes
    ----------
    embed_model
        None without vectors: then the order is that of BM25, and only GATE_K is swept.
    fingerprint
        Of the model's profile: two widths of one model are two models. None without vectors.
    levers
        Those in force that are not swept.
    in_force
        MMR_LAMBDA and GATE_K as they are now.
    """

    index_hash: str
    embed_model: str | None
    fingerprint: str | None
    levers: Mapping[str, float]
    in_force: Mapping[str, Lever]


@dataclass(frozen=True, slots=True)
class Moved:
    """The retrieval F1 of a record under the reference and in the winning cell."""

    id: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Compared:
    """The winning cell beside what it is compared with, on the records that chose it.

    Attributes
    ----------
    reference
        Lambda 1 at the same k; without vectors the k in force.
    gain
        Mean difference of retrieval F1; flattered, since the same records chose the cell.
    redundancy_before, redundancy_after
        Of the reference and of the winner.
    up, down
        The records that moved most each way, furthest first.
    n_up, n_down, n_same
        How many moved which way.
    """

    reference: Cell
    gain: Figure
    redundancy_before: Redundancy
    redundancy_after: Redundancy
    up: tuple[Moved, ...]
    down: tuple[Moved, ...]
    n_up: int
    n_down: int
    n_same: int


@dataclass(frozen=True, slots=True)
class TuningResult:
    """One run.

    Attributes
    ----------
    lambdas, counts
        The axes of MMR_LAMBDA and GATE_K.
    cells
        Every cell, by lambda, then k, rising.
    refusals
        What the gate refuses in each.
    in_force
        The cell of the levers in force, which need not be one of the sweep.
    held_out
        None with fewer than two records.
    notes
        What else the reader should know.
    """

    footing: Footing
    pool: Pool
    lambdas: Axis
    counts: Axis
    cells: tuple[Cell, ...]
    refusals: Mapping[tuple[Fraction, int], Refusals]
    winner: Cell
    in_force: Cell
    compared: Compared
    held_out: HeldOut | None
    seed: int
    notes: tuple[str, ...]

    @property
    def narrowed(self) -> bool:
        """Whether only a part of the golden set was asked: then no tuning.json is written."""
        return bool(self.pool.suffix)

    @property
    def refusals_differ(self) -> bool:
        """Whether a cell refuses other records than another, which no swept lever may do."""
        return len(set(self.refusals.values())) > 1

    @property
    def writable(self) -> bool:
        """Whether a tuning.json may be written."""
        return not self.narrowed and not self.refusals_differ

    def to_json(self) -> dict[str, Any]:
        """Return the run as JSON values."""
        compared = self.compared
        return {
            "verdict": "refusals-differ" if self.refusals_differ else "measured",
            "narrowed": self.narrowed,
            "pool": asdict(self.pool),
            "footing": {
                "index_hash": self.footing.index_hash,
                "embed_model": self.footing.embed_model,
                "levers": dict(self.footing.levers),
                "in_force": {
                    name: {"value": lever.value, "source": lever.source}
                    for name, lever in self.footing.in_force.items()
                },
            },
            "axes": {"MMR_LAMBDA": _axis(self.lambdas), "GATE_K": _axis(self.counts)},
            "seed": self.seed,
            "winner": cell_json(self.winner),
            "in_force": cell_json(self.in_force),
            "reference": cell_json(compared.reference),
            "gain": figure_json(compared.gain),
            "held_out": held_out_json(self.held_out),
            "redundancy": {
                "reference": asdict(compared.redundancy_before),
                "winner": asdict(compared.redundancy_after),
            },
            "moved": {
                "n_up": compared.n_up,
                "n_down": compared.n_down,
                "n_same": compared.n_same,
                "up": [asdict(one) for one in compared.up],
                "down": [asdict(one) for one in compared.down],
            },
            "refusals_differ": self.refusals_differ,
            "cells": [
                cell_json(cell) | asdict(self.refusals[cell.lambda_, cell.k]) for cell in self.cells
            ],
            "notes": list(self.notes),
        }

    def file_body(self) -> dict[str, Any]:
        """Return what ``tuning.json`` holds beside its version."""
        return {
            "index_hash": self.footing.index_hash,
            "embed_model": self.footing.embed_model,
            "fingerprint": self.footing.fingerprint,
            "level": self.pool.level or "ultra",
            "records": self.pool.records,
            "MMR_LAMBDA": float(self.winner.lambda_),
            "GATE_K": self.winner.k,
        }


def cell_json(cell: Cell) -> dict[str, Any]:
    """Return a cell and its means."""
    return {
        "MMR_LAMBDA": float(cell.lambda_),
        "GATE_K": cell.k,
        "f1": cell.f1,
        "recall@8": cell.recall,
        "mrr": cell.mrr,
    }


def figure_json(figure: Figure) -> dict[str, Any]:
    """Return a figure, its interval, or why there is none."""
    return asdict(figure)


def held_out_json(held_out: HeldOut | None) -> dict[str, Any] | None:
    """Return the reading on records that had no say."""
    if held_out is None:
        return None
    return {
        "gain": figure_json(held_out.gain),
        "reading": held_out.reading,
        "sizes": list(held_out.sizes),
        "chosen": [
            {"MMR_LAMBDA": float(cell.lambda_), "GATE_K": cell.k} for cell in held_out.chosen
        ],
    }


def _axis(axis: Axis) -> list[float]:
    return list(axis.numbers)
