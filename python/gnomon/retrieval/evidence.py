"""What retrieval finds for one wording of a question: the input of the gate and of the ranking.

The live gate, calibration, tuning and evaluation all look here, so they look at the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from gnomon.retrieval.gate_score import standard_score
from gnomon.retrieval.terms import coverage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from gnomon.kernels import BM25Index, VectorIndex
    from gnomon.retrieval.chunking import Chunk
    from gnomon.retrieval.levers import Levers
    from gnomon.retrieval.terms import Vocabulary

# Lexical evidence is looked for in so many of the best chunks.
EVIDENCE_HITS: Final = 3
FIELDS: Final = ("title", "trail", "path", "anchor", "text")


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """What one wording finds within a scope.

    Attributes
    ----------
    terms
        The content terms, rarest first.
    coverage
        The share of them that the best lexical hits have (L).
    evidence
        The terms of those hits.
    lexical, dense
        Candidate rows of both channels, best first.
    cosine
        The best cosine in scope; None without a dense channel or an empty scope.
    z
        Its standard score among the cosines with all chunks; None unless asked for.
    n_scope
        How many chunks lie in scope.
    """

    terms: tuple[str, ...]
    coverage: float
    evidence: frozenset[str]
    lexical: NDArray[np.int64]
    dense: NDArray[np.int64]
    cosine: float | None
    z: float | None
    n_scope: int


@dataclass(frozen=True, slots=True, eq=False)
class Finder:
    """The channels of an index.

    Attributes
    ----------
    fields
        A lexical index for each of ``FIELDS``.
    vectors
        The dense index, or None.
    """

    chunks: Sequence[Chunk]
    vocabulary: Vocabulary
    fields: Mapping[str, BM25Index]
    vectors: VectorIndex | None
    levers: Levers

    def find(
        self,
        question: str,
        vector: NDArray[np.float32] | None,
        rows: NDArray[np.int64] | None,
        *,
        with_z: bool = False,
    ) -> Findings:
        """Return what a wording finds.

        Parameters
        ----------
        vector
            float32[dim], its embedding; ignored without a dense index.
        rows
            The rows in scope, rising; None for all.
        with_z
            Whether to compare the best cosine with those of all chunks.
        """
        depth = self.levers.count("CANDIDATES")
        lexical = self._lexical(question, rows, max(depth, EVIDENCE_HITS))
        terms = self.vocabulary.content_terms(question)
        best = [self.chunks[row].passage for row in lexical[:EVIDENCE_HITS].tolist()]
        evidence = self.vocabulary.terms_in(best)
        dense, cosine, z = self._dense(vector, rows, depth, with_z=with_z)
        return Findings(
            terms=terms,
            coverage=coverage(terms, evidence),
            evidence=evidence,
            lexical=lexical[:depth],
            dense=dense,
            cosine=cosine,
            z=z,
            n_scope=len(self.chunks) if rows is None else len(rows),
        )

    def lexical_scores(self, question: str) -> NDArray[np.float32]:
        """Return float32[n]: the boosted sum of the fields' BM25 scores, in their order.

        Function words are asked for only when there is nothing else: "how" stands in many headings,
        and one match in so short a field outweighs the rare word that was meant.
        """
        terms = self.vocabulary.searched_terms(question)
        total = np.zeros(len(self.chunks), dtype=np.float64)
        for name in FIELDS:
            scores = self.fields[name].scores(tokens=terms)
            total += self.levers[f"BOOST_{name.upper()}"] * scores.astype(np.float64)
        return total.astype(np.float32)

    def _lexical(self, question: str, rows: NDArray[np.int64] | None, k: int) -> NDArray[np.int64]:
        scores = self.lexical_scores(question)
        found = np.flatnonzero(scores > 0) if rows is None else rows[scores[rows] > 0]
        if len(found) > 4 * k:  # a cut that keeps every row that ties with the k-th
            cut = np.partition(scores[found], len(found) - k)[len(found) - k]
            found = found[scores[found] >= cut]
        return found[np.argsort(-scores[found], kind="stable")][:k]

    def _dense(
        self,
        vector: NDArray[np.float32] | None,
        rows: NDArray[np.int64] | None,
        depth: int,
        *,
        with_z: bool,
    ) -> tuple[NDArray[np.int64], float | None, float | None]:
        none = np.empty(0, dtype=np.int64)
        if self.vectors is None or vector is None or (rows is not None and len(rows) == 0):
            return none, None, None
        hits = self.vectors.search(vector, depth, subset=rows, threads=1)
        if hits.ids.shape[1] == 0:
            return none, None, None
        cosine = float(hits.scores[0, 0])
        z = None
        if with_z:
            every = self.vectors.search(vector, len(self.chunks), threads=1)
            z = standard_score(every.scores[0], cosine)
        return hits.ids[0], cosine, z
