"""Damaged and lying files of a BM25 index: every one is refused or detected, none crashes.

All damage is tried in a child process that prints one line for each file; a crash is then a failed
test that names the damage, and the suite lives on.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.kernels.bm25_routes import zipf
from tests.kernels.test_index_file import FOUND, LIES, positions, undetected
from tests.kernels.test_index_file import try_damage as try_damage_of

from gnomon import kernels

if TYPE_CHECKING:
    from collections.abc import Iterable

CHILD = Path(__file__).with_name("bm25_damage.py")


def try_damage(file: Path, damages: Iterable[tuple[Any, ...]]) -> dict[str, str]:
    """Return what became of each damage."""
    return try_damage_of(file, damages, CHILD)


def saved(folder: Path, n: int, seed: int) -> Path:
    """Save an index of everyday documents, some of them empty, and return its file."""
    docs = zipf(np.random.default_rng(seed), n, 300)
    docs[n // 2] = ["w1"] * 300
    docs[n // 3] = []
    kernels.BM25Index(tokens=docs).save(folder)
    (file,) = folder.iterdir()
    return file


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index so small that all of its bytes can be tried one by one."""
    return saved(tmp_path_factory.mktemp("small"), 25, 0)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index of several blocks and windows."""
    return saved(tmp_path_factory.mktemp("large"), 9000, 1)


def test_an_undamaged_file_is_fine(small: Path, large: Path) -> None:
    """The check itself reports nothing where nothing is wrong."""
    for file in (small, large):
        assert list(try_damage(file, [("cut", file.stat().st_size)]).values()) == ["fine"]


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
    size = small.stat().st_size
    cuts = sorted({*range(0, size, 7), *range(4000, min(size, 4300)), size - 1})
    assert undetected(try_damage(small, [("cut", cut) for cut in cuts]), {"open"}) == {}
    size = large.stat().st_size
    cuts = [0, 4096, 65_536, 65_537, size // 2, size - 65_536, size - 64, size - 1]
    assert undetected(try_damage(large, [("cut", cut) for cut in cuts]), {"open"}) == {}


def test_files_with_bytes_behind_the_end_are_refused(small: Path) -> None:
    """Trailing bytes belong to no index."""
    damages = [("append", 1), ("append", 64), ("append", 4096)]
    assert undetected(try_damage(small, damages), {"open"}) == {}


def test_foreign_files_are_refused(small: Path) -> None:
    """Zeros, text, random bytes, a NumPy file: nothing but an index opens."""
    size = small.stat().st_size
    damages = [("become", kind, size) for kind in ("zeros", "ones", "random", "text", "npy")]
    assert undetected(try_damage(small, damages), {"open"}) == {}


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

    A setting such as k1 can be replaced by another one: then the file is another index, and only
    the answer may be another.
    """
    here = small.read_bytes()
    harmless = FOUND | {"fine", "WRONG ANSWER"}
    fields = {at: int.from_bytes(here[at : at + 8], "little") for at in range(0, 200, 8)}
    lies = [("forge header", at, lie) for at in fields for lie in LIES]
    near = [
        ("forge header", at, word % 2**64)
        for at, here in fields.items()
        for word in (here + 1, here - 1, here * 2, here // 2)
    ]
    assert undetected(try_damage(small, lies + near), harmless) == {}
    counts = [("forge header", 16, lie) for lie in LIES if lie > 2**31]
    assert undetected(try_damage(small, counts), FOUND) == {}


def test_swapped_parts_are_found(large: Path) -> None:
    """Two pages exchanged, each intact in itself, are found."""
    pages = large.stat().st_size // 4096
    pairs = np.random.default_rng(4).choice(np.arange(2, pages - 1), (40, 2), replace=False)
    damages = [("swap", 4096 * int(a), 4096 * int(b), 4096) for a, b in pairs]
    here = large.read_bytes()
    damages = [
        damage
        for damage in damages
        if here[damage[1] : damage[1] + 4096] != here[damage[2] : damage[2] + 4096]
    ]
    assert undetected(try_damage(large, damages), FOUND) == {}
