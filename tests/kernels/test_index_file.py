"""Damaged and lying index files: every one is refused or detected, none crashes the process.

All damage is tried in a child process that prints one line for each file; a crash is then a failed
test that names the damage, and the suite lives on.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.hostile_data import gaussian

from gnomon import kernels

if TYPE_CHECKING:
    from collections.abc import Iterable

CHILD = Path(__file__).with_name("index_damage.py")


def try_damage(
    file: Path, damages: Iterable[tuple[Any, ...]], child: Path = CHILD
) -> dict[str, str]:
    """Return what became of each damage: where it was found, or what it led to."""
    plan = file.with_suffix(".json")
    plan.write_text(json.dumps(list(damages)), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(child), str(file), str(plan)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    outcomes = dict(line.split("\t", 1) for line in done.stdout.splitlines())
    last = list(outcomes.items())[-1:]
    assert done.returncode == 0, f"died with {done.returncode} after {last}: {done.stderr[-2000:]}"
    return outcomes


def undetected(outcomes: dict[str, str], places: set[str]) -> dict[str, str]:
    """Return the damages that were not found in one of the places."""
    return {damage: outcome for damage, outcome in outcomes.items() if outcome not in places}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Save an index so small that all of its bytes can be tried one by one."""
    docs = gaussian(np.random.default_rng(0), 21, 5)
    docs[4] = 0
    file = tmp_path_factory.mktemp("small") / "index"
    kernels.VectorIndex(docs).save(file)
    return file


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Save an index of several blocks."""
    docs = gaussian(np.random.default_rng(1), 20_000, 24)
    file = tmp_path_factory.mktemp("large") / "index"
    kernels.VectorIndex(docs).save(file)
    return file


def positions(size: int, most: int, seed: int) -> list[int]:
    """Return every position, or a dense beginning and a random sample of the rest."""
    if size <= most:
        return list(range(size))
    rest = np.random.default_rng(seed).choice(np.arange(most // 2, size), most // 2, replace=False)
    return [*range(most // 2), *sorted(rest.tolist())]


FOUND = {"open", "search", "verify"}


def test_an_undamaged_file_is_fine(small: Path, large: Path) -> None:
    """The check itself reports nothing where nothing is wrong."""
    for file in (small, large):
        assert try_damage(file, [("cut", file.stat().st_size)]) == {
            f"cut {file.stat().st_size}": "fine"
        }


def test_every_flipped_byte_is_found(small: Path) -> None:
    """One changed bit anywhere in the file, padding included, is found by verify() or earlier."""
    size = small.stat().st_size
    flips = [("flip", at, 1 << at % 8) for at in positions(size, 12_000, 2)]
    assert undetected(try_damage(small, flips), FOUND) == {}


def test_flipped_bytes_of_a_large_file_are_found(large: Path) -> None:
    """A search of a damaged block stops or is right; verify() finds damage wherever it is."""
    size = large.stat().st_size
    flips = [("flip", at, 255) for at in positions(size, 400, 3)[-200:]]
    assert undetected(try_damage(large, flips), FOUND) == {}


def test_files_cut_short_are_refused(small: Path, large: Path) -> None:
    """A file that ends early is refused when it is opened, wherever it ends."""
    for file in (small, large):
        size = file.stat().st_size
        aligned = {edge for step in (64, 4096) for edge in range(0, size, step)}
        near = {edge + off for edge in sorted(aligned)[:60] for off in (-1, 0, 1)}
        cuts = {cut for cut in {*range(300), *near, size - 1, size // 2} if 0 <= cut < size}
        assert undetected(try_damage(file, [("cut", cut) for cut in sorted(cuts)]), {"open"}) == {}


def test_files_with_bytes_behind_the_end_are_refused(small: Path) -> None:
    """Trailing bytes belong to no index."""
    damages = [("append", 1), ("append", 4096)]
    assert undetected(try_damage(small, damages), {"open"}) == {}


def test_foreign_files_are_refused(small: Path) -> None:
    """Zeros, text, random bytes, a NumPy file: nothing but an index opens."""
    size = small.stat().st_size
    damages = [("become", kind, size) for kind in ("zeros", "ones", "random", "text", "npy")]
    assert undetected(try_damage(small, damages), {"open"}) == {}


LIES = [0, 1, 2**31 - 1, 2**31, 2**32, 2**40, 2**61, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64 - 8]


def test_lying_numbers_in_the_header_are_refused(small: Path) -> None:
    """Huge and negative numbers anywhere in the first bytes never crash and never pass."""
    here = small.read_bytes()
    damages = [
        ("word", at, lie)
        for at in range(0, 512, 4)
        for lie in LIES
        if here[at : at + 8] != lie.to_bytes(8, "little")
    ]
    assert undetected(try_damage(small, damages), FOUND) == {}


def test_forged_headers_are_refused(small: Path) -> None:
    """Numbers that do not fit the file are refused though the header's checksum is right.

    A neighbouring number of rows or columns can fit, because parts end on pages: then the file is
    another index, and only the answer may be another.
    """
    here = small.read_bytes()
    fields = {at: int.from_bytes(here[at : at + 8], "little") for at in range(0, 72, 8)}
    near = {at: {word + 1, max(word - 1, 0), 2 * word} for at, word in fields.items()}
    huge = [("forge header", at, lie) for at in fields for lie in LIES if lie >= 2**31]
    close = [
        ("forge header", at, lie) for at in fields for lie in near[at] - {fields[at]} if lie < 2**64
    ]
    outcomes = try_damage(small, huge)
    assert undetected(outcomes, FOUND) == {}
    assert undetected(try_damage(small, close), FOUND | {"fine", "WRONG ANSWER"}) == {}


def test_forged_values_are_harmless(small: Path) -> None:
    """Scales, norms, codes and rows of any value, with right checksums, crash nothing."""
    hostile = {
        "nan": np.float32(np.nan).tobytes(),
        "inf": np.float32(np.inf).tobytes(),
        "nan64": np.float64(np.nan).tobytes(),
        "ones": b"\xff" * 8,
        "low": b"\x80" * 8,
    }
    size = small.stat().st_size
    damages = [
        ("forge data", at, value.hex())
        for at in range(2 * 4096, size, 4096)
        for at in (at, at + 8, at + 64)
        for value in hostile.values()
    ]
    outcomes = try_damage(small, damages)
    assert undetected(outcomes, FOUND | {"fine", "WRONG ANSWER"}) == {}


def test_swapped_parts_are_found(large: Path) -> None:
    """Two blocks of bytes exchanged, each intact in itself, are found."""
    size = large.stat().st_size
    pages = np.random.default_rng(4).choice(size // 4096 - 1, (40, 2), replace=False)
    damages = [("swap", 4096 * int(a), 4096 * int(b), 4096) for a, b in pages if a and b]
    assert undetected(try_damage(large, damages), FOUND) == {}
