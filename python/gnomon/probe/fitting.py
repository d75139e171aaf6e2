"""Fitting adapters on pairs of documents drawn from the allowed pools."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gnomon.adapters.pairs import FitContext
from gnomon.adapters.registry import adapter_named
from gnomon.kernels import normalize
from gnomon.probe.plan import FitPools, Rows, draw_pairs
from gnomon.probe.settings import CURVE_PAIRS, ProbeSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from gnomon.adapters.base import FittedAdapter
    from gnomon.adapters.kmeans import Clusters
    from gnomon.probe.inputs import ProbeInputs


@dataclass(frozen=True, slots=True)
class Fitter:
    """Fits adapters of one probe.

    Attributes
    ----------
    clusters
        Clusters of the old space, which per-cluster adapters need.
    """

    inputs: ProbeInputs
    settings: ProbeSettings
    clusters: Clusters | None
    _contexts: dict[tuple[int, ...], FitContext] = field(default_factory=dict)

    def context(self, rows: Rows) -> FitContext:
        """Return the pairs of documents ``rows`` (ascending), read once however often asked for."""
        threads = self.settings.threads
        key = (len(rows), int(rows[0]), int(rows[-1]), int(rows.sum()))
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

    def fitted(self, name: str, rows: Rows) -> FittedAdapter:
        """Return adapter ``name`` fitted on documents ``rows``."""
        return adapter_named(name).fit_context(self.context(rows))

    def seen(self, name: str, pool: Rows) -> FittedAdapter:
        """Return the adapter fitted as other tools do, the judged documents among the pairs."""
        return self.fitted(name, draw_pairs(self.settings, pool))

    def deciding(self, name: str, pools: FitPools) -> list[FittedAdapter]:
        """Return the adapter behind the deciding figures, or one for each fold."""
        return [self.fitted(name, draw_pairs(self.settings, pool)) for pool in pools.pools]

    def curve(self, name: str, pools: FitPools) -> dict[int, list[FittedAdapter]]:
        """Return adapters fitted on more and more pairs, as far as every pool allows."""
        sizes = [size for size in CURVE_PAIRS if size <= min(map(len, pools.pools))]
        return {
            size: [self.fitted(name, draw_pairs(self.settings, pool, size)) for pool in pools.pools]
            for size in sizes
        }


def bridged_queries(
    adapters: Sequence[FittedAdapter], queries: NDArray[Any], threads: int | None
) -> list[NDArray[np.float32]]:
    """Return g(queries) for every adapter, unit length."""
    unit = normalize(queries, threads=threads)
    return [adapter.apply(unit, threads) for adapter in adapters]
