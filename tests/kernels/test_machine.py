"""Passes that measure the machine: what they read and what they count."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon import kernels
from gnomon.errors import UsageError
from gnomon.kernels.machine import multiply_add_pass, read_pass


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_a_read_pass_reads_every_word(threads: int) -> None:
    """The sum is that of all 8-byte words, modulo 2**64, at any number of threads."""
    words = np.random.default_rng(5).integers(0, 2**64, 400_000, dtype=np.uint64)
    assert read_pass(words.view(np.uint8), threads=threads) == int(words.sum(dtype=np.uint64))


def test_multiply_adds_grow_with_steps_and_threads() -> None:
    """Twice the steps or threads are twice the multiply-adds, on every instruction set."""
    for isa in kernels.runnable_isas():
        one = multiply_add_pass(isa, "int8", 100, threads=1)
        assert one % 100 == 0
        assert multiply_add_pass(isa, "int8", 200, threads=1) == 2 * one
        assert multiply_add_pass(isa, "int8", 100, threads=2) == 2 * one


@pytest.mark.parametrize(
    ("isa", "arithmetic", "steps", "said"),
    [
        ("sse9", "int8", 1, "this machine runs scalar"),
        ("scalar", "float16", 1, "expected float32 or int8"),
        ("scalar", "int8", -1, "steps is -1"),
    ],
)
def test_wrong_arguments_are_named(isa: str, arithmetic: str, steps: int, said: str) -> None:
    """An unknown set, an unknown arithmetic and a negative number of steps are refused."""
    with pytest.raises(UsageError, match=said):
        multiply_add_pass(isa, arithmetic, steps)  # type: ignore[arg-type]
