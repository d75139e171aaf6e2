"""Time index, gate and calibration on made pages: 20,000 sections, 600 probes, no model.

    python bench/gate_speed.py            # the table of docs/gate.md
    python bench/gate_speed.py --chunks 2000 --probes 100

Every command runs as its own process, start included, in a temporary folder. The words follow
Zipf's law; the vectors come from ``lsa:64``, so that what is timed is gnomon's own work.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gnomon.calibration.sweep import ProbeEvidence, sweep_windows
from gnomon.retrieval.index import Index
from gnomon.rules.gate import windows
from gnomon.rules.gate_values import STRATA

if TYPE_CHECKING:
    from collections.abc import Callable

SEED: Final = 7
SECTIONS_A_PAGE: Final = 10
WORDS_A_SECTION: Final = 120
VOCABULARY: Final = 30_000
STRATA_ASKED: Final = ("U", "S", "F", "N1", "N2", "N3", "N4", "N5", "N6", "X", "P")
ROUNDS: Final = 3
START: Final = "from gnomon.cli.main import main; main()"


def words(generator: np.random.Generator, n: int) -> list[str]:
    """Return n made words, their ranks after Zipf's law."""
    ranks = np.minimum(generator.zipf(1.2, n), VOCABULARY)
    return [f"w{rank:x}q" for rank in ranks.tolist()]


def write_pages(folder: Path, chunks: int) -> None:
    """Write so many sections, ten a page, each with a heading of its own."""
    generator = np.random.default_rng(SEED)
    for page in range(chunks // SECTIONS_A_PAGE):
        lines = [f"# Page {page} {' '.join(words(generator, 3))}\n"]
        for section in range(SECTIONS_A_PAGE):
            if section:
                lines.append(f"\n## {' '.join(words(generator, 3))} {section}\n")
            lines.append("\n" + " ".join(words(generator, WORDS_A_SECTION)) + "\n")
        place = folder / f"part{page % 20}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"page{page}.md").write_text("".join(lines), encoding="utf-8")


def write_probes(file: Path, probes: int) -> None:
    """Write so many probes over all strata."""
    generator = np.random.default_rng(SEED + 1)
    lines = []
    for i in range(probes):
        stratum = STRATA_ASKED[i % len(STRATA_ASKED)]
        one: dict[str, Any] = {"id": f"p{i}", "stratum": stratum}
        one["question"] = "how do I " + " ".join(words(generator, 6)) + "?"
        if stratum in {"S", "X", "P"}:
            one["scope"] = [f"part{i % 20}"]
        if stratum in {"F", "N5"}:
            one["prev_question"] = "what is " + " ".join(words(generator, 5)) + "?"
        lines.append(json.dumps(one))
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def seconds_of(arguments: list[str], place: Path) -> float:
    """Return the wall time of a command, start included."""
    environment = {name: v for name, v in os.environ.items() if not name.startswith("GNOMON_")}
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", START, *arguments, "--quiet"],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    taken = time.perf_counter() - began
    if done.returncode not in (0, 3):  # made probes need not separate
        raise SystemExit(done.stderr)
    return taken


def best(work: Callable[[], object]) -> float:
    """Return the shortest of a few rounds, in seconds."""
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def sweep_seconds(probes: int) -> float:
    """Return the time of 612 windows by 101 thresholds over two turns of three channels."""
    generator = np.random.default_rng(SEED)
    shape = (2, 3, probes)
    evidence = ProbeEvidence(
        generator.integers(0, len(STRATA), probes),
        generator.normal(0.5, 0.15, shape).astype(np.float32),
        generator.integers(0, 7, shape) / 6,
        np.ones(shape, dtype=bool),
    )
    return best(lambda: sweep_windows(evidence, windows(), w_dense=0.75, w_lexical=0.25))


def verdict_seconds(folder: Path) -> float:
    """Return the time of one verdict, the vector given, over questions of six words."""
    index = Index.open(folder)
    assert index.manifest.profile is not None
    generator = np.random.default_rng(SEED)
    questions = [" ".join(words(generator, 6)) for _ in range(200)]
    vectors = generator.normal(size=(200, index.manifest.profile.dim)).astype(np.float32)

    def ask() -> None:
        for question, vector in zip(questions, vectors, strict=True):
            index.evaluate(question, vectors=vector)

    return best(ask) / len(questions)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--probes", type=int, default=600)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        write_pages(place / "docs", given.chunks)
        write_pages(place / "few", 2_000)
        (place / "gnomon").mkdir()
        write_probes(place / "gnomon" / "calibration.jsonl", given.probes)
        words_alone = ["index", "docs", "--no-embed", "--out", "words"]
        rows = [
            ("index without vectors", seconds_of(words_alone, place)),
            ("index with lsa:64", seconds_of(["index", "docs", "--embedder", "lsa:64"], place)),
            ("index again, all vectors kept or fitted", seconds_of(
                ["index", "docs", "--embedder", "lsa:64"], place)),
            ("calibrate", seconds_of(["calibrate"], place)),
            ("calibrate again, evidence kept", seconds_of(["calibrate"], place)),
            ("calibrate --sweep-only", seconds_of(["calibrate", "--sweep-only"], place)),
            ("the sweep alone", sweep_seconds(given.probes)),
        ]  # fmt: skip
        seconds_of(["index", "few", "--embedder", "lsa:64", "--out", "small"], place)
        print(f"| work, {given.chunks:,} chunks, {given.probes} probes | seconds |\n|---|---|")
        for name, taken in rows:
            print(f"| {name} | {taken:.2f} |")
        for name, folder in (("2,000", "small"), (f"{given.chunks:,}", "gnomon/index")):
            taken = verdict_seconds(place / folder)
            print(f"| one verdict on {name} chunks, its vector given | {taken:.5f} |")


if __name__ == "__main__":
    main()
