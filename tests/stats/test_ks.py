"""The Kolmogorov-Smirnov distance and its p-value."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from tests.reference import statistics as reference

from gnomon.errors import InvalidInputError
from gnomon.stats.ks import ks_distance, ks_p_value

samples = st.lists(st.integers(-5, 5).map(lambda v: v / 4), min_size=1, max_size=20)


@given(samples, samples)
def test_distance_is_the_largest_gap(a: list[float], b: list[float]) -> None:
    """Ties within and between samples are handled as the definition says."""
    distance = ks_distance(np.array(a), np.array(b))
    assert distance == pytest.approx(reference.ks_distance(a, b), abs=1e-12)
    assert distance == ks_distance(np.array(b), np.array(a))
    assert 0.0 <= distance <= 1.0


def test_equal_samples_have_no_distance() -> None:
    """The same values in another order are 0 apart; disjoint ranges are 1 apart."""
    values = np.random.default_rng(0).standard_normal(50)
    assert ks_distance(values, values[::-1].copy()) == 0.0
    assert ks_distance(values, values + 100) == 1.0


@given(st.floats(0.0, 1.0), st.integers(1, 2000), st.integers(1, 2000))
def test_p_value_is_the_smirnov_limit(distance: float, n_a: int, n_b: int) -> None:
    """The decimal series equals the limiting distribution of SciPy."""
    expected = scipy_stats.kstwobign.sf(distance * np.sqrt(n_a * n_b / (n_a + n_b)))
    assert ks_p_value(distance, n_a, n_b) == pytest.approx(expected, rel=1e-9, abs=1e-20)


def test_p_value_at_the_ends() -> None:
    """No distance is no evidence; the largest one on large samples is all of it."""
    assert ks_p_value(0.0, 100, 100) == 1.0
    assert ks_p_value(1.0, 1000, 1000) == 0.0
    assert ks_p_value(0.05, 100, 100) > ks_p_value(0.1, 100, 100) > ks_p_value(0.3, 100, 100)


@pytest.mark.parametrize(
    ("a", "b", "says"),
    [
        ([], [1.0], "first sample is empty"),
        ([1.0], [], "second sample is empty"),
        ([1.0, float("nan")], [1.0], "first sample holds nan at row 1"),
        ([1.0], [float("inf")], "second sample holds inf at row 0"),
    ],
)
def test_bad_samples_are_named(a: list[float], b: list[float], says: str) -> None:
    """An empty sample or a value that is not finite is refused."""
    with pytest.raises(InvalidInputError, match=says):
        ks_distance(np.array(a), np.array(b))
