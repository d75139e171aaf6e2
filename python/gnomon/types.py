"""Frozen values that several rooms share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured number, its 95% interval, or the reason why there is none.

    Attributes
    ----------
    value
        The estimate, or None when it could not be measured.
    low, high
        Limits of the 95% interval, or None when no interval was measured.
    reason
        Why ``value`` or the interval is missing; None when both are there.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None

    @classmethod
    def missing(cls, reason: str) -> Figure:
        """Return the figure that was not measured, with the reason."""
        return cls(None, None, None, reason)

    @property
    def half_width(self) -> float | None:
        """Half the length of the interval, or None without one."""
        if self.low is None or self.high is None:
            return None
        return (self.high - self.low) / 2


@dataclass(frozen=True, slots=True)
class Caveat:
    """A warning that travels with a decision: a stable code and a sentence."""

    code: str
    message: str


class Progress(Protocol):
    """Receives how much of the work is done; kernels call it between blocks."""

    def __call__(self, done: int, total: int) -> None:
        """Report ``done`` of ``total`` units of work."""
