"""Reciprocal rank fusion of integer rankings, many queries at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon import kernels
from gnomon.machine.work import OURS, Peer, Work, WrongAnswerError, installed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Fused = Sequence[tuple[Sequence[int], Sequence[float]]]  # ids and scores of each query
    Fuse = Callable[[], Any]

K = 60
TOLERANCE = 1e-7
CHECKED = 20


@dataclass(frozen=True, slots=True, eq=False)
class RrfTask:
    """Rankings of each list, int64 [Q, depth], ids best first."""

    lists: tuple[NDArray[np.int64], ...]


def work(n_queries: int, n_lists: int, depth: int) -> Work[RrfTask, Any]:
    """Return the fusion of so many lists of one depth."""
    return Work(
        kernel="rrf",
        name=f"rrf {n_queries} {n_lists}x{depth}",
        what=f"{n_queries:,} queries, {n_lists} lists of {depth:,} ids each, k = {K}",
        make=lambda: _task(n_queries, n_lists, depth),
        peers=PEERS,
        check=check,
        amount=n_queries,
        unit="queries",
    )


def check(task: RrfTask, fused: Fused) -> None:
    """Raise unless scores fall and are those of float64 sums, id by id."""
    for q in range(min(CHECKED, len(task.lists[0]))):
        truth = dictionary([ranking[q].tolist() for ranking in task.lists])
        ids, scores = fused[q]
        if len(ids) != len(truth) or set(map(int, ids)) != truth.keys():
            raise WrongAnswerError(f"query {q} has other ids")
        given = np.asarray(scores, dtype=np.float64)
        expected = np.array([truth[int(one)] for one in ids])
        if np.abs(given - expected).max() > TOLERANCE or (np.diff(expected) > TOLERANCE).any():
            raise WrongAnswerError(f"query {q} has other scores or another order")


def dictionary(rankings: Sequence[Sequence[int]]) -> dict[int, float]:
    """Return the fused scores by id: the definition, and what most people write."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, one in enumerate(ranking, start=1):
            scores[one] = scores.get(one, 0.0) + 1.0 / (K + rank)
    return scores


def _task(n_queries: int, n_lists: int, depth: int) -> RrfTask:
    """Return lists that share about a third of their ids."""
    rng = np.random.default_rng(17)
    universe = 2 * depth
    lists = [
        np.argsort(rng.random((n_queries, universe)), axis=1)[:, :depth].astype(np.int64)
        for _ in range(n_lists)
    ]
    return RrfTask(tuple(np.ascontiguousarray(ranking) for ranking in lists))


def _ours(task: RrfTask, threads: int) -> Fuse:
    lists = list(task.lists)
    return lambda: kernels.rrf(lists, k=K, threads=threads)


def _python(task: RrfTask, _threads: int) -> Fuse:
    lists = [ranking.tolist() for ranking in task.lists]

    def fuse() -> Fused:
        fused = []
        for rankings in zip(*lists, strict=True):
            scores = dictionary(rankings)
            order = sorted(scores, key=scores.__getitem__, reverse=True)
            fused.append((order, [scores[one] for one in order]))
        return fused

    return fuse


def _numpy(task: RrfTask, _threads: int) -> Fuse:
    depth = task.lists[0].shape[1]
    terms = np.tile(1.0 / (K + np.arange(1, depth + 1)), len(task.lists))

    def of_query(q: int) -> tuple[NDArray[Any], NDArray[Any]]:
        ids = np.concatenate([ranking[q] for ranking in task.lists])
        distinct, place = np.unique(ids, return_inverse=True)
        scores = np.bincount(place, weights=terms)
        order = np.argsort(-scores, kind="stable")
        return distinct[order], scores[order]

    return lambda: [of_query(q) for q in range(len(task.lists[0]))]


def _ranx(task: RrfTask, _threads: int) -> Fuse:
    ranx = installed("ranx")
    runs = [_ranx_run(ranx, ranking) for ranking in task.lists]
    few = [_ranx_run(ranx, ranking[:2]) for ranking in task.lists]
    ranx.fuse(runs=few, method="rrf", params={"k": K})  # compiles

    def fuse() -> Fused:
        fused = ranx.fuse(runs=runs, method="rrf", params={"k": K}).to_dict()
        return [
            (list(map(int, fused[str(q)])), list(fused[str(q)].values()))
            for q in range(len(task.lists[0]))
        ]

    return fuse


def _ranx_run(ranx: Any, ranking: NDArray[np.int64]) -> Any:
    scores = list(map(float, range(ranking.shape[1], 0, -1)))
    return ranx.Run(
        {
            str(q): dict(zip(map(str, row), scores, strict=True))
            for q, row in enumerate(ranking.tolist())
        }
    )


PEERS: tuple[Peer[RrfTask, Any], ...] = (
    Peer(OURS, _ours),
    Peer("NumPy, unique", _numpy, "numpy"),
    Peer("Python, dict", _python),
    Peer("ranx", _ranx, "ranx", slow_start=True),
)
