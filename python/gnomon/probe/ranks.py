"""Where the relevant documents stand in a ranked list, and which adapter judges which of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.probe.settings import N_FOLDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

_CELLS_PER_STEP = 1 << 20  # bounds the comparison tables to some megabytes


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

    offsets: Ints
    rows: Ints
    gains: Ints

    @property
    def n_queries(self) -> int:
        """The number of evaluation queries."""
        return len(self.offsets) - 1

    @property
    def query_of(self) -> Ints:
        """int64[R]: the query that each entry belongs to."""
        return np.repeat(np.arange(self.n_queries), np.diff(self.offsets))

    def queries(self, keep: Ints) -> Relevance:
        """Return the relevance of the queries ``keep``, in that order."""
        lengths = np.diff(self.offsets)[keep]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        entries = np.concatenate(
            [np.arange(self.offsets[q], self.offsets[q + 1]) for q in keep] or [np.empty(0)]
        ).astype(np.int64)
        return Relevance(offsets, self.rows[entries], self.gains[entries])


@dataclass(frozen=True, slots=True)
class Share:
    """The relevant documents that one adapter judges, and the queries that look for them.

    Attributes
    ----------
    entries
        int64[r], entries of the relevance.
    rows
        int64[r], their documents.
    query_of
        int64[r], their queries.
    queries
        int64[s], those queries, each once, ascending: only their lists are needed.
    """

    entries: Ints
    rows: Ints
    query_of: Ints
    queries: Ints


def shares_of(relevance: Relevance, *, folded: bool) -> list[Share]:
    """Return what each adapter judges: one everything, or five the documents of their folds."""
    query_of = relevance.query_of
    if not folded:
        everything = np.arange(len(relevance.rows), dtype=np.int64)
        return [Share(everything, relevance.rows, query_of, np.arange(relevance.n_queries))]
    shares = []
    for fold in range(N_FOLDS):
        entries = np.flatnonzero(relevance.rows % N_FOLDS == fold)
        own = query_of[entries]
        shares.append(Share(entries, relevance.rows[entries], own, np.unique(own)))
    return shares


def ranks_of_relevant(ids: Ints, relevance: Relevance) -> Ints:
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
    return ranks_in(ids, relevance.query_of, relevance.rows)


def ranks_in(ids: Ints, lists: Ints, rows: Ints) -> Ints:
    """Return the rank of each document of ``rows`` in the list that ``lists`` names for it.

    Parameters
    ----------
    ids
        int64[L, m], document rows best first; -1 where a list is shorter.
    lists
        int64[r], which of the L lists.
    rows
        int64[r], documents.

    Returns
    -------
    int64[r]
        Ranks from 1; 0 where the list does not hold the document.
    """

    def ranked(part: slice) -> Ints:
        hit = ids[lists[part]] == rows[part, None]
        return np.where(hit.any(axis=1), hit.argmax(axis=1) + 1, 0)

    return _in_steps(ranked, len(rows), ids.shape[1])


def ranks_by_score(ids: Ints, scores: NDArray[np.float32], lists: Ints, rows: Ints) -> Ints:
    """Return the rank that each document has once its list is ordered by ``scores``.

    By score, falling, then by row, rising: a document stands behind those that score higher, and
    behind lower rows that score the same. Nothing is sorted for it.

    Parameters
    ----------
    ids, scores
        int64[L, m] and float32[L, m], in any order.
    lists, rows
        As in :func:`ranks_in`.

    Returns
    -------
    int64[r]
        Ranks from 1; 0 where the list does not hold the document.
    """

    def ranked(part: slice) -> Ints:
        candidates, values = ids[lists[part]], scores[lists[part]]
        own_row = rows[part, None]
        hit = candidates == own_row
        own = np.take_along_axis(values, hit.argmax(axis=1)[:, None], axis=1)
        ahead = (values > own) | ((values == own) & (candidates < own_row))
        return np.where(hit.any(axis=1), np.count_nonzero(ahead, axis=1) + 1, 0)

    return _in_steps(ranked, len(rows), ids.shape[1])


def _in_steps(ranked: Callable[[slice], Any], n: int, width: int) -> Ints:
    ranks = np.zeros(n, dtype=np.int64)
    if width > 0:
        for part in _steps(n, width):
            ranks[part] = ranked(part)
    return ranks


def _steps(n: int, width: int) -> Iterator[slice]:
    step = max(1, _CELLS_PER_STEP // width)
    return (slice(start, start + step) for start in range(0, n, step))
