"""Time ``gnomon lint`` with its start, on a golden set that this makes of real questions.

    python bench/lint_scale.py ../shared/data --records 10000

The records ask the questions of squad2, scifact and mtrag, then the same with one to five words
exchanged for other ones, so that there are near repetitions of every degree; each names three of
20,000 documents as gold. The command runs as a user would run it, in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gnomon.sources.collection import resolve_collection
from gnomon.sources.corpus import read_corpus
from gnomon.sources.queries import read_queries

DOCUMENTS = ("npl", "scifact", "cranfield", "squad2", "mtrag", "fastapi-docs")
QUESTIONS = ("squad2", "scifact", "mtrag")
RUNS, MOST_DOCUMENTS = 5, 20_000


def make(data: Path, folder: Path, records: int) -> None:
    """Write a corpus, its index and the golden set."""
    drawn = random.Random(0)
    names: list[str] = []
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as corpus:
        for name in DOCUMENTS:
            for one in read_corpus(resolve_collection(data / name).corpus).documents():
                names.append(f"{name}/{one.id}")
                corpus.write(json.dumps({"_id": names[-1], "text": one.passage}) + "\n")
    real = [
        text for name in QUESTIONS for text in read_queries(data / name / "queries.jsonl").texts
    ]
    words = [word for text in real for word in text.split()]
    with (folder / "golden.jsonl").open("w", encoding="utf-8") as golden:
        for at in range(records):
            asked = real[at % len(real)].split()
            for _ in range(drawn.randint(1, 5) if at >= len(real) else 0):
                asked[drawn.randrange(len(asked))] = drawn.choice(words)
            record = {
                "id": f"g-{at:05}",
                "question": " ".join(asked),
                "expect": "answer",
                "level": "low",
                "gold_chunks": drawn.sample(names[:MOST_DOCUMENTS], 3),
                "gold_answer": "word " * 120,
            }
            golden.write(json.dumps(record) + "\n")
    run(folder, "index", "corpus.jsonl", "--no-embed", "--out", "ix", "--quiet")


def run(folder: Path, *args: str) -> tuple[float, float]:
    """Run a command in the folder and return its wall and CPU time in seconds."""
    start, before = time.perf_counter(), os.times()
    command = [sys.executable, "-c", "from gnomon.cli.main import main; main()", *args]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    cpu = after.children_user + after.children_system
    cpu -= before.children_user + before.children_system
    return time.perf_counter() - start, cpu


def main() -> None:
    """Make the set in a temporary folder and time the command in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--records", type=int, default=10_000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        make(args.data, Path(place), args.records)
        for wall, cpu in (
            run(Path(place), "lint", "ix", "--golden", "golden.jsonl") for _ in range(RUNS)
        ):
            print(f"{wall:.2f} s, {cpu:.2f} s of CPU")


if __name__ == "__main__":
    main()
