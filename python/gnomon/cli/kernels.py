"""``gnomon kernels``: what this machine can do, and how fast the kernels run on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gnomon import kernels
from gnomon.cli._options import json_option, quiet_option
from gnomon.cli._output import only_results_on_stdout, print_json, print_lines
from gnomon.cli._progress import progress_shown
from gnomon.errors import UsageError
from gnomon.machine.measure import measure
from gnomon.machine.result import SCHEMA
from gnomon.machine.settings import MachineSettings
from gnomon.machine.standard import kernel_names
from gnomon.report.machine_text import machine_lines

if TYPE_CHECKING:
    from collections.abc import Sequence


@click.command(name="kernels")
@click.option(
    "--quick", is_flag=True, help="Small works, some ten seconds in all with every peer installed."
)
@click.option(
    "--threads",
    type=click.IntRange(1, 4096),
    metavar="N",
    help="Threads of every kernel and peer. [default: what the kernels take by themselves]",
)
@click.option(
    "--kernel",
    "names",
    multiple=True,
    metavar="NAME",
    help="Only this kernel; may be repeated.",
)
@click.option("--no-peers", is_flag=True, help="Leave other packages out.")
@json_option
@quiet_option
def command(
    quick: bool,
    threads: int | None,
    names: tuple[str, ...],
    no_peers: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Measure this machine, the kernels on it, and the peers that are installed.

    Shows the CPU, how much it can read and compute in a second, how long every kernel takes for a
    standard piece of work and which share of the limit that is, and the times of other packages on
    the same work with the same number of threads. Answers are checked against float64 before
    anything is timed. `pip install 'gnomon[bench]'` brings the other packages.
    """  # fmt: skip
    settings = MachineSettings(
        threads=kernels.default_threads() if threads is None else threads,
        quick=quick,
        kernels=known_kernels(names),
        peers=not no_peers,
    )
    kernels.isa()  # a wrong GNOMON_ISA is refused before any work
    with only_results_on_stdout(), progress_shown("measuring", quiet=quiet) as progress:
        result = measure(settings, threads_given=threads, progress=progress)
    if as_json:
        print_json(SCHEMA, result.to_json())
    else:
        print_lines(*machine_lines(result))


def known_kernels(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of kernels, each a known one.

    Raises
    ------
    UsageError
        There is no kernel of that name.
    """
    for name in names:
        if name not in kernel_names():
            raise UsageError(f"--kernel {name!r} is none of {', '.join(kernel_names())}")
    return tuple(names)
