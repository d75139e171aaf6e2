"""Draws and bootstrap sums by their definitions, in plain Python integers and floats."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
BOOTSTRAP = 6


def mix(x: int) -> int:
    """Return the finaliser of splitmix64."""
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & MASK
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def splitmix64(state: int, count: int) -> list[int]:
    """Return the first outputs of the generator from a state."""
    outputs = []
    for _ in range(count):
        state = (state + GOLDEN) & MASK
        outputs.append(mix(state))
    return outputs


def key(seed: int, purpose: int, row: int) -> int:
    """Return the key of a row."""
    start = mix((seed + purpose * GOLDEN) & MASK)
    return mix((start + (row + 1) * GOLDEN) & MASK)


def drawn_rows(seed: int, purpose: int, rows: Iterable[int], size: int) -> list[int]:
    """Return the rows with the smallest keys, by key, then by row."""
    return sorted(rows, key=lambda row: (key(seed, purpose, row), row))[:size]


def resampled_sums(values: Sequence[Sequence[float]], seed: int, draws: int) -> list[list[float]]:
    """Return the column sums of each resample, added in the order in which rows are drawn."""
    n, columns = len(values), len(values[0])
    sums = []
    for draw in range(draws):
        total = [0.0] * columns
        for j in range(n):
            row = values[key(seed, BOOTSTRAP, draw * n + j) % n]
            total = [so_far + value for so_far, value in zip(total, row, strict=True)]
        sums.append(total)
    return sums
