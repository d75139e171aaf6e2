"""Damages an index file in every planned way and prints what became of it.

Run as ``index_damage.py INDEX PLAN``, where PLAN is a JSON list of damages. For each, one line: the
damage, a tab, and ``open``, ``search`` or ``verify`` (where it was refused), ``fine`` (never, and
all answers were right), or a description of what went wrong.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from gnomon import kernels
from gnomon.errors import IndexFileError, InvalidInputError

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.reference.xxh64 import xxh64

PAGE, BLOCK = 4096, 65536


def with_right_checksums(file: bytearray) -> bytearray:
    """Make every checksum right again, as someone who forges a small index would."""
    if len(file) > 3 * PAGE:
        old = xxh64(bytes(file[PAGE : 2 * PAGE])).to_bytes(8, "little")
        place = file.index(old, 16, PAGE)
        for block, start in enumerate(range(2 * PAGE, len(file), BLOCK)):
            data = bytes(file[start : start + BLOCK])
            file[PAGE + 8 * block : PAGE + 8 * block + 8] = xxh64(data).to_bytes(8, "little")
        file[place : place + 8] = xxh64(bytes(file[PAGE : 2 * PAGE])).to_bytes(8, "little")
    file[PAGE - 8 : PAGE] = xxh64(bytes(file[: PAGE - 8])).to_bytes(8, "little")
    return file


def damaged(good: bytes, how: str, *numbers: Any) -> bytes:
    """Return the bytes of the file after one damage."""
    changed = bytearray(good)
    if how == "flip":
        changed[numbers[0]] ^= numbers[1]
    elif how == "cut":
        del changed[numbers[0] :]
    elif how == "append":
        changed += b"\0" * numbers[0]
    elif how == "word":
        changed[numbers[0] : numbers[0] + 8] = numbers[1].to_bytes(8, "little")
    elif how == "forge header":
        changed[numbers[0] : numbers[0] + 8] = numbers[1].to_bytes(8, "little")
        changed[PAGE - 8 : PAGE] = xxh64(bytes(changed[: PAGE - 8])).to_bytes(8, "little")
    elif how == "forge data":
        at, part = numbers[0], bytes.fromhex(numbers[1])
        changed[at : at + len(part)] = part
        with_right_checksums(changed)
    elif how == "swap":
        a, b, length = numbers
        part = changed[a : a + length], changed[b : b + length]
        changed[b : b + length], changed[a : a + length] = part
    elif how == "become":
        kind, size = numbers
        fill = {
            "zeros": b"\0" * size,
            "ones": b"\xff" * size,
            "random": np.random.default_rng(0).bytes(size),
            "text": (b"id,vector\n" * size)[:size],
            "npy": (b"\x93NUMPY\x01\x00v\x00" + b" " * size)[:size],
        }
        return fill[kind]
    else:
        raise ValueError(how)
    return bytes(changed)


def outcome(path: Path, queries: np.ndarray, right: kernels.Hits) -> str:
    """Return where the damage was found, or what it led to."""
    place = "open"
    try:
        index = kernels.VectorIndex.open(path)
        place = "search"
        found = index.search_hits(np.resize(queries, (len(queries), index.dim)), 7)
        if not (np.isfinite(found.scores).all() and np.isin(found.ids, range(len(index))).all()):
            return "IMPOSSIBLE HITS"
        if not all(
            np.array_equal(getattr(found, part), getattr(right, part))
            for part in ("ids", "scores", "offsets")
        ):
            return "WRONG ANSWER"
        place = "verify"
        index.verify()
    except (IndexFileError, InvalidInputError) as error:
        return place if str(path) in str(error) else f"{place} without naming the file: {error}"
    except Exception as error:
        return f"{place} raised {type(error).__name__}: {error}"
    return "fine"


def main() -> None:
    """Try every damage of the plan."""
    file = Path(sys.argv[1])
    good = file.read_bytes()
    intact = kernels.VectorIndex.open(file)
    queries = np.random.default_rng(9).standard_normal((9, intact.dim)).astype(np.float32)
    right = intact.search_hits(queries, 7)
    victim = file.with_suffix(".damaged")
    for damage in json.loads(Path(sys.argv[2]).read_text(encoding="utf-8")):
        victim.unlink(missing_ok=True)  # a new file: the old one may still be mapped
        victim.write_bytes(damaged(good, *damage))
        name = " ".join(map(str, damage))
        print(f"{name}\t{outcome(victim, queries, right)}", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
