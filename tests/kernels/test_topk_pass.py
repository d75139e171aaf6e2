"""Several requests in one pass: classes, unequal sizes, progress, and callbacks that misbehave."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.hostile_data import gaussian
from tests.kernels.routes import THREADS, Limits, assert_same, rows_of
from tests.reference import cosine as reference

from gnomon import kernels


def test_classes_split_a_pass(isa: str) -> None:
    """A request with a class sees only the rows of that label; one pass serves them all."""
    rng = np.random.default_rng(7)
    docs, queries = gaussian(rng, 1500, 24), gaussian(rng, 11, 24)
    labels = rng.integers(0, 3, 1500).astype(np.uint8)
    barred = [[3 * row, 3 * row + 1] for row in range(11)]
    bars = Limits(barred).arguments["exclude"]
    asked = [(None, None), (0, None), (1, barred), (2, None), (9, None)]
    requests = [
        kernels.SearchRequest(queries, 12, exclude=bars if rows else None, row_class=label)
        for label, rows in asked
    ]
    for target in (docs, kernels.VectorIndex(docs)):
        for threads in THREADS:
            found = kernels.topk_pass(target, requests, row_labels=labels, threads=threads)
            for (label, rows), hits in zip(asked, found, strict=True):
                expected = reference.top_k(
                    queries, docs, 12, exclude=rows, row_labels=labels, row_class=label
                )
                assert_same(rows_of(hits), expected, (label, threads))


def test_requests_of_unequal_size_share_a_pass(isa: str) -> None:
    """Each request of a pass has its own queries and k; an empty one has an empty answer."""
    rng = np.random.default_rng(8)
    docs = gaussian(rng, 900, 40)
    sizes = [(1, 900), (0, 3), (33, 1), (5, 17)]
    batches = [gaussian(rng, q, 40) for q, _ in sizes]
    requests = [kernels.SearchRequest(x, k) for x, (_, k) in zip(batches, sizes, strict=True)]
    for hits, queries, (_, k) in zip(
        kernels.topk_pass(docs, requests), batches, sizes, strict=True
    ):
        assert_same(rows_of(hits), reference.top_k(queries, docs, k), k)
    assert kernels.topk_pass(docs, []) == []


def targets(docs: np.ndarray) -> tuple[Any, ...]:
    """Return the documents as they are and as an index."""
    return docs, kernels.VectorIndex(docs)


def test_progress_counts_up_to_the_total() -> None:
    """Progress never falls, never exceeds its constant total, and is complete at the end."""
    docs = gaussian(np.random.default_rng(1), 20_000, 32)
    requests = [kernels.SearchRequest(docs[:30], 5), kernels.SearchRequest(docs[:3], 50)]
    for target in targets(docs):
        for threads in THREADS:
            seen: list[tuple[int, int]] = []
            kernels.topk_pass(
                target,
                requests,
                threads=threads,
                progress=lambda done, total, seen=seen: seen.append((done, total)),
            )
            assert seen
            dones = [done for done, _ in seen]
            assert dones == sorted(dones)
            assert len({total for _, total in seen}) == 1
            assert seen[-1][0] == seen[-1][1]


def test_errors_of_progress_reach_the_caller() -> None:
    """An exception in the callback stops the search and arrives as it was raised."""

    class OwnError(Exception):
        pass

    def fail(done: int, total: int) -> None:
        raise OwnError(done, total)

    docs = gaussian(np.random.default_rng(2), 40_000, 32)
    for target in targets(docs):
        for threads in THREADS:
            with pytest.raises(OwnError):
                kernels.topk_pass(
                    target, [kernels.SearchRequest(docs[:30], 5)], threads=threads, progress=fail
                )
    assert kernels.topk(docs[0], docs, 1).ids.tolist() == [[0]]


def test_progress_may_search() -> None:
    """A callback that itself searches gets its answer, and so does the outer search."""
    docs = gaussian(np.random.default_rng(3), 20_000, 32)
    inner: list[int] = []

    def nested(done: int, total: int) -> None:
        inner.append(int(kernels.topk(docs[7], docs[:100], 1, threads=2).ids[0, 0]))

    for target in targets(docs):
        request = kernels.SearchRequest(docs[:20], 3)
        (hits,) = kernels.topk_pass(target, [request], threads=2, progress=nested)
        assert_same(rows_of(hits), reference.top_k(docs[:20], docs, 3))
    assert set(inner) == {7}


def test_a_pass_over_nothing() -> None:
    """No documents, or no queries, or no requests: empty answers, no error."""
    empty = np.empty((0, 8), np.float32)
    docs = gaussian(np.random.default_rng(4), 5, 8)
    for target in (*targets(empty),):
        (hits,) = kernels.topk_pass(target, [kernels.SearchRequest(docs, 2)])
        assert hits.offsets.tolist() == [0] * 6
    for target in (*targets(docs),):
        (hits,) = kernels.topk_pass(target, [kernels.SearchRequest(empty, 2)])
        assert hits.offsets.tolist() == [0]
        assert kernels.topk_pass(target, []) == []


def test_requests_are_checked_each_for_itself() -> None:
    """The width, finiteness and k of every request are looked at, not only the first's."""
    docs = gaussian(np.random.default_rng(5), 50, 8)
    good = kernels.SearchRequest(docs[:3], 2)
    bad = docs[:4].copy()
    bad[2, 7] = np.nan
    for target in targets(docs):
        with pytest.raises(ValueError, match=r"\b2\b"):
            kernels.topk_pass(target, [good, kernels.SearchRequest(bad, 2)])
        with pytest.raises(ValueError, match=r"\bk\b"):
            kernels.topk_pass(target, [good, kernels.SearchRequest(docs[:3], 0)])
        with pytest.raises(ValueError, match=r"(?s)(7.*8|8.*7)"):
            kernels.topk_pass(target, [good, kernels.SearchRequest(docs[:3, :7], 2)])


@pytest.mark.parametrize("n_queries", [1, 40])
def test_zero_rows_are_counted_once(n_queries: int) -> None:
    """The report counts zero documents, whatever route a pass takes and however many requests."""
    docs = np.random.default_rng(3).standard_normal((300, 20)).astype(np.float32)
    docs[[0, 17, 299]] = 0.0
    queries = docs[1 : 1 + n_queries].copy()
    queries[queries.any(axis=1) == 0] = 1.0
    requests = [kernels.SearchRequest(queries, 3), kernels.SearchRequest(queries, 200)]
    for source in (docs, kernels.VectorIndex(docs)):
        report = kernels.PassReport()
        kernels.topk_pass(source, requests, report=report)
        assert report.zero_rows == 3
