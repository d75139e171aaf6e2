"""Every cell of a sweep over every record, as arrays: nothing is embedded or searched again.

Greedy picks are nested in k, so one order per lambda serves every k: a chunk primes the turn from
the k at which it is picked, or at which the chunk before it is, when that one is too short alone.
The measures are those of `gnomon.evaluation.scoring`, to the bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.evaluation.scoring import RECALL_DEPTH
from gnomon.evaluation.tuning_pools import NEVER
from gnomon.kernels import exact_mean
from gnomon.rules.tuning import Cell

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from gnomon.evaluation.tuning_pools import Pools
    from gnomon.kernels import Hits


@dataclass(frozen=True, slots=True, eq=False)
class Swept:
    """What every record gives at every pair of a lambda and a k.

    Attributes
    ----------
    lambdas, counts
        The values along the first two axes, rising.
    picked_at
        int64[L, U]: the step, from 0, at which each chunk of the pools is picked.
    f1
        float64[L, K, R], retrieval F1 of what primes the turn.
    recall
        float64[L, R], recall@8.
    reciprocal
        float64[L, K, R], 1 / rank of the first gold chunk.
    """

    lambdas: tuple[Fraction, ...]
    counts: tuple[int, ...]
    picked_at: NDArray[np.int64]
    f1: NDArray[np.float64]
    recall: NDArray[np.float64]
    reciprocal: NDArray[np.float64]

    def f1_at(self, lambda_: Fraction, k: int) -> NDArray[np.float64]:
        """Return float64[R], the retrieval F1 of every record."""
        found: NDArray[np.float64] = self.f1[self.lambdas.index(lambda_), self.counts.index(k)]
        return found

    def cell(self, lambda_: Fraction, k: int, among: NDArray[np.int64] | None = None) -> Cell:
        """Return the means of a cell, over all records or some; each is correctly rounded."""
        return self.cells([lambda_], [k], among)[0]

    def cells(
        self,
        lambdas: Sequence[Fraction],
        counts: Sequence[int],
        among: NDArray[np.int64] | None = None,
    ) -> list[Cell]:
        """Return the cells of some lambdas and ks with their means, by lambda, then k."""
        chosen = slice(None) if among is None else among
        found = []
        for lambda_ in lambdas:
            row = self.lambdas.index(lambda_)
            recall = exact_mean(self.recall[row][chosen])
            # Ranks are looked at to a depth of eight at least, so most ks have one MRR.
            mrr: dict[int, float] = {}
            for k in counts:
                column, depth = self.counts.index(k), max(k, RECALL_DEPTH)
                if depth not in mrr:
                    mrr[depth] = exact_mean(self.reciprocal[row, column][chosen])
                f1 = exact_mean(self.f1[row, column][chosen])
                found.append(Cell(lambda_, k, f1, recall, mrr[depth]))
        return found


def order_of_hits(pools: Pools, hits: Hits) -> NDArray[np.int64]:
    """Return int64[U], the step at which each chunk is picked, from the picks of every record."""
    lengths = np.diff(hits.offsets)
    record = np.repeat(np.arange(len(lengths)), lengths)
    step = np.arange(len(hits.ids)) - np.repeat(hits.offsets[:-1], lengths)
    picked_at = np.full(len(pools.rows), NEVER, dtype=np.int64)
    picked_at[pools.positions(record, hits.ids)] = step
    return picked_at


def order_of_pages(pools: Pools, pages: Sequence[str], cap: int) -> NDArray[np.int64]:
    """Return int64[U], the step at which each chunk is picked where there are no vectors.

    In the order of the pool come ``cap`` chunks of every page, and behind them the rest.
    """
    numbers = {page: number for number, page in enumerate(dict.fromkeys(pages))}
    page = np.array([numbers[pages[row]] for row in pools.rows.tolist()], dtype=np.int64)
    before: dict[tuple[int, int], int] = {}
    late = np.zeros(len(page), dtype=bool)
    for at in np.flatnonzero(pools.place != NEVER).tolist():  # in the order of each pool
        key = (int(pools.record[at]), int(page[at]))
        before[key] = before.get(key, 0) + 1
        late[at] = before[key] > cap
    order = np.lexsort((pools.place, late, pools.record))
    picked_at = np.full(len(page), NEVER, dtype=np.int64)
    in_pool = order[pools.place[order] != NEVER]
    record = pools.record[in_pool]
    first = np.searchsorted(record, record, side="left")
    picked_at[in_pool] = np.arange(len(in_pool)) - first
    return picked_at


def sweep(
    pools: Pools,
    lambdas: Sequence[Fraction],
    counts: Sequence[int],
    orders: Sequence[NDArray[np.int64]],
    *,
    by_place: bool,
) -> Swept:
    """Return what every record gives in every cell.

    Parameters
    ----------
    lambdas, counts
        The axes, rising.
    orders
        int64[U] for each lambda: the step at which each chunk is picked.
    by_place
        Whether what is picked is shown in the order of the pool, as without vectors, and not in the
        order of picking.
    """
    f1, recall, reciprocal = [], [], []
    for picked_at in orders:
        f1.append(_f1(pools, picked_at, counts))
        recall.append(_recall(pools, picked_at))
        ranks = [_first_gold(pools, _ranked_at(pools, picked_at, k, by_place)) for k in counts]
        reciprocal.append(np.stack([np.where(r == NEVER, 0.0, 1 / (r + 1.0)) for r in ranks]))
    return Swept(
        tuple(lambdas),
        tuple(counts),
        np.stack(orders),
        np.stack(f1),
        np.stack(recall),
        np.stack(reciprocal),
    )


def _f1(pools: Pools, picked_at: NDArray[np.int64], counts: Sequence[int]) -> NDArray[np.float64]:
    """Return float64[K, R]."""
    brought = np.where(pools.bringer < 0, NEVER, picked_at[pools.bringer])
    primed_at = np.minimum(picked_at, brought)
    top = max(counts)
    primed = _so_far(pools.record, primed_at, top, pools.n_records)
    right = _so_far(pools.record[pools.gold], primed_at[pools.gold], top, pools.n_records)
    covered = _so_far(pools.entry_record, _earliest(pools, primed_at), top, pools.n_records)
    entries = np.bincount(pools.entry_record, minlength=pools.n_records)[:, None]
    precision = np.divide(right, primed, out=np.zeros(primed.shape), where=primed > 0)
    recall = covered / entries
    both = precision + recall
    f1 = np.divide(2 * precision * recall, both, out=np.zeros(both.shape), where=both > 0)
    return np.ascontiguousarray(f1[:, np.array(counts) - 1].T)


def _recall(pools: Pools, picked_at: NDArray[np.int64]) -> NDArray[np.float64]:
    covered = _earliest(pools, picked_at) < RECALL_DEPTH
    hits = np.bincount(pools.entry_record, covered, minlength=pools.n_records)
    entries = np.bincount(pools.entry_record, minlength=pools.n_records)
    return np.asarray(hits / entries, dtype=np.float64)


def _ranked_at(
    pools: Pools, picked_at: NDArray[np.int64], k: int, by_place: bool
) -> NDArray[np.int64]:
    """Return int64[U], the rank from 0: the first eight, then what else primes when k is larger."""
    depth = max(k, RECALL_DEPTH)
    if not by_place:
        return np.where(picked_at < depth, picked_at, NEVER)
    behind = picked_at >= RECALL_DEPTH
    shown = np.flatnonzero(picked_at < depth)
    order = shown[np.lexsort((pools.place[shown], behind[shown], pools.record[shown]))]
    record = pools.record[order]
    ranked_at = np.full(len(picked_at), NEVER, dtype=np.int64)
    ranked_at[order] = np.arange(len(order)) - np.searchsorted(record, record, side="left")
    return ranked_at


def _first_gold(pools: Pools, ranked_at: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return int64[R], the rank from 0 of the first gold chunk of every record."""
    first = np.full(pools.n_records, NEVER, dtype=np.int64)
    np.minimum.at(first, pools.record[pools.gold], ranked_at[pools.gold])
    return first


def _earliest(pools: Pools, step: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return int64[E], the first step at which a chunk of every gold entry is there."""
    first = np.full(len(pools.entry_record), NEVER, dtype=np.int64)
    np.minimum.at(first, pools.pair_entry, step[pools.pair_chunk])
    return first


def _so_far(
    record: NDArray[np.int64], step: NDArray[np.int64], top: int, n_records: int
) -> NDArray[np.int64]:
    """Return int64[R, top]: how many of a record's items came within 1, 2, ... ``top`` steps."""
    kept = step < top
    counts = np.bincount(record[kept] * top + step[kept], minlength=n_records * top)
    return np.cumsum(counts.reshape(n_records, top), axis=1)
