"""What a search returns: rows and scores, rectangular or ragged."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


class TopK(NamedTuple):
    """The hits of every query as two matrices, one row a query, best first.

    Attributes
    ----------
    ids
        int64[Q, m], original document rows.
    scores
        float32[Q, m], cosine similarities in [-1, 1]; higher is closer.
    """

    ids: NDArray[np.int64]
    scores: NDArray[np.float32]


class TopKRow(NamedTuple):
    """The hits of one query, best first.

    Attributes
    ----------
    ids
        int64[m], original document rows.
    scores
        float32[m].
    """

    ids: NDArray[np.int64]
    scores: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The hits of every query where queries may have different numbers of hits.

    Attributes
    ----------
    ids
        int64[nnz], the rows of all queries one after the other, best first in each.
    scores
        float32[nnz].
    offsets
        int64[Q + 1]; query ``q`` owns entries ``offsets[q]`` up to ``offsets[q + 1]``.

    Examples
    --------
    >>> import numpy as np
    >>> hits = Hits(np.array([4, 2, 7]), np.float32([0.9, 0.5, 0.8]), np.array([0, 2, 3]))
    >>> len(hits), hits[1].ids.tolist()
    (2, [7])
    >>> hits.padded(fill=-1).ids.tolist()
    [[4, 2], [7, -1]]
    """

    ids: NDArray[np.int64]
    scores: NDArray[np.float32]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.offsets) - 1

    def __getitem__(self, query: int) -> TopKRow:
        """Return the hits of one query; negative numbers count from the end."""
        part = _part_of(self.offsets, query)
        return TopKRow(self.ids[part], self.scores[part])

    def __iter__(self) -> Iterator[TopKRow]:
        """Go through the queries in order."""
        return (self[q] for q in range(len(self)))

    def counts(self) -> NDArray[np.int64]:
        """Return int64[Q]: how many hits each query has."""
        return np.diff(self.offsets)

    def padded(self, fill: int, *, fill_score: float = float("nan")) -> TopK:
        """Return matrices as wide as the longest list, the gaps filled.

        Parameters
        ----------
        fill
            The id that marks a gap; choose one that cannot be mistaken for a row.
        fill_score
            The score that marks a gap.

        Returns
        -------
        TopK
            ids int64[Q, m] and scores float32[Q, m].
        """
        counts = self.counts()
        width = int(counts.max(initial=0))
        present = np.arange(width) < counts[:, None]
        ids = np.full(present.shape, fill, dtype=np.int64)
        scores = np.full(present.shape, fill_score, dtype=np.float32)
        ids[present] = self.ids
        scores[present] = self.scores
        return TopK(ids, scores)


class NamedRow(NamedTuple):
    """The hits of one query whose ids are strings, best first.

    Attributes
    ----------
    ids
        m strings.
    scores
        float32[m].
    """

    ids: tuple[str, ...]
    scores: NDArray[np.float32]


class NamedTopK(NamedTuple):
    """`NamedHits` as matrices, one row a query, the gaps filled.

    Attributes
    ----------
    ids
        object[Q, m], strings.
    scores
        float32[Q, m].
    """

    ids: NDArray[np.object_]
    scores: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class NamedHits:
    """The hits of every query where ids are strings; otherwise like `Hits`.

    Attributes
    ----------
    ids
        The ids of all queries one after the other, best first in each.
    scores
        float32[nnz].
    offsets
        int64[Q + 1]; query ``q`` owns entries ``offsets[q]`` up to ``offsets[q + 1]``.

    Examples
    --------
    >>> import numpy as np
    >>> hits = NamedHits(("b", "a", "c"), np.float32([0.9, 0.5, 0.8]), np.array([0, 2, 3]))
    >>> len(hits), hits[1].ids
    (2, ('c',))
    >>> hits.padded(fill="").ids.tolist()
    [['b', 'a'], ['c', '']]
    """

    ids: tuple[str, ...]
    scores: NDArray[np.float32]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.offsets) - 1

    def __getitem__(self, query: int) -> NamedRow:
        """Return the hits of one query; negative numbers count from the end."""
        part = _part_of(self.offsets, query)
        return NamedRow(self.ids[part], self.scores[part])

    def __iter__(self) -> Iterator[NamedRow]:
        """Go through the queries in order."""
        return (self[q] for q in range(len(self)))

    def counts(self) -> NDArray[np.int64]:
        """Return int64[Q]: how many hits each query has."""
        return np.diff(self.offsets)

    def padded(self, fill: str, *, fill_score: float = float("nan")) -> NamedTopK:
        """Return matrices as wide as the longest list, the gaps filled with ``fill``."""
        places = Hits(np.arange(len(self.ids)), self.scores, self.offsets).padded(
            -1, fill_score=fill_score
        )
        names = np.array([*self.ids, fill], dtype=np.object_)
        return NamedTopK(names[places.ids], places.scores)


def _part_of(offsets: NDArray[np.int64], query: int) -> slice:
    n_queries = len(offsets) - 1
    q = operator.index(query)
    if not -n_queries <= q < n_queries:
        raise IndexError(f"query {q} is out of range for {n_queries} queries")
    q %= n_queries
    return slice(int(offsets[q]), int(offsets[q + 1]))
