"""The mathematical definition of reciprocal rank fusion, in plain Python.

* each list is de-duplicated first: an id keeps its first place, and its rank is its place, from 1,
  among the distinct ids of the list,
* a list of weight w > 0 gives an id at rank r the share ``w / (k + r)``, a float64; a list of
  weight 0 gives nothing and admits nothing,
* an id's score is the float64 sum of its shares, the largest added first, rounded to float32,
* ids are ordered by that score, descending, then by their best rank in any list that counts, then
  by id, ascending.

`exact_scores` gives the sums as rational numbers.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

Id = TypeVar("Id", int, str)


class Fused(NamedTuple):
    """The fused ranking of one query."""

    ids: list[int] | list[str]
    scores: list[np.float32]


def distinct(ranking: Sequence[Id]) -> list[Id]:
    """Return the ids of one list at their first place."""
    return list(dict.fromkeys(ranking))


def fuse(
    rankings: Sequence[Sequence[Id]],
    weights: Sequence[float] | None = None,
    k: float = 60,
    top: int | None = None,
) -> Fused:
    """Return the fused ids, best first, with their scores."""
    weights = [1.0] * len(rankings) if weights is None else list(weights)
    shares: dict[Id, list[float]] = {}
    best_rank: dict[Id, int] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        if weight == 0:
            continue
        for rank, item in enumerate(distinct(ranking), start=1):
            shares.setdefault(item, []).append(float(weight) / (float(k) + rank))
            best_rank[item] = min(rank, best_rank.get(item, rank))
    score = {item: np.float32(ordered_sum(parts)) for item, parts in shares.items()}
    order = sorted(score, key=lambda item: (-score[item], best_rank[item], item))[:top]
    return Fused(order, [score[item] for item in order])


def ordered_sum(parts: Sequence[float]) -> float:
    """Return the float64 sum, the largest part first."""
    total = 0.0
    for part in sorted(parts, reverse=True):
        total += part
    return total


def exact_scores(
    rankings: Sequence[Sequence[Hashable]], weights: Sequence[Fraction], k: Fraction
) -> dict[Hashable, Fraction]:
    """Return every id's score as a rational number."""
    found: dict[Hashable, Fraction] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for rank, item in enumerate(dict.fromkeys(ranking), start=1):
            if weight:
                found[item] = found.get(item, Fraction(0)) + weight / (k + rank)
    return found
