"""How often `gnomon tune` claims a gain where there is none.

    python bench/tuning_null.py --runs 400

Two worlds, 99 cells each, in which no lambda is better than another: gold that lies anywhere in the
pool, whatever the vectors, so that MMR reorders by chance; and cells whose F1 is noise of its own.
"""

from __future__ import annotations

import argparse
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from gnomon.evaluation.tuning_gain import (
    Reference,
    cells_of,
    gain_held_out,
    gain_in_sample,
)
from gnomon.evaluation.tuning_pools import lay_out
from gnomon.evaluation.tuning_sweep import Swept, order_of_hits, sweep
from gnomon.kernels import mmr_grid
from gnomon.rules.tuning import (
    DEFAULT_COUNTS,
    DEFAULT_LAMBDAS,
    Plane,
    choose_cell,
    parse_counts,
    parse_lambdas,
    read_gain,
)

if TYPE_CHECKING:
    from collections.abc import Callable

POOL: Final = 12
DIM: Final = 16
PLANE: Final = Plane(
    parse_lambdas(DEFAULT_LAMBDAS), parse_counts(DEFAULT_COUNTS, POOL), Fraction(1), 5
)
COUNTS: Final = tuple(map(int, PLANE.counts.values))


def gold_anywhere(n_records: int, seed: int) -> Swept:
    """Return the sweep of pools whose gold has nothing to do with their vectors."""
    draw = np.random.default_rng(seed)
    vectors = draw.standard_normal((n_records * POOL, DIM)).astype(np.float32)
    queries = draw.standard_normal((n_records, DIM)).astype(np.float32)
    pools = [np.arange(r * POOL, (r + 1) * POOL, dtype=np.int64) for r in range(n_records)]
    gold = [
        [frozenset({int(row)}) for row in draw.choice(pool, draw.integers(1, 4), replace=False)]
        for pool in pools
    ]
    laid_out = lay_out(pools, [{}] * n_records, gold)
    found = mmr_grid(queries, vectors, POOL, PLANE.lambdas.numbers, rows=pools, threads=1)
    orders = [order_of_hits(laid_out, hits) for hits in found]
    return sweep(laid_out, PLANE.lambdas.values, COUNTS, orders, by_place=False)


def cells_of_noise(n_records: int, seed: int) -> Swept:
    """Return a sweep whose every cell is a hard or an easy record and noise of its own."""
    draw = np.random.default_rng(seed)
    lambdas = PLANE.lambdas.values
    shape = (len(lambdas), len(COUNTS), n_records)
    hardness = draw.uniform(0.2, 0.8, n_records)
    f1 = np.clip(hardness + 0.2 * draw.standard_normal(shape), 0.0, 1.0)
    same = np.broadcast_to(hardness, shape)
    nowhere = np.zeros((len(lambdas), 0), dtype=np.int64)
    return Swept(lambdas, COUNTS, nowhere, f1, same[:, 0], same)


WORLDS: Final[dict[str, Callable[[int, int], Swept]]] = {
    "gold anywhere in the pool": gold_anywhere,
    "cells of noise": cells_of_noise,
}


def claims(world: Callable[[int, int], Swept], n_records: int, seed: int) -> tuple[bool, bool]:
    """Return whether one run claims a gain held out, and whether it would in-sample."""
    swept = world(n_records, seed)
    strata = [number % 3 for number in range(n_records)]
    held_out = gain_held_out(swept, PLANE, Reference(), strata, seed=seed)
    assert held_out is not None  # there are records enough
    winner = choose_cell(cells_of(swept, PLANE), PLANE)
    flattered = gain_in_sample(swept, winner, Reference(), seed=seed)
    return held_out.reading == "gain", read_gain(flattered) == "gain"


def most_allowed(runs: int, *, errors: float = 3.0) -> float:
    """Return 5% plus so many standard errors of a share of so many runs."""
    return 0.05 + errors * math.sqrt(0.05 * 0.95 / runs)


def main() -> None:
    """Print the share of runs that claim a gain."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--records", type=int, nargs="+", default=[20, 60, 200])
    given = parser.parse_args()
    print("| world | records | runs | claimed held out | at most | would be claimed in-sample |")
    print("|---|---|---|---|---|---|")
    for name, world in WORLDS.items():
        for n_records in given.records:
            found = np.array([claims(world, n_records, seed) for seed in range(given.runs)])
            held_out, flattered = found.mean(axis=0)
            print(
                f"| {name} | {n_records} | {given.runs} | {held_out:.2%} | "
                f"{most_allowed(given.runs):.2%} | {flattered:.2%} |"
            )


if __name__ == "__main__":
    main()
