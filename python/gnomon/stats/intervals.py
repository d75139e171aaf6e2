"""Wilson interval of a proportion."""

from __future__ import annotations

from gnomon.types import Figure


def wilson(successes: int, n: int, *, z: float = 1.959963984540054) -> Figure:
    """Return successes / n with its Wilson interval; counts only."""
    raise NotImplementedError


def wilson_upper(successes: int, n: int, *, z: float = 1.6448536269514722) -> float:
    """Return the one-sided upper Wilson limit; 1.0 without data."""
    raise NotImplementedError
