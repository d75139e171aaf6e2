"""Read a TREC run and measure it, beside ir-measures, in the same run.

    python bench/run_files.py                                     # 10,000 queries x 1,000 results
    python bench/run_files.py --queries 1000 --results 100 --scores repr

Each side starts a process of its own, in turns, and reads run and judgements from the disk's cache.
Importing the packages is left out on both sides. Means are compared first: with trec_eval's rule of
ties they must be equal to 1e-9. Wall time says something on an idle machine only.
"""

from __future__ import annotations

import argparse
import importlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

NAMES: Final[Mapping[str, str]] = {
    "recall@10": "R@10",
    "ndcg@10": "nDCG@10",
    "rr": "RR",
    "ap": "AP",
    "precision@10": "P@10",
}
TOLERANCE: Final = 1e-9
JUDGED: Final = 10
SCORES: Final[Mapping[str, Callable[[float], str]]] = {
    "six": lambda score: f"{score:.6f}",  # as Lucene's and most other writers
    "repr": repr,  # what Python writes of a float64
    "power": lambda score: f"{score:e}",
}


def main() -> None:
    """Make the files, and print both sides."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--results", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--scores", choices=SCORES, default="six")
    parser.add_argument("--one", nargs=4, metavar=("SIDE", "RUN", "QRELS", "THREADS"))
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measured(*given.one)))
        return
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("run.trec", "qrels.txt")]
        make(files[0], files[1], given.queries, given.results, SCORES[given.scores])
        megabytes = files[0].stat().st_size / 1e6
        print(
            f"{given.queries:,} queries x {given.results:,} results, {megabytes:.0f} MB, "
            f"{JUDGED} judged documents a query; {', '.join(NAMES)}"
        )
        sides = [("ours", threads) for threads in given.threads] + [("theirs", 1)]
        found: dict[tuple[str, int], list[dict[str, Any]]] = {side: [] for side in sides}
        for number in range(given.rounds):
            # There and back: whoever comes behind the side that uses most memory waits for the
            # system to clear its pages and to put them together.
            for side in sides if number % 2 == 0 else sides[::-1]:
                found[side].append(started(*side, files))
    report(found)


def make(run: Path, qrels: Path, queries: int, results: int, text: Callable[[float], str]) -> None:
    """Write a run with falling scores, and judgements of which the run lists about half."""
    rng = np.random.default_rng(1)
    with run.open("w") as lines, qrels.open("w") as judged:
        for query in range(queries):
            name = f"q{100_000 + 7 * query}"
            documents = rng.permutation(np.unique(rng.integers(0, 1_000_000, 2 * results)))
            listed, others = documents[:results].tolist(), documents[results:].tolist()
            scores = np.sort(30 * rng.random(len(listed)))[::-1].tolist()
            lines.write(
                "".join(
                    f"{name} Q0 d{document:07d} {rank} {text(score)} bm25\n"
                    for rank, (document, score) in enumerate(zip(listed, scores, strict=True), 1)
                )
            )
            half = rng.permutation(len(listed))[: JUDGED // 2].tolist()
            relevant = [listed[at] for at in half] + others[: JUDGED - JUDGED // 2]
            gains = rng.integers(0, 4, JUDGED).tolist()
            judged.write(
                "".join(
                    f"{name} 0 d{document:07d} {gain}\n"
                    for document, gain in zip(relevant, gains, strict=False)
                )
            )


def measured(side: str, run: str, qrels: str, threads: str) -> dict[str, Any]:
    """Read and measure in this process, and return times, the peak of memory and the means."""
    work = ours(int(threads)) if side == "ours" else theirs()
    wall, cpu = time.perf_counter(), time.process_time()
    means = work(run, qrels)
    return {
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
        "means": means,
    }


def ours(threads: int) -> Callable[[str, str], dict[str, float]]:
    """Return our way of doing it."""
    from gnomon.evaluation.collection import evaluate_run  # noqa: PLC0415  # not the other side
    from gnomon.sources.qrels import read_qrels  # noqa: PLC0415
    from gnomon.sources.runs import read_run  # noqa: PLC0415

    def work(run: str, qrels: str) -> dict[str, float]:
        read = read_run(run, threads=threads)
        found = evaluate_run(read, read_qrels(qrels), list(NAMES), ties="trec", threads=threads)
        return {**found.means, "without relevant": found.n_without_relevant / found.n_total}

    return work


def theirs() -> Callable[[str, str], dict[str, float]]:
    """Return that of ir-measures."""
    irm: Any = importlib.import_module("ir_measures")  # an optional package without types
    measures = {name: irm.parse_measure(one) for name, one in NAMES.items()}

    def work(run: str, qrels: str) -> dict[str, float]:
        means = irm.calc_aggregate(
            list(measures.values()), irm.read_trec_qrels(qrels), irm.read_trec_run(run)
        )
        return {name: float(means[one]) for name, one in measures.items()}

    return work


def started(side: str, threads: int, files: Sequence[Path]) -> dict[str, Any]:
    """Measure one side in a process of its own."""
    command = [sys.executable, __file__, "--one", side, *map(str, files), str(threads)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def report(found: Mapping[tuple[str, int], Sequence[Mapping[str, Any]]]) -> None:
    """Print the least times, and stop when the two sides disagree."""
    reference = found["theirs", 1][0]["means"]
    for (side, threads), rounds in found.items():
        means = rounds[0]["means"]
        # trec_eval counts queries without a relevant document as 0; they are left out here.
        share = 1.0 - means.get("without relevant", 0.0)
        for name in NAMES:
            if abs(means[name] * share - reference[name]) > TOLERANCE:
                raise SystemExit(f"{name} is {means[name] * share!r} and {reference[name]!r}")
        best = {key: min(one[key] for one in rounds) for key in ("wall", "cpu", "gigabytes")}
        others = {key: min(one[key] for one in found["theirs", 1]) for key in ("wall", "cpu")}
        label = "ir-measures" if side == "theirs" else f"gnomon, {threads} threads"
        print(
            f"{label:<18} wall {best['wall']:6.2f} s, CPU {best['cpu']:6.2f} s, "
            f"{best['gigabytes']:.2f} GB; ir-measures / this: "
            f"wall {others['wall'] / best['wall']:.1f}, CPU {others['cpu'] / best['cpu']:.1f}"
        )


if __name__ == "__main__":
    main()
