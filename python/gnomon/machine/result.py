"""What ``gnomon kernels`` measured, as frozen values and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from gnomon.machine.work import OURS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gnomon.machine.cpu import Cpu

SCHEMA: Final = "gnomon.kernels/1"

Status = Literal["measured", "differs", "wrong", "not installed", "left out", "broken"]
"""measured: its answers are the reference's. differs: they need not be, by design, and it takes
part all the same. wrong: they are not, and it takes no part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerResult:
    """How one of those who do a piece of work fared.

    Attributes
    ----------
    seconds
        CPU seconds of one thread, else seconds on the wall; None when it was not timed.
    note
        Why it was not timed, or how its answers differ.
    engine
        Which code of it ran, as far as it tells.
    """

    name: str
    status: Status
    package: str = ""
    version: str | None = None
    engine: str | None = None
    seconds: float | None = None
    wall_seconds: float | None = None
    cpu_seconds: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkResult:
    """A piece of work: what limits it, and how everyone fared; ours is the first."""

    kernel: str
    name: str
    what: str
    amount: int
    unit: str
    limit_seconds: float | None
    limited_by: str | None
    peers: Sequence[PeerResult]

    @property
    def ours(self) -> PeerResult:
        """How gnomon fared."""
        return next(peer for peer in self.peers if peer.name == OURS)

    @property
    def best_peer(self) -> PeerResult | None:
        """The fastest peer whose answers may stand beside ours, or None; no other way of ours."""
        timed = [
            peer
            for peer in self.peers
            if not peer.name.startswith(OURS)
            and peer.seconds
            and peer.status in {"measured", "differs"}
        ]
        return min(timed, key=lambda peer: peer.seconds or 0.0, default=None)

    @property
    def share_of_limit(self) -> float | None:
        """The shortest time the machine allows, as a share of ours; None without a limit."""
        if self.limit_seconds is None or not self.ours.seconds:
            return None
        return self.limit_seconds / self.ours.seconds

    @property
    def times_faster(self) -> float | None:
        """The time of the best peer over ours; None without a peer."""
        best, ours = self.best_peer, self.ours.seconds
        return best.seconds / ours if best and best.seconds and ours else None

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON, in seconds."""
        best = self.best_peer
        return asdict(self) | {
            "share_of_limit": self.share_of_limit,
            "best_peer": best.name if best else None,
            "times_faster": self.times_faster,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> WorkResult:
        """Return the result that `to_json` wrote."""
        derived = {"share_of_limit", "best_peer", "times_faster"}
        given = {key: one for key, one in value.items() if key not in derived}
        return cls(**given | {"peers": [PeerResult(**peer) for peer in value["peers"]]})


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineResult:
    """Everything that was measured on a machine.

    Attributes
    ----------
    cpu
        What it is.
    isa, isa_why, runnable_isas
        The instruction set of the kernels, why it is that one, and those that would run.
    threads, threads_why
        Threads of every figure of the works, and why so many.
    limits
        Rates of reading and of multiply-adds (`Limits.to_json`).
    works
        The pieces of work.
    """

    gnomon: str
    quick: bool
    cpu: Cpu
    isa: str
    isa_why: str
    runnable_isas: Sequence[str]
    threads: int
    threads_why: str
    limits: Mapping[str, Any]
    works: Sequence[WorkResult]

    def to_json(self) -> dict[str, Any]:
        """Return the result as one JSON object; times in seconds, sizes in bytes."""
        return {
            "gnomon": self.gnomon,
            "quick": self.quick,
            "cpu": self.cpu.to_json(),
            "isa": {
                "in_use": self.isa,
                "why": self.isa_why,
                "runnable": list(self.runnable_isas),
            },
            "threads": {"count": self.threads, "why": self.threads_why},
            "clock": "cpu" if self.threads == 1 else "wall",
            "limits": dict(self.limits),
            "works": [work.to_json() for work in self.works],
        }
