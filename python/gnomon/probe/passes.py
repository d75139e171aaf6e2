"""Walks over the documents: ask everything first, then read each block once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gnomon.kernels import PassReport, SearchRequest, topk_pass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gnomon.types import Progress


@dataclass(frozen=True, slots=True)
class RankedLists:
    """Ranked rows and scores of one request.

    Attributes
    ----------
    ids
        int64[Q, m], best first; -1 where a list is shorter than the longest.
    scores
        float32[Q, m].
    """

    ids: NDArray[np.int64]
    scores: NDArray[np.float32]

    def cut(self, k: int) -> NDArray[np.int64]:
        """Return the first ``k`` ids of every list."""
        return self.ids[:, :k]

    def rows(self, lists: NDArray[np.int64]) -> RankedLists:
        """Return some of the lists, whole."""
        return RankedLists(self.ids[lists], self.scores[lists])


@dataclass(slots=True)
class Walks:
    """Joins the progress of several walks into one, in hundredths, that only rises.

    Attributes
    ----------
    progress
        What is told.
    expected
        How many walks there may be; fewer make the last step larger.
    """

    progress: Progress
    expected: int
    _finished: int = 0

    def __call__(self, done: int, total: int) -> None:
        """Tell how far the running walk is; ``total`` of 0 counts as its end."""
        share = done / total if total > 0 else 1.0
        self.progress(int(100 * min(1.0, (self._finished + share) / self.expected)), 100)

    def finish_walk(self) -> None:
        """Count the running walk as finished."""
        self._finished += 1
        self(0, 1)

    def finish(self) -> None:
        """Tell that all is done."""
        self.progress(100, 100)


@dataclass(slots=True)
class DocumentPass:
    """Collects the requests of one walk over a document matrix.

    Attributes
    ----------
    docs
        [n, d] document vectors, usually memory-mapped.
    labels
        uint8[n], the class of every row, or None when no request is restricted to a class.
    threads
        Threads of the kernel.
    subset
        int64, the only rows to read, or None for all.
    report
        What the walk saw beside the lists, once it has run.
    """

    docs: NDArray[Any]
    labels: NDArray[np.uint8] | None = None
    threads: int | None = None
    subset: NDArray[np.int64] | None = None
    report: PassReport = field(default_factory=PassReport)
    _requests: list[SearchRequest] = field(default_factory=list)

    def ask(
        self,
        queries: NDArray[Any],
        k: int,
        *,
        masked: NDArray[np.int64] | None = None,
        row_class: int | None = None,
    ) -> int:
        """Add a request and return the place of its answer.

        ``masked`` names, for each query, the one row that it may not find (its own document).
        """
        exclude = None if masked is None else masked.reshape(-1, 1)
        self._requests.append(SearchRequest(queries, k, exclude=exclude, row_class=row_class))
        return len(self._requests) - 1

    def run(self, progress: Walks | None = None) -> list[RankedLists]:
        """Answer all requests in one walk."""
        if not self._requests:
            return []
        answers = topk_pass(
            self.docs,
            self._requests,
            subset=self.subset,
            row_labels=self.labels,
            threads=self.threads,
            progress=progress,
            report=self.report,
        )
        if progress is not None:
            progress.finish_walk()
        return [RankedLists(*hits.padded(fill=-1)) for hits in answers]
