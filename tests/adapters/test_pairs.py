"""The sums over pairs: they add up, nest, and are what the definition says."""

from __future__ import annotations

import numpy as np
import pytest
from tests.adapters.builders import noisy_pairs
from tests.reference.probe import draw

from gnomon.adapters import FitContext, PairStatistics, adapter_named
from gnomon.errors import UsageError


def assert_close(left: PairStatistics, right: PairStatistics) -> None:
    """Compare two sets of sums, up to the rounding of another order of additions."""
    assert left.n == right.n
    for name in ("sum_new", "sum_old", "new_new", "old_new", "old_squares"):
        np.testing.assert_allclose(getattr(left, name), getattr(right, name), atol=1e-10)


def test_sums_of_parts_add_up_and_subtract() -> None:
    """The sums over a union are the sum of the sums, and back."""
    new, old = noisy_pairs(300, 16, 12)
    whole = PairStatistics.of(new, old)
    parts = [PairStatistics.of(new[fold::5], old[fold::5]) for fold in range(5)]
    assert_close(parts[0] + parts[1] + parts[2] + parts[3] + parts[4], whole)
    rest = np.arange(300) % 5 != 2
    assert_close(whole - parts[2], PairStatistics.of(new[rest], old[rest]))


def test_scatter_is_the_centred_product() -> None:
    """About the means, and about any other centre, the sums are those of the deviations."""
    new, old = noisy_pairs(200, 16, 12)
    pairs = PairStatistics.of(new, old)
    centre_new, centre_old = np.full(16, 0.1), np.full(12, -0.2)
    for scatter, a, b in (
        (pairs.about_means, new.mean(axis=0, dtype=float), old.mean(axis=0, dtype=float)),
        (pairs.about(centre_new, centre_old), centre_new, centre_old),
    ):
        x, y = new - a, old - b
        np.testing.assert_allclose(scatter.new_new, x.T @ x, atol=1e-9)
        np.testing.assert_allclose(scatter.old_new, y.T @ x, atol=1e-9)
        np.testing.assert_allclose(scatter.old_squares, (y * y).sum(), atol=1e-9)


def test_nested_contexts_are_those_of_the_first_pairs() -> None:
    """Growing sums give the adapters that each size gives alone, zero rows included."""
    new, old = noisy_pairs(400, 16, 12)
    new[3] = new[130] = 0.0
    labels = np.arange(400) % 3
    sizes = [50, 120, 400]
    grown = FitContext.nested(new, old, sizes, seed=5, cluster_labels=labels)
    assert [context.n for context in grown] == sizes
    for size, context in zip(sizes, grown, strict=True):
        alone = FitContext.of(new[:size], old[:size], seed=5, cluster_labels=labels[:size])
        assert_close(context.statistics, alone.statistics)
        assert np.array_equal(context.cluster_labels, alone.cluster_labels)
        for name in ("procrustes", "ridge"):
            left = adapter_named(name).fit_context(context).weights
            right = adapter_named(name).fit_context(alone).weights
            np.testing.assert_allclose(left, right, atol=1e-6)


@pytest.mark.parametrize("sizes", [[0, 10], [10, 10], [20, 10], [10, 61]])
def test_sizes_must_rise_within_the_pairs(sizes: list[int]) -> None:
    """No empty, repeated, falling or oversized set of pairs."""
    new, old = noisy_pairs(60, 16, 12)
    with pytest.raises(UsageError, match="at most the 60 pairs"):
        FitContext.nested(new, old, sizes, seed=0)


def test_held_out_pairs_are_the_smallest_keys_of_their_rows() -> None:
    """A fifth of the pairs, drawn by the document's row and not by its place."""
    new, old = noisy_pairs(53, 16, 12)
    rows = np.arange(53) * 7 + 2
    context = FitContext.of(new, old, seed=9, rows=rows)
    drawn = np.isin(rows, draw(9, 2, rows.tolist(), 10))
    assert_close(context.held_out, PairStatistics.of(new[drawn], old[drawn]))
    assert FitContext.of(new[:4], old[:4], seed=9).held_out is None


def test_sums_that_are_known_are_not_computed_again() -> None:
    """A context takes sums that were composed elsewhere, as the five folds do."""
    new, old = noisy_pairs(100, 16, 12)
    context = FitContext.of(new, old, seed=0)
    composed = PairStatistics.of(new[:60], old[:60]) + PairStatistics.of(new[60:], old[60:])
    assert context.with_statistics(composed).statistics is composed


def test_shared_work_is_done_once() -> None:
    """Two adapters that need the same decomposition get the same object."""
    new, old = noisy_pairs(50, 16, 12)
    calls = []

    def compute(context: FitContext) -> int:
        calls.append(context.n)
        return context.n

    context = FitContext.of(new, old, seed=0)
    assert [context.shared(compute), context.shared(compute), calls] == [50, 50, [50]]
