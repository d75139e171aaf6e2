"""Maximal marginal relevance: the rules of the answer, each with a case worked by hand."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import ml_dtypes
import numpy as np
import pytest
from tests.hostile_data import DTYPES, gaussian, typed
from tests.kernels.mmr_routes import LAMBDAS, answers, as_hits, expected, pools
from tests.kernels.routes import assert_same, rows_of
from tests.reference import mmr as reference

from gnomon import kernels

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def f32(rows: Sequence[Sequence[float]] | Sequence[float]) -> np.ndarray:
    """Return float32 values."""
    return np.array(rows, np.float32)


def picks(found: kernels.Hits) -> list[list[int]]:
    """Return the picked ids, one list a query."""
    return [row.ids.tolist() for row in found]


def test_first_pick_is_the_most_relevant_at_lambda_0(isa: str) -> None:
    """Lambda 0 still begins with the best candidate, at a score of 0 x relevance = 0."""
    found = kernels.mmr(f32([1, 0]), f32([[0, 1], [3, 4], [2, 0]]), 3, lambda_=0.0)
    assert picks(found) == [[2, 0, 1]]
    assert found.scores.tolist() == [0, 0, np.float32(-0.8)]


def test_lambda_0_is_not_the_default(isa: str) -> None:
    """Zero is a value: it never falls back to 0.5."""
    docs = f32([[1, 0.02], [1, 0], [0.6, 0.8], [-1, 0.2]])
    assert picks(kernels.mmr(docs[1], docs, 2, lambda_=0.0)) == [[1, 3]]
    assert picks(kernels.mmr(docs[1], docs, 2, lambda_=0.9)) == [[1, 0]]


def test_scores_are_those_of_the_pick(isa: str) -> None:
    """A score is lambda x relevance - (1 - lambda) x similarity to the nearest earlier pick."""
    found = kernels.mmr(f32([1, 0]), f32([[1, 0], [3, 4], [0, 1]]), 3, lambda_=0.75)
    near, nearest = float(np.float32(0.6)), float(np.float32(0.8))
    assert picks(found) == [[0, 1, 2]]
    assert found.scores.tolist() == [
        0.75,
        np.float32(0.75 * near - 0.25 * near),
        np.float32(0 - 0.25 * nearest),
    ]


def test_minus_zero_is_zero(isa: str) -> None:
    """No score is -0.0, so that what a reader sees as a tie is one."""
    docs = f32([[0, 1], [0, -1], [-0.0, 2], [0, 0]])
    for lambda_ in (0.0, 0.5, 1.0):
        for part in (f32([1, 0]), f32([-1, 0]), f32([0, 0])):
            found = kernels.mmr(part, docs, 4, lambda_=lambda_)
            assert not np.signbit(found.scores[found.scores == 0]).any()


def test_ties_go_to_the_lowest_id(isa: str) -> None:
    """Equal candidates are picked by row, first and later."""
    docs = f32([[1, 1], [2, 2], [1, -1], [1, 1], [3, -3]])
    for route, _, (row,) in answers(f32([1, 0]), docs, 5, [0.5]):
        assert row.ids.tolist() == [0, 2, 1, 3, 4], route


def test_ties_go_to_the_lowest_id_whatever_the_order_of_the_pool(isa: str) -> None:
    """The reported row breaks ties, not its place in the list of rows."""
    docs = np.ones((6, 3), np.float32)
    found = kernels.mmr(docs[0], docs, 3, rows=[[5, 1, 4, 2]])
    assert picks(found) == [[1, 2, 4]]


def test_the_order_of_the_pool_changes_nothing(isa: str) -> None:
    """A pool is a set of rows: shuffled lists give the same picks and scores."""
    rng = np.random.default_rng(0)
    docs = rng.integers(-1, 2, (40, 5)).astype(np.float32)
    rows = rng.permutation(40)[:25]
    sorted_pool = rows_of(kernels.mmr(docs[3], docs, 20, lambda_=0.4, rows=[np.sort(rows)]))
    for _ in range(4):
        shuffled = kernels.mmr(docs[3], docs, 20, lambda_=0.4, rows=[rng.permutation(rows)])
        assert_same(rows_of(shuffled), sorted_pool)


def test_zero_vectors_are_like_nothing(isa: str) -> None:
    """A zero row has cosine 0 with the query, with others and with itself."""
    docs = f32([[0, 0], [0, 0], [1, 0], [-1, 0]])
    found = kernels.mmr(f32([1, 0]), docs, 4, lambda_=0.5)
    assert picks(found) == [[2, 0, 1, 3]]
    assert found.scores.tolist() == [0.5, 0, 0, -0.5]
    zero = kernels.mmr(f32([0, 0]), docs, 4, lambda_=0.5)
    assert picks(zero)[0][0] == 0
    assert_same(rows_of(zero), expected(f32([0, 0]), docs, 4, 0.5))


def test_lambda_1_is_the_top_k(isa: str) -> None:
    """At lambda 1 ids and score bits are those of topk, ties included."""
    rng = np.random.default_rng(1)
    for docs in (gaussian(rng, 60, 33), rng.integers(-1, 2, (60, 4)).astype(np.float32)):
        queries = np.concatenate([docs[:5], -docs[5:8], 0 * docs[:1]])
        for k in (1, 7, 60, 99):
            wanted = rows_of(kernels.topk(queries, docs, k))
            for route, _, found in answers(queries, docs, k, [1.0]):
                assert_same(found, wanted, route)


def test_picks_are_nested(isa: str) -> None:
    """The picks for a smaller k are the beginning of those for a larger one."""
    docs = gaussian(np.random.default_rng(2), 30, 8)
    longest = kernels.mmr(docs[:3], docs, 30, lambda_=0.3)
    part_of = functools.partial(kernels.mmr, docs[:3], docs, lambda_=0.3)
    for k in range(1, 31):
        for all_of_it, part in zip(longest, part_of(k), strict=True):
            assert part.ids.tolist() == all_of_it.ids[:k].tolist()
            assert part.scores.tolist() == all_of_it.scores[:k].tolist()


def test_k_beyond_the_pool(isa: str) -> None:
    """There are min(k, P) picks, each candidate once, for every pool of its own."""
    docs = gaussian(np.random.default_rng(3), 9, 4)
    rows = [[1], [], [0, 2, 4, 6, 8], list(range(9))]
    for k in (1, 5, 100, 2**62):
        found = kernels.mmr(docs[:4], docs, k, rows=rows)
        assert found.counts().tolist() == [min(k, len(part)) for part in rows]
        for row, part in zip(found, rows, strict=True):
            assert set(row.ids.tolist()) <= set(part)
            assert len(set(row.ids.tolist())) == len(row.ids)


def test_empty_things(isa: str) -> None:
    """No candidates: no picks. No queries: no lists."""
    none = np.empty((0, 4), np.float32)
    some = np.ones((3, 4), np.float32)
    assert kernels.mmr(some, none, 2).counts().tolist() == [0, 0, 0]
    assert len(kernels.mmr(none, some, 2)) == 0
    assert kernels.mmr(some, some, 2, rows=[[], [], []]).counts().tolist() == [0, 0, 0]
    assert kernels.mmr(some, np.empty((3, 0, 4), np.float32), 2).counts().tolist() == [0, 0, 0]
    assert kernels.mmr(some, [none, some, none], 2).counts().tolist() == [0, 2, 0]


def test_one_query_may_be_a_vector(isa: str) -> None:
    """A 1-D query is one query."""
    docs = gaussian(np.random.default_rng(4), 12, 5)
    assert_same(rows_of(kernels.mmr(docs[0], docs, 4)), rows_of(kernels.mmr(docs[:1], docs, 4)))


def test_default_lambda_is_a_half(isa: str) -> None:
    """Without lambda_ relevance and diversity count the same."""
    docs = gaussian(np.random.default_rng(5), 20, 6)
    assert_same(
        rows_of(kernels.mmr(docs[:2], docs, 9)),
        rows_of(kernels.mmr(docs[:2], docs, 9, lambda_=0.5)),
    )


def test_ids_of_own_pools_are_positions(isa: str) -> None:
    """With a stack or a sequence of pools an id is the place in the query's own pool."""
    docs = gaussian(np.random.default_rng(6), 20, 6)
    rows = np.array([[19, 3, 7], [2, 11, 5]])
    by_place = kernels.mmr(docs[:2], docs[rows], 3)
    assert_same(rows_of(kernels.mmr(docs[:2], list(docs[rows]), 3)), rows_of(by_place))
    by_row = kernels.mmr(docs[:2], docs, 3, rows=rows)
    assert [rows[q][row.ids].tolist() for q, row in enumerate(by_place)] == picks(by_row)


def test_hits_of_a_search_are_a_pool(isa: str) -> None:
    """What topk, topk_hits and search return can be handed on as rows."""
    docs = gaussian(np.random.default_rng(7), 50, 8)
    wanted = kernels.topk(docs[:4], docs, 20).ids.tolist()
    ragged = kernels.topk_hits(docs[:4], docs, 20)
    found = kernels.mmr(docs[:4], docs, 10, rows=ragged)
    assert_same(rows_of(found), expected(docs[:4], docs, 10, 0.5, wanted))
    again = kernels.mmr(docs[:4], docs, 10, rows=kernels.topk(docs[:4], docs, 20).ids)
    assert_same(rows_of(again), rows_of(found))


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(dtype: str, isa: str) -> None:
    """Each element type is taken by its values, for queries, pools, stacks and sequences alike."""
    rng = np.random.default_rng(8)
    docs, queries = typed(rng, 30, 33, dtype), typed(rng, 4, 33, dtype)
    rows = [[0, 3, 9], list(range(30)), [7], list(range(5, 25))]
    for part in (None, rows):
        wanted = reference.mmr(queries, docs, 8, [0.0, 0.6], part)
        for route, lambda_, found in answers(queries, docs, 8, [0.0, 0.6], rows=part, threads=2):
            assert_same(found, wanted[lambda_], (route, dtype, lambda_))


def test_mixed_dtypes(isa: str) -> None:
    """Queries and pool may differ in dtype."""
    rng = np.random.default_rng(9)
    queries, docs = typed(rng, 3, 17, "float64"), typed(rng, 20, 17, "int8")
    assert_same(rows_of(kernels.mmr(queries, docs, 5)), expected(queries, docs, 5, 0.5))
    half = docs.astype(ml_dtypes.bfloat16)
    assert_same(rows_of(kernels.mmr(queries, half, 5)), expected(queries, half, 5, 0.5))


LAYOUTS = {
    "fortran": np.asfortranarray,
    "every other column": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "every other row": lambda x: np.repeat(x, 2, axis=-2)[..., ::2, :],
    "backwards": lambda x: x[..., ::-1, ::-1].copy()[..., ::-1, ::-1],
    "unaligned": lambda x: (
        np.frombuffer(b"x" + x.tobytes(), np.uint8)[1:].view(x.dtype).reshape(x.shape)
    ),
}


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_every_layout(layout: str, isa: str) -> None:
    """Strides of any kind mean what the indices say; nothing is written to."""
    rng = np.random.default_rng(10)
    docs, queries = gaussian(rng, 24, 19), gaussian(rng, 3, 19)
    laid = LAYOUTS[layout](docs)
    laid.setflags(write=False)
    kept = docs.copy()
    stacked = LAYOUTS[layout](np.stack([docs] * 3))
    for pool in (laid, stacked, [laid] * 3):
        found = kernels.mmr(LAYOUTS[layout](queries), pool, 9, lambda_=0.3, threads=2)
        assert_same(rows_of(found), expected(queries, docs, 9, 0.3), layout)
    assert np.array_equal(laid, kept)


def test_broadcast_and_memory_mapped_pools(tmp_path: Path, isa: str) -> None:
    """Views with stride 0 and read-only maps are read where they are."""
    docs = gaussian(np.random.default_rng(11), 20, 7)
    np.save(tmp_path / "docs.npy", docs)
    mapped = np.load(tmp_path / "docs.npy", mmap_mode="r")
    assert_same(rows_of(kernels.mmr(mapped[:2], mapped, 5)), expected(docs[:2], docs, 5, 0.5))
    shared = np.broadcast_to(docs, (2, *docs.shape))
    assert_same(rows_of(kernels.mmr(docs[:2], shared, 5)), expected(docs[:2], docs, 5, 0.5))
    same = np.broadcast_to(docs[0], (9, 7))
    assert picks(kernels.mmr(docs[0], same, 4)) == [[0, 1, 2, 3]]


def test_a_huge_shared_matrix_is_not_copied(isa: str) -> None:
    """Only the rows of the pools are read: 256 GB in 256 bytes answer at once."""
    docs = np.broadcast_to(np.ones((1, 64), np.float32), (1_000_000_000, 64))
    found = kernels.mmr(docs[:2], docs, 2, rows=[[5, 999_999_999], [0, 77, 2**29]])
    assert picks(found) == [[5, 999_999_999], [0, 77]]


def test_answers_alias_nothing(isa: str) -> None:
    """What comes back is the caller's own."""
    docs = gaussian(np.random.default_rng(12), 9, 4)
    rows = np.arange(9, dtype=np.int64)[None, :]
    found = kernels.mmr(docs[0], docs, 9, rows=rows)
    assert not any(np.shares_memory(a, b) for a in (found.ids, found.scores) for b in (docs, rows))


def test_rows_of_any_integer_type(isa: str) -> None:
    """Lists of Python integers, small and unsigned types name rows as int64 does."""
    docs = gaussian(np.random.default_rng(13), 9, 4)
    wanted = rows_of(kernels.mmr(docs[:2], docs, 3, rows=np.array([[1, 5, 8], [0, 2, 3]])))
    for kind in (np.int8, np.uint16, np.int32, np.uint64):
        rows = np.array([[1, 5, 8], [0, 2, 3]], kind)
        assert_same(rows_of(kernels.mmr(docs[:2], docs, 3, rows=rows)), wanted)
    assert_same(rows_of(kernels.mmr(docs[:2], docs, 3, rows=[[1, 5, 8], (0, 2, 3)])), wanted)
    assert_same(
        rows_of(kernels.mmr(docs[:2], docs, 3, rows=as_hits([[1, 5, 8], [0, 2, 3]]))), wanted
    )


def test_batches_answer_like_single_queries(isa: str) -> None:
    """A query's picks don't depend on what else is asked."""
    rng = np.random.default_rng(14)
    docs, queries = gaussian(rng, 40, 12), gaussian(rng, 11, 12)
    rows = [sorted(rng.permutation(40)[: rng.integers(0, 41)].tolist()) for _ in range(11)]
    for _, pool, given, _ in pools(queries, docs, rows):
        together = rows_of(kernels.mmr(queries, pool, 6, threads=2, **given))
        for q, wanted in enumerate(together):
            alone = rows_of(kernels.mmr(queries[q], docs, 6, rows=[rows[q]]))[0]
            assert alone.scores.tolist() == wanted.scores.tolist()


def test_the_grid_is_its_members(isa: str) -> None:
    """Each entry of a grid is what mmr returns for that lambda, also when a lambda repeats."""
    docs = gaussian(np.random.default_rng(15), 30, 8)
    lambdas = [1.0, 0.5, 0.0, 0.5, *LAMBDAS]
    grid = kernels.mmr_grid(docs[:5], docs, 9, lambdas)
    for lambda_, found in zip(lambdas, grid, strict=True):
        assert_same(rows_of(found), rows_of(kernels.mmr(docs[:5], docs, 9, lambda_=lambda_)))
    as_array = kernels.mmr_grid(docs[:5], docs, 9, np.array(lambdas))
    for a, b in zip(grid, as_array, strict=True):
        assert_same(rows_of(a), rows_of(b))
