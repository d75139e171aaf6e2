"""Where the relevant documents stand in a ranked list."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CELLS_PER_STEP = 1 << 22  # bounds the comparison table to 4 MB


@dataclass(frozen=True, slots=True)
class Relevance:
    """The relevant documents of every evaluation query, in CSR form.

    Attributes
    ----------
    offsets
        int64[Q + 1]; query q owns the entries ``offsets[q]`` to ``offsets[q + 1]``.
    rows
        int64[R], document rows.
    gains
        int64[R], each at least 1.
    """

    offsets: NDArray[np.int64]
    rows: NDArray[np.int64]
    gains: NDArray[np.int64]

    @property
    def n_queries(self) -> int:
        """The number of evaluation queries."""
        return len(self.offsets) - 1

    @property
    def query_of(self) -> NDArray[np.int64]:
        """int64[R]: the query that each entry belongs to."""
        return np.repeat(np.arange(self.n_queries), np.diff(self.offsets))

    def where(self, keep: NDArray[np.bool_]) -> Relevance:
        """Return the entries that ``keep`` marks; every query stays, perhaps with none."""
        counts = np.bincount(self.query_of[keep], minlength=self.n_queries)
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return replace(self, offsets=offsets, rows=self.rows[keep], gains=self.gains[keep])

    def queries(self, keep: NDArray[np.int64]) -> Relevance:
        """Return the relevance of the queries ``keep``, in that order."""
        lengths = np.diff(self.offsets)[keep]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        entries = np.concatenate(
            [np.arange(self.offsets[q], self.offsets[q + 1]) for q in keep] or [np.empty(0)]
        ).astype(np.int64)
        return Relevance(offsets, self.rows[entries], self.gains[entries])


def ranks_of_relevant(ids: NDArray[np.int64], relevance: Relevance) -> NDArray[np.int64]:
    """Return the rank of every relevant document in its query's list.

    Parameters
    ----------
    ids
        int64[Q, m], document rows best first; -1 where a list is shorter.
    relevance
        R entries over the same Q queries.

    Returns
    -------
    int64[R]
        Ranks from 1; 0 where the list does not hold the document.
    """
    ranks = np.zeros(len(relevance.rows), dtype=np.int64)
    width = ids.shape[1]
    if width == 0:
        return ranks
    queries = relevance.query_of
    step = max(1, _CELLS_PER_STEP // width)
    for start in range(0, len(ranks), step):
        part = slice(start, start + step)
        hit = ids[queries[part]] == relevance.rows[part, None]
        ranks[part] = np.where(hit.any(axis=1), hit.argmax(axis=1) + 1, 0)
    return ranks


def reordered(ids: NDArray[np.int64], scores: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return ``ids`` ordered by ``scores`` descending, then row ascending, query by query."""
    by_row = np.argsort(ids, axis=1, kind="stable")
    ordered_ids = np.take_along_axis(ids, by_row, axis=1)
    ordered_scores = np.take_along_axis(scores, by_row, axis=1)
    best_first = np.argsort(-ordered_scores, axis=1, kind="stable")
    return np.take_along_axis(ordered_ids, best_first, axis=1)
