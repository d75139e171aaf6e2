"""Overlap and Spearman of the top k."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import statistics as reference

from gnomon.errors import InvalidInputError, UsageError
from gnomon.stats.agreement import overlap_at, spearman_at

rankings = st.permutations(range(12)).map(list)


@given(rankings, rankings, st.integers(1, 12))
def test_agreement_follows_its_definition(a: list[int], b: list[int], k: int) -> None:
    """Overlap counts shared documents; Spearman ranks missing ones k + 1 with mid-ranks."""
    predicted, oracle = np.array([a]), np.array([b])
    assert overlap_at(k, predicted, oracle).item() == len(set(a[:k]) & set(b[:k])) / k
    assert spearman_at(k, predicted, oracle).item() == pytest.approx(
        reference.spearman(a, b, k), abs=1e-12
    )


def test_short_lists_are_padded() -> None:
    """A corpus smaller than k, or an excluded document, leaves -1 behind; it matches nothing."""
    oracle = np.array([[4, 2, -1], [1, -1, -1]])
    predicted = np.array([[2, 4, -1], [0, 2, 3]])
    assert overlap_at(3, predicted, oracle).tolist() == [1.0, 0.0]
    assert spearman_at(3, predicted, oracle).tolist() == [-1.0, 0.0]
    assert spearman_at(3, np.array([[5, 1, 0]]), np.array([[1, -1, -1]])).tolist() == [1.0]


def test_nothing_found_agrees_on_nothing() -> None:
    """Where every document is missing the correlation is undefined; it counts as 0."""
    assert spearman_at(3, np.array([[7, 8, 9]]), np.array([[1, 2, 3]])).tolist() == [0.0]


def test_bad_rankings_are_named() -> None:
    """A cutoff under 1, different queries and an empty oracle list are refused."""
    one = np.array([[1, 2]])
    with pytest.raises(UsageError, match="k is 0"):
        overlap_at(0, one, one)
    with pytest.raises(InvalidInputError, match="1 predicted rankings for 2"):
        spearman_at(2, one, np.array([[1, 2], [3, 4]]))
    with pytest.raises(InvalidInputError, match="query 0 is empty"):
        overlap_at(2, one, np.array([[-1, -1]]))
