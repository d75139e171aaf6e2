"""Thread pools of other libraries: how many threads each may have, said before they are loaded."""

from __future__ import annotations

import os

_COUNTED = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "NUMBA", "RAYON")


def pinned(threads: int) -> dict[str, str]:
    """Return the environment variables that give every library's pool so many threads.

    They count only if they are set before the library is imported, NumPy included; this module
    imports nothing of them.

    Examples
    --------
    >>> pinned(2)["OPENBLAS_NUM_THREADS"]
    '2'
    """
    names = [f"{pool}_NUM_THREADS" for pool in _COUNTED]
    names.append("VECLIB_MAXIMUM_THREADS")
    return dict.fromkeys(names, str(threads)) | {"TOKENIZERS_PARALLELISM": "false"}


def pin_for_benchmark() -> int:
    """Give every pool GNOMON_BENCH_THREADS threads, one by default, and return the number.

    The first thing that a script of ``bench/`` does.
    """
    threads = int(os.environ.get("GNOMON_BENCH_THREADS", "1"))
    os.environ.update(pinned(threads))
    return threads
