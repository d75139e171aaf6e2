"""What ``gnomon kernels`` was asked to measure."""

from __future__ import annotations

from dataclasses import dataclass


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
    peers
        False leaves all peers out.
    """

    threads: int
    quick: bool = False
    kernels: tuple[str, ...] = ()
    peers: bool = True

    @property
    def seconds_per_peer(self) -> float:
        """How long one peer is timed on one piece of work, once it is warm."""
        return 0.05 if self.quick else 1.0
