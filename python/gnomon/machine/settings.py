"""What ``gnomon kernels`` was asked to measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

WorkSet = Literal["standard", "bars"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineSettings:
    """What to measure, and for how long.

    Attributes
    ----------
    threads
        Threads of every kernel and every peer, at least 1.
    quick
        Small pieces of work and little time for each, without peers that start slowly.
    kernels
        Only these kernels; empty means all.
    works
        The standard works, or those of the bars that gnomon aims at, which need gigabytes.
    only
        Only works whose name holds one of these texts; empty means all.
    peers
        False leaves all peers out.
    seconds
        How long one peer is timed on one piece of work; None leaves that to ``quick``.
    """

    threads: int
    quick: bool = False
    kernels: Sequence[str] = ()
    works: WorkSet = "standard"
    only: Sequence[str] = ()
    peers: bool = True
    seconds: float | None = None

    @property
    def seconds_per_peer(self) -> float:
        """How long one peer is timed on one piece of work, once it is warm."""
        if self.seconds is not None:
            return self.seconds
        return 0.02 if self.quick else 1.0
