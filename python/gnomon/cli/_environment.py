"""Where a command runs, as the trail records it."""

from __future__ import annotations

from importlib import metadata
from typing import Any, cast

import numpy as np

from gnomon import kernels
from gnomon.audit import collect_env


def environment(threads: int | None) -> dict[str, Any]:
    """Return Python, NumPy, BLAS, core version, ISA, threads and platform."""
    return collect_env(
        gnomon=metadata.version("gnomon"),
        isa=kernels.isa(),
        threads=kernels.default_threads() if threads is None else threads,
        numpy=np.__version__,
        blas=_blas(),
    )


def _blas() -> str | None:
    config = cast("dict[str, Any]", np.show_config(mode="dicts"))
    blas = config.get("Build Dependencies", {}).get("blas", {})
    return " ".join(str(blas[part]) for part in ("name", "version") if part in blas) or None
