"""The mathematical definition of BM25 over token lists, in plain Python floats.

With N documents, df those that hold a term, tf its count in a document, dl the number of tokens of
that document, avgdl their mean over all N, B = (1 - b) + b * dl / avgdl, K = k1 * B and c = tf / B,
a term adds (qtf * idf) * part to a document that holds it, qtf being its count in the query:

=========  ==========================================  ============================================
variant    idf                                         part
=========  ==========================================  ============================================
lucene     ln(1 + (N - df + 0.5) / (df + 0.5))         tf / (tf + K)
robertson  max(0, ln((N - df + 0.5) / (df + 0.5)))     tf / (tf + K)
atire      ln(N / df)                                  (k1 + 1) * tf / (tf + K)
bm25+      ln((N + 1) / df)                            (k1 + 1) * tf / (tf + K) + delta
bm25l      ln((N + 1) / (df + 0.5))                    (k1 + 1) * (c + delta) / (k1 + c + delta)
=========  ==========================================  ============================================

Everything is float64 in the order written; terms are added in ascending order of their UTF-8 bytes,
from 0.0, and the sum is rounded once to float32. Hits are the documents with a score above 0, by
score descending, then row ascending. The logarithm is the correctly rounded one.
"""

from __future__ import annotations

from collections import Counter
from decimal import Context, Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from tests.reference.cosine import Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

VARIANTS = ("lucene", "robertson", "atire", "bm25+", "bm25l")
DELTAS = {"bm25+": 1.0, "bm25l": 0.5}
_PRECISE = Context(prec=60)


@lru_cache(maxsize=100_000)
def ln(x: float) -> float:
    """Return the natural logarithm of a float64, correctly rounded."""
    return float(_PRECISE.ln(Decimal(x)))


def idf(variant: str, n: int, df: int) -> float:
    """Return the weight of a term that df of n documents hold."""
    if variant == "lucene":
        return ln(1.0 + (n - df + 0.5) / (df + 0.5))
    if variant == "robertson":
        return max(0.0, ln((n - df + 0.5) / (df + 0.5)))
    if variant == "atire":
        return ln(n / df)
    if variant == "bm25+":
        return ln((n + 1.0) / df)
    if variant == "bm25l":
        return ln((n + 1.0) / (df + 0.5))
    raise ValueError(variant)


class Definition:
    """One corpus of token lists and its settings.

    Parameters
    ----------
    docs
        One list of tokens a document.
    delta
        None for the variant's own default.
    """

    def __init__(
        self,
        docs: Iterable[Sequence[str]],
        *,
        variant: str = "lucene",
        k1: float = 1.2,
        b: float = 0.75,
        delta: float | None = None,
    ) -> None:
        self.counts = [Counter(doc) for doc in docs]
        self.lengths = [sum(counts.values()) for counts in self.counts]
        self.df = Counter(term for counts in self.counts for term in counts)
        self.variant, self.k1, self.b = variant, float(k1), float(b)
        self.delta = DELTAS.get(variant, 0.0) if delta is None else float(delta)

    def part(self, tf: int, dl: int) -> float:
        """Return how much a term's tf occurrences count in a document of dl tokens."""
        k1, delta = self.k1, self.delta
        average = sum(self.lengths) / len(self.lengths)
        norm = (1.0 - self.b) + self.b * dl / average
        if self.variant == "bm25l":
            c = tf / norm
            return (k1 + 1.0) * (c + delta) / (k1 + c + delta)
        if self.variant in ("lucene", "robertson"):
            return tf / (tf + k1 * norm)
        part = (k1 + 1.0) * tf / (tf + k1 * norm)
        return part + delta if self.variant == "bm25+" else part

    def score(self, query: Sequence[str], row: int) -> float:
        """Return the float64 score of one document."""
        total = 0.0
        asked = Counter(query)
        for term in sorted(asked, key=lambda word: word.encode()):
            tf = self.counts[row][term]
            if tf:
                weight = asked[term] * idf(self.variant, len(self.counts), self.df[term])
                total += weight * self.part(tf, self.lengths[row])
        return total

    def scores(self, query: Sequence[str]) -> NDArray[np.float32]:
        """Return float32[N], 0.0 for documents without any word of the query."""
        rows = range(len(self.counts))
        return np.array([self.score(query, row) for row in rows], np.float64).astype(np.float32)

    def search(
        self,
        query: Sequence[str],
        k: int,
        *,
        exclude: Iterable[int] = (),
        subset: Iterable[int] | None = None,
    ) -> Row:
        """Return the best k documents whose score is above 0."""
        return ranked(self.scores(query), k, exclude=exclude, subset=subset)


def ranked(
    scores: NDArray[np.float32],
    k: int,
    *,
    exclude: Iterable[int] = (),
    subset: Iterable[int] | None = None,
) -> Row:
    """Return the best k rows of a list of scores among those above 0."""
    allowed = scores > 0
    if subset is not None:
        within = np.zeros(len(scores), np.bool_)
        within[list(subset)] = True
        allowed &= within
    allowed[list(exclude)] = False
    rows = np.flatnonzero(allowed)
    order = rows[np.lexsort((rows, -scores[rows].astype(np.float64)))][:k]
    return Row(order.astype(np.int64), scores[order])
