"""The exact cosine top-k beside its peers: same inputs, same threads, same run.

    python bench/bench_cosine.py                      # the table, peers interleaved round by round
    python bench/bench_cosine.py --shape 100000x384 --queries 32 --k 10
    pytest bench/bench_cosine.py --benchmark-timer=time.process_time

Every peer that is installed takes part; its answers are checked against the float64 reference
before it is timed. README.md in this folder lists the traps. Times are CPU seconds of the process,
the least of several rounds.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import sys
import time
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

THREADS = int(os.environ.get("GNOMON_BENCH_THREADS", "1"))
for variable in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ.setdefault(f"{variable}_NUM_THREADS", str(THREADS))

import numpy as np
import pytest

from gnomon import kernels

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Search = Callable[[NDArray[np.float32], int], NDArray[np.int64]]

BLOCK = 8192
TIE = 2e-6  # float32 peers may swap rows whose true scores are this close


@dataclass(frozen=True, slots=True)
class Case:
    """One row of the table: documents, dimensions, queries, hits; prepared or arrays in."""

    n: int
    d: int
    n_queries: int
    k: int
    prepared: bool

    @property
    def name(self) -> str:
        """What the table calls it."""
        kind = "prepared" if self.prepared else "arrays"
        return f"{self.n}x{self.d} q{self.n_queries} k{self.k} {kind}"


CASES = (
    Case(1_000_000, 384, 1, 10, prepared=True),
    Case(1_000_000, 384, 1, 100, prepared=True),
    Case(100_000, 384, 1, 10, prepared=True),
    Case(100_000, 384, 8, 10, prepared=True),
    Case(100_000, 384, 32, 10, prepared=True),
    Case(100_000, 384, 1000, 10, prepared=True),
    Case(100_000, 1024, 1, 10, prepared=True),
    Case(100_000, 1024, 32, 10, prepared=True),
    Case(100_000, 1024, 1000, 10, prepared=True),
    Case(100_000, 384, 1, 10, prepared=False),
    Case(100_000, 384, 32, 10, prepared=False),
    Case(100_000, 384, 1000, 10, prepared=False),
    Case(100_000, 1024, 1, 10, prepared=False),
    Case(100_000, 1024, 32, 10, prepared=False),
    Case(100_000, 1024, 1000, 10, prepared=False),
)


@cache
def documents(n: int, d: int) -> NDArray[np.float32]:
    """Return unit rows: half from a cloud, half from 1,000 clusters, so that near ties exist."""
    rng = np.random.default_rng(7)
    rows = rng.standard_normal((n, d), dtype=np.float32)
    centres = rng.standard_normal((1000, d), dtype=np.float32)
    rows[: n // 2] *= 0.5
    rows[: n // 2] += centres[rng.integers(0, 1000, n // 2)]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


@cache
def queries(n_queries: int, d: int) -> NDArray[np.float32]:
    """Return unit rows of their own."""
    rows = np.random.default_rng(8).standard_normal((n_queries, d), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def installed(module: str) -> Any:
    """Return the module, or None."""
    return importlib.import_module(module) if importlib.util.find_spec(module) else None


def best_columns(scores: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """Return the columns of the k largest values of every row, best first."""
    part = np.argpartition(scores, -k, axis=1)[:, -k:]
    order = np.argsort(-np.take_along_axis(scores, part, 1), axis=1, kind="stable")
    return np.take_along_axis(part, order, 1).astype(np.int64, copy=False)


def in_blocks(
    scores_of: Callable[[int, int], NDArray[np.float32]], n: int, k: int
) -> NDArray[np.int64]:
    """Return the top k of scores that are computed for a block of documents at a time."""
    found: list[NDArray[np.float32]] = []
    ids: list[NDArray[np.int64]] = []
    for first in range(0, n, BLOCK):
        scores = scores_of(first, min(first + BLOCK, n))
        columns = best_columns(scores, min(k, scores.shape[1]))
        found.append(np.take_along_axis(scores, columns, 1))
        ids.append(columns + first)
    columns = best_columns(np.concatenate(found, axis=1), k)
    return np.take_along_axis(np.concatenate(ids, axis=1), columns, 1)


def gnomon_prepared(docs: NDArray[np.float32]) -> Search:
    """Return the search of a `VectorIndex`."""
    index = kernels.VectorIndex(docs, threads=THREADS)
    return lambda q, k: index.search(q, k, threads=THREADS).ids


def gnomon_arrays(docs: NDArray[np.float32]) -> Search:
    """Return `gnomon.topk` on the arrays."""
    return lambda q, k: kernels.topk(q, docs, k, threads=THREADS).ids


def numpy_blocked(docs: NDArray[np.float32]) -> Search:
    """Return a blocked matrix product with argpartition."""
    return lambda q, k: in_blocks(lambda a, b: q @ docs[a:b].T, len(docs), k)


def torch_blocked(docs: NDArray[np.float32]) -> Search | None:
    """Return torch's matrix product and topk, in blocks."""
    torch = installed("torch")
    if torch is None:
        return None
    torch.set_num_threads(THREADS)
    rows = torch.from_numpy(docs)

    def search(q: NDArray[np.float32], k: int) -> NDArray[np.int64]:
        given = torch.from_numpy(q)
        parts, ids = [], []
        for first in range(0, len(docs), BLOCK):
            block = given @ rows[first : first + BLOCK].T
            best = torch.topk(block, min(k, block.shape[1]), dim=1)
            parts.append(best.values)
            ids.append(best.indices + first)
        best = torch.topk(torch.cat(parts, 1), k, dim=1)
        result: NDArray[np.int64] = torch.gather(torch.cat(ids, 1), 1, best.indices).numpy()
        return result

    return search


def faiss_flat(docs: NDArray[np.float32], blas_threshold: int | None) -> Search | None:
    """Return faiss's flat index; its default threshold keeps batches on a slow loop."""
    faiss = installed("faiss")
    if faiss is None:
        return None
    faiss.omp_set_num_threads(THREADS)
    usual = faiss.cvar.distance_compute_blas_threshold
    index = faiss.IndexFlatIP(docs.shape[1])
    index.add(docs)

    def search(q: NDArray[np.float32], k: int) -> NDArray[np.int64]:
        faiss.cvar.distance_compute_blas_threshold = blas_threshold or usual
        ids: NDArray[np.int64] = index.search(q, k)[1]
        faiss.cvar.distance_compute_blas_threshold = usual
        return ids

    return search


def faiss_knn(docs: NDArray[np.float32], blas_threshold: int | None) -> Search | None:
    """Return faiss's search over arrays, without an index."""
    faiss = installed("faiss")
    if faiss is None:
        return None
    faiss.omp_set_num_threads(THREADS)
    usual = faiss.cvar.distance_compute_blas_threshold

    def search(q: NDArray[np.float32], k: int) -> NDArray[np.int64]:
        faiss.cvar.distance_compute_blas_threshold = blas_threshold or usual
        ids: NDArray[np.int64] = faiss.knn(q, docs, k, metric=faiss.METRIC_INNER_PRODUCT)[1]
        faiss.cvar.distance_compute_blas_threshold = usual
        return ids

    return search


def hnswlib_flat(docs: NDArray[np.float32]) -> Search | None:
    """Return hnswlib's brute-force index."""
    hnswlib = installed("hnswlib")
    if hnswlib is None:
        return None
    index = hnswlib.BFIndex(space="ip", dim=docs.shape[1])
    index.init_index(max_elements=len(docs))
    index.add_items(docs)
    index.set_num_threads(THREADS)
    return lambda q, k: index.knn_query(q, k=k)[0].astype(np.int64)


def usearch_exact(docs: NDArray[np.float32]) -> Search | None:
    """Return USearch's exact search over arrays."""
    usearch = installed("usearch.index") if installed("usearch") else None
    if usearch is None:
        return None

    def search(q: NDArray[np.float32], k: int) -> NDArray[np.int64]:
        found = usearch.search(
            docs, q, k, metric=usearch.MetricKind.IP, exact=True, threads=THREADS
        )
        return np.atleast_2d(found.keys).astype(np.int64)

    return search


def simsimd_blocked(docs: NDArray[np.float32], package: str) -> Search | None:
    """Return the pairwise dots of SimSIMD or NumKong, in blocks, with argpartition."""
    module = installed(package)
    if module is None:
        return None

    def dots(q: NDArray[np.float32], a: int, b: int) -> NDArray[np.float32]:
        return np.asarray(module.cdist(q, docs[a:b], "dot"), dtype=np.float32)

    return lambda q, k: in_blocks(lambda a, b: dots(q, a, b), len(docs), k)


def makers(*, prepared: bool) -> dict[str, Callable[[NDArray[np.float32]], Search | None]]:
    """Return what builds each peer's search; ours comes first."""
    both: dict[str, Callable[[NDArray[np.float32]], Search | None]] = {
        "numpy": numpy_blocked,
        "torch": torch_blocked,
        "simsimd": lambda docs: simsimd_blocked(docs, "simsimd"),
        "numkong": lambda docs: simsimd_blocked(docs, "numkong"),
        "usearch": usearch_exact,
    }
    if prepared:
        return {
            "gnomon": gnomon_prepared,
            "faiss": lambda docs: faiss_flat(docs, None),
            "faiss blas": lambda docs: faiss_flat(docs, 1),
            "hnswlib": hnswlib_flat,
            **both,
        }
    return {
        "gnomon": gnomon_arrays,
        "faiss": lambda docs: faiss_knn(docs, None),
        "faiss blas": lambda docs: faiss_knn(docs, 1),
        **both,
    }


def check(name: str, ids: NDArray[np.int64], case: Case) -> None:
    """Raise unless every answer is the float64 top k, up to ties that float32 can't tell apart."""
    docs, asked = documents(case.n, case.d), queries(case.n_queries, case.d)
    for row in range(min(case.n_queries, 8)):
        truth = docs @ asked[row].astype(np.float64)
        kth = np.partition(truth, -case.k)[-case.k]
        if len(set(ids[row].tolist())) != case.k or truth[ids[row]].min() < kth - TIE:
            raise AssertionError(f"{name} is not exact on query {row} of {case.name}")


def measured(case: Case, rounds: int, only: Sequence[str]) -> dict[str, float]:
    """Return CPU milliseconds of every peer, the least over interleaved rounds."""
    docs, asked = documents(case.n, case.d), queries(case.n_queries, case.d)
    searches = {}
    for name, make in makers(prepared=case.prepared).items():
        search = make(docs) if not only or name in only else None
        if search is not None:
            check(name, search(asked, case.k), case)
            searches[name] = search
    least = dict.fromkeys(searches, float("inf"))
    for _ in range(rounds):
        for name, search in searches.items():
            begin = time.process_time()
            search(asked, case.k)
            least[name] = min(least[name], time.process_time() - begin)
    return {name: 1e3 * seconds for name, seconds in least.items()}


@pytest.mark.parametrize("case", CASES[3:6], ids=lambda case: case.name)
@pytest.mark.parametrize("name", list(makers(prepared=True)))
def test_top_k(benchmark: Any, case: Case, name: str) -> None:
    """Time one peer on one case; peers of a case form a group."""
    benchmark.group = case.name
    search = makers(prepared=case.prepared)[name](documents(case.n, case.d))
    if search is None:
        pytest.skip(f"{name} is not installed")
    asked = queries(case.n_queries, case.d)
    check(name, search(asked, case.k), case)
    benchmark(search, asked, case.k)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", help="only this shape, such as 100000x384")
    parser.add_argument("--queries", type=int, help="only this many queries")
    parser.add_argument("--k", type=int, help="only this k")
    parser.add_argument("--arrays", action="store_true", help="only arrays in, nothing prepared")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", nargs="*", default=[], help="only these peers")
    args = parser.parse_args()
    print(f"isa {kernels.isa()}, {THREADS} thread(s), numpy {np.__version__}, {sys.platform}")
    for case in CASES:
        if (
            (args.shape and args.shape != f"{case.n}x{case.d}")
            or (args.queries and args.queries != case.n_queries)
            or (args.k and args.k != case.k)
            or (args.arrays and case.prepared)
        ):
            continue
        times = measured(case, args.rounds, args.only)
        ours = times.pop("gnomon", float("nan"))
        ranked = sorted(times.items(), key=lambda item: item[1])
        best = f"{ranked[0][1] / ours:5.2f}x" if ranked else ""
        rest = ", ".join(f"{name} {value:.2f}" for name, value in ranked)
        print(
            f"{case.name}: gnomon {ours:.2f} ms, {best} faster than the best of {rest}", flush=True
        )


if __name__ == "__main__":
    main()
