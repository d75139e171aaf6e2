"""One centred Procrustes map per part of the corpus, for drift that is not the same everywhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from gnomon import kernels
from gnomon.adapters.base import FittedAdapter, frozen_f32, require_shape
from gnomon.adapters.procrustes import Rotation, rotation_of
from gnomon.errors import InvalidInputError, NotMeasuredError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import ArrayLike, NDArray

    from gnomon.adapters.pairs import FitContext

# A rotation of d dimensions has about d^2 / 2 free numbers and a pair brings d of them; with d
# pairs the cross-covariance has only just full rank (`few_pairs`), so a map needs several times d.
PAIRS_PER_DIMENSION = 2


@dataclass(frozen=True, eq=False, kw_only=True)
class PerClusterAdapter(FittedAdapter):
    """g(x) = W_m x + b_m, m the map of the centroid nearest to x by cosine, then unit length.

    Attributes
    ----------
    centroids
        float32[k, d_new], unit length, in the new space.
    map_of_centroid
        int64[k], which map serves a centroid; several may share one.
    weights, bias
        float32[m, d_old, d_new] and float32[m, d_old].
    """

    centroids: NDArray[np.float32] = field(repr=False)
    map_of_centroid: NDArray[np.int64] = field(repr=False)
    weights: NDArray[np.float32] = field(repr=False)
    bias: NDArray[np.float32] = field(repr=False)

    tensor_names: ClassVar[tuple[str, ...]] = ("bias", "centroids", "map_of_centroid", "weights")

    def _map(self, x: NDArray[np.float32], threads: int | None) -> NDArray[np.float32]:
        images = np.empty((len(x), self.d_old), dtype=np.float32)
        for index, rows in self._routes(x, threads):
            images[rows] = self._maps[index](x[rows], threads=threads)
        return images

    def serve(self, x: ArrayLike, threads: int | None = None) -> NDArray[np.float32]:
        """Return g of rows that need not be normalised."""
        given = np.asarray(x)
        unit = kernels.normalize(x, threads=threads)
        images = np.empty((len(unit), self.d_old), dtype=np.float32)
        for index, rows in self._routes(unit, threads):
            images[rows] = self._maps[index].directions(given[rows], threads=threads)
        return images

    def _routes(
        self, unit: NDArray[np.float32], threads: int | None
    ) -> Iterator[tuple[int, NDArray[np.int64] | slice]]:
        """Yield each map that is needed and the rows that go through it."""
        nearest, _ = kernels.nearest(unit, self.centroids, threads=threads)
        route = self.map_of_centroid[nearest]
        if len(route) == 1:
            yield int(route[0]), slice(None)
            return
        for index in np.unique(route).tolist():
            yield index, np.flatnonzero(route == index)

    @cached_property
    def _maps(self) -> tuple[kernels.AffineMap, ...]:
        return tuple(
            kernels.AffineMap(weights, bias)
            for weights, bias in zip(self.weights, self.bias, strict=True)
        )

    def tensors(self) -> dict[str, NDArray[Any]]:
        """Return the centroids, the routing and all maps."""
        return {
            "centroids": self.centroids,
            "map_of_centroid": self.map_of_centroid,
            "weights": self.weights,
            "bias": self.bias,
        }

    @classmethod
    def from_tensors(cls, fields: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> Self:
        """Return the adapter with these common fields and weights."""
        d_old, d_new = fields["d_old"], fields["d_new"]
        k, maps = len(tensors["centroids"]), len(tensors["weights"])
        route = require_shape("map_of_centroid", tensors["map_of_centroid"], (k,), np.int64)
        if not maps or not k or route.min() < 0 or route.max() >= maps:
            raise InvalidInputError(
                f"tensor 'map_of_centroid' must name one of {maps} maps for each of {k} centroids"
            )
        return cls(
            centroids=require_shape("centroids", tensors["centroids"], (k, d_new)),
            map_of_centroid=route,
            weights=require_shape("weights", tensors["weights"], (maps, d_old, d_new)),
            bias=require_shape("bias", tensors["bias"], (maps, d_old)),
            **fields,
        )


def fit_per_cluster(context: FitContext) -> PerClusterAdapter:
    """Return one Procrustes map per group of clusters that has the pairs to support it.

    The clusters come from k-means on the old vectors; a cluster's centroid in the new space is
    the mean of its pairs' new vectors. Clusters with too few pairs are merged with their nearest
    neighbours until every group has enough.

    Raises
    ------
    NotMeasuredError
        There are no clusters, or the pairs support fewer than two maps; the message says how many
        pairs would be needed.
    """
    if context.cluster_labels is None:
        raise NotMeasuredError("per_cluster needs the clusters of the old vectors")
    d_new, d_old = context.new_pairs.shape[1], context.old_pairs.shape[1]
    needed = PAIRS_PER_DIMENSION * min(d_new, d_old)
    clusters, labels = np.unique(context.cluster_labels, return_inverse=True)
    sums, counts = kernels.group_sums(context.new_pairs, labels.astype(np.int64), len(clusters))
    groups = merge_to_budget(sums, counts, needed)
    if groups.max() == 0:
        raise NotMeasuredError(
            f"per_cluster needs {needed} pairs for each of at least two maps "
            f"({PAIRS_PER_DIMENSION} per dimension), and {context.n} pairs don't give that"
        )
    members = [np.flatnonzero(groups[labels] == group) for group in range(int(groups.max()) + 1)]
    maps = [_centred_map(context.new_pairs[m], context.old_pairs[m]) for m in members]
    route = groups.astype(np.int64)
    route.flags.writeable = False
    return PerClusterAdapter(
        name="per_cluster",
        d_new=d_new,
        d_old=d_old,
        rank=min(rotation.rank for rotation, _ in maps),
        n_pairs=context.n,
        fewest_pairs=min(len(m) for m in members),
        centroids=frozen_f32(kernels.normalize(sums)),
        map_of_centroid=route,
        weights=frozen_f32(np.stack([rotation.matrix for rotation, _ in maps])),
        bias=frozen_f32(np.stack([bias for _, bias in maps])),
    )


def _centred_map(
    new_pairs: NDArray[np.float32], old_pairs: NDArray[np.float32]
) -> tuple[Rotation, NDArray[np.float64]]:
    """Return the rotation and the bias of one group of pairs."""
    x, y = new_pairs.astype(np.float64), old_pairs.astype(np.float64)
    mean_new, mean_old = x.mean(axis=0), y.mean(axis=0)
    rotation = rotation_of((y - mean_old).T @ (x - mean_new), len(x))
    return rotation, mean_old - rotation.matrix @ mean_new


def merge_to_budget(
    sums: NDArray[np.float64], counts: NDArray[np.int64], needed: int
) -> NDArray[np.int64]:
    """Return the group of each cluster, so that every group has at least ``needed`` pairs.

    The group with the fewest pairs joins the one whose mean direction is nearest, until none is
    too small or one is left. Ties go to the lower number; groups are numbered by their first
    cluster.

    Parameters
    ----------
    sums
        float64[k, d], sum of the vectors of each cluster.
    counts
        int64[k], members of each cluster, none of them 0.
    needed
        Fewest pairs of a group.

    Returns
    -------
    numpy.ndarray
        int64[k], numbers from 0 without a gap.
    """
    total, size = sums.copy(), counts.astype(np.int64)
    group = np.arange(len(counts), dtype=np.int64)
    alive = np.ones(len(counts), dtype=bool)
    while alive.sum() > 1:
        smallest = int(np.argmin(np.where(alive, size, np.iinfo(np.int64).max)))
        if size[smallest] >= needed:
            break
        lengths = np.sqrt(np.einsum("ij,ij->i", total, total))
        cosines = total @ total[smallest] / np.where(lengths > 0.0, lengths, 1.0)
        cosines[~alive] = -np.inf
        cosines[smallest] = -np.inf
        nearest = int(np.argmax(cosines))
        target, source = min(smallest, nearest), max(smallest, nearest)
        total[target] += total[source]
        size[target] += size[source]
        alive[source] = False
        group[group == source] = target
    return np.unique(group, return_inverse=True)[1].astype(np.int64)
