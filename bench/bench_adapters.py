"""How well each adapter bridges real collections, how long a fit takes, and what serving costs.

    python bench/bench_adapters.py ../shared/data

Fits are timed in CPU seconds of one thread, the least of five; run it with OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
import timeit
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gnomon import kernels
from gnomon.adapters import ADAPTERS, Bridge, FitContext, FittedAdapter, adapter_named
from gnomon.adapters.kmeans import fit_clusters
from gnomon.embedding import Profile
from gnomon.errors import NotMeasuredError

if TYPE_CHECKING:
    from collections.abc import Callable

F32 = NDArray[np.float32]
Judged = dict[int, set[int]]
UPGRADES = (
    ("cranfield", "wordllama-256", "all-minilm-l6-v2"),
    ("cranfield", "glove-6b-50d", "wordllama-256"),
    ("cranfield", "all-minilm-l6-v2", "sre-minilm"),
    ("medline", "glove-6b-50d", "all-minilm-l6-v2"),
    ("cacm", "wordllama-256", "all-minilm-l6-v2"),
    ("mtrag", "wordllama-256", "all-minilm-l6-v2"),
    ("scifact", "wordllama-256", "all-minilm-l6-v2"),
)
PAIRS = 4_000
K = 10


def rows_by_id(folder: Path, part: str) -> dict[str, int]:
    """Return the row of every id of a JSONL file."""
    path = folder / f"{part}.jsonl"
    packed = path.with_name(f"{path.name}.gz")
    data = path.read_bytes() if path.exists() else gzip.decompress(packed.read_bytes())
    return {json.loads(line)["_id"]: row for row, line in enumerate(data.splitlines())}


def relevant_rows(folder: Path) -> Judged:
    """Return the relevant document rows of every judged query row."""
    docs, queries = rows_by_id(folder, "corpus"), rows_by_id(folder, "queries")
    relevant: Judged = defaultdict(set)
    for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
        query, doc, gain = line.split("\t")
        if int(gain) >= 1 and doc in docs:
            relevant[queries[query]].add(docs[doc])
    return relevant


def recall(queries: F32, docs: F32, relevant: Judged) -> float:
    """Return mean recall@10."""
    found = kernels.topk(queries, docs, K).ids
    return float(np.mean([len(r & set(found[q].tolist())) / len(r) for q, r in relevant.items()]))


def least_cpu_ms(work: Callable[[], object], repeats: int = 5) -> float:
    """Return the least CPU time of some runs, in milliseconds."""
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return 1e3 * min(times)


def vectors(folder: Path, model: str, part: str) -> F32:
    """Return stored vectors at unit length."""
    return kernels.normalize(np.load(folder / "emb" / f"{model}.{part}.npy"))


def print_quality(data: Path, collection: str, old: str, new: str) -> None:
    """Print recall@10 of every adapter, fitted on documents that no query judges and on all."""
    folder = data / collection
    relevant = relevant_rows(folder)
    old_docs, new_docs = vectors(folder, old, "corpus"), vectors(folder, new, "corpus")
    queries = vectors(folder, new, "queries")
    n = len(old_docs)
    judged = np.array(sorted(set().union(*relevant.values())))
    stay = recall(vectors(folder, old, "queries"), old_docs, relevant)
    oracle = recall(queries, new_docs, relevant)
    clusters = fit_clusters(old_docs, seed=0)
    print(f"\n{collection}: {old} -> {new}; stay {stay:.3f}, full reindex {oracle:.3f}")
    for scope, among in (("unjudged", np.setdiff1d(np.arange(n), judged)), ("all", np.arange(n))):
        rows = kernels.draw_rows(0, 1, n, min(PAIRS, len(among)), among=among)
        context = FitContext.of(
            new_docs[rows],
            old_docs[rows],
            seed=0,
            rows=rows,
            cluster_labels=clusters.assign(old_docs[rows]),
        )
        cells = [
            f"{adapter.name} "
            + _recall_or_dash(adapter.fit_context, context, queries, old_docs, relevant)
            for adapter in ADAPTERS
        ]
        print(f"  {scope:9} {len(rows):5} pairs: " + ", ".join(cells))


def _recall_or_dash(
    fit: Callable[[FitContext], FittedAdapter],
    context: FitContext,
    queries: F32,
    docs: F32,
    relevant: Judged,
) -> str:
    try:
        fitted = fit(context)
    except NotMeasuredError:
        return "-"
    return f"{recall(fitted.apply(queries), docs, relevant):.3f} (rank {fitted.rank})"


def _turned_pairs(d_new: int, d_old: int) -> tuple[F32, F32]:
    """Return pairs of which one side is the other, turned and blurred."""
    rng = np.random.default_rng(0)
    spectrum = 1.0 / np.sqrt(1.0 + np.arange(d_new))
    new = kernels.normalize(rng.standard_normal((PAIRS, d_new)) * spectrum)
    turn = np.linalg.qr(rng.standard_normal((max(d_new, d_old),) * 2))[0][:d_old, :d_new]
    return new, kernels.normalize(new @ turn.T + 0.01 * rng.standard_normal((PAIRS, d_old)))


def print_fit_times(d_new: int, d_old: int) -> None:
    """Print the CPU time of each fit, alone and behind the fits before it in the table."""
    new, old = _turned_pairs(d_new, d_old)
    labels = fit_clusters(old, seed=0).assign(old)

    def fresh() -> FitContext:
        return FitContext.of(new, old, seed=0, cluster_labels=labels)

    print(
        f"\n{PAIRS} pairs, {d_new} -> {d_old}, CPU ms of one thread, alone / after those before it"
    )
    shared = fresh()
    for adapter in ADAPTERS:
        try:
            alone = least_cpu_ms(lambda fit=adapter.fit_context: fit(fresh()))  # type: ignore[misc]
            after = least_cpu_ms(lambda fit=adapter.fit_context: fit(shared), 1)  # type: ignore[misc]
        except NotMeasuredError as reason:
            print(f"  {adapter.name:18} not offered: {reason}")
            continue
        print(f"  {adapter.name:18} {alone:6.1f} / {after:6.1f}")


def print_serving_times() -> None:
    """Print the time of serving one query beside a bare float32 matrix-vector product."""
    print("\none query, microseconds, least of 3,000: W @ q, Bridge.to_index_space(q), ratio")
    for d in (256, 384, 768, 1024):
        rng = np.random.default_rng(d)
        pairs = [kernels.normalize(rng.standard_normal((d + 200, d))) for _ in range(2)]
        _print_serving(f"d = {d:4}", adapter_named("procrustes").fit(*pairs, seed=0), pairs[0][0])
    new, old = _turned_pairs(768, 768)
    context = FitContext.of(new, old, seed=0, cluster_labels=fit_clusters(old, seed=0).assign(old))
    print("the kinds of map, 768 to 768")
    for adapter in ADAPTERS:
        fitted = adapter.fit_context(context)
        _print_serving(f"{adapter.name:18} rank {fitted.rank}", fitted, new[0])


def _print_serving(name: str, adapter: FittedAdapter, query: F32) -> None:
    d = adapter.d_new
    bridge, q = Bridge(adapter, Profile("new", d), Profile("old", d)), query.copy()
    weights = np.random.default_rng(d).standard_normal((d, d)).astype(np.float32)
    # Round by round, so that a busy moment hits both.
    bare_us = served_us = float("inf")
    for _ in range(3_000):
        bare_us = min(bare_us, 1e6 * timeit.timeit(lambda: weights @ q, number=4) / 4)
        served_us = min(
            served_us, 1e6 * timeit.timeit(lambda: bridge.to_index_space(q), number=4) / 4
        )
    print(f"  {name}: {bare_us:6.1f} {served_us:6.1f}  {served_us / bare_us:.2f}")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder of the collections")
    arguments = parser.parse_args()
    print(f"isa {kernels.isa()}, threads {kernels.default_threads()}")
    for upgrade in UPGRADES:
        print_quality(arguments.data, *upgrade)
    for widths in ((384, 256), (384, 384), (768, 768)):
        print_fit_times(*widths)
    print_serving_times()


if __name__ == "__main__":
    main()
