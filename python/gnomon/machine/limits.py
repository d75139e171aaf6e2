"""What the machine can do at most: bytes read and multiply-adds done in a second, measured."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon import kernels
from gnomon.kernels.machine import multiply_add_pass, read_pass
from gnomon.machine.timing import timed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gnomon.kernels.machine import Arithmetic
    from gnomon.machine.work import Demand

_DRAM_BYTES, _DRAM_BYTES_QUICK = 512 << 20, 160 << 20
_PASSES, _PASSES_QUICK = 24, 8
_STEPS, _STEPS_QUICK = 1_000_000, 300_000


@dataclass(frozen=True, slots=True)
class Peaks:
    """Multiply-adds of single values in a second, on one instruction set."""

    isa: str
    threads: int
    float32: float
    int8: float


@dataclass(frozen=True, slots=True)
class ReadRate:
    """Bytes read in a second, over and over, from memory of so many bytes."""

    threads: int
    size: int
    rate: float


@dataclass(frozen=True, slots=True)
class Limits:
    """The measured limits of the machine."""

    reads: Sequence[ReadRate]
    peaks: Sequence[Peaks]

    def to_json(self) -> dict[str, Any]:
        """Return the limits as JSON: bytes and multiply-adds a second."""
        return {
            "read": [
                {"threads": one.threads, "bytes": one.size, "bytes_per_second": round(one.rate)}
                for one in self.reads
            ],
            "multiply_add": [
                {
                    "isa": one.isa,
                    "threads": one.threads,
                    "float32_per_second": round(one.float32),
                    "int8_per_second": round(one.int8),
                }
                for one in self.peaks
            ],
        }


def measured_limits(threads: int, *, quick: bool) -> Limits:
    """Measure reading from memory and both arithmetics, on one thread and on all."""
    counts = sorted({1, threads})
    size = _dram_bytes(quick=quick)
    return Limits(
        reads=[ReadRate(n, size, read_rate(size, n, quick=quick)) for n in counts],
        peaks=[
            Peaks(
                isa,
                n,
                multiply_add_rate(isa, "float32", n, quick=quick),
                multiply_add_rate(isa, "int8", n, quick=quick),
            )
            for isa in kernels.runnable_isas()
            for n in counts
        ],
    )


@functools.cache
def read_rate(size: int, threads: int, *, quick: bool) -> float:
    """Return bytes a second, the best of several passes over the same ``size`` bytes.

    What fits into a cache is read from there, as a kernel that passes over it again does too.
    """
    data = _bytes(size)
    passes = _PASSES_QUICK if quick else _PASSES
    # A small size is read several times in a sample: starting threads must not weigh.
    times = max(1, (32 << 20) // size)
    samples = [timed(lambda: read_pass(data, threads=threads), times) for _ in range(passes)]
    return size / min(sample.on(threads) for sample in samples)


@functools.cache
def multiply_add_rate(isa: str, arithmetic: Arithmetic, threads: int, *, quick: bool) -> float:
    """Return multiply-adds a second over all threads, the best of several passes."""
    steps = _STEPS_QUICK if quick else _STEPS
    passes = _PASSES_QUICK if quick else _PASSES
    done = multiply_add_pass(isa, arithmetic, steps, threads=threads)
    samples = [
        timed(lambda: multiply_add_pass(isa, arithmetic, steps, threads=threads))
        for _ in range(passes)
    ]
    return done / min(sample.on(threads) for sample in samples)


@dataclass(frozen=True, slots=True)
class Limit:
    """The shortest time in which the machine could do a piece of work, and what limits it."""

    seconds: float
    by: str


def limit_of(demand: Demand, threads: int, *, quick: bool) -> Limit | None:
    """Return the limit of a piece of work on the instruction set in use, or None without one."""
    isa, dram = kernels.isa(), _dram_bytes(quick=quick)
    limits = []
    if demand.read_bytes:
        # What fits into a cache is read faster, and nothing is read slower than from DRAM.
        rate = max(read_rate(size, threads, quick=quick) for size in (demand.read_bytes, dram))
        limits.append(Limit(demand.read_bytes / rate, "reading"))
    if demand.int8_multiply_adds:
        rate = multiply_add_rate(isa, "int8", threads, quick=quick)
        limits.append(Limit(demand.int8_multiply_adds / rate, "int8 multiply-adds"))
    if demand.float64_multiply_adds:
        rate = multiply_add_rate(isa, "float32", threads, quick=quick) / 2
        limits.append(Limit(demand.float64_multiply_adds / rate, "float64 multiply-adds"))
    return max(limits, key=lambda limit: limit.seconds, default=None)


def _dram_bytes(*, quick: bool) -> int:
    return _DRAM_BYTES_QUICK if quick else _DRAM_BYTES


@functools.lru_cache(maxsize=1)
def _bytes(size: int) -> NDArray[np.uint8]:
    # Written once: fresh pages of zeros would all be the same page.
    return np.ones(size, dtype=np.uint8)
