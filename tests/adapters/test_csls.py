"""CSLS against its definition over the whole similarity matrix."""

from __future__ import annotations

import numpy as np
import pytest
from tests.adapters.builders import structured_vectors
from tests.reference import adapters as reference

from gnomon import kernels
from gnomon.adapters.csls import csls_reorder, csls_scores, neighbourhood_means, reorder
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


@pytest.mark.parametrize("n_documents", [12, 400])
def test_scores_are_those_of_the_reordering(n_documents: int) -> None:
    """In the order given, whether the lists or the documents are more, and for a part of them."""
    rng = np.random.default_rng(3)
    docs = rng.standard_normal((n_documents, 8)).astype(np.float32)
    queries = rng.standard_normal((9, 8)).astype(np.float32)
    hits = kernels.topk(queries, docs, 10)
    scores = csls_scores(queries, docs, hits.ids, hits.scores)
    found = csls_reorder(queries, docs, hits.ids, hits.scores)
    order = np.lexsort((hits.ids, -scores), axis=1)
    assert np.array_equal(np.take_along_axis(hits.ids, order, axis=1), found.ids)
    assert np.array_equal(np.take_along_axis(scores, order, axis=1), found.scores)
    part = csls_scores(queries, docs, hits.ids[2:5], hits.scores[2:5])
    assert np.array_equal(part, scores[2:5])
