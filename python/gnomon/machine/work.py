"""A standard piece of work, and those who do it: ours first, then every peer that is installed."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Task = TypeVar("Task")
Answer = TypeVar("Answer")

OURS = "gnomon"


class NotInstalledError(Exception):
    """The package of a peer is not there."""


class LeftOutError(Exception):
    """A peer can't do this piece of work, or not in a reasonable time; the message says why."""


class WrongAnswerError(Exception):
    """An answer is not that of the float64 reference; the message says where."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What a piece of work needs at least, whoever does it the way gnomon does.

    Attributes
    ----------
    read_bytes
        Bytes that must be read once.
    int8_multiply_adds, float64_multiply_adds
        Multiply-adds; a float64 one takes twice the room of a float32 one in a register.
    """

    read_bytes: int = 0
    int8_multiply_adds: int = 0
    float64_multiply_adds: int = 0


@dataclass(frozen=True, slots=True)
class Peer(Generic[Task, Answer]):
    """Somebody who can do a piece of work.

    Attributes
    ----------
    name
        What tables call it.
    prepare
        Takes the task and the number of threads, lets code be compiled that is compiled when it is
        first used, and returns the call that is timed. Raises `NotInstalledError` or
        `LeftOutError`; anything else counts as broken.
    package
        The distribution that brings it, for its version; empty for code of ours.
    differs
        Why its answers may differ from the reference by design; empty when they must not.
    slow_start
        True when importing or compiling it takes seconds; a quick run does without it.
    """

    name: str
    prepare: Callable[[Task, int], Callable[[], Answer]]
    package: str = ""
    differs: str = ""
    slow_start: bool = False

    @property
    def version(self) -> str | None:
        """The installed version of its package, or None."""
        try:
            return importlib.metadata.version(self.package) if self.package else None
        except importlib.metadata.PackageNotFoundError:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Work(Generic[Task, Answer]):
    """A piece of work of a kernel.

    Attributes
    ----------
    kernel
        The kernel, as ``--kernel`` names it.
    name
        The name of the work, unlike that of any other.
    what
        Sizes and settings in words.
    make
        Makes the inputs, the same ones every time.
    peers
        Who does it; ours is the first.
    check
        Raises `WrongAnswerError` unless an answer is that of the float64 reference.
    demand
        What it needs at least; empty where no limit of the machine is near.
    amount, unit
        How many things of which kind are done, for a rate.
    """

    kernel: str
    name: str
    what: str
    make: Callable[[], Task]
    peers: tuple[Peer[Task, Answer], ...]
    check: Callable[[Task, Answer], None]
    demand: Demand = field(default=Demand())
    amount: int
    unit: str


def installed(module: str) -> Any:
    """Return a module of an optional package.

    Raises
    ------
    NotInstalledError
        There is no such package. When it is there and fails, its own exception is raised.
    """
    top = module.partition(".")[0]
    if importlib.util.find_spec(top) is None:
        raise NotInstalledError(top)
    return importlib.import_module(module)
