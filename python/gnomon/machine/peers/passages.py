"""Passages and questions: of made-up words as frequent as those of a language, or real ones.

``GNOMON_BENCH_PASSAGES`` names a file of real text, a passage on each line, for those who have one;
``bench/passages.py`` makes such files.
"""

from __future__ import annotations

import functools
import itertools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gnomon import kernels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

VOCABULARY = 100_000
_EXPONENT, _SHIFT = 1.07, 2.7  # Zipf and Mandelbrot, as fitted to English
_SYLLABLES = [a + b for a in "bdfghjklmnprstvz" for b in ("a", "e", "i", "o", "u", "ar", "en")]


@dataclass(frozen=True, slots=True, eq=False)
class Passages:
    """Texts of words between spaces, which every tokenizer cuts alike.

    Attributes
    ----------
    raw
        The passages as they were written.
    texts
        The passages as words between spaces.
    words
        int64, the numbers of all words of all passages.
    offsets
        int64[n + 1], where each passage begins in ``words``.
    queries
        Questions: words that occur together in a passage, rare ones more often than common ones.
    query_words
        int64[n_queries, 5], their numbers.
    """

    raw: Sequence[str]
    texts: Sequence[str]
    words: NDArray[np.int64]
    offsets: NDArray[np.int64]
    queries: Sequence[str]
    query_words: NDArray[np.int64]

    @property
    def tokens(self) -> list[list[str]]:
        """The words of every passage."""
        return [text.split() for text in self.texts]

    @property
    def query_tokens(self) -> list[list[str]]:
        """The words of every question."""
        return [text.split() for text in self.queries]


@functools.lru_cache(maxsize=2)
def passages(n: int, n_queries: int = 1000) -> Passages:
    """Return the passages of the file, or made-up ones of 10 to 70 words; questions of five."""
    path = os.environ.get("GNOMON_BENCH_PASSAGES")
    return _read(Path(path), n, n_queries) if path else _made_up(n, n_queries)


def _made_up(n: int, n_queries: int) -> Passages:
    rng = np.random.default_rng(23)
    names = _names()
    weights = 1.0 / (np.arange(VOCABULARY) + _SHIFT) ** _EXPONENT
    cumulative = np.cumsum(weights) / weights.sum()
    lengths = rng.integers(10, 71, n)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    words = np.searchsorted(cumulative, rng.random(int(offsets[-1]))).astype(np.int64)
    words = np.minimum(words, VOCABULARY - 1)
    texts = _joined(names, words, offsets)
    return _asked(texts, texts, names, words, offsets, n_queries)


def _read(path: Path, n: int, n_queries: int) -> Passages:
    with path.open(encoding="utf-8") as lines:
        raw = [line.rstrip("\n") for line in itertools.islice(lines, n)]
    met: dict[str, int] = {}
    cut = [[met.setdefault(word, len(met)) for word in kernels.analyze(text)] for text in raw]
    offsets = np.concatenate([[0], np.cumsum([len(words) for words in cut])]).astype(np.int64)
    flat = np.fromiter(itertools.chain.from_iterable(cut), dtype=np.int64, count=offsets[-1])
    # Common words first, as in what is made up.
    spelled = list(met)
    times = np.bincount(flat, minlength=len(spelled)).tolist()
    by_frequency = sorted(range(len(spelled)), key=lambda place: (-times[place], spelled[place]))
    number = np.empty(len(spelled), dtype=np.int64)
    number[by_frequency] = np.arange(len(spelled))
    names = [spelled[place] for place in by_frequency]
    texts = [" ".join([spelled[place] for place in words]) for words in cut]
    return _asked(raw, texts, names, number[flat], offsets, n_queries)


def _asked(
    raw: Sequence[str],
    texts: Sequence[str],
    names: Sequence[str],
    words: NDArray[np.int64],
    offsets: NDArray[np.int64],
    n_queries: int,
) -> Passages:
    rng = np.random.default_rng(29)
    asked = np.empty((n_queries, 5), dtype=np.int64)
    filled = np.flatnonzero(np.diff(offsets))
    for q, row in enumerate(rng.choice(filled, n_queries)):
        inside = words[offsets[row] : offsets[row + 1]]
        # Of two words, the rarer one: people don't ask for articles alone.
        asked[q] = np.maximum(rng.choice(inside, 5), rng.choice(inside, 5))
    ends = np.arange(0, 5 * n_queries + 1, 5, dtype=np.int64)
    queries = _joined(names, asked.reshape(-1), ends)
    return Passages(raw, texts, words, offsets, queries, asked)


def _names() -> list[str]:
    """Return a word for every number, the common ones short; at least two letters each."""
    base = len(_SYLLABLES)
    names = []
    for number in range(VOCABULARY):
        name, left = _SYLLABLES[number % base], number // base
        while left:
            left -= 1
            name += _SYLLABLES[left % base]
            left //= base
        names.append(name)
    return names


def _joined(
    names: Sequence[str], words: NDArray[np.int64], offsets: NDArray[np.int64]
) -> list[str]:
    spelled = [names[word] for word in words.tolist()]
    ends = offsets.tolist()
    return [" ".join(spelled[begin:end]) for begin, end in itertools.pairwise(ends)]
