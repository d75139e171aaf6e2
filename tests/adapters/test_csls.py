"""CSLS against its definition over the whole similarity matrix."""

from __future__ import annotations

import numpy as np
import pytest
from tests.adapters.builders import structured_vectors
from tests.reference import adapters as reference

from gnomon import kernels
from gnomon.adapters.csls import csls_reorder, neighbourhood_means, reorder
from gnomon.errors import UsageError


@pytest.mark.parametrize("neighbours", [1, 3, 10, 50])
def test_scores_are_those_of_the_definition(neighbours: int) -> None:
    """2 cos - r_T - r_S, with neighbourhoods cut to what is there."""
    queries, docs = structured_vectors(30, 16, seed=1), structured_vectors(80, 16, seed=2)
    hits = kernels.topk(queries, docs, 80)
    found = csls_reorder(queries, docs, hits.ids, hits.scores, neighbours=neighbours)
    cosines = queries.astype(np.float64) @ docs.astype(np.float64).T
    expected = reference.csls(cosines, neighbours)
    got = np.zeros((30, 80))
    np.put_along_axis(got, found.ids, found.scores.astype(np.float64), axis=1)
    np.testing.assert_allclose(got, expected, atol=1e-6)
    assert (np.diff(found.scores, axis=1) <= 0).all()


def test_candidates_stay_the_same_set() -> None:
    """A reordering loses nothing and adds nothing."""
    queries, docs = structured_vectors(30, 16, seed=1), structured_vectors(80, 16, seed=2)
    hits = kernels.topk(queries, docs, 20)
    found = csls_reorder(queries, docs, hits.ids, hits.scores)
    assert np.array_equal(np.sort(found.ids, axis=1), np.sort(hits.ids, axis=1))
    assert found.ids.dtype == np.int64
    assert found.scores.dtype == np.float32


def test_ties_go_to_the_lower_id() -> None:
    """The one order of all rankings: score descending, then id ascending."""
    ids, scores = np.array([[9, 2, 5]]), np.full((1, 3), 0.5, np.float32)
    assert reorder(ids, scores, np.zeros(1), np.zeros((1, 3))).ids.tolist() == [[2, 5, 9]]


def test_a_document_near_to_every_query_falls_behind() -> None:
    """A hub loses against a document that is near to this query alone."""
    ids, scores = np.array([[0, 1]]), np.array([[0.8, 0.7]], np.float32)
    found = reorder(ids, scores, np.array([0.75]), np.array([[0.9, 0.2]]))
    assert found.ids.tolist() == [[1, 0]]


@pytest.mark.parametrize(("shape", "neighbours"), [((3, 0), 5), ((3, 4), 0), ((3,), 2)])
def test_an_empty_neighbourhood_is_refused(shape: tuple[int, ...], neighbours: int) -> None:
    """A mean over nothing does not exist."""
    with pytest.raises(UsageError, match="does not exist"):
        neighbourhood_means(np.zeros(shape, np.float32), neighbours)
