"""The sample: the same everywhere, a fair share of all spots, decided by plan and file alone."""

from __future__ import annotations

import hashlib

import pytest
from scipy.stats import chi2

from gnomon.blind.sample import Sampler, sample_seed
from gnomon.blind.spot_file import Contested
from gnomon.errors import InvalidInputError


def one(name: str, line: int = 1) -> Contested:
    """Return a spot of this id."""
    return Contested(name, "a", "b", "base", False, "", 0.0, "substitution", line, 0)


def sample(names: list[str], size: int, seed: bytes) -> list[str]:
    """Draw from spots of these ids."""
    sampler = Sampler(size, seed)
    for line, name in enumerate(names, start=1):
        sampler.take(one(name, line))
    return [drawn.spot.id for drawn in sampler.sample()]


def test_by_definition() -> None:
    """The spots with the smallest sha256 of seed and id, smallest first, in whatever order."""
    names = [f"ünï-{i}" for i in range(200)]
    seed = sample_seed("0" * 64, "1" * 64)
    assert seed == hashlib.sha256(b"0" * 64 + b"\n" + b"1" * 64 + b"\n").digest()
    expected = sorted(names, key=lambda name: hashlib.sha256(seed + name.encode()).digest())[:30]
    assert sample(names, 30, seed) == expected
    assert sample(names[::-1], 30, seed) == expected


def test_a_fixed_sample() -> None:
    """What this plan and this file draw, once and for all."""
    names = [f"s{i}" for i in range(1_000)]
    found = sample(names, 5, sample_seed("ab" * 32, "cd" * 32))
    assert found == ["s297", "s35", "s820", "s166", "s952"]


def test_fewer_than_wanted() -> None:
    """All of them."""
    assert sorted(sample(["a", "b"], 30, b"seed")) == ["a", "b"]


def test_every_spot_has_the_same_chance() -> None:
    """2,000 draws of 10 from 50: the counts are what chance gives (chi-square, p over 0.001)."""
    names = [f"s{i}" for i in range(50)]
    counts = dict.fromkeys(names, 0)
    for plan in range(2_000):
        for name in sample(names, 10, sample_seed(f"{plan:064x}", "1" * 64)):
            counts[name] += 1
    # Without replacement the statistic shrinks by (50 - 10) / (50 - 1).
    statistic = sum((count - 400) ** 2 / 400 for count in counts.values()) * 49 / 40
    assert statistic < chi2.ppf(0.999, 49)


def test_the_same_id_twice() -> None:
    """Equal ids have equal keys, so a double that could be drawn is always noticed."""
    with pytest.raises(InvalidInputError, match="line 3: has the same id as line 1"):
        sample(["a", "b", "a"], 3, b"seed")
