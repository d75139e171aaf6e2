"""The affine map that is checked once: the bits of the kernels, and their refusals."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon import kernels
from gnomon.errors import InvalidInputError, InvalidTypeError


def matrix(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    """Return float32 values of both signs."""
    return np.random.default_rng(seed).standard_normal((rows, columns)).astype(np.float32)


@pytest.mark.parametrize("d", [1, 31, 64, 100])
@pytest.mark.parametrize("threads", [1, 2, 7])
def test_it_has_the_bits_of_the_kernels(isa: str, d: int, threads: int) -> None:
    """A call is `affine_map`; directions are `normalize`, `affine_map`, `normalize`."""
    weights, bias, x = matrix(9, d), matrix(1, 9)[0], matrix(33, d, seed=1)
    prepared = kernels.AffineMap(weights, bias)
    assert np.array_equal(prepared(x, threads=threads), kernels.affine_map(x, weights, bias))
    expected = kernels.normalize(kernels.affine_map(kernels.normalize(x), weights, bias))
    assert np.array_equal(prepared.directions(x, threads=threads), expected)
    assert np.array_equal(prepared.directions(x[4], threads=threads), expected[4:5])


@pytest.mark.parametrize("rows", [1, 7, 8, 100])
def test_a_second_map_follows_the_first(isa: str, rows: int) -> None:
    """Two maps in one step have the bits of four kernels called one after the other."""
    inner, outer, bias = matrix(4, 50), matrix(6, 4, seed=2), matrix(1, 6, seed=3)[0]
    x = matrix(rows, 50, seed=1)
    found = kernels.AffineMap(inner, None).directions(x, then=kernels.AffineMap(outer, bias))
    low = kernels.affine_map(kernels.normalize(x), inner, None)
    assert np.array_equal(found, kernels.normalize(kernels.affine_map(low, outer, bias)))


def test_zero_has_no_direction() -> None:
    """A zero row stays zero although the bias would give it an image."""
    prepared = kernels.AffineMap(matrix(3, 5), np.ones(3, np.float32))
    x = matrix(4, 5)
    x[2] = 0.0
    images = prepared.directions(x)
    assert not images[2].any()
    assert images[[0, 1, 3]].any(axis=1).all()
    assert not prepared.directions(x[2]).any()
    assert prepared.directions(x[:0]).shape == (0, 3)


def test_the_input_is_neither_written_nor_returned() -> None:
    """Even the identity map of unit vectors gives a new array."""
    prepared = kernels.AffineMap(np.eye(5, dtype=np.float32), None)
    x = kernels.normalize(matrix(4, 5))
    before = x.copy()
    for images in (prepared(x), prepared.directions(x)):
        assert not np.shares_memory(images, x)
        images[:] = 3.0
    assert np.array_equal(x, before)


def test_weights_are_checked_when_the_map_is_made() -> None:
    """NaN, a wrong dtype and a bias of the wrong length never reach a query."""
    weights = matrix(3, 5)
    spoiled = weights.copy()
    spoiled[1, 1] = np.nan
    with pytest.raises(InvalidInputError, match="weights: row 1"):
        kernels.AffineMap(spoiled, None)
    with pytest.raises(InvalidTypeError, match="float64"):
        kernels.AffineMap(weights.astype(np.float64), None)
    with pytest.raises(InvalidInputError, match="bias"):
        kernels.AffineMap(weights, np.zeros(5, np.float32))


def test_a_vector_of_another_width_or_with_nan_is_refused() -> None:
    """The message names both widths, or the row."""
    prepared = kernels.AffineMap(matrix(3, 5), None)
    with pytest.raises(InvalidInputError, match="6 dimensions, but rows of weights have 5"):
        prepared(matrix(2, 6))
    with pytest.raises(InvalidInputError, match="row 1 holds NaN"):
        prepared.directions(np.array([[1, 2, 3, 4, 5], [1, np.nan, 3, 4, 5]]))
