"""The arrays behind a sweep, by hand: what primes a turn, halves, redundancy, the gain held out."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.evaluation.tuning_gain import Reference, gain_held_out, gain_in_sample, split
from gnomon.evaluation.tuning_pools import NEVER, Pools, lay_out
from gnomon.evaluation.tuning_redundancy import redundancy
from gnomon.evaluation.tuning_sweep import Swept, order_of_hits, order_of_pages, sweep
from gnomon.kernels import Hits
from gnomon.rules.tuning import Cell, Plane, parse_counts, parse_lambdas

ROTATE, REVOKE, CALLS, AUDIT = range(4)


def pool(*rows: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return a fused pool."""
    return np.array(rows, dtype=np.int64)


def worked_example() -> Pools:
    """Return the pool of docs/tuning.md: gold is one section of two alike, and one page."""
    gold = [frozenset({ROTATE}), frozenset({AUDIT})]
    return lay_out([pool(ROTATE, REVOKE, CALLS, AUDIT)], [{}], [gold])


def picks(*rows: int) -> Hits:
    """Return the picks of one record."""
    ids = np.array(rows, dtype=np.int64)
    return Hits(ids, np.zeros(len(ids), np.float32), np.array([0, len(ids)]))


def swept(values: list[list[list[float]]]) -> Swept:
    """Return a sweep of lambdas 0.5 and 1 whose F1 is given by lambda, k and record."""
    f1 = np.array(values)
    lambdas = (Fraction(1, 2), Fraction(1))
    counts = tuple(range(4, 4 + f1.shape[1]))
    return Swept(lambdas, counts, np.zeros((2, 0), np.int64), f1, f1[:, 0], f1)


def test_the_worked_example_of_the_documentation() -> None:
    """A later k adds to what came before; the order within the first k is of no account to F1."""
    pools = worked_example()
    orders = [
        order_of_hits(pools, picks(ROTATE, CALLS, AUDIT, REVOKE)),
        order_of_hits(pools, picks(ROTATE, REVOKE, CALLS, AUDIT)),
    ]
    found = sweep(pools, [Fraction(7, 10), Fraction(1)], [2, 3, 4], orders, by_place=False)
    assert found.f1[:, :, 0].tolist() == [
        [0.5, pytest.approx(0.8), pytest.approx(2 / 3)],
        [0.5, pytest.approx(0.4), pytest.approx(2 / 3)],
    ]
    assert found.recall[:, 0].tolist() == [1.0, 1.0]
    assert found.reciprocal[:, :, 0].tolist() == [[1.0] * 3] * 2


def test_a_neighbour_primes_with_the_chunk_that_brings_it() -> None:
    """It is not ranked by that; picked itself, it counts once."""
    gold = [frozenset({REVOKE})]
    brought = lay_out([pool(ROTATE, CALLS)], [{ROTATE: REVOKE}], [gold])
    order = order_of_hits(brought, picks(ROTATE, CALLS))
    found = sweep(brought, [Fraction(1)], [1, 2], [order], by_place=False)
    assert found.f1[0, :, 0].tolist() == [pytest.approx(2 / 3), 0.5]
    assert found.recall[0, 0] == 0.0
    assert found.reciprocal[0, 1, 0] == 0.0
    both = lay_out([pool(ROTATE, REVOKE)], [{ROTATE: REVOKE}], [gold])
    order = order_of_hits(both, picks(ROTATE, REVOKE))
    found = sweep(both, [Fraction(1)], [1, 2], [order], by_place=False)
    assert found.f1[0, :, 0].tolist() == [pytest.approx(2 / 3)] * 2
    assert found.reciprocal[0, 0, 0] == 0.5


def test_an_empty_pool_scores_nothing() -> None:
    """A question that finds nothing counts with 0 beside one that does."""
    pools = lay_out([pool(), pool(ROTATE)], [{}, {}], [[frozenset({9})], [frozenset({ROTATE})]])
    hits = Hits(np.array([ROTATE]), np.zeros(1, np.float32), np.array([0, 0, 1]))
    found = sweep(pools, [Fraction(1)], [4], [order_of_hits(pools, hits)], by_place=False)
    assert found.f1[0, 0].tolist() == [0.0, 1.0]
    assert found.cell(Fraction(1), 4) == Cell(Fraction(1), 4, 0.5, 0.5, 0.5)


def test_pages_are_capped_and_filled_up() -> None:
    """Two chunks of a page come in the order of the pool, the third behind all others."""
    pools = lay_out([pool(0, 1, 2, 3), pool(3, 2)], [{}, {2: 9}], [[frozenset({2})]] * 2)
    order = order_of_pages(pools, ["a", "a", "a", "b", *"xxxxxx"], cap=2)
    assert order.tolist() == [0, 1, 3, 2, 0, 1, NEVER]


def test_redundancy_by_hand() -> None:
    """All pairs of picked chunks; a record with one pick has no pair and still spans a page."""
    stored = np.float32([[1, 0], [0, 1], [1, 1], [2, 0]])
    pools = lay_out([pool(0, 1, 2), pool(3)], [{}, {}], [[frozenset({0})]] * 2)
    order = np.array([0, 1, 2, 0])
    found = redundancy(pools, order, 3, stored=stored, pages=["a", "b", "a", "a"])
    assert found.cosine == pytest.approx((0 + 2 * np.sqrt(0.5)) / 3)
    assert found.pages == 1.5
    first = redundancy(pools, order, 1, stored=stored, pages=["a", "b", "a", "a"])
    assert (first.cosine, first.pages) == (None, 1.0)


@given(st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=60), st.integers(0, 9))
def test_halves_are_alike(strata: list[str], seed: int) -> None:
    """Every record is in one of them; of each stratum, and of all, as many to within one."""
    one, other = split(strata, seed=seed)
    assert sorted([*one.tolist(), *other.tolist()]) == list(range(len(strata)))
    assert abs(len(one) - len(other)) <= 1
    here, there = (Counter(strata[row] for row in half) for half in (one, other))
    assert all(abs(here[name] - there[name]) <= 1 for name in strata)


def test_the_seed_draws_the_halves() -> None:
    """Another seed, another split; the same one, the same."""
    halves = [split(["a"] * 40, seed=seed)[0].tolist() for seed in (1, 1, 2)]
    assert halves[0] == halves[1] != halves[2]


def test_each_record_is_measured_under_the_choice_of_the_other_half() -> None:
    """A lambda that is best for one half alone gains nothing on the other."""
    one, other = split([0] * 4, seed=0)
    flattering = np.zeros(4)
    flattering[one] = 1.0  # lambda 0.5 wins on the first half by 1, and loses on the other by 0.4
    plain = np.array([0.4] * 4)
    plain[one] = 0.0
    plane = Plane(parse_lambdas("0.5:1:0.5"), parse_counts("4", 12), Fraction(1), 4)
    found = gain_held_out(
        swept([[flattering.tolist()], [plain.tolist()]]), plane, Reference(), [0] * 4, seed=0
    )
    assert found is not None
    assert [float(cell.lambda_) for cell in found.chosen] == [0.5, 1.0]
    assert found.gain.value == pytest.approx(-0.4 * len(other) / 4)


def test_one_record_has_no_halves() -> None:
    """And no interval."""
    plane = Plane(parse_lambdas("0.5:1:0.5"), parse_counts("4", 12), Fraction(1), 4)
    one = swept([[[0.5]], [[0.4]]])
    assert gain_held_out(one, plane, Reference(), ["a"], seed=0) is None
    gain = gain_in_sample(one, one.cell(Fraction(1, 2), 4), Reference(), seed=0)
    assert gain.value == pytest.approx(0.1)
    assert gain.low is None


def test_without_vectors_the_k_in_force_is_the_reference() -> None:
    """With them it is lambda 1 at the same k."""
    cell = Cell(Fraction(1, 2), 7, 0.5, 0.5, 0.5)
    assert Reference().of(cell) == (1, 7)
    assert Reference(k=5).of(cell) == (Fraction(1, 2), 5)
