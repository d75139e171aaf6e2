"""The probe's figures in plain float64 NumPy, written from the rule and nothing else.

Centred Procrustes only; brute force throughout. Never imports gnomon.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Judged = Sequence[dict[int, int]]  # per query: relevant row -> gain
Ranks = list[dict[int, int]]  # per query: relevant row -> rank, 0 when not retrieved

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def mix(x: int) -> int:
    """Return the splitmix64 finaliser of x."""
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & _MASK
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & _MASK
    return x ^ x >> 31


def draw(seed: int, purpose: int, rows: Sequence[int], size: int) -> list[int]:
    """Return the ``size`` rows with the smallest keys."""
    base = mix((seed + purpose * _GOLDEN) & _MASK)
    keyed = sorted((mix((base + (row + 1) * _GOLDEN) & _MASK), row) for row in rows)
    return [row for _, row in keyed[:size]]


def unit(x: Floats) -> Floats:
    """Return the rows at length 1; zero rows stay zero."""
    norms = np.linalg.norm(x, axis=1, keepdims=True)
    return x / np.where(norms == 0, 1.0, norms)


def fit_procrustes(new: Floats, old: Floats) -> Callable[[Floats], Floats]:
    """Return g(x) = R (x - mean new) + mean old, at unit length."""
    mu_new, mu_old = new.mean(axis=0), old.mean(axis=0)
    left, sigma, right = np.linalg.svd((old - mu_old).T @ (new - mu_new), full_matrices=False)
    rank = int((sigma > 1e-9 * sigma[0]).sum())
    rotation = left[:, :rank] @ right[:rank]
    return lambda x: unit((x - mu_new) @ rotation.T + mu_old)


def ranked(queries: Floats, docs: Floats, depth: int) -> Ints:
    """Return the best rows of every query, score descending, then row."""
    scores = (queries @ docs.T).astype(np.float32)
    return np.argsort(-scores, axis=1, kind="stable")[:, :depth]


def ranks_in(lists: Ints, judged: Judged) -> Ranks:
    """Return the rank of every relevant document."""
    found = []
    for ids, relevant in zip(lists.tolist(), judged, strict=True):
        place = {row: rank for rank, row in enumerate(ids, start=1)}
        found.append({row: place.get(row, 0) for row in relevant})
    return found


def recall(ranks: Ranks, k: int) -> Floats:
    """Return recall@k of every query."""
    return np.array([sum(0 < r <= k for r in one.values()) / len(one) for one in ranks])


@dataclass(frozen=True)
class Reference:
    """The figures of one probe with a forced centred Procrustes."""

    status_quo: float
    naive_swap: float
    oracle: float
    bridged: float
    cascade: float
    recall_depth_bridged: float
    recall_depth_oracle: float
    rivals: float | None
    reuse: float


def probe(
    old_docs: Floats, new_docs: Floats, old_queries: Floats, new_queries: Floats, judged: Judged,
    *, k: int = 10, depth: int = 200, pairs: int = 4000, seed: int = 0, scope: str = "unseen",
) -> Reference:  # fmt: skip
    """Return the figures; every query must have a relevant document."""
    old_docs, new_docs = unit(old_docs), unit(new_docs)
    old_queries, new_queries = unit(old_queries), unit(new_queries)
    n, d_old = old_docs.shape
    depth = min(depth, n)
    swapped = np.zeros((len(new_queries), d_old))
    width = min(d_old, new_queries.shape[1])
    swapped[:, :width] = new_queries[:, :width]
    oracle = ranked(new_queries, new_docs, depth)

    def mean_recall(lists: Ints, cut: int = k) -> float:
        return float(recall(ranks_in(lists, judged), cut).mean())

    def bridge(rows: Sequence[int]) -> tuple[Floats, Ints, Ints]:
        fitted = fit_procrustes(new_docs[list(rows)], old_docs[list(rows)])(new_queries)
        lists = ranked(fitted, old_docs, depth)
        return fitted, lists, reranked(lists)

    def reranked(lists: Ints) -> Ints:
        out = []
        for query, ids in zip(new_queries, lists, strict=True):
            scores = (new_docs[ids] @ query).astype(np.float32)
            out.append(ids[np.lexsort((ids, -scores))])
        return np.array(out)

    everything = range(n)
    relevant = {row for one in judged for row in one}
    unjudged = [row for row in everything if row not in relevant]
    rivals = None
    if scope == "seen" or len(unjudged) >= pairs:
        pool = everything if scope == "seen" else unjudged
        _, lists, cascade = bridge(draw(seed, 1, pool, pairs))
        first, ranks, cascade_ranks = lists, ranks_in(lists, judged), ranks_in(cascade, judged)
    else:
        ranks, cascade_ranks, own, oracle_own = ([{} for _ in judged] for _ in range(4))
        for fold in range(5):
            fitted, lists, cascade = bridge(
                draw(seed, 1, [row for row in everything if row % 5 != fold], pairs)
            )
            first = lists if fold == 0 else first
            members = np.arange(fold, n, 5)
            among = members[ranked(fitted, old_docs[members], depth)]
            oracle_among = members[ranked(new_queries, new_docs[members], depth)]
            for q, one in enumerate(judged):
                mine = {row: gain for row, gain in one.items() if row % 5 == fold}
                for target, found in (
                    (ranks, lists), (cascade_ranks, cascade),
                    (own, among), (oracle_own, oracle_among),
                ):  # fmt: skip
                    target[q].update(ranks_in(found[q : q + 1], [mine])[0])
        fifth = max(1, k // 5)
        rivals = float(recall(own, fifth).mean() / recall(oracle_own, fifth).mean())
    return Reference(
        status_quo=mean_recall(ranked(old_queries, old_docs, depth)),
        naive_swap=mean_recall(ranked(swapped, old_docs, depth)),
        oracle=mean_recall(oracle),
        bridged=float(recall(ranks, k).mean()),
        cascade=float(recall(cascade_ranks, k).mean()),
        recall_depth_bridged=float(recall(ranks, depth).mean()),
        recall_depth_oracle=mean_recall(oracle, depth),
        rivals=rivals,
        reuse=1 - len(np.unique(first)) / first.size,
    )
