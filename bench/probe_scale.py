"""Time a whole probe, on a real collection or on a large corpus that this script makes.

    python bench/probe_scale.py --make large --rows 1000000 --dim 384 --queries 1000
    python bench/probe_scale.py --corpus large --old old --new new
    python bench/probe_scale.py --corpus PATH/TO/scifact --old wordllama-256 --new all-minilm-l6-v2

The first command writes a collection in BEIR layout: documents and queries share a latent space
of 64 dimensions, each model sees it through its own random map and its own noise, and every query
is written from one document, which is its judgement. The other two run the probe in this process
and print one JSON object: seconds of reading, of measuring and in all, and the largest anonymous
resident memory (RssAnon), sampled every 20 ms.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from pathlib import Path
from typing import Any, Self

import numpy as np

from gnomon import kernels
from gnomon.probe.files import collection_files
from gnomon.probe.gather import gather
from gnomon.probe.settings import ProbeSettings
from gnomon.probe.workflow import run_probe

LATENT, BLOCK = 64, 50_000
NOISE = {"old": 0.5, "new": 0.3}  # the old model sees less: an upgrade that pays
QUERY_NOISE = 0.6


def make(folder: Path, rows: int, dim: int, queries: int) -> None:
    """Write the collection."""
    (folder / "emb").mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    maps = {name: rng.standard_normal((LATENT, dim)).astype(np.float32) for name in NOISE}
    out = {
        name: np.lib.format.open_memmap(
            folder / "emb" / f"{name}.corpus.npy", "w+", np.float32, (rows, dim)
        )
        for name in NOISE
    }
    asked = np.sort(rng.choice(rows, queries, replace=False))
    latents = np.empty((queries, LATENT), np.float32)
    for start in range(0, rows, BLOCK):
        z = rng.standard_normal((min(BLOCK, rows - start), LATENT)).astype(np.float32)
        inside = (asked >= start) & (asked < start + len(z))
        latents[inside] = z[asked[inside] - start]
        for name, noise in NOISE.items():
            out[name][start : start + len(z)] = _seen(z, maps[name], noise, rng)
    for name, noise in NOISE.items():
        blurred = latents + QUERY_NOISE * rng.standard_normal(latents.shape).astype(np.float32)
        np.save(folder / "emb" / f"{name}.queries.npy", _seen(blurred, maps[name], noise, rng))
    _write_texts(folder, rows, asked)


def _seen(z: Any, view: Any, noise: float, rng: np.random.Generator) -> Any:
    x = z @ view + noise * np.sqrt(LATENT) * rng.standard_normal(
        (len(z), view.shape[1]), dtype=np.float32
    )
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def _write_texts(folder: Path, rows: int, asked: Any) -> None:
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(f'{{"_id":"d{i}","text":"made"}}\n' for i in range(rows))
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(f'{{"_id":"q{i}","text":"made"}}\n' for i in range(len(asked)))
    with (folder / "qrels.tsv").open("w", encoding="utf-8") as file:
        file.write("query-id\tcorpus-id\tscore\n")
        file.writelines(f"q{i}\td{row}\t1\n" for i, row in enumerate(asked))


class PeakAnonymous:
    """Samples the anonymous resident memory of this process."""

    def __init__(self) -> None:
        self.peak_mb = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._stop.wait(0.02):
            for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
                if line.startswith("RssAnon"):
                    self.peak_mb = max(self.peak_mb, int(line.split()[1]) / 1024)


def measure(corpus: Path, old: str, new: str, settings: ProbeSettings, rounds: int) -> None:
    """Print what one probe costs; the fastest of some rounds."""
    files = collection_files(corpus, old, new)
    timings = []
    with PeakAnonymous() as memory:
        for _ in range(rounds):
            begin = time.perf_counter()
            inputs = gather(files).inputs
            read = time.perf_counter()
            result = run_probe(inputs, settings).result
            end = time.perf_counter()
            timings.append((end - read, read - begin, end - begin))
    measuring, reading, total = min(timings)
    print(
        json.dumps(
            {
                "documents": result.n_documents,
                "queries": result.n_queries,
                "dimensions": [result.old_profile.dim, result.new_profile.dim],
                "adapter": result.adapter_name,
                "decision": result.verdict.decision,
                "isa": kernels.isa(),
                "threads": settings.threads or kernels.default_threads(),
                "seconds_reading_and_hashing": round(reading, 3),
                "seconds_measuring": round(measuring, 3),
                "seconds_total": round(total, 3),
                "peak_anonymous_mb": round(memory.peak_mb),
            },
            indent=2,
        )
    )


def main() -> None:
    """Make a corpus, or measure one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--make", type=Path, metavar="DIR")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--dim", type=int, default=384)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--corpus", type=Path, metavar="DIR")
    parser.add_argument("--old", default="old")
    parser.add_argument("--new", default="new")
    parser.add_argument("--adapter")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--rounds", type=int, default=1)
    args = parser.parse_args()
    if args.make is not None:
        make(args.make, args.rows, args.dim, args.queries)
    if args.corpus is not None:
        settings = ProbeSettings(adapter=args.adapter, threads=args.threads)
        measure(args.corpus, args.old, args.new, settings, args.rounds)


if __name__ == "__main__":
    main()
