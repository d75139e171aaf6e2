"""Time `gnomon tune` after embedding, on a folder that ``bench/eval_scale.py`` made.

    python bench/eval_scale.py --make large --chunks 20000 --records 500 --embedder lsa:256
    python bench/tune_scale.py large

Prints wall and CPU seconds of the whole, and of its parts: asking every record, and from there to
the winner with its held-out reading, refusals in 99 cells judged anew among them.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gnomon.embedding.lsa import LsaEmbedder
from gnomon.evaluation.asking import ask, questions_of
from gnomon.evaluation.tuning import Options, tune
from gnomon.golden.records import read_golden
from gnomon.retrieval.index import Index
from gnomon.retrieval.index_files import EMBEDDER_FOLDER
from gnomon.retrieval.turns import wordings_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

RUNS = 5


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """Return the least wall and CPU time of a few runs."""
    found = []
    for _ in range(RUNS):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        found.append((time.perf_counter() - wall, time.process_time() - cpu))
    return min(one[0] for one in found), min(one[1] for one in found)


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder / "gnomon"
    index = Index.open(folder / "index")
    records = read_golden(folder / "golden.jsonl")
    model = LsaEmbedder.load(
        folder / "index" / EMBEDDER_FOLDER, analyzer=index.finder.vocabulary.analyzer
    )
    texts = list(dict.fromkeys(t for r in records for t in wordings_of(questions_of(r))))
    known = dict(zip(texts, model.embed_questions(texts), strict=True))

    def embed(wanted: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([known[text] for text in wanted])

    def nothing(done: int, total: int) -> None:  # Progress's names
        """Show no progress."""

    print(f"{len(index)} chunks, {len(records)} records, 99 cells")
    whole = seconds(lambda: tune(index, records, embed, Options(), nothing))
    asking = seconds(lambda: ask(index, records, embed, nothing))
    for name, (wall, cpu) in {"whole": whole, "asking the records": asking}.items():
        print(f"{name}: {wall:.2f} s, {cpu:.2f} s of CPU")


if __name__ == "__main__":
    main()
