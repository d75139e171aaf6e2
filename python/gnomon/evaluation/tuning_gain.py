"""What a search over cells is worth: measured on records that had no say in it.

The best of 99 equal cells beats the plain one on the very records that chose it, by chance. So the
cell is also chosen on one half of the records and measured on the other, both ways round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.kernels import Purpose, draw_keys
from gnomon.rules.tuning import PLAIN_LAMBDA, Cell, choose_cell, read_gain
from gnomon.stats.resampling import resample_queries

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from gnomon.evaluation.tuning_sweep import Swept
    from gnomon.rules.tuning import Plane, Reading
    from gnomon.types import Figure


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A gain on records that had no say in the choice.

    Attributes
    ----------
    gain
        Mean difference of retrieval F1 to the reference, with its paired interval.
    reading
        What that amounts to.
    chosen
        The cells that each half chose, the first half's first.
    sizes
        Records in each half.
    """

    gain: Figure
    reading: Reading
    chosen: tuple[Cell, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """What a cell is compared with.

    Attributes
    ----------
    k
        None with vectors: the reference is lambda 1 at the cell's own k. Without them there is no
        lambda, and the reference is this k, the one in force.
    """

    k: int | None = None

    def of(self, cell: Cell) -> tuple[Fraction, int]:
        """Return lambda and k of the reference."""
        return (PLAIN_LAMBDA, cell.k) if self.k is None else (cell.lambda_, self.k)


def gain_in_sample(swept: Swept, cell: Cell, reference: Reference, *, seed: int) -> Figure:
    """Return a cell's gain on all records with its paired interval; flattered if it was chosen."""
    return _gain(swept.f1_at(cell.lambda_, cell.k), swept.f1_at(*reference.of(cell)), seed)


def gain_held_out(
    swept: Swept,
    plane: Plane,
    reference: Reference,
    strata: Sequence[Hashable],
    *,
    seed: int,
) -> HeldOut | None:
    """Return the gain of searching, by halves; None with fewer than two records.

    Parameters
    ----------
    strata
        Of each record: both halves get as many of each, to within one.
    """
    if len(strata) < 2:
        return None
    halves = split(strata, seed=seed)
    ours, theirs = np.empty(len(strata)), np.empty(len(strata))
    chosen = []
    for fit, rest in (halves, halves[::-1]):
        cell = choose_cell(cells_of(swept, plane, fit), plane)
        chosen.append(cell)
        ours[rest] = swept.f1_at(cell.lambda_, cell.k)[rest]
        theirs[rest] = swept.f1_at(*reference.of(cell))[rest]
    gain = _gain(ours, theirs, seed)
    return HeldOut(gain, read_gain(gain), tuple(chosen), tuple(map(len, halves)))


def cells_of(swept: Swept, plane: Plane, among: NDArray[np.int64] | None = None) -> list[Cell]:
    """Return the cells of the plane with their means, over all records or some."""
    return swept.cells(plane.lambdas.values, list(map(int, plane.counts.values)), among)


def split(strata: Sequence[Hashable], *, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return two halves of the records, rising, drawn within strata.

    Within a stratum records take turns in the order of their keys, and the turn goes on from one
    stratum to the next, so that many small strata do not fill up one half.
    """
    numbers = {stratum: number for number, stratum in enumerate(dict.fromkeys(strata))}
    stratum = np.array([numbers[one] for one in strata], dtype=np.int64)
    order = np.lexsort((draw_keys(seed, Purpose.HALVES, len(strata)), stratum))
    return np.sort(order[::2]), np.sort(order[1::2])


def _gain(ours: NDArray[np.float64], theirs: NDArray[np.float64], seed: int) -> Figure:
    drawn = resample_queries({"chosen": ours, "reference": theirs}, seed=seed)
    return drawn.difference_figure("chosen", "reference")
