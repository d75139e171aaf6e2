"""Retention by part of the corpus: one ARR per cluster, and one over the sparse tail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.stats.means import mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MIN_TAIL_QUERIES = 30  # probe.md, heterogeneous_drift: fewer say nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterArr:
    """Retention over the queries nearest to one cluster."""

    cluster: int
    n_documents: int
    n_queries: int
    arr: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterFigures:
    """Retention by cluster.

    Attributes
    ----------
    clusters
        Clusters that at least one query is nearest to, sparsest first.
    n_clusters, n_clustered
        How many clusters there are, and how many drawn documents they were made from.
    tail_arr, tail_queries
        ARR over the sparsest tenth of the clusters and the queries behind it; ``tail_arr`` is
        None with fewer than 30 of them.
    """

    clusters: Sequence[ClusterArr]
    n_clusters: int
    n_clustered: int
    tail_arr: float | None
    tail_queries: int

    @property
    def tail_reason(self) -> str | None:
        """Why ``tail_arr`` is missing; None when it is there."""
        if self.tail_arr is not None:
            return None
        if self.tail_queries < MIN_TAIL_QUERIES:
            return f"too few queries in the sparse tail ({self.tail_queries} of {MIN_TAIL_QUERIES})"
        return "a full reindex finds nothing for the queries of the sparse tail"

    def to_json(self) -> dict[str, Any]:
        """Return the figures for the result object."""
        return {
            "n_clusters": self.n_clusters,
            "n_clustered_documents": self.n_clustered,
            "tail_queries": self.tail_queries,
            "by_cluster": [
                {
                    "cluster": one.cluster,
                    "n_documents": one.n_documents,
                    "n_queries": one.n_queries,
                    "arr": one.arr,
                }
                for one in self.clusters
            ],
        }


def cluster_figures(
    members: NDArray[np.int64],
    cluster_of_query: NDArray[np.int64],
    bridged: NDArray[np.float64],
    oracle: NDArray[np.float64],
) -> ClusterFigures:
    """Return retention by cluster.

    Parameters
    ----------
    members
        int64[C], clustered documents of each cluster; their number makes a cluster sparse.
    cluster_of_query
        int64[Q], the cluster nearest to each query's old vector.
    bridged, oracle
        float64[Q], recall of the two rankings.
    """
    sparsest_first = np.argsort(members, kind="stable")
    tail = sparsest_first[: max(1, round(len(members) / 10))]
    in_tail = np.isin(cluster_of_query, tail)
    n_tail = int(in_tail.sum())
    enough = n_tail >= MIN_TAIL_QUERIES
    return ClusterFigures(
        clusters=[
            ClusterArr(
                cluster=int(cluster),
                n_documents=int(members[cluster]),
                n_queries=int(own.sum()),
                arr=_ratio(bridged[own], oracle[own]),
            )
            for cluster in sparsest_first
            if (own := cluster_of_query == cluster).any()
        ],
        n_clusters=len(members),
        n_clustered=int(members.sum()),
        tail_arr=_ratio(bridged[in_tail], oracle[in_tail]) if enough else None,
        tail_queries=n_tail,
    )


def _ratio(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> float | None:
    below = mean(denominator)
    return mean(numerator) / below if below > 0 else None
