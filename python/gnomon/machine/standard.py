"""The standard pieces of work of ``gnomon kernels``, a large set and a quick one; sets by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.machine.bars import bars
from gnomon.machine.peers import affine, bm25, metrics, mmr, rrf, text, topk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.machine.settings import MachineSettings
    from gnomon.machine.work import Work


def standard_works(*, quick: bool) -> Sequence[Work[Any, Any]]:
    """Return the works in the order in which they are shown."""
    n, large = (8_192, 65_536) if quick else (100_000, 400_000)
    passages = 4_000 if quick else 100_000
    return [
        topk.work(large, 384, 1, 10, prepared=True),
        topk.work(n, 384, 32, 10, prepared=True),
        topk.work(n, 384, 1000, 10, prepared=True),
        topk.work(n, 384, 1, 10, prepared=False),
        topk.work(n, 384, 1000, 10, prepared=False),
        mmr.work(64 if quick else 256, 100, 384),
        mmr.work(8 if quick else 32, 1000, 384),
        mmr.grid_work(),
        rrf.work(100 if quick else 1000, 2, 100),
        rrf.work(10 if quick else 100, 3, 1000),
        bm25.search_work(passages, 100, 10, single=True),
        bm25.search_work(passages, 1000, 100, single=False),
        bm25.build_work(passages),
        metrics.work(500 if quick else 10_000, 100),
        text.work(1000 if quick else 20_000),
        affine.work(n // 4, 384),
    ]


def kernel_names() -> tuple[str, ...]:
    """Return what ``--kernel`` takes."""
    return tuple(dict.fromkeys(work.kernel for work in standard_works(quick=True)))


def works_of(settings: MachineSettings) -> Sequence[Work[Any, Any]]:
    """Return the works that were asked for."""
    if settings.works == "bars":
        works: Sequence[Work[Any, Any]] = [bar.work for bar in bars()]
    else:
        works = standard_works(quick=settings.quick)
    return [
        work
        for work in works
        if (not settings.kernels or work.kernel in settings.kernels)
        and (not settings.only or any(text in work.name for text in settings.only))
    ]
