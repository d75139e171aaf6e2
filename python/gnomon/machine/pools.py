"""Thread pools of other libraries: how many threads each may have, said before they are loaded."""

from __future__ import annotations

_COUNTED = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "NUMBA", "RAYON")


def pinned(threads: int) -> dict[str, str]:
    """Return the environment variables that give every library's pool so many threads.

    They count only if they are set before the library is imported, NumPy included; this module
    imports nothing.

    Examples
    --------
    >>> pinned(2)["OPENBLAS_NUM_THREADS"]
    '2'
    """
    names = [f"{pool}_NUM_THREADS" for pool in _COUNTED]
    names.append("VECLIB_MAXIMUM_THREADS")
    return dict.fromkeys(names, str(threads)) | {"TOKENIZERS_PARALLELISM": "false"}
