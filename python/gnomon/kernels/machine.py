"""What the machine can do at most: passes that a caller times, to judge the kernels by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from gnomon import _core
from gnomon.errors import UsageError
from gnomon.kernels._arrays import as_count, as_threads
from gnomon.kernels.isa import runnable_isas

if TYPE_CHECKING:
    from numpy.typing import NDArray

Arithmetic = Literal["float32", "int8"]
"""float32: fused multiply-adds. int8: what the screening kernel of the instruction set uses."""


def read_pass(data: NDArray[np.uint8], *, threads: int | None = None) -> int:
    """Read every byte of an array once, and do nothing else worth mentioning.

    Parameters
    ----------
    data
        Bytes, shape (n,), contiguous.
    threads
        Default: ``GNOMON_NUM_THREADS``, else the CPUs of this process.

    Returns
    -------
    int
        The sum of its 8-byte words modulo 2**64, which proves that they were read.

    Examples
    --------
    >>> import numpy as np
    >>> read_pass(np.arange(16, dtype=np.uint64).view(np.uint8))
    120
    """
    return _core.read_pass(np.ascontiguousarray(data, dtype=np.uint8), as_threads(threads))


def multiply_add_pass(
    isa: str, arithmetic: Arithmetic, steps: int, *, threads: int | None = None
) -> int:
    """Run multiply-adds that stay in registers, and return how many there were.

    Parameters
    ----------
    isa
        One of `runnable_isas`.
    arithmetic
        ``"float32"`` or ``"int8"``.
    steps
        How often every thread goes through its chains.
    threads
        Default: ``GNOMON_NUM_THREADS``, else the CPUs of this process.

    Returns
    -------
    int
        Multiply-adds of single values, over all threads.

    Raises
    ------
    UsageError
        The instruction set can't run here, the arithmetic has no such name, or ``steps`` is
        negative.

    Examples
    --------
    >>> multiply_add_pass("scalar", "float32", 10, threads=1) % 10
    0
    """
    if isa not in runnable_isas():
        raise UsageError(f"isa is {isa!r}; this machine runs {', '.join(runnable_isas())}")
    if arithmetic not in get_args(Arithmetic):
        raise UsageError(f"arithmetic is {arithmetic!r}; expected float32 or int8")
    workers = as_threads(threads)
    return _core.multiply_add_pass(isa, arithmetic == "int8", as_count(steps, "steps"), workers)
