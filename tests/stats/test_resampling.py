"""The paired bootstrap: draws, intervals, and what happens where there is nothing to resample."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from tests.reference import statistics as reference

from gnomon.errors import InvalidInputError
from gnomon.stats.quantiles import exponential, student_t_975
from gnomon.stats.resampling import DRAWS, ResampledColumns, resample_queries

if TYPE_CHECKING:
    from gnomon.types import Figure

shares = st.sampled_from([0.0, 0.0, 0.25, 1 / 3, 0.5, 1.0, 1.0])
columns = st.integers(1, 25).flatmap(
    lambda n: st.tuples(*[st.lists(shares, min_size=n, max_size=n) for _ in range(4)])
)


def table(*values: list[float], seed: int = 0, draws: int = 200) -> ResampledColumns:
    """Resample columns named a, b, c, d."""
    named = {name: np.array(column) for name, column in zip("abcd", values, strict=False)}
    return resample_queries(named, seed=seed, draws=draws)


def limits(figure: Figure) -> tuple[float, float, float]:
    """Return low, value and high of a figure that has an interval."""
    assert figure.low is not None
    assert figure.value is not None
    assert figure.high is not None
    return figure.low, figure.value, figure.high


def test_sums_follow_the_published_draws() -> None:
    """Index j of draw b is key(seed, 6, b n + j) mod n, and sums run in the order of j."""
    rng = np.random.default_rng(2)
    a, b = rng.random(17).tolist(), rng.random(17).tolist()
    sums = table(a, b, seed=12345, draws=23).sums
    assert sums.tolist() == reference.bootstrap_sums([a, b], seed=12345, draws=23)


def test_default_is_2000_draws() -> None:
    """The number of draws is part of the published method."""
    assert DRAWS == 2000
    assert resample_queries({"a": np.array([1.0, 0.0])}, seed=0).sums.shape == (2000, 1)


def test_interval_follows_its_formula() -> None:
    """R exp(-+ t sqrt(n / (n - 1)) s) with s the linearised spread of the log ratio."""
    rng = np.random.default_rng(5)
    a, b = rng.random(40).tolist(), rng.random(40).tolist()
    low, value, high = limits(table(a, b, seed=7).ratio_figure("a", "b"))
    t = scipy_stats.t.ppf(0.975, 39)
    expected = reference.log_ratio_interval(a, b, seed=7, draws=200, t=t)
    assert (low, high) == pytest.approx(expected, rel=1e-7)
    assert value == pytest.approx(sum(a) / sum(b))


@given(columns, st.integers(0, 2**63))
def test_estimate_lies_inside_its_own_interval(drawn: tuple[list[float], ...], seed: int) -> None:
    """Every figure has an ordered interval around its estimate, or a reason for having none."""
    resampled = table(*drawn, seed=seed)
    for figure in (
        resampled.ratio_figure("a", "b"),
        resampled.product_figure([("a", "b"), ("c", "d")]),
        resampled.mean_figure("a"),
        resampled.difference_figure("a", "b"),
    ):
        if figure.low is None:
            assert figure.high is None
            assert figure.reason
            continue
        low, value, high = limits(figure)
        assert figure.reason is None
        assert -math.inf < low <= value <= high < math.inf
    mean = resampled.mean_figure("a")
    if mean.low is not None:
        low, _, high = limits(mean)
        assert 0.0 <= low <= high <= 1.0


@given(columns)
def test_numerator_and_denominator_move_together(drawn: tuple[list[float], ...]) -> None:
    """A column over itself is 1 in every draw: its interval is [1, 1], its difference [0, 0]."""
    resampled = table(*drawn)
    assume(sum(drawn[0]) > 0 and len(drawn[0]) > 1)
    assert limits(resampled.ratio_figure("a", "a")) == (1.0, 1.0, 1.0)
    assert limits(resampled.difference_figure("a", "a")) == (0.0, 0.0, 0.0)


@given(columns)
def test_ratio_and_its_inverse_have_inverse_intervals(drawn: tuple[list[float], ...]) -> None:
    """On the log scale it is no matter which of two models is called the new one."""
    # No draw is left out on one side only.
    a, b = ([max(value, 0.25) for value in column] for column in drawn[:2])
    assume(len(a) > 1)
    resampled = table(a, b)
    low, value, high = limits(resampled.ratio_figure("a", "b"))
    other_low, other, other_high = limits(resampled.ratio_figure("b", "a"))
    assert (1 / high, 1 / value, 1 / low) == pytest.approx((other_low, other, other_high))


@given(columns)
def test_product_of_ratios_contracts(drawn: tuple[list[float], ...]) -> None:
    """a/b times b/c is a/c: value and interval."""
    a, b, c, _ = ([max(value, 0.25) for value in column] for column in drawn)
    assume(len(a) > 1)
    resampled = table(a, b, c)
    product = resampled.product_figure([("a", "b"), ("b", "c")])
    assert limits(product) == pytest.approx(limits(resampled.ratio_figure("a", "c")), rel=1e-9)


def test_means_and_ratios_are_rounded_from_exact_sums() -> None:
    """Sums are correctly rounded, so the order of the queries cannot move a value."""
    rng = np.random.default_rng(8)
    a, b = rng.random(999), rng.random(999)
    exact = [sum((Fraction(v) for v in column.tolist()), Fraction(0)) for column in (a, b)]
    order = rng.permutation(999)
    for resampled in (table(a.tolist(), b.tolist()), table(a[order].tolist(), b[order].tolist())):
        assert resampled.mean("a") == float(exact[0]) / 999
        assert resampled.ratio_figure("a", "b").value == float(exact[0]) / float(exact[1])


def test_ratio_on_an_edge_is_that_edge() -> None:
    """19 hits over 20 hits is the float 0.95, which belongs to the upper band."""
    hits = [1.0] * 19 + [0.0] * 11
    more = [1.0] * 20 + [0.0] * 10
    assert table(hits, more).ratio_figure("a", "b").value == 0.95


def test_draws_without_a_denominator_are_dropped_and_counted() -> None:
    """One query of ten with a hit: in about (9/10)^10 of the draws the denominator is 0."""
    lonely = [1.0] + [0.0] * 9
    resampled = table(lonely, lonely, [1.0] * 10, draws=2000)
    expected = sum(
        draw[0] == 0.0 for draw in reference.bootstrap_sums([lonely], seed=0, draws=2000)
    )
    assert resampled.dropped_draws("b") == expected
    assert 0.3 < expected / 2000 < 0.4
    assert resampled.dropped_draws("b", "c") == expected
    assert resampled.dropped_draws("c") == 0
    assert limits(resampled.ratio_figure("c", "b"))[1] == 10.0


def test_what_cannot_be_resampled_has_a_reason() -> None:
    """No denominator: no value. No spread or one query: a value without an interval."""
    resampled = table([0.0, 0.0], [1.0, 0.5], [1.0, 1.0])
    missing = resampled.ratio_figure("b", "a")
    assert (missing.value, missing.low) == (None, None)
    assert missing.reason is not None
    assert "mean of a is 0" in missing.reason
    nothing = resampled.ratio_figure("a", "b")
    assert (nothing.value, nothing.low, nothing.high) == (0.0, None, None)
    assert nothing.reason
    for name, mean in (("a", 0.0), ("c", 1.0)):
        figure = resampled.mean_figure(name)
        assert (figure.value, figure.low, figure.high) == (mean, None, None)
        assert figure.reason == f"every query has {mean:g}: the draws show no spread"
    single = table([0.5], [0.25])
    for figure in (
        single.ratio_figure("a", "b"),
        single.mean_figure("a"),
        single.difference_figure("a", "b"),
    ):
        assert figure.value is not None
        assert figure.low is None
        assert figure.reason == "one query shows no spread"


@pytest.mark.parametrize(
    ("given_columns", "says"),
    [
        ({}, "no columns"),
        ({"a": []}, "no judged queries"),
        ({"a": [1.0], "b": [1.0, 0.5]}, "differ in length"),
        ({"a": [1.0, 0.5], "b": [0.0, math.nan]}, "b is nan at query 1"),
        ({"a": [1.0, 1.5]}, "a is 1.5 at query 1"),
        ({"a": [-0.1, 1.0]}, r"a is -0.1 at query 0"),
    ],
)
def test_bad_columns_are_named(given_columns: dict[str, list[float]], says: str) -> None:
    """A failed query must not vanish from a mean: NaN is refused with its column and query."""
    named = {name: np.array(values) for name, values in given_columns.items()}
    with pytest.raises(InvalidInputError, match=says):
        resample_queries(named, seed=0)


def test_interval_contains_the_truth_about_as_often_as_it_says() -> None:
    """Binary outcomes, 60 queries, 300 samples: 95% intervals cover in 91 to 99%."""
    rng = np.random.default_rng(17)
    covered = 0
    for _ in range(300):
        new = (rng.random(60) < 0.8).astype(float)
        # The old model finds three quarters of what the new one finds, and some of the rest.
        old = np.where(new > 0, rng.random(60) < 0.75, rng.random(60) < 0.2).astype(float)
        low, _, high = limits(table(old.tolist(), new.tolist(), draws=500).ratio_figure("a", "b"))
        covered += low <= (0.8 * 0.75 + 0.2 * 0.2) / 0.8 <= high
    assert 0.91 <= covered / 300 <= 0.99


@pytest.mark.parametrize("degrees", [1, 2, 5, 29, 30, 31, 59, 224, 1108, 10**6])
def test_student_quantile(degrees: int) -> None:
    """Table and expansion agree with SciPy to 1e-7."""
    assert student_t_975(degrees) == pytest.approx(scipy_stats.t.ppf(0.975, degrees), abs=1e-7)


@given(st.floats(-30, 30))
def test_exponential_agrees_with_the_c_library(x: float) -> None:
    """The decimal exponential is at most one last place from the C library's."""
    expected = math.exp(x)
    assert math.nextafter(expected, 0) <= exponential(x) <= math.nextafter(expected, math.inf)
