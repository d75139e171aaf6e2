"""Maximal marginal relevance over a pool for each query, and whole grids of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon import kernels
from gnomon.machine.work import OURS, Demand, LeftOutError, Peer, Work, WrongAnswerError, installed

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Picks = NDArray[np.int64]  # [lambdas, queries, k]
    Pick = Callable[[], Picks]

TIE = 1e-6  # picks whose float64 scores are this close may be swapped by float32 arithmetic
CHECKED = 4  # queries
_LANGCHAIN_MOST = 10_000  # candidates, all queries together: it takes about 17 us for each


@dataclass(frozen=True, slots=True, eq=False)
class MmrTask:
    """Unit queries [Q, d], their unit pools [Q, P, d], depth and lambdas."""

    queries: NDArray[np.float32]
    pools: NDArray[np.float32]
    k: int
    lambdas: tuple[float, ...]


def work(n_queries: int, pool: int, d: int, k: int = 10) -> Work[MmrTask, Any]:
    """Return one lambda on pools of so many candidates."""
    return Work(
        kernel="mmr",
        name=f"mmr {n_queries}x{pool}x{d} k{k}",
        what=f"{n_queries:,} queries, each a pool of {pool:,} x {d}, k = {k}, lambda 0.5",
        make=lambda: _task(n_queries, pool, d, k, (0.5,)),
        peers=ONE,
        check=check,
        # Every candidate has to be looked at; similarities can mostly be left out.
        demand=Demand(read_bytes=4 * n_queries * pool * d),
        amount=n_queries,
        unit="queries",
    )


def grid_work(n_queries: int = 60, pool: int = 30, d: int = 384) -> Work[MmrTask, Any]:
    """Return 11 lambdas and all depths up to 9, for every query."""
    lambdas = tuple(step / 10 for step in range(11))
    return Work(
        kernel="mmr_grid",
        name=f"mmr_grid {n_queries}x{pool}x{d}",
        what=f"{n_queries} queries, each a pool of {pool} x {d}, 11 lambdas, every k up to 9",
        make=lambda: _task(n_queries, pool, d, 9, lambdas),
        peers=GRID,
        check=check,
        demand=Demand(read_bytes=4 * n_queries * pool * d),
        amount=n_queries,
        unit="queries",
    )


def check(task: MmrTask, picks: Picks) -> None:
    """Raise unless every pick is, in float64, as good as the best one given those before it."""
    expected = (len(task.lambdas), len(task.queries), task.k)
    if picks.shape != expected:
        raise WrongAnswerError(f"the shape is {picks.shape} instead of {expected}")
    for at, lambda_ in enumerate(task.lambdas):
        for q in range(min(CHECKED, len(task.queries))):
            _check_query(task, q, lambda_, picks[at, q].tolist())


def _check_query(task: MmrTask, q: int, lambda_: float, picked: list[int]) -> None:
    pool = task.pools[q].astype(np.float64)
    pool /= np.linalg.norm(pool, axis=1, keepdims=True)
    query = task.queries[q].astype(np.float64)
    relevance = pool @ (query / np.linalg.norm(query))
    if len(set(picked)) != task.k:
        raise WrongAnswerError(f"query {q} has a candidate twice")
    for step, row in enumerate(picked):
        scores = relevance
        if step:
            nearest = (pool @ pool[picked[:step]].T).max(axis=1)
            scores = lambda_ * relevance - (1 - lambda_) * nearest
        left = np.ones(len(pool), dtype=bool)
        left[picked[:step]] = False
        if scores[row] < scores[left].max() - TIE:
            raise WrongAnswerError(f"pick {step} of query {q} at lambda {lambda_} is not the best")


def _task(n: int, pool: int, d: int, k: int, lambdas: tuple[float, ...]) -> MmrTask:
    """Return pools of what resembles the query, in groups that resemble each other."""
    rng = np.random.default_rng(13)
    queries = rng.standard_normal((n, d), dtype=np.float32)
    groups = rng.standard_normal((n, 10, d), dtype=np.float32)
    pools = rng.standard_normal((n, pool, d), dtype=np.float32)
    members = rng.integers(0, 10, (n, pool))
    pools += queries[:, None, :] + np.take_along_axis(groups, members[:, :, None], axis=1)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    pools /= np.linalg.norm(pools, axis=2, keepdims=True)
    return MmrTask(queries, pools, k, lambdas)


def _ours(task: MmrTask, threads: int) -> Pick:
    def pick() -> Picks:
        (lambda_,) = task.lambdas
        hits = kernels.mmr(task.queries, task.pools, task.k, lambda_=lambda_, threads=threads)
        return hits.ids.reshape(1, -1, task.k)

    return pick


def _ours_grid(task: MmrTask, threads: int) -> Pick:
    def pick() -> Picks:
        grid = kernels.mmr_grid(task.queries, task.pools, task.k, task.lambdas, threads=threads)
        return np.stack([hits.ids.reshape(-1, task.k) for hits in grid])

    return pick


def _each(task: MmrTask, of_query: Callable[[int, float], list[int]]) -> Picks:
    picks = [[of_query(q, one) for q in range(len(task.queries))] for one in task.lambdas]
    return np.array(picks, dtype=np.int64)


def incremental(
    pool: NDArray[np.float32], query: NDArray[np.float32], k: int, lambda_: float
) -> list[int]:
    """Return picks with one column of similarities a step: what good NumPy code does."""
    relevance = pool @ query
    picked = [int(relevance.argmax())]
    nearest = pool @ pool[picked[0]]
    for _ in range(k - 1):
        scores = lambda_ * relevance - (1 - lambda_) * nearest
        scores[picked] = -np.inf
        best = int(scores.argmax())
        picked.append(best)
        np.maximum(nearest, pool @ pool[best], out=nearest)
    return picked


def _numpy(task: MmrTask, _threads: int) -> Pick:
    return lambda: _each(
        task, lambda q, one: incremental(task.pools[q], task.queries[q], task.k, one)
    )


def _numpy_prefixes(task: MmrTask, _threads: int) -> Pick:
    """All similarities of a pool once, and every depth as a prefix of the deepest."""

    def of_query(q: int) -> list[list[int]]:
        pool = task.pools[q]
        relevance, similarity = pool @ task.queries[q], pool @ pool.T
        return [_walk(relevance, similarity, task.k, lambda_) for lambda_ in task.lambdas]

    def pick() -> Picks:
        picks = [of_query(q) for q in range(len(task.queries))]
        return np.array(picks, dtype=np.int64).transpose(1, 0, 2)

    return pick


def _walk(
    relevance: NDArray[np.float32], similarity: NDArray[np.float32], k: int, lambda_: float
) -> list[int]:
    picked = [int(relevance.argmax())]
    nearest = similarity[picked[0]].copy()
    for _ in range(k - 1):
        scores = lambda_ * relevance - (1 - lambda_) * nearest
        scores[picked] = -np.inf
        picked.append(int(scores.argmax()))
        np.maximum(nearest, similarity[picked[-1]], out=nearest)
    return picked


def _numpy_grid(task: MmrTask, _threads: int) -> Pick:
    """Walk with all lambdas side by side: as good as NumPy gets."""
    lambdas = np.array(task.lambdas, dtype=np.float32)[:, None]

    def of_query(q: int) -> Picks:
        pool = task.pools[q]
        relevance, similarity = pool @ task.queries[q], pool @ pool.T
        rows = np.arange(len(lambdas))
        picks = np.empty((len(lambdas), task.k), dtype=np.int64)
        picks[:, 0] = relevance.argmax()
        nearest = similarity[picks[:, 0]]
        weighted = lambdas * relevance
        taken = np.zeros((len(lambdas), len(pool)), dtype=bool)
        for step in range(1, task.k):
            taken[rows, picks[:, step - 1]] = True
            scores = weighted - (1 - lambdas) * nearest
            scores[taken] = -np.inf
            picks[:, step] = scores.argmax(axis=1)
            np.maximum(nearest, similarity[picks[:, step]], out=nearest)
        return picks

    return lambda: np.stack([of_query(q) for q in range(len(task.queries))], axis=1)


def _pyversity(task: MmrTask, _threads: int) -> Pick:
    pyversity = installed("pyversity")

    def of_query(q: int, lambda_: float) -> list[int]:
        relevance = task.pools[q] @ task.queries[q]
        found = pyversity.mmr(task.pools[q], relevance, task.k, 1 - lambda_, normalize=False)
        indices: list[int] = found.indices.tolist()
        return indices

    return lambda: _each(task, of_query)


def _langchain(task: MmrTask, _threads: int) -> Pick:
    if task.pools.shape[0] * task.pools.shape[1] > _LANGCHAIN_MOST:
        raise LeftOutError("takes many times as long as the others")
    utils = installed("langchain_core.vectorstores.utils")
    pools = [list(pool) for pool in task.pools]

    def of_query(q: int, lambda_: float) -> list[int]:
        picked: list[int] = utils.maximal_marginal_relevance(
            task.queries[q], pools[q], lambda_mult=lambda_, k=task.k
        )
        return picked

    return lambda: _each(task, of_query)


_PYVERSITY: Peer[MmrTask, Any] = Peer("pyversity", _pyversity, "pyversity")
ONE: tuple[Peer[MmrTask, Any], ...] = (
    Peer(OURS, _ours),
    Peer("NumPy, columns", _numpy, "numpy"),
    _PYVERSITY,
    Peer("LangChain", _langchain, "langchain-core", slow_start=True),
)
GRID: tuple[Peer[MmrTask, Any], ...] = (
    Peer(OURS, _ours_grid),
    Peer("NumPy, lambdas at once", _numpy_grid, "numpy"),
    Peer("NumPy, prefixes", _numpy_prefixes, "numpy"),
    Peer("NumPy, columns", _numpy, "numpy"),
    _PYVERSITY,
)
