"""Pairs that carry less than they seem to: too few, too equal, too flat, zero."""

from __future__ import annotations

import numpy as np
import pytest
from tests.adapters.builders import noisy_pairs, structured_vectors, unit_rows
from tests.reference import adapters as reference

from gnomon.adapters import ADAPTERS, FitContext, adapter_named
from gnomon.errors import InvalidInputError, NotMeasuredError, UsageError

GLOBAL = [a.name for a in ADAPTERS if a.name != "per_cluster"]


@pytest.mark.parametrize("n", [1, 2, 4, 7])
@pytest.mark.parametrize("name", GLOBAL)
def test_a_handful_of_pairs_gives_finite_unit_images(name: str, n: int) -> None:
    """However few the pairs, no image is NaN, and every image of a vector has unit length."""
    new, old = noisy_pairs(n, 16, 12)
    fitted = adapter_named(name).fit(new, old, seed=0)
    images = fitted.apply(structured_vectors(20, 16, seed=8))
    np.testing.assert_allclose(np.linalg.norm(images, axis=1), 1.0, atol=1e-6)


def test_one_pair_gives_the_constant_map() -> None:
    """A single pair has no variance: rank 0, and every query goes to its old vector."""
    new, old = noisy_pairs(1, 16, 12)
    fitted = adapter_named("procrustes").fit(new, old, seed=0)
    assert fitted.rank == 0
    np.testing.assert_allclose(
        fitted.apply(structured_vectors(3, 16)), np.repeat(old, 3, 0), atol=1e-7
    )


def test_rounding_is_not_a_direction() -> None:
    """Equal pairs, and few pairs, have the rank of their variance and not of its rounding."""
    new, old = noisy_pairs(9, 16, 12)
    assert adapter_named("procrustes").fit(new, old, seed=0).rank == 8
    copies = adapter_named("procrustes").fit(
        np.repeat(new[:1], 500, 0), np.repeat(old[:1], 500, 0), seed=0
    )
    assert copies.rank == 0
    duplicated = adapter_named("procrustes").fit(
        np.tile(new, (40, 1)), np.tile(old, (40, 1)), seed=0
    )
    assert duplicated.rank == 8


@pytest.mark.parametrize("name", GLOBAL)
def test_a_constant_dimension_carries_nothing(name: str) -> None:
    """A dimension without variance lowers the rank and breaks nothing."""
    rng = np.random.default_rng(2)
    new = np.hstack(
        [np.full((300, 1), 0.5), unit_rows(rng.standard_normal((300, 7))) * np.sqrt(0.75)]
    )
    new = new.astype(np.float32)
    old = new[:, ::-1].copy()
    fitted = adapter_named(name).fit(new, old, seed=0)
    assert np.isfinite(fitted.apply(new)).all()
    if name == "procrustes":
        assert fitted.rank == 7
        np.testing.assert_allclose(fitted.apply(new), old, atol=1e-5)


@pytest.mark.parametrize(("n", "few"), [(12, True), (13, False)])
def test_few_pairs_is_told_at_the_smaller_width(n: int, few: bool) -> None:
    """Pairs <= min(d_old, d_new) is few; one more is not."""
    new, old = noisy_pairs(n, 16, 12)
    assert adapter_named("procrustes").fit(new, old, seed=0).few_pairs is few
    assert adapter_named("identity").fit(new, old, seed=0).few_pairs is False


def test_a_zero_vector_is_a_pair_like_any_other() -> None:
    """An empty document counts: the map is that of the definition, zeros included."""
    new, old = noisy_pairs(60, 16, 12)
    new[5] = 0.0
    old[20] = 0.0
    queries = structured_vectors(20, 16, seed=8)
    fitted = adapter_named("procrustes").fit(new, old, seed=0)
    plain = reference.procrustes(new.astype(np.float64), old.astype(np.float64))
    assert fitted.n_pairs == 60
    expected = reference.images(plain, queries.astype(np.float64))
    np.testing.assert_allclose(fitted.apply(queries), expected, atol=2e-6)


def _stretched(x: np.ndarray) -> np.ndarray:
    return x * np.where(np.arange(len(x)) == 6, 3, 1).astype(np.float32)[:, None]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda new, old: (new[:0], old[:0]), "no pairs"),
        (lambda new, old: (new * 0, old), "new_pairs: all 40 rows are zero"),
        (lambda new, old: (new[:30], old), "30 new vectors and 40 old vectors"),
        (lambda new, old: (new * 3, old), "new_pairs: row 0 is not l2-normalised"),
        (lambda new, old: (new, _stretched(old)), "old_pairs: row 6 is not l2-normalised"),
        (lambda new, old: (new.astype(np.float64), old), "new_pairs is float64"),
        (lambda new, old: (new[0], old), "expected a float32 matrix"),
        (lambda new, old: (np.where(np.arange(40)[:, None] == 7, np.nan, new), old), "row 7"),
        (lambda new, old: (new, np.where(np.arange(40)[:, None] == 9, np.inf, old)), "row 9"),
    ],
)
def test_pairs_that_cannot_be_used_are_named(spoil, message: str) -> None:
    """The message says which side and which row is wrong."""
    new, old = noisy_pairs(40, 16, 12)
    with pytest.raises(InvalidInputError, match=message):
        FitContext.of(*spoil(new, old), seed=0)


def test_an_unknown_adapter_is_refused_with_the_right_names() -> None:
    """The message lists the adapters in their order."""
    with pytest.raises(
        UsageError, match="identity, procrustes, procrustes_scaled, ridge, low_rank"
    ):
        adapter_named("mlp")


def test_a_context_of_other_pairs_is_refused() -> None:
    """A context made with another seed or other widths does not serve."""
    new, old = noisy_pairs(40, 16, 12)
    context = FitContext.of(new, old, seed=1)
    for arguments in ((new, old, 2), (old, new, 1), (new[:30], old[:30], 1)):
        with pytest.raises(InvalidInputError, match="context"):
            adapter_named("ridge").fit(*arguments[:2], seed=arguments[2], context=context)


def test_per_cluster_says_what_it_lacks() -> None:
    """Without clusters, or with pairs for one map only, it is not offered and says why."""
    new, old = noisy_pairs(100, 16, 12)
    with pytest.raises(NotMeasuredError, match="clusters of the old vectors"):
        adapter_named("per_cluster").fit(new, old, seed=0)
    context = FitContext.of(new[:47], old[:47], seed=0, cluster_labels=np.arange(47) % 5)
    with pytest.raises(NotMeasuredError, match="24 pairs for each of at least two maps"):
        adapter_named("per_cluster").fit_context(context)
