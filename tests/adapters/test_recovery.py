"""Each adapter finds the map that made the pairs, and agrees with its slow definition."""

from __future__ import annotations

import numpy as np
import pytest
from tests.adapters.builders import noisy_pairs, rotation, structured_vectors, unit_rows
from tests.reference import adapters as reference
from tests.reference.probe import draw

from gnomon.adapters import ADAPTER_NAMES, FitContext, adapter_named
from gnomon.adapters.low_rank import ENERGY_KEPT
from gnomon.adapters.ridge import RELATIVE_PENALTIES, shared_ridge

SHAPES = [(24, 24), (32, 20), (20, 32)]


def widened(x: np.ndarray) -> np.ndarray:
    """Return the same values in float64."""
    return x.astype(np.float64)


@pytest.mark.parametrize(("d_new", "d_old"), SHAPES)
@pytest.mark.parametrize("name", ["procrustes", "ridge"])
def test_a_rotation_is_found(name: str, d_new: int, d_old: int) -> None:
    """Old vectors that are rotated new ones are hit within float32 rounding."""
    new = structured_vectors(600, d_new)
    if d_old < d_new:
        new = unit_rows(new @ rotation(d_old, d_new).T @ rotation(d_old, d_new))
    old = unit_rows(new @ rotation(d_old, d_new).T)
    fitted = adapter_named(name).fit(new, old, seed=0)
    np.testing.assert_allclose(fitted.apply(new), old, atol=2e-5)


def test_procrustes_finds_a_shift_beside_the_rotation() -> None:
    """The map removes the mean of the new space and adds that of the old one."""
    rng = np.random.default_rng(3)
    half = rng.standard_normal((300, 16))
    centred = unit_rows(np.vstack([half, -half])) * np.float32(0.6)
    new_axis = np.zeros(17, np.float32)
    new_axis[0] = 0.8
    new = np.hstack([np.zeros((600, 1), np.float32), centred]) + new_axis
    q = rotation(17, 17, seed=5)
    shift = -2.0 * q @ new_axis  # mirrors the axis: the images keep length 1
    old = (new @ q.T + shift).astype(np.float32)
    np.testing.assert_allclose(np.linalg.norm(old, axis=1), 1.0, atol=1e-6)
    fitted = adapter_named("procrustes").fit(new, old, seed=0)
    np.testing.assert_allclose(fitted.apply(new), old, atol=2e-6)


def test_procrustes_scaled_finds_a_scale_of_each_dimension() -> None:
    """With the rotation known to be the identity, D is the scale that made the old vectors."""
    rng = np.random.default_rng(4)
    signs = rng.choice([-1.0, 1.0], size=(4000, 8))
    new = unit_rows(signs)
    scale = np.linspace(0.5, 1.5, 8)
    old = unit_rows(new * scale)
    fitted = adapter_named("procrustes_scaled").fit(new, old, seed=0)
    np.testing.assert_allclose(fitted.apply(new), old, atol=0.01)
    plain = adapter_named("procrustes").fit(new, old, seed=0)
    assert np.abs(fitted.apply(new) - old).max() < 0.1 * np.abs(plain.apply(new) - old).max()


def test_ridge_finds_an_affine_map_that_no_rotation_is() -> None:
    """A linear map with unequal singular values is recovered when there is no noise."""
    new = structured_vectors(800, 12)
    linear = np.diag(np.linspace(0.2, 2.0, 12)) @ rotation(12, 12)
    old = new @ linear.T
    old = (old / np.linalg.norm(old, axis=1).max()).astype(np.float32)
    padded = np.sqrt(np.maximum(1.0 - (old.astype(np.float64) ** 2).sum(axis=1), 0.0))
    old = np.hstack([old, padded[:, None].astype(np.float32)])
    fitted = adapter_named("ridge").fit(new, old, seed=0)
    images = fitted.apply(new)[:, :12]
    cosines = (unit_rows(images) * unit_rows(old[:, :12])).sum(axis=1)
    assert cosines.mean() > 0.999


def test_low_rank_finds_the_rank() -> None:
    """Old vectors that move in five directions give an adapter of rank five."""
    new = structured_vectors(800, 20)
    old = unit_rows(new @ rotation(5, 20).T @ rotation(16, 5, seed=9).T)
    fitted = adapter_named("low_rank").fit(new, old, seed=0)
    assert fitted.rank <= 5
    assert fitted.n_parameters == fitted.rank * (20 + 16) + 16
    assert (fitted.apply(new) * old).sum(axis=1).mean() > 0.98


@pytest.mark.parametrize(("d_new", "d_old"), SHAPES)
@pytest.mark.parametrize(
    "name", ["identity", "procrustes", "procrustes_scaled", "ridge", "low_rank"]
)
def test_an_adapter_agrees_with_its_definition(name: str, d_new: int, d_old: int) -> None:
    """Images differ from those of the slow float64 definition by float32 rounding alone."""
    new, old = noisy_pairs(500, d_new, d_old)
    queries = structured_vectors(50, d_new, seed=8)
    x, y = widened(new), widened(old)
    context = FitContext.of(new, old, seed=7)
    penalty = context.shared(shared_ridge).relative_penalty
    maps = {
        "identity": lambda: reference.identity(d_new, d_old),
        "procrustes": lambda: reference.procrustes(x, y),
        "procrustes_scaled": lambda: reference.procrustes_scaled(x, y),
        "ridge": lambda: reference.ridge(x, y, penalty),
        "low_rank": lambda: reference.low_rank(x, y, penalty, ENERGY_KEPT)[0],
    }
    fitted = adapter_named(name).fit(new, old, seed=7, context=context)
    expected = reference.images(maps[name](), widened(queries))
    np.testing.assert_allclose(fitted.apply(queries), expected, atol=3e-6)


def test_the_penalty_is_the_best_one_on_the_held_out_fifth() -> None:
    """The closed form over all penalties picks what trying each of them picks."""
    for noise in (0.001, 0.05, 0.3):
        new, old = noisy_pairs(300, 16, 12, noise=noise)
        rows = np.arange(1000, 1300)
        context = FitContext.of(new, old, seed=11, rows=rows)
        held_out = np.array(draw(11, 2, rows.tolist(), 60)) - 1000
        expected = reference.best_penalty(
            widened(new), widened(old), held_out, list(RELATIVE_PENALTIES)
        )
        assert context.shared(shared_ridge).relative_penalty == expected


def test_low_rank_keeps_the_rank_of_its_definition() -> None:
    """The rank is the smallest that keeps 99% of the energy of the fitted vectors."""
    new, old = noisy_pairs(500, 24, 24, noise=0.05)
    context = FitContext.of(new, old, seed=0)
    penalty = context.shared(shared_ridge).relative_penalty
    _, rank = reference.low_rank(widened(new), widened(old), penalty, ENERGY_KEPT)
    assert adapter_named("low_rank").fit_context(context).rank == rank


@pytest.mark.parametrize("name", ADAPTER_NAMES)
def test_the_order_of_the_pairs_does_not_matter(name: str) -> None:
    """Pairs in another order, with their row numbers, give the same map up to rounding."""
    new, old = noisy_pairs(400, 16, 12)
    labels = np.repeat([0, 1], 200)
    order = np.random.default_rng(1).permutation(400)
    rows = np.arange(400)
    straight = FitContext.of(new, old, seed=0, rows=rows, cluster_labels=labels)
    shuffled = FitContext.of(
        new[order], old[order], seed=0, rows=rows[order], cluster_labels=labels[order]
    )
    first, second = (adapter_named(name).fit_context(c) for c in (straight, shuffled))
    assert first.rank == second.rank
    queries = structured_vectors(40, 16, seed=8)
    np.testing.assert_allclose(first.apply(queries), second.apply(queries), atol=1e-5)
