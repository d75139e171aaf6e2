"""The rules of the answer: order, shapes, k, limits, and what must not change it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.hostile_data import BUILDERS, gaussian
from tests.kernels.routes import THREADS, Limits, answers, assert_same, is_rectangular, rows_of
from tests.reference import cosine as reference
from tests.reference.cosine import Row

from gnomon import kernels

if TYPE_CHECKING:
    from collections.abc import Sequence


def matrix(rows: Sequence[Sequence[float]]) -> np.ndarray:
    """Return float32 rows."""
    return np.array(rows, np.float32)


def test_ties_are_ordered_by_row(isa: str) -> None:
    """Equal scores come in row order, at every rank and at the k-th."""
    docs = matrix([[1, 0], [2, 0], [0, 1], [4, 0], [0.5, 0]])
    for k in range(1, 6):
        for route, (row,) in answers(matrix([[1, 0]]), docs, k):
            assert row.ids.tolist() == [0, 1, 3, 4, 2][:k], route
            assert row.scores.tolist() == [1, 1, 1, 1, 0][:k], route


def test_minus_zero_is_zero(isa: str) -> None:
    """A score of -0.0 becomes +0.0 and ties with it; neither overtakes a lower row."""
    docs = matrix([[0, -1], [-0.0, 1], [0, 0], [-0.0, -0.0], [-1e-45, 1e30]])
    for route, (row,) in answers(matrix([[1, 0]]), docs, 5):
        assert row.ids.tolist() == [0, 1, 2, 3, 4], route
        assert not np.signbit(row.scores).any(), route


def test_zero_vectors_score_zero(isa: str) -> None:
    """An exactly zero norm scores 0.0 against everything; the smallest float32 is not zero."""
    docs = matrix([[0, 0], [1e-45, 0], [-1e-45, 0], [1e-25, 1e-25]])
    for route, (ordinary, zero) in answers(matrix([[3, 0], [0, 0]]), docs, 4):
        assert ordinary.ids.tolist() == [1, 3, 0, 2], route
        assert ordinary.scores.tolist() == [1, np.float32(np.sqrt(0.5)), 0, -1], route
        assert zero.ids.tolist() == [0, 1, 2, 3], route
        assert zero.scores.tolist() == [0, 0, 0, 0], route


@pytest.mark.parametrize("builder", sorted(BUILDERS))
def test_scores_stay_in_range_and_self_is_one(builder: str, isa: str) -> None:
    """Scores are finite and in [-1, 1]; identical vectors that are not zero score exactly 1.0."""
    _, docs = BUILDERS[builder](np.random.default_rng(5), 1, 60, 48)
    found = kernels.topk(docs, docs, len(docs))
    assert np.isfinite(found.scores).all()
    assert np.abs(found.scores).max() <= 1
    own = found.scores[found.ids == np.arange(len(docs))[:, None]]
    nonzero = docs.any(axis=1)
    assert own[nonzero].tolist() == [1.0] * int(nonzero.sum())


def test_k_beyond_n_gives_n_hits(isa: str) -> None:
    """No padding and no sentinel: k > n returns every row once."""
    docs = matrix([[1, 0], [0, 1], [-1, 0]])
    for k in (3, 4, 1000, 2**31, 2**63 - 1):
        for route, (row,) in answers(matrix([[1, 0]]), docs, k):
            assert row.ids.tolist() == [0, 1, 2], (route, k)


@pytest.mark.parametrize("q", [0, 1, 5])
@pytest.mark.parametrize("n", [0, 3])
def test_answers_are_two_dimensional(q: int, n: int) -> None:
    """Topk is (ids int64[Q, min(k, n)], scores float32[...]), also with nothing to find."""
    found = kernels.topk(np.ones((q, 4), np.float32), np.ones((n, 4), np.float32), 2)
    assert isinstance(found, kernels.TopK)
    assert found._fields == ("ids", "scores")
    ids, scores = found
    assert (ids.shape, ids.dtype) == ((q, min(n, 2)), np.int64)
    assert (scores.shape, scores.dtype) == ((q, min(n, 2)), np.float32)
    assert ids.flags.c_contiguous
    assert scores.flags.c_contiguous


def test_one_vector_is_one_query() -> None:
    """A one-dimensional query is one query, and the answer has one row."""
    docs = gaussian(np.random.default_rng(0), 20, 8)
    for route, found in answers(docs[4], docs, 3):
        assert_same(found, reference.top_k(docs[4:5], docs, 3), route)


def test_hits_by_name_index_and_iteration() -> None:
    """Hits are read by query, by iteration and as a padded table; nothing is lost or reordered."""
    docs = gaussian(np.random.default_rng(1), 6, 8)
    barred = [[0, 1, 2], [], [0, 1, 2, 3, 4, 5]]
    hits = kernels.VectorIndex(docs).search_hits(
        docs[:3], 4, exclude=Limits(barred).arguments["exclude"]
    )
    expected = reference.top_k(docs[:3], docs, 4, exclude=barred)
    assert len(hits) == 3
    assert hits.offsets.tolist() == [0, 3, 7, 7]
    assert_same([Row(*hits[query]) for query in range(3)], expected)
    assert_same([Row(*row) for row in hits], expected)
    assert_same([Row(*hits[-1])], expected[-1:])
    with pytest.raises(IndexError):
        hits[3]
    padded = hits.padded(fill=-1)
    assert padded.ids.shape == (3, 4)
    assert padded.ids[0].tolist() == [*expected[0].ids.tolist(), -1]
    assert padded.ids[2].tolist() == [-1] * 4


def test_exclusions_are_applied_before_the_cut(isa: str) -> None:
    """An excluded row is replaced by the next best; it never lifts the threshold."""
    rng = np.random.default_rng(2)
    docs = gaussian(rng, 3000, 24)
    queries = docs[:40]
    own = [[row] for row in range(40)]
    expected = reference.top_k(queries, docs, 5, exclude=own)
    for threads in THREADS:
        for route, found in answers(queries, docs, 5, threads=threads, limits=Limits(own)):
            assert_same(found, expected, (route, threads))


def test_the_best_rows_are_all_excluded(isa: str) -> None:
    """Excluding every near row leaves the far ones, ranked as if the near ones did not exist."""
    rng = np.random.default_rng(3)
    docs = np.concatenate([np.ones((300, 16), np.float32), -np.abs(gaussian(rng, 300, 16))])
    query = np.ones((1, 16), np.float32)
    limits = Limits([list(range(300))])
    expected = reference.top_k(query, docs, 20, exclude=limits.exclude)
    for threads in THREADS:
        for route, found in answers(query, docs, 20, threads=threads, limits=limits):
            assert_same(found, expected, (route, threads))


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.99, 1.0])
def test_subsets(share: float, isa: str) -> None:
    """Only rows of the subset are hits, under their original numbers; an empty one has none."""
    rng = np.random.default_rng(4)
    docs = gaussian(rng, 2000, 24)
    subset = np.flatnonzero(rng.random(2000) < share).tolist()
    for q in (1, 20):
        queries = gaussian(rng, q, 24)
        expected = reference.top_k(queries, docs, 10, subset=subset)
        rectangular = is_rectangular(expected)
        for threads in THREADS:
            some = answers(
                queries,
                docs,
                10,
                threads=threads,
                limits=Limits(subset=subset),
                rectangular=rectangular,
            )
            for route, found in some:
                assert_same(found, expected, (route, threads, q))


def test_subset_order_does_not_matter() -> None:
    """A subset is a set: its order changes nothing, ties still go by original row."""
    docs = np.ones((50, 4), np.float32)
    backwards = np.arange(49, 20, -2)
    found = kernels.topk(docs[0], docs, 3, subset=backwards)
    assert found.ids.tolist() == [[21, 23, 25]]


def test_subset_and_exclusions_together(isa: str) -> None:
    """A row must be in the subset and not excluded."""
    rng = np.random.default_rng(5)
    docs, subset = gaussian(rng, 500, 16), list(range(0, 500, 3))
    queries = docs[subset[:10]]
    barred = [[row, row + 3, row + 1] for row in subset[:10]]
    expected = reference.top_k(queries, docs, 8, exclude=barred, subset=subset)
    for route, found in answers(queries, docs, 8, limits=Limits(barred, subset)):
        assert_same(found, expected, route)


def test_fewer_rows_than_k_remain() -> None:
    """Too few admissible rows give fewer hits, never a filler; an uneven TopK is refused."""
    docs = gaussian(np.random.default_rng(6), 5, 8)
    barred = [[0, 1, 2, 3], []]
    limits = Limits(barred)
    expected = reference.top_k(docs[:2], docs, 5, exclude=barred)
    for route, found in answers(docs[:2], docs, 5, limits=limits, rectangular=False):
        assert_same(found, expected, route)
    with pytest.raises(ValueError, match="topk_hits"):
        kernels.topk(docs[:2], docs, 5, **limits.arguments)


@pytest.mark.parametrize("builder", ["smooth", "tiny_gaps", "huge_lengths", "signs"])
def test_a_batch_is_its_queries_one_by_one(builder: str, isa: str) -> None:
    """The answer to a query does not depend on which other queries it is asked with."""
    queries, docs = BUILDERS[builder](np.random.default_rng(9), 70, 600, 48)
    whole = rows_of(kernels.topk(queries, docs, 9))
    single = [rows_of(kernels.topk(query, docs, 9))[0] for query in queries]
    assert_same(single, whole)
    backwards = rows_of(kernels.topk(queries[::-1], docs, 9))
    assert_same(backwards[::-1], whole)
    for size in (2, 8, 31):
        parts = [
            rows_of(kernels.topk(queries[at : at + size], docs, 9)) for at in range(0, 70, size)
        ]
        assert_same([row for part in parts for row in part], whole, size)


@pytest.mark.parametrize("builder", ["smooth", "tiny_gaps", "huge_range_within", "half_codes"])
def test_permuted_documents_keep_their_scores(builder: str, isa: str) -> None:
    """Where a row stands changes its number, never its score."""
    rng = np.random.default_rng(10)
    queries, docs = BUILDERS[builder](rng, 9, 700, 48)
    order = rng.permutation(700)
    before = kernels.topk(queries, docs, 700)
    after = kernels.topk(queries, docs[order], 700)
    table = np.empty((2, 9, 700), np.float32)
    np.put_along_axis(table[0], before.ids, before.scores, axis=1)
    np.put_along_axis(table[1], order[after.ids], after.scores, axis=1)
    assert np.array_equal(table[0].view(np.uint32), table[1].view(np.uint32))


@pytest.mark.parametrize("builder", ["smooth", "duplicates", "one_ulp_apart"])
def test_a_corpus_is_the_sum_of_its_parts(builder: str, isa: str) -> None:
    """The top k of two corpora, merged by (score, row), is the top k of their concatenation."""
    queries, docs = BUILDERS[builder](np.random.default_rng(11), 10, 800, 48)
    whole = rows_of(kernels.topk(queries, docs, 15))
    for cut in (1, 16, 300, 799):
        left = rows_of(kernels.topk(queries, docs[:cut], 15))
        right = rows_of(kernels.topk(queries, docs[cut:], 15))
        merged = []
        for first, second in zip(left, right, strict=True):
            ids = np.concatenate([first.ids, second.ids + cut])
            scores = np.concatenate([first.scores, second.scores])
            best = np.lexsort((ids, -scores))[:15]
            merged.append(Row(ids[best], scores[best]))
        assert_same(merged, whole, cut)


def test_smaller_k_is_a_prefix(isa: str) -> None:
    """The top j is the beginning of the top k."""
    queries, docs = BUILDERS["duplicates"](np.random.default_rng(12), 5, 400, 32)
    longest = rows_of(kernels.topk(queries, docs, 400))
    for k in (1, 2, 10, 99):
        prefix = [Row(row.ids[:k], row.scores[:k]) for row in longest]
        assert_same(rows_of(kernels.topk(queries, docs, k)), prefix, k)


def test_scaling_by_powers_of_two_changes_nothing(isa: str) -> None:
    """Cosine has no unit: lengths that scale without rounding leave every bit alone."""
    queries, docs = BUILDERS["smooth"](np.random.default_rng(13), 9, 500, 40)
    expected = rows_of(kernels.topk(queries, docs, 20))
    for power in (-100, -3, 90):
        factor = np.float32(2.0**power)
        assert_same(rows_of(kernels.topk(queries * factor, docs, 20)), expected, power)
        assert_same(rows_of(kernels.topk(queries, docs * factor, 20)), expected, power)


def test_repeated_runs_are_identical(isa: str) -> None:
    """Seven threads racing for blocks give the same bits every time."""
    queries, docs = BUILDERS["duplicates"](np.random.default_rng(14), 20, 30_000, 32)
    first = rows_of(kernels.topk(queries, docs, 50, threads=7))
    for _ in range(5):
        assert_same(rows_of(kernels.topk(queries, docs, 50, threads=7)), first)


def test_k_beyond_any_memory(isa: str) -> None:
    """Any int64 k asks for all rows; memory follows the rows there are, not k."""
    docs = gaussian(np.random.default_rng(15), 9, 8)
    expected = reference.top_k(docs, docs, 9)
    for k in (2**31, 2**32 + 1, 2**40, 2**62, 2**63 - 1):
        assert_same(rows_of(kernels.topk(docs, docs, k)), expected, k)
        assert_same(rows_of(kernels.VectorIndex(docs).search(docs, k)), expected, k)


def test_no_dimensions() -> None:
    """Vectors of no dimensions are all zero vectors, or refused; nothing else."""
    try:
        found = rows_of(kernels.topk(np.ones((2, 0), np.float32), np.ones((3, 0), np.float32), 2))
    except ValueError:
        return
    assert_same(found, [Row(np.array([0, 1]), np.zeros(2, np.float32))] * 2)
