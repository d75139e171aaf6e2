"""Time ``gnomon eval --gate-only`` with its start, on a corpus and a golden set that this makes.

    python bench/eval_scale.py --make large --chunks 20000 --records 500 --embedder lsa:256
    python bench/eval_scale.py --run large

The first command writes Markdown pages of eight sections each, of made-up words as frequent as
those of a language, indexes them, and writes a golden set: of ten records one is a follow-up, one
is asked within a scope, one must be refused. The second one runs the command as a user would, in a
process of its own, and prints wall and CPU seconds of each run, the first of which fills the cache
of the questions' vectors.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from gnomon.machine.peers.passages import passages

SECTIONS, RUNS = 8, 5


def make(folder: Path, chunks: int, records: int, embedder: str) -> None:
    """Write pages, index and golden set."""
    made = passages(2 * chunks, records)
    for page in range(chunks // SECTIONS):
        lines = [f"# Page {page}", ""]
        for section in range(SECTIONS):
            at = 2 * (page * SECTIONS + section)
            if section:
                lines += [f"## {made.texts[at].split()[0]} {section}", ""]
            lines += [made.texts[at], "", made.texts[at + 1], ""]
        file = folder / "docs" / f"part-{page % 20}" / f"page-{page}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines), encoding="utf-8")
    (folder / "gnomon").mkdir(exist_ok=True)
    golden = folder / "gnomon" / "golden.jsonl"
    with golden.open("w", encoding="utf-8") as lines_out:
        for at in range(records):
            page = at * 37 % (chunks // SECTIONS)
            record: dict[str, Any] = {
                "id": f"g-{at:04}",
                "question": f"{made.queries[at]} number {at}",
                "expect": "answer",
                "level": "low",
                "gold_chunks": [f"part-{page % 20}/page-{page}"],
            }
            if at % 10 == 1:
                record["prev_questions"] = [made.queries[at - 1]]
            elif at % 10 == 2:
                record["scope"] = {"kind": "section", "paths": [f"/part-{page % 20}"]}
            elif at % 10 == 3:
                record |= {"expect": "refuse:no-evidence", "gold_chunks": []}
            lines_out.write(json.dumps(record) + "\n")
    run(folder, "index", "docs", "--embedder", embedder, "--quiet")


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
    """Make the folder, or time the command in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--make", type=Path, metavar="FOLDER")
    parser.add_argument("--run", type=Path, metavar="FOLDER")
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--records", type=int, default=500)
    parser.add_argument("--embedder", default="lsa:256")
    args = parser.parse_args()
    if args.make is not None:
        make(args.make, args.chunks, args.records, args.embedder)
    if args.run is not None:
        seconds = [run(args.run, "eval", "--gate-only", "--quiet") for _ in range(RUNS)]
        for wall, cpu in seconds:
            print(f"{wall:.2f} s, {cpu:.2f} s of CPU")


if __name__ == "__main__":
    main()
