"""Print how long ``import gnomon`` takes beyond starting Python.

Each figure is the best of several fresh processes, so that disk caches and neighbours weigh little.
Run it with the interpreter of the environment in question::

    python bench/import_time.py
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time

ROUNDS = 7
BAR_S = 0.3


def best_seconds(code: str, *, rounds: int = ROUNDS) -> float:
    """Return the shortest wall-clock time of a fresh interpreter that runs ``code``, in seconds."""
    durations = []
    with tempfile.TemporaryDirectory() as elsewhere:
        for _ in range(rounds):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True, cwd=elsewhere)
            durations.append(time.perf_counter() - start)
    return min(durations)


def main() -> None:
    """Print the figures for the package and for NumPy, its largest dependency at import."""
    bare = best_seconds("pass")
    for module in ("gnomon", "numpy"):
        seconds = best_seconds(f"import {module}") - bare
        print(f"import {module}: {seconds:.3f} s")
    print(f"bar for gnomon: {BAR_S} s")


if __name__ == "__main__":
    main()
