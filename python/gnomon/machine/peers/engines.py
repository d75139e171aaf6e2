"""Which code of a peer runs here, as far as the peer tells."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gnomon.machine.work import installed

if TYPE_CHECKING:
    from collections.abc import Callable


def engine_of(package: str) -> str | None:
    """Return what runs behind a package here, such as the kernel of its BLAS; None if unknown."""
    ask = _ENGINES.get(package)
    if ask is None:
        return None
    with suppress(Exception):  # a peer that can't tell is no fault of the measurement
        return ask()
    return None


def _blas() -> str:
    from threadpoolctl import threadpool_info  # noqa: PLC0415  # its scan takes a while

    pools = [pool for pool in threadpool_info() if "numpy" in str(pool["filepath"])]
    return "; ".join(
        f"{pool['internal_api']} {pool['version']} {pool.get('architecture', '')},"
        f" {pool['num_threads']} thread(s)"
        for pool in pools
    )


def _faiss() -> str:
    return str(installed("faiss").get_compile_options()).strip()


def _torch() -> str:
    torch = installed("torch")
    return f"{torch.backends.cpu.get_cpu_capability()}, {torch.get_num_threads()} thread(s)"


def _capabilities(module: Any) -> str:
    return " ".join(name for name, there in module.get_capabilities().items() if there)


def _usearch() -> str:
    index = installed("usearch.index")
    return str(index.Index(ndim=64, metric="ip").hardware_acceleration)


_ENGINES: dict[str, Callable[[], str]] = {
    "numpy": _blas,
    "faiss-cpu": _faiss,
    "torch": _torch,
    "simsimd": lambda: _capabilities(installed("simsimd")),
    "numkong": lambda: _capabilities(installed("numkong")),
    "usearch": _usearch,
}
