"""Damages the file of a BM25 index in every planned way and prints what became of it.

Run as ``bm25_damage.py FILE PLAN``; plan, damages and output are those of ``index_damage.py``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from gnomon import kernels
from gnomon.errors import GnomonError, IndexFileError

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.kernels.index_damage import damaged

QUERIES = (["w1", "w2"], ["w3", "w1", "w1"], ["w7"], ["w11", "w2", "w40"], ["absent"])


def answers(index: kernels.BM25Index) -> list[np.ndarray]:
    """Return hits and all scores of some queries."""
    found = index.search(k=5, tokens=QUERIES)
    whole = index.search(k=10_000, tokens=QUERIES)
    return [
        *(found.ids, found.scores, found.offsets),
        *(whole.ids, whole.scores, whole.offsets),
        *(index.scores(tokens=query) for query in QUERIES),
    ]


def outcome(folder: Path, right: list[np.ndarray]) -> str:
    """Return where the damage was found, or what it led to."""
    place = "open"
    try:
        index = kernels.BM25Index.open(folder)
        place = "search"
        found = answers(index)
        if not all(np.array_equal(a, b) for a, b in zip(found, right, strict=True)):
            return "WRONG ANSWER"
        place = "verify"
        index.verify()
    except (IndexFileError, GnomonError) as error:
        return place if str(folder) in str(error) else f"{place} without naming the file: {error}"
    except Exception as error:
        return f"{place} raised {type(error).__name__}: {error}"
    return "fine"


def main() -> None:
    """Try every damage of the plan."""
    file = Path(sys.argv[1])
    good = file.read_bytes()
    right = answers(kernels.BM25Index.open(file.parent))
    folder = file.parent / "damaged"
    folder.mkdir()
    victim = folder / file.name
    for damage in json.loads(Path(sys.argv[2]).read_text(encoding="utf-8")):
        victim.unlink(missing_ok=True)  # a new file: the old one may still be mapped
        victim.write_bytes(damaged(good, *damage))
        name = " ".join(map(str, damage))
        print(f"{name}\t{outcome(folder, right)}", flush=True)  # noqa: T201
    victim.unlink(missing_ok=True)
    folder.rmdir()


if __name__ == "__main__":
    main()
