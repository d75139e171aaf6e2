"""The clusters of a corpus: deterministic to the bit, and clusters indeed."""

from __future__ import annotations

import numpy as np
import pytest
from tests.adapters.builders import structured_vectors, unit_rows
from tests.reference.probe import draw

from gnomon import kernels
from gnomon.adapters import kmeans
from gnomon.adapters.kmeans import draw_key, fit_clusters, number_of_clusters
from gnomon.errors import NotMeasuredError


@pytest.mark.parametrize(
    ("n", "k"), [(10, 8), (4499, 8), (4500, 9), (100_000, 200), (128_000, 256), (10**7, 256)]
)
def test_the_number_of_clusters_follows_the_rule(n: int, k: int) -> None:
    """min(256, max(8, n / 500)), rounded down."""
    assert number_of_clusters(n) == k


def test_bits_do_not_depend_on_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every instruction set and 1, 2 and 7 threads give the same centroids and labels."""
    vectors = structured_vectors(1500, 33)
    expected = fit_clusters(vectors, seed=3)
    for isa in kernels.runnable_isas():
        monkeypatch.setenv("GNOMON_ISA", isa)
        for threads in (1, 2, 7):
            found = fit_clusters(vectors, seed=3, threads=threads)
            assert np.array_equal(found.centroids, expected.centroids)
            assert np.array_equal(found.labels, expected.labels)
            assert np.array_equal(found.assign(vectors, threads=threads), expected.assign(vectors))


def test_separate_topics_are_separated() -> None:
    """Nine tight, far apart groups become nine clusters, whatever the seed."""
    rng = np.random.default_rng(0)
    topic = np.arange(900) % 9
    vectors = unit_rows(np.eye(16)[topic] + 0.05 * rng.standard_normal((900, 16)))
    for seed in range(5):
        labels = fit_clusters(vectors, seed=seed, k=9).labels
        assert len(np.unique(labels)) == 9
        assert len({(a, b) for a, b in zip(topic, labels, strict=True)}) == 9


def test_a_centroid_is_the_mean_direction_of_its_members() -> None:
    """At convergence, labels are nearest centroids and centroids are their members' mean."""
    rng = np.random.default_rng(1)
    vectors = unit_rows(np.eye(12)[np.arange(240) % 8] + 0.1 * rng.standard_normal((240, 12)))
    clusters = fit_clusters(vectors, seed=0)
    assert clusters.iterations < kmeans.MAX_ITERATIONS
    assert np.array_equal(clusters.rows, np.arange(240))
    assert np.array_equal(clusters.assign(vectors), clusters.labels)
    means = np.stack([vectors[clusters.labels == c].mean(axis=0) for c in range(clusters.k)])
    np.testing.assert_allclose(clusters.centroids, unit_rows(means), atol=1e-6)


def test_a_large_corpus_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the rows with the smallest keys of purpose 7 take part."""
    monkeypatch.setattr(kmeans, "MAX_ROWS", 200)
    clusters = fit_clusters(structured_vectors(700, 16), seed=4)
    assert clusters.rows.tolist() == sorted(draw(4, 7, range(700), 200))


def test_length_and_dtype_of_the_vectors_do_not_matter_to_the_labels() -> None:
    """Clusters are by direction; a memory map in float16 serves as it is."""
    vectors = structured_vectors(300, 16).astype(np.float16)
    clusters = fit_clusters(vectors, seed=0)
    stretched = vectors.astype(np.float32) * np.linspace(0.5, 4.0, 300, dtype=np.float32)[:, None]
    assert np.array_equal(clusters.assign(vectors), clusters.assign(stretched))


def test_zero_rows_take_no_part() -> None:
    """A zero row has no direction: the clusters are those of the other rows."""
    vectors = structured_vectors(300, 16)
    vectors[[0, 7, 299]] = 0.0
    clusters = fit_clusters(vectors, seed=0)
    assert not np.isin([0, 7, 299], clusters.rows).any()
    assert len(clusters.labels) == 297
    assert clusters.assign(vectors)[7] == 0
    with pytest.raises(NotMeasuredError, match="all 3 old vectors are zero"):
        fit_clusters(np.zeros((3, 4), np.float32), seed=0)


@pytest.mark.parametrize("distinct", [1, 2, 5])
def test_duplicates_give_no_more_clusters_than_directions(distinct: int) -> None:
    """Copies of a few vectors make at most that many clusters, none of them empty."""
    vectors = np.repeat(structured_vectors(distinct, 16), 60, axis=0)
    clusters = fit_clusters(vectors, seed=0)
    assert clusters.k == distinct
    assert np.bincount(clusters.labels).min() == 60


def test_an_empty_cluster_takes_the_row_that_fits_worst() -> None:
    """The row farthest from its centroid moves, but never the last one of its cluster."""
    labels = np.array([0, 0, 0, 1, 3])
    fit = np.array([0.9, 0.4, 0.8, 0.1, 1.0], np.float32)
    assert kmeans._fill_empty(labels, fit, 4).tolist() == [0, 2, 0, 1, 3]
    assert labels.tolist() == [0, 0, 0, 1, 3]


def test_fewer_rows_than_clusters() -> None:
    """Three rows make at most three clusters."""
    assert fit_clusters(structured_vectors(3, 8), seed=0).k <= 3


@pytest.mark.parametrize("seed", [0, 1, 2**63, 2**64 - 1])
def test_a_single_key_is_that_of_the_kernels(seed: int) -> None:
    """Keys of rows behind the corpus continue the same stream."""
    expected = kernels.draw_keys(seed, 7, 20).tolist()
    assert [draw_key(seed, 7, row) for row in range(20)] == expected
