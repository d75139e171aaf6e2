"""Maximal marginal relevance against its definition, bit by bit, on data made to be hard on it."""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hostile_data import BUILDERS, gaussian
from tests.kernels.mmr_routes import LAMBDAS, answers, expected
from tests.kernels.routes import THREADS, assert_same, rows_of
from tests.reference import mmr as reference
from tests.strategies import built_searches, searches

from gnomon import kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.hostile_data import Matrix
    from tests.reference.cosine import Row
    from tests.strategies import Search

WIDTHS = (1, 2, 7, 15, 16, 17, 31, 33, 63, 65, 128, 384, 1000)


def clusters(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Return few tight clusters: every pick makes the next in its cluster fall far."""
    centres = gaussian(rng, max(1, n // 9), d)
    docs = centres[rng.integers(len(centres), size=n)] + np.float32(1e-3) * gaussian(rng, n, d)
    return gaussian(rng, q, d), docs


def opposites(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Return rows and their negatives: after the first pick some scores rise."""
    base = np.abs(gaussian(rng, 1, d)) + np.float32(0.2) * gaussian(rng, n, d)
    return np.abs(gaussian(rng, q, d)), base * rng.choice([-1, 1], (n, 1)).astype(np.float32)


def equal_relevance(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Return rows that all have the same cosine with every query; only diversity can choose."""
    docs = rng.choice([-1, 1], (n, d)).astype(np.float32)
    queries = np.zeros((q, d), np.float32)
    queries[:, 0] = 1
    docs[:, 0] = 1
    return queries, docs


MADE_FOR_MMR = {
    "clusters": clusters,
    "opposites": opposites,
    "equal relevance": equal_relevance,
    **BUILDERS,
}


@functools.cache
def problem(builder: str, q: int, n: int, d: int) -> tuple[Matrix, Matrix, list[list[int]]]:
    """Return queries, documents and ragged pools of them."""
    rng = np.random.default_rng([sum(builder.encode()), n])
    queries, docs = MADE_FOR_MMR[builder](rng, q, n, d)
    return (
        queries,
        docs,
        [np.flatnonzero(rng.random(n) < share).tolist() for share in rng.random(q)],
    )


@functools.cache
def answer(builder: str, q: int, n: int, d: int, k: int, *, ragged: bool) -> dict[float, list[Row]]:
    """Return the definition's picks for every lambda, over all rows or over the ragged pools."""
    queries, docs, rows = problem(builder, q, n, d)
    return reference.mmr(queries, docs, k, LAMBDAS, rows if ragged else None)


@functools.cache
def answer_of_a_thousand(builder: str) -> tuple[Matrix, Matrix, dict[float, list[Row]]]:
    """Return one query, a thousand documents and 25 picks for three lambdas."""
    queries, docs = MADE_FOR_MMR[builder](np.random.default_rng(5), 1, 1000, 24)
    return queries, docs, reference.mmr(queries, docs, 25, (0.0, 0.5, 0.9))


@pytest.mark.parametrize("builder", sorted(MADE_FOR_MMR))
def test_hostile_data(builder: str, isa: str) -> None:
    """Picks and score bits are those of the definition, whatever the data does to shortcuts."""
    for q, n, d, k in ((2, 50, 33, 50), (5, 30, 100, 8)):
        queries, docs, rows = problem(builder, q, n, d)
        for part, threads in ((None, 1), (rows, 7)):
            wanted = answer(builder, q, n, d, k, ragged=part is not None)
            for route, lambda_, found in answers(
                queries, docs, k, LAMBDAS, rows=part, threads=threads
            ):
                assert_same(found, wanted[lambda_], (route, isa, threads, n, lambda_))


@pytest.mark.parametrize("d", WIDTHS)
def test_every_width(d: int, isa: str) -> None:
    """Tails of every length are summed as the contract says."""
    rng = np.random.default_rng(d)
    queries, docs = clusters(rng, 2, 40, d)
    wanted = reference.mmr(queries, docs, 12, (0.2, 0.8))
    for route, lambda_, found in answers(queries, docs, 12, [0.2, 0.8], threads=2):
        assert_same(found, wanted[lambda_], (route, isa, lambda_))


@pytest.mark.parametrize("n", [1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 129, 257])
def test_every_pool_size(n: int, isa: str) -> None:
    """Pools on both sides of every block limit, picked to the end."""
    rng = np.random.default_rng(n)
    queries, docs = clusters(rng, 2, n, 9)
    for k in sorted({1, 2, max(1, n - 1), n, n + 1}):
        if n > 65 and k > 12:
            continue
        wanted = expected(queries, docs, k, 0.4)
        for route, _, found in answers(queries, docs, k, [0.4], threads=2):
            assert_same(found, wanted, (route, isa, k))


@pytest.mark.parametrize("builder", ["clusters", "duplicates", "opposites", "smooth"])
def test_a_pool_of_a_thousand(builder: str, isa: str) -> None:
    """A large pool, where evaluating stale candidates lazily pays, gives the same picks."""
    queries, docs, wanted = answer_of_a_thousand(builder)
    for lambda_, picks in wanted.items():
        for threads in (1, 7):
            found = kernels.mmr(queries, docs, 25, lambda_=lambda_, threads=threads)
            assert_same(rows_of(found), picks, (isa, lambda_, threads))


def test_many_queries(isa: str) -> None:
    """Hundreds of ragged pools are shared out among threads and come back in their order."""
    rng = np.random.default_rng(6)
    queries, docs = MADE_FOR_MMR["signs"](rng, 300, 80, 6)
    rows = [sorted(rng.permutation(80)[: rng.integers(0, 20)].tolist()) for _ in range(300)]
    wanted = expected(queries, docs, 5, 0.6, rows)
    for threads in THREADS:
        for route, _, found in answers(queries, docs, 5, [0.6], rows=rows, threads=threads):
            assert_same(found, wanted, (route, isa, threads))


@pytest.mark.parametrize("lambda_", [0.0, 0.125, 0.25, 0.5, 0.75, 1.0])
def test_exact_arithmetic_agrees(lambda_: float, isa: str) -> None:
    """Where all cosines are -1, 0 or 1 the picks are those of rational arithmetic."""
    rng = np.random.default_rng(7)
    docs = np.zeros((40, 7), np.float32)
    docs[np.arange(40), rng.integers(7, size=40)] = rng.choice([-3, 0, 0.5], 40)
    query = docs[[4]] + docs[[11]]
    query[0, 1:] = 0
    relevant = reference.cosine.scores(query, docs)[0]
    similar = reference.cosine.scores(docs, docs)
    assert set(np.unique(relevant)) | set(np.unique(similar)) <= {-1, 0, 1}
    order = reference.exact_order(
        [Fraction(float(x)) for x in relevant],
        [[Fraction(float(x)) for x in row] for row in similar],
        40,
        Fraction(lambda_),
    )
    found = kernels.mmr(query, docs, 40, lambda_=lambda_)
    assert found.ids.tolist() == order


LAMBDA = st.sampled_from(LAMBDAS) | st.floats(0, 1)


@given(search=searches(), lambda_=LAMBDA)
def test_any_small_problem(
    search: Search, lambda_: float, force_isa: Callable[[str], None]
) -> None:
    """Problems drawn coordinate by coordinate: every form of pool agrees with the definition."""
    check_everywhere(search, lambda_, force_isa)


@given(search=built_searches(max_rows=60, max_dim=80), lambda_=LAMBDA)
def test_any_built_problem(
    search: Search, lambda_: float, force_isa: Callable[[str], None]
) -> None:
    """Problems of hostile builders: every form of pool agrees with the definition."""
    check_everywhere(search, lambda_, force_isa)


def check_everywhere(search: Search, lambda_: float, force_isa: Callable[[str], None]) -> None:
    """Compare all forms with the definition; excluded rows are in no pool."""
    rows = None
    if search.exclude is not None:
        n = len(search.docs)
        rows = [sorted(set(range(n)) - set(out)) for out in search.exclude]
    queries, docs = search.queries[:3], search.docs
    rows = rows[:3] if rows is not None else None
    wanted = expected(queries, docs, search.k, lambda_, rows)
    for turn, isa in enumerate(kernels.runnable_isas()):
        force_isa(isa)
        threads = THREADS[turn % len(THREADS)]
        for route, _, found in answers(
            queries, docs, search.k, [lambda_], rows=rows, threads=threads
        ):
            assert_same(found, wanted, (route, isa, threads))


@given(
    data=st.data(),
    a=st.floats(0, 1),
    b=st.floats(0, 1),
)
def test_the_grid_shares_nothing_between_lambdas(data: st.DataObject, a: float, b: float) -> None:
    """A lambda's answer doesn't depend on the others of the grid, nor on their order."""
    seed = data.draw(st.integers(0, 2**32 - 1))
    queries, docs = clusters(np.random.default_rng(seed), 2, 25, 6)
    one, two = kernels.mmr_grid(queries, docs, 10, [a, b])
    again, first = kernels.mmr_grid(queries, docs, 10, [b, a])
    assert_same(rows_of(one), rows_of(first))
    assert_same(rows_of(two), rows_of(again))
