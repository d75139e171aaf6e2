"""Which instruction set the kernels run on, and how many threads they take."""

from __future__ import annotations

from gnomon import _core


def isa() -> str:
    """Return the instruction set that kernels use: the best one here, or ``GNOMON_ISA``.

    The variable is read at every call. Results never depend on it, only speed does.

    Returns
    -------
    str
        ``"scalar"``, ``"avx2"`` (AVX2, FMA and F16C), ``"avx512"`` (F, BW, VL, DQ and VNNI) or
        ``"neon"``.

    Raises
    ------
    UsageError
        ``GNOMON_ISA`` holds an unknown name, or one that this machine can't run.

    Examples
    --------
    >>> isa() in runnable_isas()
    True
    """
    return _core.isa()


def runnable_isas() -> tuple[str, ...]:
    """Return the instruction sets that this machine runs, from the plainest to the best.

    Examples
    --------
    >>> runnable_isas()[0]
    'scalar'
    """
    return tuple(_core.runnable_isas())


def default_threads() -> int:
    """Return how many threads a kernel takes when none are given.

    ``GNOMON_NUM_THREADS`` if it is set, else the CPUs that this process may use, at most the CPU
    quota of its control group, rounded up.

    Raises
    ------
    UsageError
        ``GNOMON_NUM_THREADS`` isn't a whole number from 1 to 4096.

    Examples
    --------
    >>> default_threads() >= 1
    True
    """
    return _core.default_threads()
