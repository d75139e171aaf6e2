"""The definitions of the ranking metrics, one query at a time, in rational numbers where possible.

A document is relevant when its gain is above 0. With R relevant documents, of which the ranking
holds some at ranks r_1 < r_2 < ..., and F of those at a rank of at most k:

* recall F / R, capped recall F / min(k, R), precision F / k,
* reciprocal rank 1 / r_1 when r_1 <= k, else 0,
* average precision (1 / r_1 + 2 / r_2 + ... + F / r_F) / R,
* nDCG: the sum of gain / log2(rank + 1) over the F, divided by the same sum of the best order.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAMES = ("recall", "capped_recall", "precision", "rr", "ap", "ndcg")


def ordered(scores: Mapping[Any, float]) -> list[Any]:
    """Return documents by score descending, then id ascending."""
    return sorted(scores, key=lambda doc: (-scores[doc], doc))


def value(
    name: str, ranking: Sequence[Any], gains: Mapping[Any, float], k: int | None
) -> Fraction | float:
    """Return one metric of one query, which must have a relevant document.

    Parameters
    ----------
    ranking
        Documents, best first, each once.
    gains
        Document to gain.
    k
        The cutoff; None for the whole list.
    """
    relevant = {doc for doc, gain in gains.items() if gain > 0}
    ranks = [rank for rank, doc in enumerate(ranking, 1) if doc in relevant]
    found = [rank for rank in ranks if k is None or rank <= k]
    if name == "recall":
        return Fraction(len(found), len(relevant))
    if name == "capped_recall":
        return Fraction(len(found), min(k or len(relevant), len(relevant)))
    if name == "precision":
        assert k is not None
        return Fraction(len(found), k)
    if name == "rr":
        return Fraction(1, found[0]) if found else Fraction(0)
    if name == "ap":
        parts = (Fraction(i, rank) for i, rank in enumerate(found, 1))
        return sum(parts, Fraction(0)) / len(relevant)
    if name == "ndcg":
        best = sorted((gains[doc] for doc in relevant), reverse=True)[:k]
        mine = (gains[ranking[rank - 1]] / math.log2(rank + 1) for rank in found)
        return math.fsum(mine) / math.fsum(g / math.log2(i + 1) for i, g in enumerate(best, 1))
    raise ValueError(name)


def decided_by_ties(
    name: str, scores: Mapping[Any, float], gains: Mapping[Any, float], k: int | None
) -> bool:
    """Tell whether the order of documents with equal scores can change the value."""
    best = sorted(scores, key=lambda doc: (-scores[doc], -gains.get(doc, 0)))
    worst = sorted(scores, key=lambda doc: (-scores[doc], gains.get(doc, 0)))
    return value(name, best, gains, k) != value(name, worst, gains, k)
