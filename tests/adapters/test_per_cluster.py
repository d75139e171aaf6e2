"""One map per part of the corpus: routing, budget, merging."""

from __future__ import annotations

import numpy as np
from tests.adapters.builders import rotation, unit_rows

from gnomon import kernels
from gnomon.adapters import FitContext, adapter_named
from gnomon.adapters.per_cluster import merge_to_budget


def two_worlds(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (new, old, labels): two far apart parts, each rotated in its own way."""
    rng = np.random.default_rng(0)
    part = np.arange(n) % 2
    centre = np.where(part[:, None] == 0, 1.5, -1.5) * np.eye(16)[0]
    new = unit_rows(rng.standard_normal((n, 16)) / 4 + centre)
    turned = [new @ rotation(16, 16, seed=seed).T for seed in (1, 2)]
    return new, unit_rows(np.where(part[:, None] == 0, *turned)), part


def test_drift_that_differs_by_part_is_bridged_part_by_part() -> None:
    """Where each part is rotated in its own way, two maps find what one cannot."""
    new, old, labels = two_worlds(900)
    fit, unseen = np.arange(600), np.arange(600, 900)
    context = FitContext.of(new[fit], old[fit], seed=0, cluster_labels=labels[fit])
    local = adapter_named("per_cluster").fit_context(context)
    single = adapter_named("procrustes").fit_context(context)

    def recall(adapter) -> float:
        return (kernels.topk(adapter.apply(new[unseen]), old, 1).ids[:, 0] == unseen).mean()

    assert recall(local) == 1.0
    assert recall(single) < 0.9


def test_a_row_is_mapped_by_the_map_of_its_nearest_centroid() -> None:
    """Routing is by cosine in the new space, each row on its own."""
    new, old, labels = two_worlds(300)
    context = FitContext.of(new, old, seed=0, cluster_labels=labels)
    adapter = adapter_named("per_cluster").fit_context(context)
    cosines = new.astype(np.float64) @ adapter.centroids.astype(np.float64).T
    route = adapter.map_of_centroid[cosines.argmax(axis=1)]
    mapped = np.einsum("nij,nj->ni", adapter.weights[route].astype(np.float64), new)
    expected = unit_rows(mapped + adapter.bias[route])
    np.testing.assert_allclose(adapter.apply(new), expected, atol=1e-6)


def test_centroids_are_the_mean_directions_of_the_new_vectors() -> None:
    """A cluster's centroid in the new space comes from its pairs alone."""
    new, old, labels = two_worlds(300)
    adapter = adapter_named("per_cluster").fit_context(
        FitContext.of(new, old, seed=0, cluster_labels=labels * 5 + 3)
    )
    means = unit_rows(np.stack([new[labels == part].mean(axis=0) for part in (0, 1)]))
    np.testing.assert_allclose(adapter.centroids, means, atol=1e-6)


def test_small_clusters_join_their_nearest_neighbour() -> None:
    """The smallest group joins the group in whose direction it points, until all are big enough."""
    sums = np.array([[90.0, 0.0], [9.0, 1.0], [0.0, 80.0], [1.0, 3.0]])
    counts = np.array([90, 10, 80, 4])
    assert merge_to_budget(sums, counts, 50).tolist() == [0, 0, 1, 1]
    assert merge_to_budget(sums, counts, 4).tolist() == [0, 1, 2, 3]
    assert merge_to_budget(sums, counts, 10).tolist() == [0, 1, 2, 2]
    assert merge_to_budget(sums, counts, 1000).tolist() == [0, 0, 0, 0]


def test_the_least_supported_map_speaks_for_all() -> None:
    """`few_pairs` looks at the map with the fewest pairs; every pair belongs to a map."""
    new, old, labels = two_worlds(300)
    labels = np.where(np.arange(300) < 40, labels + 2, labels)
    adapter = adapter_named("per_cluster").fit_context(
        FitContext.of(new, old, seed=0, cluster_labels=labels)
    )
    assert adapter.n_pairs == 300
    assert adapter.fewest_pairs >= 32
    assert not adapter.few_pairs
    assert len(adapter.centroids) == 4
    assert adapter.map_of_centroid.max() + 1 == len(adapter.weights)
