"""Maximal marginal relevance beside its peers, single lambdas and whole grids.

    python bench/bench_mmr.py                    # the table, peers interleaved round by round
    pytest bench/bench_mmr.py --benchmark-timer=time.process_time

Every pick is compared, in float64, with the best one that was possible then.
The peers are those of ``gnomon kernels`` (gnomon.machine.peers.mmr); README.md in this folder
lists the traps. With one thread times are CPU seconds of the process, the least of several rounds.
GNOMON_BENCH_THREADS sets the threads of everyone.
"""

from __future__ import annotations

from gnomon.machine.pools import pin_for_benchmark

THREADS = pin_for_benchmark()  # before NumPy is imported

from typing import TYPE_CHECKING, Any

import pytest

from gnomon.machine.contest import checked_call, names_of, print_table
from gnomon.machine.peers import mmr
from gnomon.machine.work import LeftOutError, NotInstalledError
from gnomon.report.machine_text import work_lines

if TYPE_CHECKING:
    from gnomon.machine.work import Work

WORKS: list[Work[Any, Any]] = [
    mmr.work(256, 50, 384),
    mmr.work(256, 100, 384),
    mmr.work(256, 100, 1024),
    mmr.work(32, 1000, 384),
    mmr.work(32, 1000, 1024),
    mmr.grid_work(),
    mmr.grid_work(d=1024),
]


@pytest.mark.parametrize(
    ("work", "name"), names_of(WORKS), ids=lambda one: getattr(one, "name", one)
)
def test_mmr(benchmark: Any, work: Work[Any, Any], name: str) -> None:
    """Time one peer on one work; peers of a work form a group."""
    benchmark.group = work.name
    try:
        call = checked_call(work, name, THREADS)
    except (NotInstalledError, LeftOutError) as reason:
        pytest.skip(f"{name}: {reason}")
    benchmark(call)


if __name__ == "__main__":
    print_table(WORKS, THREADS, description=__doc__, lines_of=work_lines)
