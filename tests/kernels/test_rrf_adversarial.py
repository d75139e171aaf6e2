"""Rank fusion against its definition, bit by bit, on lists made to be hard on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kernels.routes import THREADS
from tests.kernels.rrf_routes import check_one, fused, hits_of
from tests.reference import rrf as reference

from gnomon import kernels

if TYPE_CHECKING:
    from collections.abc import Callable

INT64 = st.integers(-(2**63), 2**63 - 1)
FEW = st.integers(-2, 5)
WEIGHTS = st.sampled_from([0.0, 5e-324, 1e-300, 1e-45, 0.1, 0.3, 1.0, 3.0, 1e6, 1e30])


@st.composite
def fusions(draw: st.DrawFn) -> tuple[list[list[int]], list[float] | None, float, int | None]:
    """Draw lists that repeat ids within and across, weights, a constant and a cut."""
    pool = draw(st.lists(draw(st.sampled_from([INT64, FEW])), min_size=1, max_size=12))
    lists = draw(st.lists(st.lists(st.sampled_from(pool), max_size=15), min_size=1, max_size=6))
    weights = draw(st.none() | st.lists(WEIGHTS, min_size=len(lists), max_size=len(lists)))
    if weights is not None and not any(weights):
        weights[0] = 1.0
    k = draw(st.sampled_from([0, 1, 60, 0.5, 1e-300, 1e9, 1e300]) | st.floats(0, 1e4))
    return lists, weights, k, draw(st.none() | st.integers(1, 20))


@given(problem=fusions())
def test_any_fusion(
    problem: tuple[list[list[int]], list[float] | None, float, int | None],
    force_isa: Callable[[str], None],
) -> None:
    """Every form of the lists gives the definition's ids and score bits."""
    lists, weights, k, top = problem
    for isa in kernels.runnable_isas():
        force_isa(isa)
        check_one(lists, isa, weights=weights, k=k, top=top)


@given(data=st.data())
def test_any_names(data: st.DataObject) -> None:
    """String ids of any script, empty and astral, fuse and tie by code point."""
    pool = data.draw(st.lists(st.text(max_size=5), min_size=1, max_size=8))
    part = st.lists(st.sampled_from(pool), max_size=8)
    lists = data.draw(st.lists(part, min_size=1, max_size=4).filter(any))
    assert fused(kernels.rrf(lists)) == [reference.fuse(lists)]


LENGTHS = (0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 100, 127, 128, 129, 1000)


def draw_list(rng: np.random.Generator, length: int, span: int) -> list[int]:
    """Return ids that repeat when the span is short."""
    return rng.integers(-span, span, length).tolist()


@pytest.mark.parametrize("spread", ["few ids", "some ids", "any int64", "high halves"])
def test_every_length(spread: str, isa: str) -> None:
    """Lists on both sides of every block and table size, mixed lengths together."""
    rng = np.random.default_rng([7, len(spread)])
    for turn, length in enumerate(LENGTHS):
        span = {"few ids": 3, "some ids": max(1, length), "any int64": 2**62}.get(spread, 8)
        lists = [draw_list(rng, size, span) for size in (length, length // 2, 3)]
        if spread == "high halves":
            lists = [[item << 32 for item in part] for part in lists]
        threads = THREADS[turn % 3]
        check_one(lists, isa, weights=[1, 0.7, 2], threads=threads)


def test_ids_that_collide_in_a_table(isa: str) -> None:
    """Multiples of large powers of two, and neighbours of them, stay distinct."""
    for step in (2**10, 2**16, 2**20, 2**32, 2**48, 2**56):
        some = [i * step % 2**63 for i in range(300)]
        lists = [some, [item + 1 for item in some], some[::-1]]
        check_one(lists, isa)


def test_many_lists(isa: str) -> None:
    """A hundred lists: sums of a hundred terms are added largest first."""
    rng = np.random.default_rng(8)
    lists = [rng.permutation(25)[:20].tolist() for _ in range(100)]
    weights = (10.0 ** rng.uniform(-12, 12, 100)).tolist()
    check_one(lists, isa, weights=weights)
    check_one(lists, isa, weights=weights, k=0)


def test_terms_that_only_one_order_adds_right(isa: str) -> None:
    """Where float64 rounds differently in another order, the largest term is added first."""
    tiny = 2.0**-53
    lists = [[1], [1], [1], [2], [2]]
    weights = [1.0, tiny, tiny, 1.0, 2 * tiny]
    for order in ([0, 1, 2, 3, 4], [1, 2, 0, 4, 3], [2, 0, 1, 3, 4]):
        part = [lists[i] for i in order], [weights[i] for i in order]
        check_one(part[0], isa, weights=part[1], k=0)


def test_long_lists(isa: str) -> None:
    """Lists of 65,537 ids and beyond keep ranks apart in float64."""
    rng = np.random.default_rng(9)
    lists = [rng.permutation(70_000).tolist(), rng.permutation(70_000)[:65_537].tolist()]
    wanted = reference.fuse(lists)
    for threads in (1, 7):
        assert fused(kernels.rrf([np.array(part) for part in lists], threads=threads)) == [wanted]


@pytest.mark.parametrize("top", [None, 1, 5])
def test_many_queries(top: int | None, isa: str) -> None:
    """Thousands of ragged queries are shared out among threads and come back in their order."""
    rng = np.random.default_rng(10)
    lists = [[draw_list(rng, rng.integers(0, 8), 6) for _ in range(2000)] for _ in range(2)]
    wanted = [reference.fuse([part[q] for part in lists], top=top) for q in range(2000)]
    batch = [hits_of(part) for part in lists]
    for threads in THREADS:
        assert fused(kernels.rrf(batch, top=top, threads=threads)) == wanted


def test_extreme_weights(isa: str) -> None:
    """Weights at both ends of float64 give the definition's scores; float32 may round them to 0."""
    lists = [[1, 2], [2, 3], [4]]
    for weights in ([1e38, 1, 1e-38], [5e-324, 5e-324, 5e-324], [1e-320, 1e30, 2e-308]):
        check_one(lists, isa, weights=weights)
        check_one(lists, isa, weights=weights, k=0)
