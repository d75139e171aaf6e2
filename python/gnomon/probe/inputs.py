"""What a probe works on: vectors of both models and, where there are any, judgements."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gnomon.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gnomon.embedding.profile import Profile
    from gnomon.probe.ranks import Relevance

Matrix = NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryLog:
    """Real questions in both spaces.

    Attributes
    ----------
    old, new
        [L, d_old] and [L, d_new] vectors of every query of the log.
    ids
        L query ids.
    rows
        int64[Q], the queries that are evaluated; the relevance follows this order.
    relevance
        Human judgements of those queries, or None when there are none.
    """

    old: Matrix
    new: Matrix
    ids: Sequence[str]
    rows: NDArray[np.int64]
    relevance: Relevance | None


@dataclass(frozen=True, kw_only=True)
class ProbeInputs:
    """Everything that was read, checked and joined for one probe.

    Attributes
    ----------
    old_docs
        [n, d_old] vectors of the index as it is; any dtype of the kernels, memory-mapped or not.
    new_docs
        [m, d_new] vectors of the new model.
    new_rows
        int64[m], ascending: the documents that ``new_docs`` covers; None means all.
    log
        The query log, or None (tier T0 is all that can be measured then).
    has_text
        Whether the source returns document text, which the cascade needs.
    old_profile, new_profile
        The two models.
    skipped
        Counts of what was left out while joining (queries, judgements).
    names
        What to call each matrix in a message, usually its file.
    file_rows
        By matrix, int64: which row of the file each row is, where the two differ.
    """

    old_docs: Matrix
    new_docs: Matrix
    new_rows: NDArray[np.int64] | None = None
    log: QueryLog | None = None
    has_text: bool = False
    old_profile: Profile
    new_profile: Profile
    skipped: Mapping[str, int] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    file_rows: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse parts that do not belong together."""
        n, m = len(self.old_docs), len(self.new_docs)
        if n == 0:
            raise InvalidInputError("the corpus is empty: the old document vectors have no rows")
        if self.new_rows is None and m != n:
            raise InvalidInputError(
                f"old and new document vectors differ in number: {n} old rows, {m} new rows; "
                "if the new model covers a part of the corpus, name its documents with --new-ids"
            )
        if self.new_rows is not None and m != len(self.new_rows):
            raise InvalidInputError(
                f"--new-ids names {len(self.new_rows)} documents, but the new document vectors "
                f"have {m} rows; expected one id for each row"
            )
        if self.log is not None:
            self._check_width("old queries", self.log.old, "old documents", self.old_docs)
            self._check_width("new queries", self.log.new, "new documents", self.new_docs)

    @property
    def n_documents(self) -> int:
        """The number of documents in the index."""
        return len(self.old_docs)

    @cached_property
    def covered(self) -> NDArray[np.int64]:
        """int64[m]: the documents with a vector of the new model, ascending."""
        if self.new_rows is None:
            return np.arange(self.n_documents, dtype=np.int64)
        return self.new_rows

    def matrices(self) -> Iterator[tuple[str, Matrix]]:
        """Yield every matrix with what it is."""
        yield "old documents", self.old_docs
        yield "new documents", self.new_docs
        if self.log is not None:
            yield "old queries", self.log.old
            yield "new queries", self.log.new

    def new_vectors(self, rows: NDArray[np.int64]) -> Matrix:
        """Return the new vectors of documents ``rows``, each of which must be covered."""
        if self.new_rows is None:
            return self.new_docs[rows]
        return self.new_docs[np.searchsorted(self.new_rows, rows)]

    def _check_width(self, name: str, queries: Matrix, docs_name: str, docs: Matrix) -> None:
        if queries.shape[1] != docs.shape[1]:
            raise InvalidInputError(
                f"{self._called(name)} have width {queries.shape[1]}, {self._called(docs_name)} "
                f"have width {docs.shape[1]}; both must come from the same model: were the files "
                "of the old and the new model exchanged?"
            )

    def _called(self, name: str) -> str:
        return f"{name} ({self.names[name]})" if name in self.names else name
