"""Reciprocal rank fusion: the rules of the answer, each with a case worked by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.kernels.rrf_routes import check_one, fused, hits_of
from tests.reference import rrf as reference

from gnomon import kernels


def ids_of(found: kernels.Hits) -> list[list[int]]:
    """Return the fused ids, one list a query."""
    return [row.ids.tolist() for row in found]


def test_a_share_is_weight_over_k_plus_rank(isa: str) -> None:
    """Ranks count from 1: the first of a list of weight 2 adds 2 / 61."""
    found = kernels.rrf([[7, 3], [3]], weights=[2, 1])
    assert ids_of(found) == [[3, 7]]
    assert found.scores.tolist() == [np.float32(2 / 62 + 1 / 61), np.float32(2 / 61)]


def test_k_is_60_unless_given(isa: str) -> None:
    """The constant is a parameter; 0 is a value of it, and it needn't be whole."""
    assert kernels.rrf([[5]]).scores.tolist() == [np.float32(1 / 61)]
    for k in (0, 1, 0.5, 60, 1000, 1e300):
        assert kernels.rrf([[5, 6]], k=k).scores.tolist() == [
            np.float32(1 / (k + 1)),
            np.float32(1 / (k + 2)),
        ]


def test_lists_are_deduplicated_first(isa: str) -> None:
    """A repeated id keeps its first place; those behind move up."""
    check_one([[4, 4, 4, 9], [9, 1, 9, 2]])
    found = kernels.rrf([[4, 4, 4, 9]])
    assert found.scores.tolist() == [np.float32(1 / 61), np.float32(1 / 62)]


def test_ties_go_to_the_best_single_rank(isa: str) -> None:
    """At equal scores the id with the better best rank comes first, whatever its number."""
    found = kernels.rrf([[1, 2], [2, 1]], k=0)
    assert ids_of(found) == [[1, 2]]
    # 1/(0+1) = 1 for id 9; id 3 collects 1/2 + 1/4 + 1/4 from ranks 2, 4, 4.
    lists = [[9], [1, 3], [1, 2, 4, 3], [1, 2, 4, 3]]
    scored = dict(zip(*fused(kernels.rrf(lists, k=0))[0], strict=True))
    assert scored[3] == scored[9] == 1
    assert list(scored).index(9) < list(scored).index(3)
    check_one([[9, 1], [8, 9], [5, 6, 7, 8]], isa)


def test_ties_of_rank_go_to_the_lowest_id(isa: str) -> None:
    """Equal scores and best ranks are ordered by id as a number, not as text."""
    found = kernels.rrf([[10], [9], [-3], [-20]])
    assert ids_of(found) == [[-20, -3, 9, 10]]


def test_names_are_ordered_by_code_point(isa: str) -> None:
    """String ids tie by code point, so "10" comes before "9", "Z" before "a", "é" last."""
    found = kernels.rrf([["a"], ["9"], ["10"], ["Z"], ["é"], ["\U0001f600"], ["\uffff"], [""]])
    assert fused(found)[0].ids == ["", "10", "9", "Z", "a", "é", "\uffff", "\U0001f600"]


def test_the_order_of_the_lists_changes_nothing(isa: str) -> None:
    """Lists and their weights in any order give the same bits."""
    rng = np.random.default_rng(0)
    lists = [rng.permutation(50)[: rng.integers(0, 50)].tolist() for _ in range(9)]
    weights = (10.0 ** rng.uniform(-3, 3, 9)).tolist()
    first = fused(kernels.rrf(lists, weights))
    for _ in range(6):
        order = rng.permutation(9)
        again = kernels.rrf([lists[i] for i in order], [weights[i] for i in order])
        assert fused(again) == first


def test_weight_0_admits_nothing(isa: str) -> None:
    """A list of weight 0 brings no ids, no shares and no ranks."""
    check_one([[1, 2], [3, 2]], weights=[1, 0])
    found = kernels.rrf([[1, 2], [3, 2]], weights=[1, 0])
    assert ids_of(found) == [[1, 2]]
    # Of two ids with equal scores the zero-weight first place of 6 doesn't count.
    found = kernels.rrf([[1, 5], [1, 6], [6]], weights=[1, 1, 0])
    assert ids_of(found) == [[1, 5, 6]]
    assert ids_of(kernels.rrf([[5, 6], [6, 5], [6, 9]], weights=[1, 1, -0.0])) == [[5, 6]]


def test_top_cuts_after_the_order(isa: str) -> None:
    """The first `top` of the whole order are kept; more than there are is all of them."""
    rng = np.random.default_rng(1)
    lists = [rng.integers(0, 30, 40).tolist() for _ in range(3)]
    whole = fused(kernels.rrf(lists))[0]
    for top in (1, 2, len(whole.ids) - 1, len(whole.ids), 99, 2**62):
        part = fused(kernels.rrf(lists, top=top))[0]
        assert part.ids == whole.ids[:top]
        assert part.scores == whole.scores[:top]


def test_empty_lists(isa: str) -> None:
    """An empty list adds nothing; nothing but empty lists gives no hits, and the usual fields."""
    check_one([[1, 2], []])
    check_one([[], []])
    for nothing in ([[]], [[], []], [np.empty(0, np.int64)], [hits_of([[]])]):
        found = kernels.rrf(nothing)
        assert found.counts().tolist() == [0]
        assert found.ids.dtype == np.int64
    assert len(kernels.rrf([np.empty((0, 3), np.int64)] * 2)) == 0
    assert kernels.rrf([np.empty((2, 0), np.int64)] * 2).counts().tolist() == [0, 0]


def test_one_list_keeps_its_order(isa: str) -> None:
    """Fusing a single list changes nothing but the scores, as long as float32 tells ranks apart."""
    order = np.random.default_rng(2).permutation(500).tolist()
    assert ids_of(kernels.rrf([order])) == [order]


def test_float32_orders_as_it_reads(isa: str) -> None:
    """Ranks that float32 can't tell apart tie, and then the best rank decides."""
    found = kernels.rrf([[3, 2, 1]], k=1e12)
    assert len(set(found.scores.tolist())) == 1
    assert ids_of(found) == [[3, 2, 1]]
    found = kernels.rrf([[9, 8], [7, 6], [7, 6]], k=1e12)
    check_one([[9, 8], [7, 6], [7, 6]], isa, k=1e12)
    assert ids_of(found) == [[7, 6, 9, 8]]


@pytest.mark.parametrize("low", [-(2**63), 2**63 - 9, -4, 2**31 - 3, 2**32 - 3])
def test_ids_at_the_limits(low: int, isa: str) -> None:
    """Every int64 is an id like any other, -1 and the limits too."""
    check_one([[low, low + 3, low + 8], [low + 8, low + 2, low], [low + 1]], isa)


def test_ids_mean_ids_not_positions(isa: str) -> None:
    """Two ids that differ in the high half are two ids."""
    check_one([[1, 2**32 + 1, 2**40 + 1], [-1, 2**32 - 1, -(2**32) + 1]], isa)


def test_batches(isa: str) -> None:
    """Each list holds all queries; every query is fused on its own."""
    rng = np.random.default_rng(3)
    lists = [
        [rng.integers(0, 20, rng.integers(0, 15)).tolist() for _ in range(40)] for _ in range(3)
    ]
    wanted = [reference.fuse([part[q] for part in lists], [3, 1, 0.5]) for q in range(40)]
    for threads in (1, 2, 7):
        found = kernels.rrf([hits_of(part) for part in lists], [3, 1, 0.5], threads=threads)
        assert fused(found) == wanted
    by_name = kernels.rrf([[[f"{i:02d}" for i in q] for q in part] for part in lists], [3, 1, 0.5])
    assert [part.scores for part in fused(by_name)] == [part.scores for part in wanted]
    assert [[int(i) for i in part.ids] for part in fused(by_name)] == [part.ids for part in wanted]


def test_batches_of_unlike_kinds(isa: str) -> None:
    """A TopK, Hits and a matrix can be fused with each other."""
    ids = np.random.default_rng(4).integers(0, 9, (5, 6))
    scores = np.zeros((5, 6), np.float32)
    mixed = [kernels.TopK(ids, scores), hits_of(ids[::-1].tolist()), ids[:, ::-1]]
    wanted = [reference.fuse([ids[q], ids[::-1][q], ids[q, ::-1]]) for q in range(5)]
    assert fused(kernels.rrf(mixed)) == [
        reference.Fused([int(i) for i in part.ids], part.scores) for part in wanted
    ]


def test_arrays_of_any_layout_and_integer_type(isa: str) -> None:
    """Strided, reversed, read-only, small and unsigned arrays mean their values."""
    ids = np.arange(24).reshape(4, 6)
    wanted = fused(kernels.rrf([ids, ids[:, ::-1].copy()]))
    frozen = ids.copy()
    frozen.setflags(write=False)
    for part in (ids, np.asfortranarray(ids), frozen, np.repeat(ids, 2, axis=1)[:, ::2]):
        assert fused(kernels.rrf([part, part[:, ::-1]])) == wanted
    for kind in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.uint64, ">i8"):
        assert fused(kernels.rrf([ids.astype(kind), ids[:, ::-1].astype(kind)])) == wanted


def test_scores_of_the_lists_are_not_looked_at(isa: str) -> None:
    """Fusion needs ranks only: hits with NaN scores fuse like any."""
    assert ids_of(kernels.rrf([hits_of([[3, 4]])[0], hits_of([[4]])[0]])) == [[4, 3]]


def test_inputs_stay_and_answers_alias_nothing(isa: str) -> None:
    """Nothing is written to, and what comes back is the caller's own."""
    lists = [np.array([5, 3, 5, 1]), np.array([1, 9])]
    kept = [part.copy() for part in lists]
    found = kernels.rrf(lists)
    assert all(np.array_equal(a, b) for a, b in zip(lists, kept, strict=True))
    assert not any(np.shares_memory(found.ids, part) for part in lists)


def test_scores_are_the_exact_sums(isa: str) -> None:
    """Float64 sums rounded once lie within one float32 step of the rational sum."""
    rng = np.random.default_rng(5)
    lists = [rng.permutation(60)[:40].tolist() for _ in range(30)]
    weights = [Fraction(int(w)) for w in rng.integers(1, 1000, 30)]
    exact = reference.exact_scores(lists, weights, Fraction(7))
    (found,) = fused(kernels.rrf(lists, [float(w) for w in weights], k=7))
    for item, score in zip(found.ids, found.scores, strict=True):
        error = abs(Fraction(float(score)) - exact[item])
        assert error <= Fraction(float(np.spacing(score)))


def test_named_hits_are_hits(isa: str) -> None:
    """String ids come back in the shape of hits: by query, counted, iterated."""
    found = kernels.rrf([[["x", "y"], []], [["y"], ["z"]]])
    assert len(found) == 2
    assert found.counts().tolist() == [2, 1]
    assert list(found[0].ids) == ["y", "x"]
    assert list(found[-1].ids) == ["z"]
    assert [list(row.ids) for row in found] == [["y", "x"], ["z"]]
    assert list(found.ids) == ["y", "x", "z"]
    with pytest.raises(IndexError):
        found[2]
