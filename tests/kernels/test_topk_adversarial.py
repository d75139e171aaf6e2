"""Every route, instruction set and thread count against the float64 definition, bit by bit."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from tests.hostile_data import BUILDERS
from tests.kernels.routes import THREADS, Limits, answers, assert_same, is_rectangular, rows_of
from tests.reference import cosine as reference
from tests.strategies import Search, built_searches, searches

from gnomon import kernels

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    Problem = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]

SHAPES = ((1, 257, 33), (9, 100, 128), (33, 500, 24), (2, 40, 384))
DIMS = (1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 128, 384, 1000, 3072)
ROWS = (0, 1, 2, 15, 16, 17, 31, 33, 255, 257, 1000, 5000)
BATCHES = (0, 1, 2, 7, 8, 9, 33, 100)


@functools.cache
def problem(builder: str, q: int, n: int, d: int) -> Problem:
    """Return queries, documents and all their reference scores."""
    seed = [sum(builder.encode()), q, n, d]
    if n == 0:
        return (
            np.ones((q, d), np.float32),
            np.empty((0, d), np.float32),
            np.empty((q, 0), np.float32),
        )
    queries, docs = BUILDERS[builder](np.random.default_rng(seed), q, n, d)
    queries.setflags(write=False)
    docs.setflags(write=False)
    return queries, docs, reference.scores(queries, docs)


@pytest.mark.parametrize("builder", sorted(BUILDERS))
def test_hostile_data(builder: str, isa: str, tmp_path: Path) -> None:
    """Ids and score bits are those of the definition, whatever the data does to the bounds."""
    for q, n, d in SHAPES:
        queries, docs, table = problem(builder, q, n, d)
        for k, counts in ((1, (1, 7)), (10, THREADS), (n // 2, (2,))):
            expected = reference.top_k(queries, docs, k, table=table)
            for threads in counts:
                file = tmp_path / f"{q}-{k}-{threads}" if k == 10 else None
                for route, found in answers(queries, docs, k, threads=threads, reopened_at=file):
                    assert_same(found, expected, (route, isa, threads, q, n, d, k))


@pytest.mark.parametrize("builder", ["smooth", "int8_values", "one_ulp_apart", "subnormals"])
@pytest.mark.parametrize("d", DIMS)
def test_every_width(builder: str, d: int, isa: str) -> None:
    """Tails of every length, and widths beyond any register block, are summed like all others."""
    for q, n in ((1, 50), (9, 70)):
        queries, docs, table = problem(builder, q, n, d)
        expected = reference.top_k(queries, docs, 7, table=table)
        for threads in THREADS:
            for route, found in answers(queries, docs, 7, threads=threads):
                assert_same(found, expected, (route, isa, threads, q))


@pytest.mark.parametrize("n", ROWS)
@pytest.mark.parametrize("builder", ["smooth", "duplicates", "zero_rows_among_negatives"])
def test_every_count(builder: str, n: int, isa: str) -> None:
    """Numbers of rows, queries and hits on both sides of every tile, block and batch limit."""
    queries, docs, table = problem(builder, max(BATCHES), n, 24)
    for turn, q in enumerate(BATCHES):
        for k in sorted({1, 2, n - 1, n, n + 5} - {-1, 0}):
            if q * k > 10_000:
                continue
            expected = reference.top_k(queries[:q], docs, k, table=table[:q])
            threads = THREADS[(turn + k) % len(THREADS)]
            for route, found in answers(queries[:q], docs, k, threads=threads):
                assert_same(found, expected, (route, isa, threads, q, k))


def test_many_hits_of_many_rows(isa: str) -> None:
    """The whole corpus can be ranked: k = n and beyond at 5,000 rows."""
    queries, docs, table = problem("duplicates", 9, 5000, 24)
    for k in (4999, 5000, 5005):
        expected = reference.top_k(queries, docs, k, table=table)
        for route, found in answers(queries, docs, k, threads=2):
            assert_same(found, expected, (route, isa, k))


@pytest.mark.parametrize("builder", sorted(BUILDERS))
def test_many_blocks(builder: str, isa: str) -> None:
    """Work enough for several threads, with limits of every kind, gives the one answer."""
    q, n, d, k = 12, 16_000, 64, 10
    queries, docs, table = problem(builder, q, n, d)
    labels = (np.arange(n) % 3).astype(np.uint8)
    best = [row.ids[:4] for row in reference.top_k(queries, docs, k, table=table)]
    asked = [{}, {"exclude": best}, {"row_class": 1}]
    expected = [
        reference.top_k(queries, docs, k, table=table, row_labels=labels, **limits)
        for limits in asked
    ]
    requests = [kernels.SearchRequest(queries, k, **limits) for limits in asked]
    for route, target in (("array", docs), ("index", kernels.VectorIndex(docs, threads=7))):
        found = kernels.topk_pass(target, requests, row_labels=labels, threads=7)
        for limits, hits, wanted in zip(asked, found, expected, strict=True):
            assert_same(rows_of(hits), wanted, (route, isa, list(limits)))


@pytest.mark.parametrize(("q", "d"), [(12, 64), (2, 500)], ids=["batch", "few"])
@pytest.mark.parametrize("fill", ["zeros", "copies"])
def test_ties_across_blocks(fill: str, q: int, d: int, isa: str) -> None:
    """When the k-th place is a tie of many blocks, the lowest rows win, whichever came first."""
    n = 16_000
    rng = np.random.default_rng(6)
    queries = np.abs(rng.standard_normal((1, d))).astype(np.float32).repeat(q, axis=0)
    docs = -np.abs(rng.standard_normal((n, d))).astype(np.float32)
    tied = np.arange(n)[rng.random(n) < 0.5]
    docs[tied] = 0 if fill == "zeros" else queries[0]
    score = np.full(n // 4, 0 if fill == "zeros" else 1, np.float32)
    expected = [reference.Row(tied[: n // 4], score)] * q
    for _ in range(2):
        for threads in (2, 7):
            found = rows_of(kernels.topk(queries, docs, n // 4, threads=threads))
            assert_same(found, expected, ("topk", isa, threads))
        for route, found in answers(queries, docs, n // 4, threads=7):
            assert_same(found, expected, (route, isa))


@pytest.mark.parametrize("builder", ["smooth", "duplicates", "tiny_gaps", "zero_rows"])
def test_many_blocks_for_one_query(builder: str, isa: str, tmp_path: Path) -> None:
    """One query and many rows: threads share the rows, and the answer does not show it."""
    queries, docs, table = problem(builder, 1, 60_000, 200)
    for k in (1, 100):
        expected = reference.top_k(queries, docs, k, table=table)
        for route, found in answers(queries, docs, k, threads=7):
            assert_same(found, expected, (route, isa, k))


@pytest.mark.parametrize("q", [3, 30])
@pytest.mark.parametrize("kind", ["copies", "other_order"])
def test_many_rows_alike(kind: str, q: int, isa: str) -> None:
    """Copies of a few rows, and rows that only code like copies, get the scores of their values."""
    n, d = 6_000, 48
    rng = np.random.default_rng(11)
    originals = rng.standard_normal((5, d)).astype(np.float32)
    docs = originals[rng.integers(0, 5, n)]
    queries = (originals[rng.integers(0, 5, q)] + 0.1 * rng.standard_normal((q, d))).astype("f4")
    if kind == "other_order":  # same values, norm, first and last element, not the same row
        for row in docs[::2]:
            i = rng.integers(1, d - 2)
            row[[i, i + 1]] = row[[i + 1, i]]
    table = reference.scores(queries, docs)
    for k in (1, 10, 700):
        expected = reference.top_k(queries, docs, k, table=table)
        for threads in THREADS:
            for route, found in answers(queries, docs, k, threads=threads):
                assert_same(found, expected, (route, isa, threads, k))


def test_winners_sit_at_block_edges(isa: str) -> None:
    """The best rows are found wherever they stand: first, last, and around every power of two."""
    n, d = 20_000, 448
    rng = np.random.default_rng(3)
    query = np.abs(rng.standard_normal((1, d))).astype(np.float32)
    edges = sorted(
        {0, n - 1, *(2**p + s for p in range(4, 15) for s in (-1, 0, 1) if 2**p + s < n)}
    )
    docs = -np.abs(rng.standard_normal((n, d))).astype(np.float32)
    docs[edges] = query
    expected = [reference.Row(np.array(edges), np.ones(len(edges), np.float32))]
    for route, found in answers(query, docs, len(edges), threads=7):
        assert_same(found, expected, (route, isa))


@given(search=searches())
def test_any_small_problem(
    search: Search, force_isa: Callable[[str], None], tmp_path: Path
) -> None:
    """Problems drawn coordinate by coordinate: all routes agree with the definition."""
    check_everywhere(search, force_isa, tmp_path)


@given(search=built_searches())
def test_any_built_problem(
    search: Search, force_isa: Callable[[str], None], tmp_path: Path
) -> None:
    """Problems of hostile builders with random limits: all routes agree with the definition."""
    check_everywhere(search, force_isa, tmp_path)


def check_everywhere(search: Search, force_isa: Callable[[str], None], tmp_path: Path) -> None:
    """Compare all routes with the reference under every instruction set and thread count."""
    limits = Limits(search.exclude, search.subset)
    expected = reference.top_k(
        search.queries, search.docs, search.k, exclude=search.exclude, subset=search.subset
    )
    rectangular = is_rectangular(expected)
    for isa in kernels.runnable_isas():
        force_isa(isa)
        for threads in THREADS:
            some = answers(
                search.queries,
                search.docs,
                search.k,
                threads=threads,
                limits=limits,
                rectangular=rectangular,
                reopened_at=tmp_path / "index" if threads == 1 else None,
            )
            for route, found in some:
                assert_same(found, expected, (route, isa, threads))
