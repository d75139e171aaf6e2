"""The two document spaces: the old one is searched by row, the new one may cover a part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.kernels import pair_scores
from gnomon.probe.passes import DocumentPass, RankedLists, Walks
from gnomon.probe.settings import N_FOLDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.probe.inputs import ProbeInputs
    from gnomon.probe.plan import Rows

_OUTSIDE = N_FOLDS  # the label of a row without a new vector


@dataclass(frozen=True, slots=True)
class Spaces:
    """Opens walks over either space and speaks of documents by their row in the corpus."""

    inputs: ProbeInputs
    threads: int | None

    @property
    def partial(self) -> bool:
        """Whether the new model covers a part of the corpus only."""
        return len(self.inputs.covered) < self.inputs.n_documents

    def old_pass(self, *, folds: bool = False) -> DocumentPass:
        """Return a walk over the index; with ``folds`` rows carry the label of their fold."""
        labels = self._fold_labels() if folds else None
        return DocumentPass(self.inputs.old_docs, labels, self.threads)

    def covered_pass(self) -> DocumentPass:
        """Return a walk over the part of the index with new vectors; nothing else is read."""
        return DocumentPass(self.inputs.old_docs, threads=self.threads, subset=self.inputs.covered)

    def new_pass(self, *, folds: bool = False) -> DocumentPass:
        """Return a walk over the new vectors; masks and answers go through the methods below."""
        labels = (self.inputs.covered % N_FOLDS).astype(np.uint8) if folds else None
        return DocumentPass(self.inputs.new_docs, labels, self.threads)

    def run_new(self, walk: DocumentPass, progress: Walks | None = None) -> list[RankedLists]:
        """Answer a walk over the new vectors with corpus rows."""
        answers = walk.run(progress)
        rows = self.inputs.new_rows
        if rows is None:
            return answers
        return [
            RankedLists(np.where(lists.ids < 0, -1, rows[lists.ids]), lists.scores)
            for lists in answers
        ]

    def in_new(self, rows: Rows) -> Rows:
        """Return where ``rows`` stand among the new vectors."""
        if self.inputs.new_rows is None:
            return rows
        return np.searchsorted(self.inputs.new_rows, rows)

    def covers(self, rows: NDArray[np.int64]) -> bool:
        """Whether every document of ``rows`` has a new vector."""
        if not self.partial:
            return True
        return bool(np.isin(rows, self.inputs.covered).all())

    def new_cosines(
        self, queries: NDArray[Any], candidates: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return the new model's own cosine of each query with each of its candidates."""
        places = self.in_new(candidates.reshape(-1)).reshape(candidates.shape)
        return pair_scores(queries, self.inputs.new_docs, places, threads=self.threads)

    def _fold_labels(self) -> NDArray[np.uint8]:
        labels = np.full(self.inputs.n_documents, _OUTSIDE, dtype=np.uint8)
        covered = self.inputs.covered
        labels[covered] = covered % N_FOLDS
        return labels


def resized(vectors: NDArray[Any], width: int) -> NDArray[Any]:
    """Return vectors cut or zero-padded to ``width``: what a naive swap sends to the index."""
    have = vectors.shape[1]
    if have >= width:
        return vectors[:, :width]
    return np.pad(vectors, ((0, 0), (0, width - have)))
