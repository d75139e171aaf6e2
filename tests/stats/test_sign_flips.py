"""Sign flips: exact values, draws near them, and what is no difference."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from gnomon.errors import InvalidInputError
from gnomon.stats.mcnemar import mcnemar_exact
from gnomon.stats.sign_flips import EXACT_PAIRS, sign_flip_p


def test_few_pairs_are_counted_out() -> None:
    """Every sign pattern of the pairs that differ; pairs that don't are left out."""
    values = [0.5, -0.25, 0.375, 0.0, 0.0]
    sums = [abs(a * 0.5 + b * 0.25 + c * 0.375) for a, b, c in product((1, -1), repeat=3)]
    assert sign_flip_p(values, seed=3) == sum(s >= 0.625 for s in sums) / 8


def test_no_difference() -> None:
    """A run against itself has p = 1, and so has one of no pairs."""
    assert sign_flip_p(np.zeros(500), seed=0) == 1.0
    assert sign_flip_p([], seed=0) == 1.0


def test_draws_are_near_the_exact_value() -> None:
    """Thirty wins of forty-one by equal steps: McNemar's tail, within the draws' error."""
    values = np.repeat([0.1, -0.1], [30, 11])
    exact = mcnemar_exact(30, 11)
    assert abs(sign_flip_p(values, seed=1) - exact) < 4 * np.sqrt(exact / 10_000)
    assert sign_flip_p(values, seed=1) == sign_flip_p(values, seed=1)
    assert sign_flip_p(values, seed=1) != sign_flip_p(values, seed=2)


def test_the_least_p_is_not_zero() -> None:
    """The pattern that was found is one of those that were possible."""
    assert sign_flip_p(np.full(200, 0.5), seed=0) == 1 / 10_001
    assert sign_flip_p(np.full(EXACT_PAIRS, 0.5), seed=0) == 2 / 2**EXACT_PAIRS


def test_a_true_null_keeps_its_level() -> None:
    """Of 300 comparisons without difference about one in twenty has p up to 0.05."""
    generator = np.random.default_rng(5)
    hits = sum(sign_flip_p(generator.uniform(-1, 1, 20), seed=seed) <= 0.05 for seed in range(300))
    assert 3 <= hits <= 15 + 3 * np.sqrt(300 * 0.05 * 0.95)


@pytest.mark.parametrize("value", [1.5, -2.0, float("nan")])
def test_what_is_no_difference_of_shares(value: float) -> None:
    """Shares differ by at most one."""
    with pytest.raises(InvalidInputError, match="outside"):
        sign_flip_p([0.0, value], seed=0)
