"""Ranks of judged documents, sums rounded once, metrics from ranks: the kernels behind metrics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon import kernels
from gnomon.errors import InvalidInputError
from gnomon.kernels import Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

THREADS = (1, 2, 7)


def csr(lists: Sequence[Sequence[float]], dtype: type) -> tuple[NDArray, NDArray]:  # type: ignore[type-arg]
    """Return all lists one after the other, and their offsets."""
    flat = np.array([value for own in lists for value in own], dtype=dtype)
    return flat, np.cumsum([0] + [len(own) for own in lists]).astype(np.int64)


def places(
    lists: list[list[int]], judged: list[list[int]], threads: int | None = None
) -> list[int]:
    """Return the ranks of all judged documents."""
    return kernels.ranks_in_lists(
        *csr(lists, np.int64), *csr(judged, np.int64), threads=threads
    ).tolist()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False, width=64, max_value=1e300)))
def test_a_sum_is_rounded_once(values: list[float]) -> None:
    """`exact_sum` is the value of math.fsum to the bit, wherever the sum is finite."""
    try:
        expected = math.fsum(values)
    except OverflowError:
        return
    if not math.isfinite(sum(abs(value) for value in values)):
        return
    assert kernels.exact_sum(np.array(values)) == expected


def test_a_sum_that_is_halfway_looks_at_what_follows() -> None:
    """1 + 2^-53 is halfway between two floats; one more tiny term decides upwards or downwards."""
    half, tiny = 2.0**-53, 2.0**-200
    assert kernels.exact_sum(np.array([1.0, half])) == 1.0
    assert kernels.exact_sum(np.array([1.0, half, tiny])) == 1.0 + 2 * half
    assert kernels.exact_sum(np.array([1.0, half, -tiny])) == 1.0
    assert kernels.exact_sum(np.array([])) == 0.0


def test_a_mean_is_the_sum_divided() -> None:
    """Of thirds the sum is rounded once, then the quotient; of nothing there is no mean."""
    values = np.array([1 / 3, 1 / 3, 1.0, 1e-30])
    assert kernels.exact_mean(values) == math.fsum(values) / 4
    with pytest.raises(InvalidInputError, match="nothing to average"):
        kernels.exact_mean(np.empty(0))


def test_asking_for_very_many_threads_costs_nothing() -> None:
    """Scratch is for the workers that have work, not for the number that was asked for."""
    assert places([[4, 2]], [[2]], threads=2**31 - 1) == [2]
    one = np.ones(1), np.array([0, 1]), [(Metric.RECALL, 1)], np.empty(0)
    values = kernels.ranking_metrics(np.array([1]), *one, threads=2**31 - 1).values
    assert values.tolist() == [[1.0]]
    tied = kernels.decided_by_ties(np.array([1]), np.array([2]), *one, threads=2**31 - 1)
    assert tied.tolist() == [[True]]


@given(st.data())
def test_ranks_are_places_in_the_list(data: st.DataObject) -> None:
    """The rank is the place from 1 on, 0 for a document that isn't listed, on any thread count."""
    ids = st.integers(-(2**63), 2**63 - 1) | st.integers(0, 20)
    lists, judged = [], []
    for _ in range(data.draw(st.integers(1, 6))):
        own = data.draw(st.lists(ids, unique=True, max_size=40))
        lists.append(own)
        judged.append(data.draw(st.lists(st.sampled_from(own) if own else ids, unique=True)))
    expected = [
        own.index(doc) + 1 if doc in own else 0
        for own, docs in zip(lists, judged, strict=True)
        for doc in docs
    ]
    assert all(places(lists, judged, threads) == expected for threads in THREADS)


def test_lists_of_very_different_lengths_share_a_table() -> None:
    """Lengths around the one where the table changes its density, in every order."""
    lengths = [0, 1, 511, 512, 513, 600, 5000, 2, 512]
    rng = np.random.default_rng(1)
    lists = [rng.permutation(6000)[:length].tolist() for length in lengths]
    judged = [rng.permutation(6000)[:9].tolist() for _ in lengths]
    expected = [
        own.index(doc) + 1 if doc in own else 0
        for own, docs in zip(lists, judged, strict=True)
        for doc in docs
    ]
    assert places(lists, judged) == expected


def test_many_blocks_and_threads() -> None:
    """More lists than one block holds give the same ranks on every thread count."""
    rng = np.random.default_rng(2)
    ids = np.array([rng.permutation(500)[:50] for _ in range(6000)])
    judged = rng.integers(0, 500, 6000)
    expected = np.where((ids == judged[:, None]).any(1), (ids == judged[:, None]).argmax(1) + 1, 0)
    offsets = np.arange(0, ids.size + 1, 50)
    for threads in THREADS:
        ranks = kernels.ranks_in_lists(
            ids.ravel(), offsets, judged, np.arange(6001), threads=threads
        )
        assert np.array_equal(ranks, expected)


@pytest.mark.parametrize(
    ("lists", "judged", "says"),
    [
        ([[1, 2], [3, 4, 3]], [[], []], "query 1 lists document 3 more than once"),
        ([[1], [2]], [[7, 8], [9, 9]], "query 1 judges document 9 more than once"),
        ([[5, 6], [1, 1]], [[6, 6], [1]], "query 0 judges document 6 more than once"),
    ],
)
def test_a_repeated_document_is_named(
    lists: list[list[int]], judged: list[list[int]], says: str
) -> None:
    """The first query with a repetition and the document that repeats."""
    for threads in THREADS:
        with pytest.raises(InvalidInputError, match=says):
            places(lists, judged, threads)


@given(st.data())
def test_ranks_that_scores_allow(data: st.DataObject) -> None:
    """First: 1 + how many scores are greater; last: how many are at least as great."""
    levels = st.sampled_from([-math.inf, -1.0, -0.0, 0.0, 0.5, 1e-320, math.inf]) | st.floats(-2, 2)
    n_queries = data.draw(st.integers(1, 4))
    lists = [data.draw(st.lists(levels, max_size=60)) for _ in range(n_queries)]
    wanted = [data.draw(st.lists(levels, max_size=40)) for _ in range(n_queries)]
    first, last = kernels.tied_ranks_by_score(
        *csr(lists, np.float64), *csr(wanted, np.float64), threads=1
    )
    pairs = [(own, score) for own, docs in zip(lists, wanted, strict=True) for score in docs]
    assert first.tolist() == [1 + sum(s > score for s in own) for own, score in pairs]
    assert last.tolist() == [sum(s >= score for s in own) for own, score in pairs]


def test_tied_neighbours_in_a_list() -> None:
    """The group of a rank are the neighbours with its score; a rank of 0 has none."""
    scores, offsets = csr([[0.9, 0.5, 0.5, 0.5, 0.1], [], [0.3, 0.3]], np.float64)
    ranks, judged_offsets = csr([[1, 3, 0, 5], [0], [2]], np.int64)
    first, last = kernels.tied_ranks_in_lists(ranks, judged_offsets, scores, offsets)
    assert first.tolist() == [1, 2, 0, 5, 0, 1]
    assert last.tolist() == [1, 4, 0, 5, 0, 2]


def test_a_rank_beyond_the_list_is_refused() -> None:
    """Ranks of other lists aren't read beyond the end of these."""
    with pytest.raises(ValueError, match="rank 3 in a list of 2"):
        kernels.tied_ranks_in_lists(
            np.array([3]), np.array([0, 1]), np.array([0.5, 0.4]), np.array([0, 2])
        )


def test_discounts_that_are_missing_are_refused() -> None:
    """The kernel never reads beyond the table of discounts."""
    with pytest.raises(ValueError, match="2 discounts, expected 5"):
        kernels.ranking_metrics(
            np.array([5]), np.ones(1), np.array([0, 1]), [(Metric.NDCG, 10)], np.ones(2)
        )


@pytest.mark.parametrize("offsets", [[0, 2], [1, 1], [0, 2, 1], []])
def test_broken_offsets_are_refused(offsets: list[int]) -> None:
    """Offsets start at 0, never fall and end at the number of entries."""
    with pytest.raises(ValueError, match="offsets"):
        kernels.ranking_metrics(
            np.array([1]),
            np.ones(1),
            np.array(offsets, dtype=np.int64),
            [(Metric.RECALL, 1)],
            np.empty(0),
        )


@given(st.data())
def test_decided_by_ties_tries_every_order(data: st.DataObject) -> None:
    """A query is marked exactly when two orders of its tied documents give different values."""
    groups = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    gains = [data.draw(st.integers(0, 2)) for _ in range(sum(groups))]
    missing = [1] if data.draw(st.booleans()) or not any(gains) else []
    measures = [(metric, data.draw(st.integers(1, 8))) for metric in Metric]
    discounts = 1 / np.log2(np.arange(2, 40))
    starts = np.repeat(np.cumsum([0, *groups[:-1]]), groups)
    sizes = np.repeat(groups, groups)
    first = np.concatenate([starts + 1, np.zeros(len(missing))]).astype(np.int64)
    last = np.concatenate([starts + sizes, np.zeros(len(missing))]).astype(np.int64)
    weights = np.array(gains + missing, dtype=np.float64)
    offsets = np.array([0, len(weights)])
    found = kernels.decided_by_ties(first, last, weights, offsets, measures, discounts)[:, 0]
    seen: list[set[float]] = [set() for _ in measures]
    for order in _orders(groups):
        ranks = np.array([*order, *([0] * len(missing))], dtype=np.int64)
        values = kernels.ranking_metrics(ranks, weights, offsets, measures, discounts).values
        for m, value in enumerate(values[:, 0].tolist()):
            seen[m].add(value)
    assert found.tolist() == [len(values) > 1 for values in seen]


def _orders(groups: list[int]) -> list[list[int]]:
    """Return the ranks under every order within the groups."""
    from itertools import permutations, product

    start, choices = 0, []
    for size in groups:
        choices.append(list(permutations(range(start + 1, start + size + 1))))
        start += size
    return [[rank for part in choice for rank in part] for choice in product(*choices)]
