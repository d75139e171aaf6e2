"""Draws and bootstrap sums against their definitions in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import resample as reference

from gnomon import kernels
from gnomon.errors import InvalidInputError, InvalidTypeError, UsageError
from gnomon.kernels import Purpose

SEEDS = st.integers(0, 2**64 - 1)

PUBLISHED = {
    1234567: [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ],
    0: [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC],
}
"""The first outputs of splitmix64, as ports of the generator check them."""


def seed_that_starts_at(state: int, purpose: int) -> int:
    """Return the seed whose keys for a purpose are the outputs of splitmix64 from a state."""
    modulus = 2**64
    x = state ^ (state >> 31) ^ (state >> 62)
    x = x * pow(0x94D049BB133111EB, -1, modulus) % modulus
    x ^= (x >> 27) ^ (x >> 54)
    x = x * pow(0xBF58476D1CE4E5B9, -1, modulus) % modulus
    x ^= (x >> 30) ^ (x >> 60)
    assert reference.mix(x) == state
    return (x - purpose * reference.GOLDEN) % modulus


@pytest.mark.parametrize("state", sorted(PUBLISHED))
def test_published_outputs_of_splitmix64(state: int) -> None:
    """The reference and the kernel both give them."""
    expected = PUBLISHED[state]
    assert reference.splitmix64(state, len(expected)) == expected
    for purpose in Purpose:
        seed = seed_that_starts_at(state, purpose)
        assert kernels.draw_keys(seed, purpose, len(expected)).tolist() == expected


@given(SEEDS, st.integers(0, 2**64 - 1), st.integers(0, 50))
def test_keys_follow_their_formula(seed: int, purpose: int, n: int) -> None:
    """Modulo 2^64, for every seed and purpose."""
    keys = kernels.draw_keys(seed, purpose, n)
    assert keys.dtype == np.uint64
    assert keys.tolist() == [reference.key(seed, purpose, row) for row in range(n)]


@given(SEEDS, st.sampled_from(Purpose), st.integers(0, 300), st.integers(0, 320))
def test_a_draw_takes_the_rows_with_the_smallest_keys(
    seed: int, purpose: Purpose, n: int, size: int
) -> None:
    """By key, then by row; all rows when there are fewer than asked for."""
    drawn = kernels.draw_rows(seed, purpose, n, size)
    assert drawn.dtype == np.int64
    assert drawn.tolist() == reference.drawn_rows(seed, purpose, range(n), size)


@given(SEEDS, st.sets(st.integers(0, 499), max_size=200), st.integers(0, 220), st.randoms())
def test_a_draw_among_rows_doesn_t_depend_on_their_order(
    seed: int, rows: set[int], size: int, random: object
) -> None:
    """Keys belong to row numbers, not to positions."""
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    drawn = kernels.draw_rows(seed, Purpose.PAIRS, 500, size, among=shuffled)
    assert drawn.tolist() == reference.drawn_rows(seed, Purpose.PAIRS, rows, size)


def test_draws_are_nested_in_size_and_differ_between_purposes() -> None:
    """A larger draw begins with the smaller one; purposes are independent."""
    small = kernels.draw_rows(3, Purpose.SAMPLE, 100_000, 50)
    large = kernels.draw_rows(3, Purpose.SAMPLE, 100_000, 5000)
    assert large[:50].tolist() == small.tolist()
    assert len(set(large.tolist())) == 5000
    other = kernels.draw_rows(3, Purpose.PAIRS, 100_000, 50)
    assert set(other.tolist()).isdisjoint(small.tolist())


def test_draws_refuse_what_is_no_number_of_rows() -> None:
    """Negative sizes, seeds out of range, rows out of range or named twice."""
    with pytest.raises(UsageError, match="seed is -1"):
        kernels.draw_rows(-1, Purpose.SAMPLE, 10, 2)
    with pytest.raises(UsageError, match="seed is 18446744073709551616"):
        kernels.draw_keys(2**64, Purpose.SAMPLE, 2)
    with pytest.raises(UsageError, match="size is -2"):
        kernels.draw_rows(1, Purpose.SAMPLE, 10, -2)
    with pytest.raises(UsageError, match=r"n is 2\.5"):
        kernels.draw_keys(1, Purpose.SAMPLE, 2.5)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="among: 10 at position 1 is out of range"):
        kernels.draw_rows(1, Purpose.SAMPLE, 10, 2, among=[3, 10])
    with pytest.raises(InvalidInputError, match="among names row 3 more than once"):
        kernels.draw_rows(1, Purpose.SAMPLE, 10, 2, among=[3, 1, 3])
    with pytest.raises(InvalidInputError, match=r"among has shape \(1, 1\)"):
        kernels.draw_rows(1, Purpose.SAMPLE, 10, 2, among=[[3]])
    with pytest.raises(InvalidTypeError, match="among: dtype bool"):
        kernels.draw_rows(1, Purpose.SAMPLE, 2, 2, among=np.array([True, False]))


@given(SEEDS, st.integers(1, 30), st.integers(1, 5), st.integers(0, 12), st.sampled_from([1, 2, 7]))
def test_bootstrap_sums_follow_their_definition_to_the_bit(
    seed: int, n: int, m: int, draws: int, threads: int
) -> None:
    """Indices from the keys, sums in their order, the same rows for every column."""
    values = np.random.default_rng(n * m).standard_normal((n, m))
    found = kernels.bootstrap_sums(values, seed=seed, draws=draws, threads=threads)
    expected = np.array(reference.resampled_sums(values.tolist(), seed, draws)).reshape(draws, m)
    assert found.tobytes() == expected.tobytes()
    assert found.shape == (draws, m)


def test_bootstrap_sums_take_any_strides_and_real_dtypes() -> None:
    """A transposed float32 array is read by its values."""
    values = np.arange(12, dtype=np.float32).reshape(3, 4).T
    expected = kernels.bootstrap_sums(np.array(values, np.float64), seed=1, draws=5)
    np.testing.assert_array_equal(kernels.bootstrap_sums(values, seed=1, draws=5), expected)


def test_resampled_means_spread_as_they_should() -> None:
    """The standard deviation of resampled means is near s / sqrt(n)."""
    values = np.random.default_rng(2).standard_normal((400, 1))
    means = kernels.bootstrap_sums(values, seed=9) / 400
    assert len(means) == 2000
    assert means.std() == pytest.approx(values.std() / 20, rel=0.1)


def test_bootstrap_sums_refuse_what_can_t_be_resampled() -> None:
    """No rows, the wrong shape, NaN, text."""
    with pytest.raises(InvalidInputError, match=r"shape \(0, 2\)"):
        kernels.bootstrap_sums(np.zeros((0, 2)), seed=1)
    with pytest.raises(InvalidInputError, match=r"shape \(3,\)"):
        kernels.bootstrap_sums(np.zeros(3), seed=1)
    with pytest.raises(InvalidInputError, match="values: row 1 holds NaN"):
        kernels.bootstrap_sums([[1.0, 2.0], [3.0, np.nan]], seed=1)
    with pytest.raises(InvalidTypeError, match="expected a float64 array"):
        kernels.bootstrap_sums([["a"]], seed=1)
    with pytest.raises(UsageError, match="draws is -1"):
        kernels.bootstrap_sums([[1.0]], seed=1, draws=-1)
