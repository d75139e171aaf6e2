"""The mathematical definition of maximal marginal relevance, by one plain loop.

* relevance and similarity are the float32 cosines of `tests.reference.cosine`,
* the first pick is the candidate of highest relevance, whatever lambda is; its score is
  ``float32(lambda * relevance)``,
* every later pick is the candidate of highest
  ``float32(lambda * relevance - (1 - lambda) * max similarity to any earlier pick)``; products and
  the subtraction are float64, -0.0 becomes +0.0,
* candidates that tie are taken by id, ascending.

`exact_order` is the same greedy rule in rational numbers, which never rounds.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from tests.reference import cosine
from tests.reference.cosine import Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def rounded(score: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return scores as float32, without negative zeros."""
    return score.astype(np.float32) + np.float32(0)


def select(
    relevance: NDArray[np.float32],
    similarity: NDArray[np.float32],
    ids: NDArray[np.int64],
    k: int,
    lambda_: float,
) -> Row:
    """Return the picks of one pool, in order.

    Parameters
    ----------
    relevance
        float32[P], cosine of the query with each candidate.
    similarity
        float32[P, P], cosines of the candidates with each other.
    ids
        P rising numbers by which the candidates are reported and ties are broken.
    """
    wanted = lambda_ * relevance.astype(np.float64)
    left = np.ones(len(ids), np.bool_)
    picked: list[int] = []
    scores: list[np.float32] = []
    while left.any() and len(picked) < k:
        if picked:
            nearest = similarity[:, picked].max(axis=1).astype(np.float64)
            value = rounded(wanted - (1.0 - lambda_) * nearest)
            rank = value
        else:
            value, rank = rounded(wanted), relevance
        best = int(np.argmax(np.where(left, rank, -np.inf)))  # the first of equals
        left[best] = False
        picked.append(best)
        scores.append(value[best])
    return Row(np.array([ids[i] for i in picked], np.int64), np.array(scores, np.float32))


def mmr(
    queries: object,
    pool: object,
    k: int,
    lambdas: Sequence[float],
    rows: Sequence[Sequence[int]] | None = None,
) -> dict[float, list[Row]]:
    """Return lambda -> the picks of every query, from all rows of a matrix or from some of them."""
    relevance, similarity = cosine.scores(queries, pool), cosine.scores(pool, pool)
    found: dict[float, list[Row]] = {lambda_: [] for lambda_ in lambdas}
    for query, relevant in enumerate(relevance):
        some = range(len(similarity)) if rows is None else sorted(rows[query])
        ids = np.array(some, np.int64)
        for lambda_, answers in found.items():
            answers.append(select(relevant[ids], similarity[np.ix_(ids, ids)], ids, k, lambda_))
    return found


def exact_order(
    relevance: Sequence[Fraction], similarity: Sequence[Sequence[Fraction]], k: int, lam: Fraction
) -> list[int]:
    """Return the picked positions by exact arithmetic; ties by position."""
    left, picked = list(range(len(relevance))), []
    while left and len(picked) < k:

        def value(i: int) -> Fraction:
            if not picked:
                return relevance[i]
            return lam * relevance[i] - (1 - lam) * max(similarity[i][j] for j in picked)

        best = max(left, key=lambda i: (value(i), -i))
        left.remove(best)
        picked.append(best)
    return picked
