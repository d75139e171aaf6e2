"""Every way to come by a BM25 index, as one list, and corpora that are hard on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from tests.kernels.routes import rows_of
from tests.reference import bm25 as reference

from gnomon import kernels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tests.reference.cosine import Row

Docs = list[list[str]]


def indexes(
    docs: Docs, *, threads: int | None = None, saved_at: Path | None = None, **settings: Any
) -> Iterator[tuple[str, kernels.BM25Index]]:
    """Yield the same index built from lists, from a generator, and opened from a file."""
    index = kernels.BM25Index(tokens=docs, threads=threads, **settings)
    yield "lists", index
    once = (tuple(doc) for doc in docs)
    yield "generator", kernels.BM25Index(tokens=once, threads=threads, **settings)
    if saved_at is not None:
        index.save(saved_at)
        yield "opened", kernels.BM25Index.open(saved_at)


def hits(
    index: kernels.BM25Index, queries: Sequence[Sequence[str]], k: int, **given: Any
) -> list[Row]:
    """Return the hits of token queries, one `Row` a query."""
    return rows_of(index.search(k=k, tokens=[list(query) for query in queries], **given))


def bytes_of(folder: Path) -> bytes:
    """Return the contents of a saved index."""
    return b"".join(file.name.encode() + file.read_bytes() for file in sorted(folder.iterdir()))


def best_of_all_scores(
    index: kernels.BM25Index, query: Sequence[str], k: int, **limits: Any
) -> Row:
    """Return what a search must find: the best of the scores of every document."""
    return reference.ranked(index.scores(tokens=list(query)), k, **limits)


def zipf(rng: np.random.Generator, n: int, vocabulary: int) -> Docs:
    """Return documents of everyday lengths whose words have everyday frequencies."""
    lengths = rng.poisson(12, n)
    words = np.minimum(rng.zipf(1.3, lengths.sum()), vocabulary)
    return [[f"w{word}" for word in part] for part in np.split(words, np.cumsum(lengths)[:-1])]


def all_equal(rng: np.random.Generator, n: int, vocabulary: int) -> Docs:
    """Return the same document n times: only the row orders them."""
    return [[f"w{word}" for word in rng.integers(1, vocabulary, 9)]] * n


def one_word_everywhere(rng: np.random.Generator, n: int, vocabulary: int) -> Docs:
    """Return documents that all hold one word, and some a rare one."""
    return [["w1"] + [f"w{2 + int(rng.integers(vocabulary))}"] * int(i % 7 == 0) for i in range(n)]


def few_lengths(rng: np.random.Generator, n: int, vocabulary: int) -> Docs:
    """Return documents of two lengths and tiny vocabulary: ties at every place."""
    return [[f"w{word}" for word in rng.integers(1, 4, 2 + 2 * int(i % 2))] for i in range(n)]


def mostly_empty(rng: np.random.Generator, n: int, vocabulary: int) -> Docs:
    """Return empty documents with a word here and there."""
    return [[f"w{int(rng.integers(1, vocabulary))}"] * int(i % 37 == 5) for i in range(n)]


def repeats(rng: np.random.Generator, n: int, vocabulary: int) -> Docs:
    """Return documents in which one word stands up to hundreds of times."""
    return [
        ["w1"] * int(rng.integers(0, 3) * rng.integers(0, 300)) + ["w2"] * int(rng.integers(0, 4))
        for _ in range(n)
    ]


def falling(rng: np.random.Generator, n: int, vocabulary: int) -> Docs:
    """Return ever shorter documents: the best come last, when thresholds are high already."""
    return [["w1", "w2"] + ["w3"] * ((n - i) // 6) for i in range(n)]


def blocks(rng: np.random.Generator, n: int, vocabulary: int) -> Docs:
    """Return runs of documents with one word each: whole blocks of postings can be skipped."""
    return [[f"w{1 + i // 150}", "w1" if i % 149 == 0 else "w9", "w9"] for i in range(n)]


CORPORA: dict[str, Callable[[np.random.Generator, int, int], Docs]] = {
    "zipf": zipf,
    "all equal": all_equal,
    "one word everywhere": one_word_everywhere,
    "few lengths": few_lengths,
    "mostly empty": mostly_empty,
    "repeats": repeats,
    "falling": falling,
    "blocks": blocks,
}


def queries_for(docs: Docs, rng: np.random.Generator, count: int) -> list[list[str]]:
    """Return queries of words of the corpus, common and rare, repeated, and unknown ones."""
    words = sorted({word for doc in docs for word in doc}) or ["w1"]
    made = [[], ["unknown"], words[:1] * 3, words[:7], words[-7:], words[:40]]
    while len(made) < count:
        some = rng.integers(len(words), size=rng.integers(1, 6))
        made.append([words[i] for i in some] + ["unknown"] * int(rng.integers(2)))
    return made[:count]
