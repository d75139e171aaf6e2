"""What a sweep looks at: every chunk that could prime a record's turn, and which of them are gold.

The pools of all records lie one after the other, so that a cell of the sweep is work on arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

# The step at which a chunk is picked that is never picked.
NEVER: Final = np.iinfo(np.int32).max


@dataclass(frozen=True, slots=True, eq=False)
class Pools:
    """The chunks of R records, those of one record together: its pool and their neighbours.

    Attributes
    ----------
    rows
        int64[U], rows of the index.
    record
        int64[U], whose chunk it is, rising.
    place
        int64[U], its place in the fused pool; ``NEVER`` for a chunk that a neighbour only brings.
    bringer
        int64[U], the position here of the pool's chunk that brings it along; -1 without one.
    gold
        bool[U], whether it matches a gold entry.
    pair_entry, pair_chunk
        int64[P]: the positions of an entry and of a chunk that match each other.
    entry_record
        int64[E], whose gold entry it is.
    n_records
        R.
    """

    rows: NDArray[np.int64]
    record: NDArray[np.int64]
    place: NDArray[np.int64]
    bringer: NDArray[np.int64]
    gold: NDArray[np.bool_]
    pair_entry: NDArray[np.int64]
    pair_chunk: NDArray[np.int64]
    entry_record: NDArray[np.int64]
    n_records: int

    def positions(self, record: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where the chunks of some records lie here; every one must be there."""
        width = int(self.rows.max(initial=0)) + 1
        keys = self.record * width + self.rows
        order = np.argsort(keys, kind="stable")
        return order[np.searchsorted(keys[order], record * width + rows)]


def lay_out(
    pools: Sequence[NDArray[np.int64]],
    brought: Sequence[Mapping[int, int]],
    gold: Sequence[Sequence[frozenset[int]]],
) -> Pools:
    """Return the pools of some records as arrays.

    Parameters
    ----------
    pools
        The fused candidate rows of each record, best first.
    brought
        For each record, the neighbour of every row of its pool that is too short alone.
    gold
        For each record, the rows that match each of its gold entries.
    """
    rows: list[int] = []
    record: list[int] = []
    place: list[int] = []
    bringer: list[int] = []
    pairs: list[tuple[int, int]] = []
    entries: list[int] = []
    for number, (pool, neighbours, wanted) in enumerate(zip(pools, brought, gold, strict=True)):
        start = len(rows)
        own = pool.tolist()
        at = {row: start + index for index, row in enumerate(own)}
        rows += own
        place += range(len(own))
        bringer += [-1] * len(own)
        for row, neighbour in neighbours.items():
            if neighbour in at:
                bringer[at[neighbour]] = at[row]
                continue
            at[neighbour] = len(rows)
            rows.append(neighbour)
            place.append(NEVER)
            bringer.append(at[row])
        record += [number] * (len(rows) - start)
        for entry in wanted:
            pairs += [(len(entries), where) for row, where in at.items() if row in entry]
            entries.append(number)
    marked = np.zeros(len(rows), dtype=bool)
    marked[[chunk for _, chunk in pairs]] = True
    return Pools(
        rows=np.array(rows, dtype=np.int64),
        record=np.array(record, dtype=np.int64),
        place=np.array(place, dtype=np.int64),
        bringer=np.array(bringer, dtype=np.int64),
        gold=marked,
        pair_entry=np.array([entry for entry, _ in pairs], dtype=np.int64),
        pair_chunk=np.array([chunk for _, chunk in pairs], dtype=np.int64),
        entry_record=np.array(entries, dtype=np.int64),
        n_records=len(pools),
    )
