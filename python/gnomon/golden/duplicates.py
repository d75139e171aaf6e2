"""Questions that are asked twice: in the same words, or nearly.

Two outcomes for one question are not two observations, so every interval that counts them twice is
too narrow. Near repetition is looked for in the surface only: padded trigrams of the words, as a
set, weighed by how rare they are among the questions, compared by the weighted Jaccard coefficient
(Jaccard 1901; trigrams as in Zobel and Dart, Phonetic string matching, SIGIR 1996). Candidates are
the nearest by BM25, so that not every pair is compared.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from importlib import resources
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from gnomon.kernels import Analyzer, BM25Index, nfkc_casefold

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

ALIKE: Final = 0.8
_CANDIDATES: Final = 20
# A candidate's BM25 score as a share of the score with itself; pairs that are alike lie far above.
_LEAST_SHARE: Final = 0.2
_LIGHT: Final = 0.25
# In front of the trigrams of a function word; no word holds it.
_MARK: Final = "\n"
# Weights are whole numbers of this part of one: their sum is the same in whatever order.
_UNIT: Final = 1 << 20
# Words this long hold several: the script has no blanks between words, or they are glued together.
_LONG_WORD: Final = 20


class Repeated(NamedTuple):
    """A question that repeats an earlier one.

    Attributes
    ----------
    row, first
        Which one, and which it repeats; ``first`` is the smaller.
    likeness
        From ``ALIKE`` to 1.
    """

    row: int
    first: int
    likeness: float


def folded(text: str) -> str:
    r"""Return a text as it is compared: case and compatibility forms folded, blanks run together.

    Examples
    --------
    >>> folded(" How  do I\nROTATE? ")
    'how do i rotate?'
    """
    return " ".join(nfkc_casefold(text).split())


def first_of_each(keys: Sequence[Hashable]) -> dict[int, int]:
    """Return, for every row whose key occurred before, the row where it first did."""
    first: dict[Hashable, int] = {}
    found = ((row, first.setdefault(key, row)) for row, key in enumerate(keys))
    return {row: earlier for row, earlier in found if earlier != row}


def near_repetitions(
    questions: Sequence[str],
    contexts: Sequence[Hashable],
    function_words: frozenset[str] = frozenset(),
) -> list[Repeated]:
    """Return the questions that nearly repeat an earlier one of the same context.

    Parameters
    ----------
    questions
        Texts.
    contexts
        What must be equal for two questions to be the same: the turns before, the scope.
    function_words
        Words that say little; they count a quarter.

    Returns
    -------
    list of Repeated
        By row, at most one for each: the earlier question that is most alike. Questions that are
        equal but for case, blanks and compatibility forms are not here.

    Examples
    --------
    >>> asked = ["How do I rotate a signing key?", "How do I rotate the signing key"]
    >>> [pair] = near_repetitions(asked, [0, 0])
    >>> pair.row, pair.first
    (1, 0)
    """
    rows_of: dict[str, dict[Hashable, int]] = {}
    for row, (question, context) in enumerate(zip(questions, contexts, strict=True)):
        rows_of.setdefault(folded(question), {}).setdefault(context, row)
    texts = list(rows_of)
    best: dict[int, Repeated] = {}
    for one, other, likeness in _alike_texts(texts, function_words):
        here, there = rows_of[texts[one]], rows_of[texts[other]]
        for context in here.keys() & there.keys():
            first, row = sorted((here[context], there[context]))
            found = Repeated(row, first, likeness)
            known = best.get(row)
            if known is None or (-likeness, first) < (-known.likeness, known.first):
                best[row] = found
    return [best[row] for row in sorted(best)]


def _alike_texts(
    texts: Sequence[str], function_words: frozenset[str]
) -> list[tuple[int, int, float]]:
    """Return the pairs of distinct texts that are alike, each once."""
    analyzer = Analyzer()
    words = [analyzer(text) for text in texts]
    turning = [frozenset(word for word in one if _turns(word)) for one in words]
    weighed = _Weighed(words, function_words)
    pairs: dict[tuple[int, int], float] = {}
    for one, other in _candidates(words, function_words):
        pair = (min(one, other), max(one, other))
        if pair in pairs or turning[one] != turning[other]:
            continue
        pairs[pair] = weighed.likeness(*pair)
    return [(*pair, likeness) for pair, likeness in pairs.items() if likeness >= ALIKE]


def _candidates(
    words: Sequence[Sequence[str]], function_words: frozenset[str]
) -> list[tuple[int, int]]:
    content = [[word for word in one if word not in function_words] or one for one in words]
    tokens = [sorted({part for word in one for part in _parts(word)}) for one in content]
    if not any(tokens):
        return []
    hits = BM25Index(tokens=tokens, b=0.0).search(tokens=tokens, k=_CANDIDATES + 1)
    found = []
    for one in range(len(words)):
        rows, scores = hits[one].ids.tolist(), hits[one].scores.tolist()
        least = _LEAST_SHARE * max(scores, default=0.0)
        found += [
            (one, other)
            for other, score in zip(rows, scores, strict=True)
            if other != one and score >= least
        ]
    return found


class _Weighed:
    """The trigrams of texts, with their weights."""

    def __init__(self, words: Sequence[Sequence[str]], function_words: frozenset[str]) -> None:
        trigrams_of = {
            word: _weighable(word, light=word in function_words and not _turns(word))
            for word in {word for one in words for word in one}
        }
        self._sets = [
            frozenset(chain.from_iterable(trigrams_of[word] for word in one)) for one in words
        ]
        n, count = len(words), Counter(chain.from_iterable(self._sets))
        # Smoothed, so that in a set of a few questions no trigram weighs much more than another.
        self._weights = {
            trigram: round(
                _UNIT
                * (_LIGHT if trigram.startswith(_MARK) else 1.0)
                * math.log(1 + (n + 20) / (c + 5))
            )
            for trigram, c in count.items()
        }
        self._totals = [self._weight(one) for one in self._sets]

    def likeness(self, one: int, other: int) -> float:
        """Return the weighted Jaccard coefficient of two texts."""
        shared = self._weight(self._sets[one] & self._sets[other])
        union = self._totals[one] + self._totals[other] - shared
        return shared / union if union else 0.0

    def _weight(self, trigrams: frozenset[str]) -> int:
        return sum(map(self._weights.__getitem__, trigrams))


def _weighable(word: str, *, light: bool) -> list[str]:
    trigrams = _trigrams(word)
    return [_MARK + trigram for trigram in trigrams] if light else trigrams


def _turns(word: str) -> bool:
    """Return whether a word makes another question of the same other words."""
    return word in _turning_words() or any(char.isdigit() for char in word)


@cache
def _turning_words() -> frozenset[str]:
    file = resources.files("gnomon") / "data" / "turning_words.txt"
    return frozenset(file.read_text(encoding="utf-8").split())


def _trigrams(word: str) -> list[str]:
    padded = f" {word} "
    return [padded[start : start + 3] for start in range(len(padded) - 2)]


def _parts(word: str) -> list[str]:
    return [word] if len(word) < _LONG_WORD else _trigrams(word)
