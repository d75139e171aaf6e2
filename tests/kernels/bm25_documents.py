"""Documents for the tests of the BM25 index, and what its answers must be."""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon import BM25Index

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

VARIANTS = ("lucene", "robertson", "atire", "bm25+", "bm25l")
AUTOMATIC, PRUNED, EXHAUSTIVE = 0, 1, 2


def zipf_documents(n: int, seed: int, *, words: int = 400, longest: int = 40) -> list[list[str]]:
    """Return documents whose words are as unevenly frequent as those of real text."""
    rng = random.Random(seed)
    vocabulary = [f"w{i}" for i in range(words)]
    weights = [1 / (i + 1) for i in range(words)]
    return [
        rng.choices(vocabulary, weights, k=rng.randrange(0, longest)) if rng.random() < 0.95 else []
        for _ in range(n)
    ]


def by_hand(
    docs: Sequence[Sequence[str]],
    query: Sequence[str],
    variant: str = "lucene",
    k1: float = 1.2,
    b: float = 0.75,
    delta: float = 0.0,
) -> list[float]:
    """Return the scores by the formulas of Kamphuis et al. (2020), in plain Python."""
    n = len(docs)
    mean = sum(map(len, docs)) / n
    counts = [Counter(doc) for doc in docs]
    scores = [0.0] * n
    for term, times in sorted(Counter(query).items(), key=lambda item: item[0].encode()):
        df = sum(term in count for count in counts)
        if df == 0:
            continue
        idf = {
            "lucene": math.log(1 + (n - df + 0.5) / (df + 0.5)),
            "robertson": max(0.0, math.log((n - df + 0.5) / (df + 0.5))),
            "atire": math.log(n / df),
            "bm25+": math.log((n + 1) / df),
            "bm25l": math.log((n + 1) / (df + 0.5)),
        }[variant]
        for row, count in enumerate(counts):
            tf = count[term]
            if tf == 0:
                continue
            length = (1 - b) + b * len(docs[row]) / mean
            c = tf / length
            part = {
                "lucene": tf / (tf + k1 * length),
                "robertson": tf / (tf + k1 * length),
                "atire": (k1 + 1) * tf / (tf + k1 * length),
                "bm25+": (k1 + 1) * tf / (tf + k1 * length) + delta,
                "bm25l": (k1 + 1) * (c + delta) / (k1 + c + delta),
            }[variant]
            scores[row] += times * idf * part
    return scores


def ranked(scores: Sequence[float], k: int) -> list[int]:
    """Return the rows of the k best positive float32 scores, ties by row."""
    rounded = np.float32(scores)
    rows = np.flatnonzero(rounded > 0)
    return rows[np.lexsort((rows, -rounded[rows]))][:k].tolist()


def answers(index: BM25Index, queries: list[list[str]], k: int, strategy: int, **kw: Any) -> bytes:
    """Return the bytes of all hits, found in the given way."""
    parts = index._core.search_tokens(
        queries, k, kw.get("exclude"), kw.get("subset"), kw.get("threads", 1), strategy
    )
    return b"|".join(np.asarray(part).tobytes() for part in parts)


def saved_bytes(index: BM25Index, folder: Path) -> bytes:
    """Return the file that the index is saved as."""
    index.save(folder)
    return (folder / "index.bm25").read_bytes()
