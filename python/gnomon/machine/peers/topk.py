"""Exact top-k by cosine on unit rows: a prepared index, or arrays in and answer out."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon import kernels
from gnomon.machine.work import OURS, Demand, LeftOutError, Peer, Work, WrongAnswerError, installed

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Search = Callable[[], NDArray[np.int64]]

BLOCK = 8192
TIE = 2e-6  # float32 peers may swap rows whose true scores are this close
CHECKED = 8  # queries whose answers are compared with the reference
_MOST_ONE_BY_ONE = 30_000_000_000  # multiply-adds
_BYTES_PER_CODED_ROW = 16  # scale, leftover and sums beside the codes


@dataclass(frozen=True, slots=True, eq=False)
class TopKTask:
    """Unit rows, unit queries and how many hits are asked for."""

    docs: NDArray[np.float32]
    queries: NDArray[np.float32]
    k: int


@functools.lru_cache(maxsize=2)
def documents(n: int, d: int) -> NDArray[np.float32]:
    """Return unit rows: half from a cloud, half from 1,000 clusters, so that near ties exist."""
    rng = np.random.default_rng(7)
    rows = rng.standard_normal((n, d), dtype=np.float32)
    centres = rng.standard_normal((1000, d), dtype=np.float32)
    rows[: n // 2] *= 0.5
    rows[: n // 2] += centres[rng.integers(0, 1000, n // 2)]
    return unit_rows(rows)


@functools.lru_cache(maxsize=8)
def queries(n_queries: int, d: int) -> NDArray[np.float32]:
    """Return unit rows of their own."""
    return unit_rows(np.random.default_rng(8).standard_normal((n_queries, d), dtype=np.float32))


def unit_rows(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Divide rows by their length in place, read-only from then on, and return them."""
    for first in range(0, len(rows), BLOCK):
        block = rows[first : first + BLOCK]
        block /= np.linalg.norm(block, axis=1, keepdims=True)
    rows.flags.writeable = False
    return rows


def work(n: int, d: int, n_queries: int, k: int, *, prepared: bool) -> Work[TopKTask, Any]:
    """Return a search of so many documents, dimensions, queries and hits."""
    how = "prepared" if prepared else "arrays in"
    pairs = n_queries * n * d
    whole = Demand(read_bytes=n * (d + -d % 64 + _BYTES_PER_CODED_ROW), int8_multiply_adds=pairs)
    # Too few queries to pay for coding: the floats themselves have to be read.
    plain = Demand(read_bytes=4 * n * d, int8_multiply_adds=pairs if n_queries >= 32 else 0)
    asked = f"{n_queries:,} {'query' if n_queries == 1 else 'queries'}"
    return Work(
        kernel="topk",
        name=f"topk {n}x{d} q{n_queries} k{k} {how}",
        what=f"{asked}, {n:,} x {d}, k = {k}, {how}",
        make=lambda: TopKTask(documents(n, d), queries(n_queries, d), k),
        peers=PREPARED if prepared else ARRAYS,
        check=check,
        demand=whole if prepared else plain,
        amount=n_queries,
        unit="queries",
    )


def check(task: TopKTask, ids: NDArray[np.int64]) -> None:
    """Raise unless every answer is the float64 top k, up to ties that float32 can't tell apart."""
    if ids.shape != (len(task.queries), task.k):
        raise WrongAnswerError(f"the shape is {ids.shape}")
    for row in range(min(len(task.queries), CHECKED)):
        truth = float64_scores(task.docs, task.queries[row])
        kth = np.partition(truth, -task.k)[-task.k]
        if len(set(ids[row].tolist())) != task.k or truth[ids[row]].min() < kth - TIE:
            raise WrongAnswerError(f"not the true top {task.k} of query {row}")


def float64_scores(docs: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the dots with a query in float64, block by block."""
    wide = query.astype(np.float64)
    blocks = [docs[at : at + BLOCK].astype(np.float64) @ wide for at in range(0, len(docs), BLOCK)]
    return np.concatenate(blocks)


def _ours_prepared(task: TopKTask, threads: int) -> Search:
    index = kernels.VectorIndex(task.docs, threads=threads)
    return lambda: index.search(task.queries, task.k, threads=threads).ids


def _ours_arrays(task: TopKTask, threads: int) -> Search:
    return lambda: kernels.topk(task.queries, task.docs, task.k, threads=threads).ids


def _best_columns(scores: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    part = np.argpartition(scores, -k, axis=1)[:, -k:]
    order = np.argsort(-np.take_along_axis(scores, part, 1), axis=1, kind="stable")
    return np.take_along_axis(part, order, 1).astype(np.int64, copy=False)


def _in_blocks(task: TopKTask, scores_of: Callable[[int, int], Any]) -> NDArray[np.int64]:
    found: list[NDArray[np.float32]] = []
    ids: list[NDArray[np.int64]] = []
    for first in range(0, len(task.docs), BLOCK):
        scores = scores_of(first, min(first + BLOCK, len(task.docs)))
        columns = _best_columns(scores, min(task.k, scores.shape[1]))
        found.append(np.take_along_axis(scores, columns, 1))
        ids.append(columns + first)
    columns = _best_columns(np.concatenate(found, axis=1), task.k)
    return np.take_along_axis(np.concatenate(ids, axis=1), columns, 1)


def _numpy(task: TopKTask, _threads: int) -> Search:
    return lambda: _in_blocks(task, lambda a, b: task.queries @ task.docs[a:b].T)


def _torch(task: TopKTask, threads: int) -> Search:
    torch = installed("torch")
    torch.set_num_threads(threads)
    # Copies: torch warns of arrays that must not be written to.
    rows, given = torch.tensor(task.docs), torch.tensor(task.queries)

    def search() -> NDArray[np.int64]:
        parts, ids = [], []
        for first in range(0, len(rows), BLOCK):
            block = given @ rows[first : first + BLOCK].T
            best = torch.topk(block, min(task.k, block.shape[1]), dim=1)
            parts.append(best.values)
            ids.append(best.indices + first)
        best = torch.topk(torch.cat(parts, 1), task.k, dim=1)
        result: NDArray[np.int64] = torch.gather(torch.cat(ids, 1), 1, best.indices).numpy()
        return result

    return search


def _with_blas_threshold(faiss: Any, threshold: int | None, search: Search) -> Search:
    if threshold is None:
        return search
    usual = faiss.cvar.distance_compute_blas_threshold

    def with_threshold() -> NDArray[np.int64]:
        faiss.cvar.distance_compute_blas_threshold = threshold
        try:
            return search()
        finally:
            faiss.cvar.distance_compute_blas_threshold = usual

    return with_threshold


def _faiss_flat(task: TopKTask, threads: int, threshold: int | None) -> Search:
    faiss = installed("faiss")
    faiss.omp_set_num_threads(threads)
    index = _faiss_index(task)
    return _with_blas_threshold(faiss, threshold, lambda: index.search(task.queries, task.k)[1])


@functools.lru_cache(maxsize=1)
def _faiss_index(task: TopKTask) -> Any:
    # One copy of the documents serves both thresholds.
    index = installed("faiss").IndexFlatIP(task.docs.shape[1])
    index.add(task.docs)
    return index


def _faiss_knn(task: TopKTask, threads: int, threshold: int | None) -> Search:
    faiss = installed("faiss")
    faiss.omp_set_num_threads(threads)
    metric = faiss.METRIC_INNER_PRODUCT

    def search() -> NDArray[np.int64]:
        ids: NDArray[np.int64] = faiss.knn(task.queries, task.docs, task.k, metric=metric)[1]
        return ids

    return _with_blas_threshold(faiss, threshold, search)


def _leave_out_large(task: TopKTask) -> None:
    """Refuse batches that take minutes pair by pair, and five times as long as a matrix product."""
    if len(task.queries) * task.docs.size > _MOST_ONE_BY_ONE:
        raise LeftOutError("scores pair by pair, several times slower on a batch of this size")


def _hnswlib(task: TopKTask, threads: int) -> Search:
    hnswlib = installed("hnswlib")
    _leave_out_large(task)
    index = hnswlib.BFIndex(space="ip", dim=task.docs.shape[1])
    index.init_index(max_elements=len(task.docs))
    index.add_items(task.docs)
    index.set_num_threads(threads)
    return lambda: index.knn_query(task.queries, k=task.k)[0].astype(np.int64)


def _usearch(task: TopKTask, threads: int) -> Search:
    usearch = installed("usearch.index")
    _leave_out_large(task)
    metric = usearch.MetricKind.IP

    def search() -> NDArray[np.int64]:
        found = usearch.search(
            task.docs, task.queries, task.k, metric=metric, exact=True, threads=threads
        )
        return np.atleast_2d(found.keys).astype(np.int64)

    return search


def _pairwise(package: str) -> Callable[[TopKTask, int], Search]:
    def prepare(task: TopKTask, threads: int) -> Search:
        module = installed(package)
        _leave_out_large(task)

        def dots(a: int, b: int) -> NDArray[np.float32]:
            found = module.cdist(task.queries, task.docs[a:b], "dot", threads=threads)
            return np.asarray(found, dtype=np.float32)

        return lambda: _in_blocks(task, dots)

    return prepare


def _sklearn(task: TopKTask, threads: int) -> Search:
    if len(task.queries) > 100 and len(task.docs) > 200_000:
        raise LeftOutError("its matrix of distances would fill the memory")
    neighbors = installed("sklearn.neighbors")
    # On unit rows the Euclidean order is that of the cosine, and this metric has a fast route.
    index = neighbors.NearestNeighbors(metric="euclidean", algorithm="brute", n_jobs=threads)
    index.fit(task.docs)

    def search() -> NDArray[np.int64]:
        ids: NDArray[np.int64] = index.kneighbors(task.queries, task.k, return_distance=False)
        return ids

    return search


_BOTH: tuple[Peer[TopKTask, Any], ...] = (
    Peer("NumPy", _numpy, "numpy"),
    Peer("SimSIMD", _pairwise("simsimd"), "simsimd"),
    Peer("NumKong", _pairwise("numkong"), "numkong"),
    Peer("USearch", _usearch, "usearch"),
    Peer("torch", _torch, "torch", slow_start=True),
    Peer("scikit-learn", _sklearn, "scikit-learn", slow_start=True),
)
PREPARED: tuple[Peer[TopKTask, Any], ...] = (
    Peer(OURS, _ours_prepared),
    Peer("faiss", lambda task, threads: _faiss_flat(task, threads, None), "faiss-cpu"),
    Peer("faiss, BLAS", lambda task, threads: _faiss_flat(task, threads, 1), "faiss-cpu"),
    Peer("hnswlib", _hnswlib, "hnswlib"),
    *_BOTH,
)
ARRAYS: tuple[Peer[TopKTask, Any], ...] = (
    Peer(OURS, _ours_arrays),
    Peer("faiss", lambda task, threads: _faiss_knn(task, threads, None), "faiss-cpu"),
    Peer("faiss, BLAS", lambda task, threads: _faiss_knn(task, threads, 1), "faiss-cpu"),
    *_BOTH,
)
