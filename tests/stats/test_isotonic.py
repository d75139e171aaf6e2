"""Isotonic regression against the max-min formula."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import statistics as reference

from gnomon.errors import InvalidInputError
from gnomon.stats.isotonic import fit_isotonic

if TYPE_CHECKING:
    from random import Random

points = st.lists(
    st.tuples(
        st.integers(-4, 4).map(float), st.floats(-2, 2).map(lambda v: round(v, 3)),
        st.integers(1, 5).map(float),
    ),
    min_size=1,
    max_size=15,
)  # fmt: skip


@given(points)
def test_fit_is_the_best_non_decreasing_function(drawn: list[tuple[float, float, float]]) -> None:
    """At every distinct x the level is that of the max-min formula on the means of equal x."""
    x, y, weights = (np.array(column) for column in zip(*drawn, strict=True))
    grouped: dict[float, list[tuple[float, float]]] = defaultdict(list)
    for at, value, weight in drawn:
        grouped[at].append((value, weight))
    distinct = sorted(grouped)
    mass = [sum(weight for _, weight in grouped[at]) for at in distinct]
    means = [
        sum(value * weight for value, weight in grouped[at]) / total
        for at, total in zip(distinct, mass, strict=True)
    ]
    fit = fit_isotonic(x, y, weights=weights)
    assert fit.predict(np.array(distinct)) == pytest.approx(
        reference.isotonic_levels(means, mass), abs=1e-9
    )


@given(points, st.randoms(use_true_random=False))
def test_order_of_the_points_is_no_matter(
    drawn: list[tuple[float, float, float]], random: Random
) -> None:
    """The same points with equal weights in another order give the same bits."""
    shuffled = list(drawn)
    random.shuffle(shuffled)
    fits = [
        fit_isotonic(np.array([p[0] for p in some]), np.array([p[1] for p in some]))
        for some in (drawn, shuffled)
    ]
    assert fits[0].x.tobytes() == fits[1].x.tobytes()
    assert fits[0].y.tobytes() == fits[1].y.tobytes()


@given(points)
def test_prediction_is_monotone_and_constant_outside(
    drawn: list[tuple[float, float, float]],
) -> None:
    """Between knots the line rises to the next level and never falls, in floats too."""
    fit = fit_isotonic(np.array([p[0] for p in drawn]), np.array([p[1] for p in drawn]))
    grid = np.linspace(-6, 6, 997)
    levels = fit.predict(grid)
    assert (np.diff(levels) >= 0).all()
    assert levels[0] == fit.y[0]
    assert levels[-1] == fit.y[-1]


def test_weights_pull_the_level() -> None:
    """Two violators pool to their weighted mean."""
    fit = fit_isotonic(np.array([0.0, 1.0]), np.array([1.0, 0.0]), weights=np.array([3.0, 1.0]))
    assert fit.predict(np.array([0.0, 0.5, 1.0])).tolist() == [0.75, 0.75, 0.75]


@pytest.mark.parametrize(
    ("x", "y", "weights", "says"),
    [
        ([], [], None, "no points"),
        ([1.0], [1.0, 2.0], None, "1 x, 2 y"),
        ([1.0, np.nan], [1.0, 2.0], None, "x holds nan at row 1"),
        ([1.0], [np.inf], None, "y holds inf at row 0"),
        ([1.0], [1.0], [0.0], "weight 0.0 at row 0"),
    ],
)
def test_bad_points_are_named(
    x: list[float], y: list[float], weights: list[float] | None, says: str
) -> None:
    """Lengths, values and weights are checked before the fit."""
    given_weights = None if weights is None else np.array(weights)
    with pytest.raises(InvalidInputError, match=says):
        fit_isotonic(np.array(x), np.array(y), weights=given_weights)
