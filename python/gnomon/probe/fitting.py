"""Fitting adapters on pairs of documents drawn from the allowed pools."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from threadpoolctl import threadpool_limits

from gnomon.adapters.pairs import FitContext
from gnomon.adapters.registry import ADAPTERS, Adapter, adapter_named
from gnomon.errors import NotMeasuredError
from gnomon.kernels import default_threads, normalize
from gnomon.probe.plan import FitPools, Rows, draw_pairs
from gnomon.probe.settings import CURVE_PAIRS, ProbeSettings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    import numpy as np
    from numpy.typing import NDArray

    from gnomon.adapters.base import FittedAdapter
    from gnomon.adapters.kmeans import Clusters
    from gnomon.probe.inputs import ProbeInputs


@dataclass(frozen=True, slots=True)
class Fitter:
    """Fits adapters of one probe.

    Every fit runs on one thread of the BLAS and several fits side by side: the matrices are small,
    a second BLAS thread slows them down, and more so on a busy machine.

    Attributes
    ----------
    clusters
        Clusters of the old space, which per-cluster adapters need.
    """

    inputs: ProbeInputs
    settings: ProbeSettings
    clusters: Clusters | None
    _contexts: dict[bytes, FitContext] = field(default_factory=dict)

    def context(self, rows: Rows) -> FitContext:
        """Return the pairs of documents ``rows`` (ascending), read once however often asked for."""
        threads = self.settings.threads
        key = rows.tobytes()
        if key not in self._contexts:
            old = normalize(self.inputs.old_docs[rows], threads=threads)
            labels = None if self.clusters is None else self.clusters.assign(old, threads=threads)
            self._contexts[key] = FitContext.of(
                normalize(self.inputs.new_vectors(rows), threads=threads),
                old,
                seed=self.settings.seed,
                rows=rows,
                cluster_labels=labels,
            )
        return self._contexts[key]

    def offered(self, rows: Rows) -> list[FittedAdapter | NotMeasuredError]:
        """Return every adapter of the table fitted on ``rows``, or why it is not offered."""
        with _one_blas_thread():
            context = self.context(rows)
            return [_fit_or_reason(adapter, context) for adapter in ADAPTERS]

    def fitted(self, name: str, row_sets: Sequence[Rows]) -> list[FittedAdapter]:
        """Return adapter ``name`` fitted on each set of documents."""
        adapter = adapter_named(name)
        workers = self.settings.threads or default_threads()
        with _one_blas_thread(), ThreadPoolExecutor(workers) as pool:
            return list(pool.map(lambda rows: adapter.fit_context(self.context(rows)), row_sets))

    def curve(self, name: str, pools: FitPools) -> dict[int, list[FittedAdapter]]:
        """Return adapters fitted on more and more pairs, as far as every pool allows."""
        sizes = [size for size in CURVE_PAIRS if size <= min(map(len, pools.pools))]
        drawn = [draw_pairs(self.settings, pool, size) for size in sizes for pool in pools.pools]
        fitted, width = self.fitted(name, drawn), len(pools.pools)
        return {size: fitted[at * width : (at + 1) * width] for at, size in enumerate(sizes)}


def _fit_or_reason(adapter: Adapter, context: FitContext) -> FittedAdapter | NotMeasuredError:
    try:
        return adapter.fit_context(context)
    except NotMeasuredError as reason:
        return reason


def _one_blas_thread() -> AbstractContextManager[Any]:
    limits: AbstractContextManager[Any] = threadpool_limits(limits=1, user_api="blas")
    return limits


def bridged_queries(
    adapters: Sequence[FittedAdapter], queries: NDArray[Any], threads: int | None
) -> list[NDArray[np.float32]]:
    """Return g(queries) for every adapter, unit length."""
    unit = normalize(queries, threads=threads)
    return [adapter.apply(unit, threads) for adapter in adapters]
