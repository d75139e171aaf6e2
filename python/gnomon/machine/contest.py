"""What the scripts ``bench/bench_<kernel>.py`` share: one peer's call, and the printed table."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from gnomon import kernels
from gnomon.machine.run import run_work
from gnomon.machine.settings import MachineSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gnomon.machine.result import WorkResult
    from gnomon.machine.work import Work


def checked_call(work: Work[Any, Any], name: str, threads: int) -> Callable[[], Any]:
    """Return what one peer does for a work, after its answer has been checked.

    Raises
    ------
    NotInstalledError
        Its package is not there.
    LeftOutError
        It doesn't do this work.
    WrongAnswerError
        Its answer is wrong, and it doesn't say why it may be.
    """
    (peer,) = (one for one in work.peers if one.name == name)
    task = work.make()
    call = peer.prepare(task, threads)
    if not peer.differs:
        work.check(task, call())
    return call


def names_of(works: Sequence[Work[Any, Any]]) -> list[tuple[Work[Any, Any], str]]:
    """Return each work with each of those who do it."""
    return [(work, peer.name) for work in works for peer in work.peers]


def print_table(
    works: Sequence[Work[Any, Any]],
    threads: int,
    *,
    description: str | None,
    lines_of: Callable[[WorkResult], Sequence[str]],
) -> None:
    """Measure works as the command line says, and print the lines of each when it is done."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="*", default=[], help="only works whose name holds this")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each peer and work")
    parser.add_argument("--no-peers", action="store_true", help="only gnomon")
    args = parser.parse_args()
    settings = MachineSettings(threads=threads, peers=not args.no_peers, seconds=args.seconds)
    print(f"isa {kernels.isa()}, {threads} thread(s)")  # noqa: T201  # it is what it is for
    for work in works:
        if not args.only or any(text in work.name for text in args.only):
            lines = lines_of(run_work(work, settings))
            print(*lines, sep="\n", flush=True)  # noqa: T201
