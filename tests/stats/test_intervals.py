"""Wilson intervals at the ends, where others collapse."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.errors import InvalidInputError, InvalidTypeError, UsageError
from gnomon.stats.intervals import Z_95, wilson, wilson_upper
from gnomon.stats.quantiles import Z_975


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (0, 50, 0.0, 0.0713),
        (1, 1, 0.2065, 1.0),
        (0, 5, 0.0, 0.4345),
    ],
)
def test_two_sided_limits(successes: int, n: int, low: float, high: float) -> None:
    """The interval keeps its width at no and at all successes."""
    figure = wilson(successes, n)
    assert (figure.low, figure.high) == (
        pytest.approx(low, abs=5e-5),
        pytest.approx(high, abs=5e-5),
    )


@pytest.mark.parametrize(
    ("successes", "n", "upper"), [(0, 10, 0.2129), (0, 50, 0.0513), (0, 52, 0.0495)]
)
def test_one_sided_upper_limits(successes: int, n: int, upper: float) -> None:
    """The upper limit uses z = 1.6449 by default."""
    assert wilson_upper(successes, n) == pytest.approx(upper, abs=5e-5)


def test_no_data_fails_closed() -> None:
    """0 of 0 has no estimate, and as an upper bound it is 1."""
    figure = wilson(0, 0)
    assert (figure.value, figure.low, figure.high) == (None, None, None)
    assert figure.reason == "no data: 0 of 0"
    assert wilson_upper(0, 0) == 1.0


@pytest.mark.parametrize(("successes", "n"), [(3, 2), (-1, 5), (0, -1)])
def test_impossible_counts_are_refused(successes: int, n: int) -> None:
    """Counts run from 0 to n."""
    with pytest.raises(InvalidInputError, match=f"{successes} successes of {n}"):
        wilson(successes, n)


def test_fractional_values_are_refused() -> None:
    """Wilson is for counts; an average of fractional recalls needs a bootstrap."""
    with pytest.raises(InvalidTypeError, match="bootstrap"):
        wilson(1.83, 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("z", [0.0, -1.0, float("nan"), float("inf")])
def test_z_is_a_positive_number(z: float) -> None:
    """A quantile that is no number is refused."""
    with pytest.raises(UsageError, match="z is"):
        wilson(1, 2, z=z)


@given(st.integers(0, 500), st.integers(1, 500), st.sampled_from([Z_95, Z_975, 3.0]))
def test_limits_solve_the_score_equation(successes: int, n: int, z: float) -> None:
    """At a limit p the distance |successes / n - p| is z standard errors of p, exactly."""
    successes = min(successes, n)
    figure = wilson(successes, n, z=z)
    assert figure.value is not None
    assert figure.low is not None
    assert figure.high is not None
    assert 0.0 <= figure.low <= figure.value <= figure.high <= 1.0
    for limit in (figure.low, figure.high):
        if limit in (0.0, 1.0):
            continue
        p = Fraction(limit)
        score = (Fraction(successes, n) - p) ** 2 * n / (p * (1 - p))
        assert float(score) == pytest.approx(z * z, rel=1e-9)
