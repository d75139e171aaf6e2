"""MMR against its sentence: every similarity computed, every step a full search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np
import pytest

import gnomon as gn
from gnomon import kernels
from gnomon.errors import InvalidInputError, InvalidTypeError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

LAMBDAS = (0.0, 0.3, 0.5, 0.9, 1.0)

# Field reports M01 to M04: a and a2 are near-duplicates, c is far from everything.
A, A2, B, C = range(4)
FIELD = np.float32([[0.80, 0.60, 0], [0.79, 0.6131, 0], [0.60, 0, 0.80], [0.55, -0.8352, 0]])
ASKED = np.float32([1, 0, 0])


def all_cosines(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float32]:
    """Return the contract's cosine of every row of a with every row of b."""
    return kernels.pair_scores(a, b, np.tile(np.arange(len(b)), (len(a), 1)))


def picks_by_definition(
    query: NDArray[Any], pool: NDArray[Any], ids: NDArray[np.int64], k: int, lambda_: float
) -> tuple[list[int], list[np.float32]]:
    """Return ids and scores, each step computed for all rows."""
    relevance = all_cosines(query[np.newaxis], pool)[0].astype(np.float64)
    similarity = all_cosines(pool, pool).astype(np.float64)
    picked: list[int] = []
    scores: list[np.float32] = []
    for _ in range(min(k, len(pool))):
        ranking = relevance
        score = np.float32(lambda_ * relevance)
        if picked:
            penalty = similarity[:, picked].max(axis=1)
            score = np.float32(lambda_ * relevance - (1.0 - lambda_) * penalty)
            ranking = score.astype(np.float64)
        free = [row for row in range(len(pool)) if row not in picked]
        best = min(free, key=lambda row: (-ranking[row], ids[row]))
        picked.append(best)
        scores.append(score[best] + np.float32(0))
    return [int(ids[row]) for row in picked], scores


def hostile_pool(kind: str, n: int, d: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Return rows of a kind that is hard to tell apart."""
    rows = rng.standard_normal((n, d)).astype(np.float32)
    if kind == "whole numbers":
        return np.round(rows)
    if kind == "duplicates" and n:
        return rows[rng.integers(0, max(1, n // 3), n)]
    if kind == "all magnitudes":
        return rows * np.float32(10.0) ** rng.integers(-30, 30, (n, 1)).astype(np.float32)
    if kind == "zeros":
        rows[rng.random(n) < 0.3] = 0
    if kind == "neighbouring floats" and n:
        rows[:] = rows[0]
        rows[:, 0] = np.nextafter(rows[0, 0], np.float32(np.inf) * np.sign(rng.standard_normal(n)))
    return rows


@pytest.mark.parametrize(
    "kind",
    ["gaussian", "whole numbers", "duplicates", "all magnitudes", "zeros", "neighbouring floats"],
)
@pytest.mark.usefixtures("isa")
def test_picks_are_those_of_the_definition(kind: str) -> None:
    """Leaving similarities out changes no id and no bit of a score, alone or in a grid."""
    rng = np.random.default_rng(5)
    for n, d, k in [(1, 3, 1), (7, 1, 7), (30, 33, 9), (70, 16, 100), (150, 64, 12)]:
        pool = hostile_pool(kind, n, d, rng)
        ids = rng.permutation(2 * n)[:n]
        docs = np.zeros((2 * n, d), np.float32)
        docs[ids] = pool
        query = rng.standard_normal(d).astype(np.float32)
        grid = gn.mmr_grid(query, docs, k, LAMBDAS, rows=[ids])
        for lambda_, shared in zip(LAMBDAS, grid, strict=True):
            expected = picks_by_definition(query, pool, ids, k, lambda_)
            alone = gn.mmr(query, docs, k, lambda_=lambda_, rows=[ids])
            for hits in (alone, shared):
                assert hits.ids.tolist() == expected[0]
                assert hits.scores.tobytes() == np.float32(expected[1]).tobytes()


def test_bits_are_the_same_on_any_number_of_threads(isa: str) -> None:
    """Queries are independent: one, two and seven threads give the same bytes."""
    rng = np.random.default_rng(6)
    queries = rng.standard_normal((40, 48)).astype(np.float32)
    pools = rng.standard_normal((40, 60, 48)).astype(np.float32)
    one = gn.mmr(queries, pools, 10, threads=1)
    for threads in (2, 7):
        many = gn.mmr(queries, pools, 10, threads=threads)
        assert many.ids.tobytes() == one.ids.tobytes(), isa
        assert many.scores.tobytes() == one.scores.tobytes(), isa


@pytest.mark.usefixtures("isa")
def test_lambda_one_is_the_plain_top_k() -> None:
    """A lambda of 1 gives the ids and the scores of topk (field report M04)."""
    rng = np.random.default_rng(7)
    docs = np.round(rng.standard_normal((300, 8)).astype(np.float32))
    queries = rng.standard_normal((5, 8)).astype(np.float32)
    plain = gn.topk(queries, docs, 20)
    diverse = gn.mmr(queries, docs, 20, lambda_=1)
    assert diverse.ids.tolist() == plain.ids.ravel().tolist()
    assert diverse.scores.tobytes() == plain.scores.tobytes()


@pytest.mark.usefixtures("isa")
def test_the_penalty_looks_at_all_picks() -> None:
    """A near-duplicate of the first pick stays behind, whatever was picked since (M01)."""
    assert gn.mmr(ASKED, FIELD, 4).ids.tolist() == [A, C, B, A2]


def test_lambda_is_not_ignored() -> None:
    """Different lambdas give different lists, and an unknown keyword is refused (M03)."""
    assert gn.mmr(ASKED, FIELD, 3, lambda_=1).ids.tolist() == [A, A2, B]
    assert gn.mmr(ASKED, FIELD, 3, lambda_=0.3).ids.tolist() == [A, C, B]
    with pytest.raises(TypeError, match="lambda_mult"):
        gn.mmr(ASKED, FIELD, 3, lambda_mult=0.3)  # type: ignore[call-arg]


def test_a_small_pool_is_picked_empty() -> None:
    """A k beyond the pool gives every row once (M06)."""
    assert sorted(gn.mmr(ASKED, FIELD[:3], 10).ids.tolist()) == [0, 1, 2]


def test_all_ways_of_giving_a_pool_agree() -> None:
    """Rows of a matrix, a stack, a sequence, a search's hits: same picks of the same rows."""
    rng = np.random.default_rng(8)
    docs = rng.standard_normal((200, 24)).astype(np.float32)
    queries = rng.standard_normal((4, 24)).astype(np.float32)
    found = gn.topk(queries, docs, 30)
    expected = gn.mmr(queries, docs, 5, rows=found)
    for rows in (found.ids, found.ids[:, ::-1], list(found.ids), gn.topk_hits(queries, docs, 30)):
        assert gn.mmr(queries, docs, 5, rows=rows).ids.tolist() == expected.ids.tolist()
    own = docs[found.ids]
    for pool in (own, list(own), np.asfortranarray(own)):
        picks = gn.mmr(queries, pool, 5)
        rows_picked = np.take_along_axis(found.ids, picks.ids.reshape(4, 5), axis=1)
        assert rows_picked.ravel().tolist() == expected.ids.tolist()
        assert picks.scores.tobytes() == expected.scores.tobytes()


def test_ragged_and_empty_pools() -> None:
    """Each query gives as many picks as its pool has rows, at most k; an empty pool gives none."""
    queries = np.float32([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    hits = gn.mmr(queries, FIELD, 2, rows=[[3], [], [1, 0, 2]])
    assert hits.offsets.tolist() == [0, 1, 1, 3]
    assert gn.mmr(queries, np.empty((0, 3), np.float32), 2).offsets.tolist() == [0, 0, 0, 0]
    assert len(gn.mmr(np.empty((0, 3), np.float32), FIELD, 2)) == 0


CASTS: dict[str, Callable[[NDArray[np.float32]], Any]] = {
    "float64": lambda x: x.astype(np.float64),
    "float16": lambda x: x.astype(np.float16),
    "bfloat16": lambda x: x.astype(ml_dtypes.bfloat16),
    "int8": lambda x: x.astype(np.int8),
    "uint8": lambda x: x.astype(np.uint8),
    "strided": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "reversed": lambda x: x[::-1].copy()[::-1],
    "fortran": np.asfortranarray,
}


@pytest.mark.parametrize("name", list(CASTS))
@pytest.mark.usefixtures("isa")
def test_every_dtype_and_layout(name: str) -> None:
    """Small whole numbers mean the same in every dtype and layout, so the picks are the same."""
    values = np.random.default_rng(9).integers(0, 100, (50, 40)).astype(np.float32)
    expected = gn.mmr(values[:3], values, 7)
    given = CASTS[name](values)
    found = gn.mmr(given[:3], given, 7)
    assert found.ids.tolist() == expected.ids.tolist()
    assert found.scores.tobytes() == expected.scores.tobytes()


def test_inputs_are_not_written_to() -> None:
    """Read-only arrays are taken, and stay what they were."""
    pool = FIELD.copy()
    pool.flags.writeable = False
    gn.mmr(ASKED, pool, 3)
    assert pool.tobytes() == FIELD.tobytes()


def test_refusals_name_what_is_wrong() -> None:
    """Every refusal says where: the array and the row, or the query and the row."""
    bad = FIELD.copy()
    bad[2, 1] = np.nan
    with pytest.raises(InvalidInputError, match="pool: row 2"):
        gn.mmr(ASKED, bad, 2)
    with pytest.raises(InvalidInputError, match="pool of query 1: row 2"):
        gn.mmr([ASKED, ASKED], [FIELD, bad], 2)
    with pytest.raises(InvalidInputError, match="queries: row 0"):  # M07
        gn.mmr(np.float32([np.nan, 0, 0]), FIELD, 2)
    with pytest.raises(InvalidInputError, match="rows of query 1 name row 3 twice"):
        gn.mmr([ASKED, ASKED], FIELD, 2, rows=[[0, 1, 2], [3, 0, 3]])
    with pytest.raises(InvalidInputError, match="rows of query 0 name row 4; the pool has 4"):
        gn.mmr(ASKED, FIELD, 2, rows=[[0, 4]])
    with pytest.raises(InvalidInputError, match="3 dimensions, but pool has 2"):
        gn.mmr(ASKED, FIELD[:, :2], 2)
    with pytest.raises(InvalidInputError, match="1 pools for 2 queries"):
        gn.mmr([ASKED, ASKED], FIELD[np.newaxis], 2)
    with pytest.raises(InvalidTypeError, match="astype"):
        gn.mmr(ASKED, FIELD.astype(np.int64), 2)
    with pytest.raises(UsageError, match="rows name rows of one matrix"):
        gn.mmr(ASKED, FIELD[np.newaxis], 2, rows=[[0]])
    assert gn.mmr(ASKED, bad, 2, rows=[[0, 1, 3]]).ids.tolist() == [0, 3]


@pytest.mark.parametrize("wrong", [-0.1, 1.5, float("nan"), "0.5", None, True])
def test_lambda_outside_its_range_is_refused(wrong: Any) -> None:
    """lambda_ is a number from 0 to 1; nothing is clipped, and nothing stands for a default."""
    with pytest.raises(UsageError, match="lambda_ is"):
        gn.mmr(ASKED, FIELD, 2, lambda_=wrong)
    with pytest.raises(UsageError, match=r"lambdas\[1\] is"):
        gn.mmr_grid(ASKED, FIELD, 2, [0.5, wrong])


@pytest.mark.parametrize("k", [0, -1, 1.5])
def test_k_below_one_is_refused(k: Any) -> None:
    """K is a whole number of at least 1."""
    with pytest.raises(UsageError, match="k is"):
        gn.mmr(ASKED, FIELD, k)
