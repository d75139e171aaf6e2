"""Where a record was made: facts for the reader beside a replay, never part of its comparison."""

from __future__ import annotations

import platform


def collect_env(
    *,
    gnomon: str,
    isa: str | None = None,
    threads: int | None = None,
    numpy: str | None = None,
    blas: str | None = None,
    **more: str | int | None,
) -> dict[str, str | int | None]:
    """Return the ``env`` of a record; no host name, no user, no directories.

    Parameters
    ----------
    gnomon
        Version of the compiled core.
    isa, threads
        The instruction set that was chosen and the number of threads.
    numpy, blas
        Version of NumPy; name and version of its BLAS. The caller knows them: the trail's room
        imports no numerics.
    more
        Further facts, each a text or a number.
    """
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": f"{platform.system()} {platform.release()} {platform.machine()}",
        "gnomon": gnomon,
        "isa": isa,
        "threads": threads,
        "numpy": numpy,
        "blas": blas,
        **more,
    }
