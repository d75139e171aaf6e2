"""What a walk over the index is asked about the evaluation queries as adapters see them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gnomon.kernels import normalize
from gnomon.probe.ranks import Share, ranks_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gnomon.adapters.base import FittedAdapter
    from gnomon.probe.passes import DocumentPass, RankedLists
    from gnomon.probe.plan import Rows
    from gnomon.probe.truth import Evaluation


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: where its answer will stand, and which queries it covers.

    Attributes
    ----------
    share
        The relevant documents that are looked up in the answer.
    place
        The place of the answer among those of the walk.
    queries
        int64[s], evaluation queries whose lists the answer holds, ascending.
    """

    share: Share
    place: int
    queries: Rows

    @property
    def lists(self) -> Rows:
        """int64[r]: which list of the answer each document of the share is looked up in."""
        return np.searchsorted(self.queries, self.share.query_of)

    def ranks(self, answers: Sequence[RankedLists]) -> Rows:
        """int64[r]: the rank of each document of the share."""
        return ranks_in(answers[self.place].ids, self.lists, self.share.rows)


@dataclass(slots=True)
class Questions:
    """Asks a walk about bridged queries, each adapter only about the queries that it judges.

    Attributes
    ----------
    everyone
        All evaluation queries.
    """

    walk: DocumentPass
    evaluation: Evaluation
    threads: int | None
    everyone: Rows = field(init=False)
    _bridged: dict[int, NDArray[np.float32]] = field(default_factory=dict)
    _asked: dict[int, Asked] = field(default_factory=dict)
    _unit: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        self.everyone = np.arange(self.evaluation.n_queries, dtype=np.int64)

    def ask(self, adapter: FittedAdapter, k: int, share: Share, *, everyone: bool = False) -> Asked:
        """Ask for the lists of one adapter; what was asked of it before, and deeper, serves again.

        ``everyone`` asks for the lists of all queries, whatever the adapter judges.
        """
        before = self._asked.get(id(adapter))
        if before is not None:
            return Asked(share, before.place, before.queries)
        queries = self.everyone if everyone else share.queries
        vectors = self._vectors(adapter, queries)
        place = self.walk.ask(vectors, k, masked=self._masked(queries))
        asked = Asked(share, place, queries)
        self._asked[id(adapter)] = asked
        return asked

    def ask_class(self, adapter: FittedAdapter, k: int, share: Share, row_class: int) -> Asked:
        """Ask for the lists of one adapter among the documents of one class."""
        return self.ask_vectors(self.bridged(adapter), k, share, row_class)

    def ask_vectors(
        self,
        vectors: NDArray[np.generic],
        k: int,
        share: Share,
        row_class: int | None = None,
    ) -> Asked:
        """Ask for the lists of the share's queries, rows of ``vectors``, perhaps in one class."""
        queries = share.queries
        place = self.walk.ask(
            vectors[queries], k, masked=self._masked(queries), row_class=row_class
        )
        return Asked(share, place, queries)

    def bridged(self, adapter: FittedAdapter) -> NDArray[np.float32]:
        """Return g of all evaluation queries, unit length, computed once and kept."""
        if id(adapter) not in self._bridged:
            self._bridged[id(adapter)] = adapter.apply(self._unit_queries(), self.threads)
        return self._bridged[id(adapter)]

    def _vectors(self, adapter: FittedAdapter, queries: Rows) -> NDArray[np.float32]:
        """Return g of some queries; what nobody asks for again is not kept."""
        if len(queries) == len(self.everyone):
            return self.bridged(adapter)
        return adapter.apply(self._unit_queries()[queries], self.threads)

    def _unit_queries(self) -> NDArray[np.float32]:
        if self._unit is None:
            self._unit = normalize(self.evaluation.new, threads=self.threads)
        return self._unit

    def _masked(self, queries: Rows) -> Rows | None:
        masked = self.evaluation.masked
        return None if masked is None else masked[queries]


def joined(parts: Sequence[tuple[Share, Rows]], n_entries: int) -> Rows:
    """Return the ranks of all relevant documents from those of the shares."""
    ranks = np.zeros(n_entries, dtype=np.int64)
    for share, found in parts:
        ranks[share.entries] = found
    return ranks
