"""Fitting adapters on pairs of documents drawn from the allowed pools."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from threadpoolctl import threadpool_limits

from gnomon.adapters.kmeans import Clusters, fit_clusters
from gnomon.adapters.pairs import FitContext
from gnomon.adapters.registry import ADAPTERS, adapter_named
from gnomon.errors import NotMeasuredError
from gnomon.kernels import default_threads, normalize
from gnomon.probe.plan import FitPools, Rows, draw_pairs, nested_pairs
from gnomon.probe.settings import CURVE_PAIRS, ProbeSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    import numpy as np
    from numpy.typing import NDArray

    from gnomon.adapters.base import FittedAdapter
    from gnomon.probe.inputs import ProbeInputs

Item = TypeVar("Item")
Result = TypeVar("Result")

_LABELLED = "per_cluster"  # the one adapter whose pairs need the cluster that they are in

# Adapters that share the dear part of their fit, each group in order; the dearest group first, so
# that two workers end at about the same time.
_TOGETHER = (
    (_LABELLED,), ("ridge", "low_rank"), ("identity", "procrustes", "procrustes_scaled"),
)  # fmt: skip


@dataclass(frozen=True, eq=False, slots=True)
class Fitter:
    """Fits adapters of one probe.

    Every fit runs on one thread of the BLAS and several fits side by side: the matrices are small,
    a second BLAS thread slows them down, and more so on a busy machine. Whoever calls holds
    :func:`one_blas_thread`.
    """

    inputs: ProbeInputs
    settings: ProbeSettings
    _clusters: list[Clusters] = field(default_factory=list)
    _contexts: dict[tuple[bytes, bool], FitContext] = field(default_factory=dict)

    @property
    def _workers(self) -> int:
        return self.settings.threads or default_threads()

    @property
    def clusters(self) -> Clusters:
        """The clusters of the old space."""
        return self.cluster()

    def cluster(self, checkpoint: Callable[[], None] | None = None) -> Clusters:
        """Return the clusters, made once; ``checkpoint`` is called between the rounds."""
        if not self._clusters:
            settings = self.settings
            found = fit_clusters(
                self.inputs.old_docs,
                seed=settings.seed,
                threads=settings.threads,
                checkpoint=checkpoint,
            )
            self._clusters.append(found)
        return self._clusters[0]

    def context(self, rows: Rows, *, labelled: bool = False, workers: int = 1) -> FitContext:
        """Return the pairs of documents ``rows`` (ascending), read once however often asked for.

        ``labelled`` adds the cluster of every pair; ``workers`` threads compute the sums.
        """
        key = (rows.tobytes(), labelled)
        if key not in self._contexts:
            (context,) = self._nested(rows, [len(rows)], labelled=labelled, workers=workers)
            self._contexts[key] = context
        return self._contexts[key]

    def offered(self, rows: Rows) -> list[FittedAdapter | NotMeasuredError]:
        """Return every adapter of the table fitted on ``rows``, or why it is not offered."""
        context = self.context(rows, labelled=True, workers=self._workers)

        def fit_group(names: tuple[str, ...]) -> list[tuple[str, FittedAdapter | NotMeasuredError]]:
            return [(name, _fit_or_reason(name, context)) for name in names]

        found = dict(chain.from_iterable(self._side_by_side(fit_group, _TOGETHER)))
        return [found[adapter.name] for adapter in ADAPTERS]

    def fitted(self, name: str, row_sets: Sequence[Rows]) -> list[FittedAdapter]:
        """Return adapter ``name`` fitted on each set of documents."""
        contexts = [self.context(rows, labelled=name == _LABELLED) for rows in row_sets]
        return self._side_by_side(lambda context: _fit(name, context), contexts)

    def curve(
        self, name: str, pools: FitPools
    ) -> dict[int, list[FittedAdapter] | NotMeasuredError]:
        """Return adapters fitted on more and more pairs, as far as every pool allows.

        Where the adapter is not offered for so few pairs, the reason takes its place.
        """
        sizes = [size for size in CURVE_PAIRS if size <= min(map(len, pools.pools))]
        by_pool = self._side_by_side(lambda pool: self._growing(name, pool, sizes), pools.pools)
        contexts = [context for pool in by_pool for context in pool]
        fits = self._side_by_side(lambda context: _fit_or_reason(name, context), contexts)
        points: dict[int, list[FittedAdapter] | NotMeasuredError] = {}
        for at, size in enumerate(sizes):
            row = fits[at :: len(sizes)]
            missing = next((one for one in row if isinstance(one, NotMeasuredError)), None)
            points[size] = missing or [one for one in row if not isinstance(one, NotMeasuredError)]
        return points

    def _growing(self, name: str, pool: Rows, sizes: Sequence[int]) -> list[FitContext]:
        """Return the pairs of growing draws; the size of the budget shares the deciding pairs."""
        settings, labelled = self.settings, name == _LABELLED
        own = [size for size in sizes if size != settings.pairs]
        grown: dict[int, FitContext] = {}
        if own:
            rows = nested_pairs(settings, pool, own[-1])
            grown = dict(zip(own, self._nested(rows, own, labelled=labelled), strict=True))
        return [
            grown[size]
            if size in grown
            else self.context(draw_pairs(settings, pool), labelled=labelled)
            for size in sizes
        ]

    def _nested(
        self, rows: Rows, sizes: Sequence[int], *, labelled: bool, workers: int = 1
    ) -> list[FitContext]:
        threads = self.settings.threads
        old = normalize(self.inputs.old_docs[rows], threads=threads)
        return FitContext.nested(
            normalize(self.inputs.new_vectors(rows), threads=threads),
            old,
            sizes,
            seed=self.settings.seed,
            rows=rows,
            cluster_labels=self.clusters.assign(old, threads=threads) if labelled else None,
            workers=workers,
        )

    def _side_by_side(self, work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        workers = min(self._workers, len(items))
        if workers < 2:
            return list(map(work, items))
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(work, items))


def _fit(name: str, context: FitContext) -> FittedAdapter:
    """Return the adapter of these pairs, fitted once however often asked for."""
    return context.shared(adapter_named(name).fit_context)


def _fit_or_reason(name: str, context: FitContext) -> FittedAdapter | NotMeasuredError:
    try:
        return _fit(name, context)
    except NotMeasuredError as reason:
        return reason


def one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which the BLAS of this process uses one thread."""
    limits: AbstractContextManager[Any] = threadpool_limits(limits=1, user_api="blas")
    return limits


def bridged_queries(
    adapters: Sequence[FittedAdapter], queries: NDArray[Any], threads: int | None
) -> list[NDArray[np.float32]]:
    """Return g(queries) for every adapter, unit length."""
    unit = normalize(queries, threads=threads)
    return [adapter.apply(unit, threads) for adapter in adapters]
