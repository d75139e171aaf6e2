"""Refusals in every cell of a sweep: neither of its levers may change one.

A verdict is looked up once, since it does not depend on how its candidates are ranked. That this
holds is not taken on trust: in every cell one record is judged anew, from search to verdict, under
the levers of the cell, those nearest the threshold first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.evaluation.asking import questions_of
from gnomon.retrieval.levers import Lever, Levers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    import numpy as np
    from numpy.typing import NDArray

    from gnomon.evaluation.asking import Asked
    from gnomon.retrieval.index import Index
    from gnomon.sources.scope import Scope

    Point = tuple[Fraction, int]


@dataclass(frozen=True, slots=True)
class Refusals:
    """What the gate refuses of a pool.

    Attributes
    ----------
    over
        Records that should be answered.
    caught
        Records that should be refused.
    """

    over: int
    caught: int


def refusals_by_cell(
    index: Index,
    asked: Sequence[Asked],
    vectors: Mapping[str, NDArray[np.float32]],
    cells: Sequence[Point],
) -> dict[Point, Refusals]:
    """Return what the gate refuses in every cell.

    Parameters
    ----------
    vectors
        float32[dim] by text, for every wording of every record.
    cells
        Lambda and k of each.
    """
    over = sum(not one.passes and not one.negative for one in asked)
    caught = sum(not one.passes and one.negative for one in asked)
    nearest = sorted(asked, key=lambda one: abs(one.total - one.threshold))
    rows: dict[Scope, NDArray[np.int64] | None] = {}
    found = {}
    for number, cell in enumerate(cells):
        again = nearest[number % len(nearest)]
        scope = again.record.scope
        if scope is not None and scope not in rows:
            rows[scope] = index.rows_in(scope)
        moved = index.with_levers(levers_of(index, cell))
        within = None if scope is None else rows[scope]
        now = moved.judge(questions_of(again.record), vectors, within)
        change = int(not now.passes) - int(not again.passes)
        found[cell] = Refusals(
            over + (0 if again.negative else change), caught + (change if again.negative else 0)
        )
    return found


def levers_of(index: Index, cell: Point) -> Levers:
    """Return the levers in force with those of a cell in their place."""
    lambda_, k = cell
    swept = {
        "MMR_LAMBDA": Lever(float(lambda_), "tuning"),
        "GATE_K": Lever(float(k), "tuning"),
    }
    return Levers({**index.levers.values, **swept})
