"""The standard pieces of work of ``gnomon kernels``: a large set and a quick one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.machine.peers import affine, topk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.machine.work import Work


def standard_works(*, quick: bool) -> Sequence[Work[Any, Any]]:
    """Return the works in the order in which they are shown."""
    n, large = (8_192, 65_536) if quick else (100_000, 400_000)
    return [
        topk.work(large, 384, 1, 10, prepared=True),
        topk.work(n, 384, 32, 10, prepared=True),
        topk.work(n, 384, 1000, 10, prepared=True),
        topk.work(n, 384, 1, 10, prepared=False),
        topk.work(n, 384, 1000, 10, prepared=False),
        affine.work(n // 4, 384),
    ]


def kernel_names() -> tuple[str, ...]:
    """Return what ``--kernel`` takes."""
    return tuple(dict.fromkeys(work.kernel for work in standard_works(quick=True)))
