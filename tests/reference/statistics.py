"""The statistics by their definitions, in plain loops and without any thought of speed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
BOOTSTRAP_PURPOSE = 6


def recall(ranks: Sequence[int], k: int) -> float:
    """Return the share of relevant documents whose rank (0: not retrieved) is in the top k."""
    return sum(1 for rank in ranks if 1 <= rank <= k) / len(ranks)


def reciprocal_rank(ranks: Sequence[int], k: int) -> float:
    """Return one over the best rank in the top k, or 0."""
    return max((1 / rank for rank in ranks if 1 <= rank <= k), default=0.0)


def ndcg(ranks: Sequence[int], gains: Sequence[int], k: int) -> float:
    """Return graded nDCG: linear gain, log2 discount, ideal from all gains, at most 1."""
    reached = sum(
        gain / math.log2(rank + 1)
        for rank, gain in zip(ranks, gains, strict=True)
        if 1 <= rank <= k
    )
    ideal = sorted(gains, reverse=True)[:k]
    possible = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(ideal, start=1))
    return min(1.0, reached / possible)


def mix(x: int) -> int:
    """Return the splitmix64 finaliser of x."""
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & _MASK
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & _MASK
    return x ^ x >> 31


def key(seed: int, purpose: int, row: int) -> int:
    """Return the key of a row for a purpose."""
    return mix((mix((seed + purpose * _GOLDEN) & _MASK) + (row + 1) * _GOLDEN) & _MASK)


def bootstrap_sums(
    columns: Sequence[Sequence[float]], *, seed: int, draws: int
) -> list[list[float]]:
    """Return per draw the sum of each column over the drawn rows, added in the order drawn."""
    n = len(columns[0])
    sums = []
    for draw in range(draws):
        rows = [key(seed, BOOTSTRAP_PURPOSE, draw * n + j) % n for j in range(n)]
        sums.append([_ordered_sum(column[row] for row in rows) for column in columns])
    return sums


def _ordered_sum(values: Iterable[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total


def log_ratio_interval(
    numerator: Sequence[float], denominator: Sequence[float], *, seed: int, draws: int, t: float
) -> tuple[float, float]:
    """Return R exp(-+ t sqrt(n / (n - 1)) s), s the spread of the linearised log ratio."""
    n, total_a, total_b = len(numerator), math.fsum(numerator), math.fsum(denominator)
    squares = [
        (a / total_a - b / total_b) ** 2
        for a, b in bootstrap_sums([numerator, denominator], seed=seed, draws=draws)
        if b > 0
    ]
    reach = t * math.sqrt(math.fsum(squares) / len(squares) * n / (n - 1))
    ratio = total_a / total_b
    return ratio / math.exp(reach), ratio * math.exp(reach)


def ks_distance(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the largest gap between two empirical distribution functions."""
    return max(
        abs(sum(v <= x for v in a) / len(a) - sum(v <= x for v in b) / len(b)) for x in (*a, *b)
    )


def isotonic_levels(y: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the isotonic fit at distinct, increasing x by the max-min formula."""

    def average(first: int, last: int) -> float:
        mass = sum(weights[first : last + 1])
        pairs = zip(y[first : last + 1], weights[first : last + 1], strict=True)
        return sum(value * weight for value, weight in pairs) / mass

    n = len(y)
    return [
        max(min(average(first, last) for last in range(i, n)) for first in range(i + 1))
        for i in range(n)
    ]


def spearman(predicted: Sequence[int], oracle: Sequence[int], k: int) -> float:
    """Return Spearman over the oracle's top k; missing documents get rank k + 1, ties share."""
    top = list(predicted[:k])
    ranks = [top.index(doc) + 1 if doc in top else k + 1 for doc in oracle[:k]]
    x, y = _mid_ranks(ranks), _mid_ranks(list(range(len(ranks))))
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    spread = math.sqrt(sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y))
    if spread == 0:
        return float(len(ranks) == 1 and ranks[0] <= k)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / spread


def _mid_ranks(values: Sequence[int]) -> list[float]:
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]
