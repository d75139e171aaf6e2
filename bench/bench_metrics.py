"""Ranking metrics beside their peers.

    python bench/bench_metrics.py                # the table, peers interleaved round by round
    pytest bench/bench_metrics.py --benchmark-timer=time.process_time

gnomon takes rows of integers and judgements in CSR form and converts nothing; its second line and
the peers take dicts of strings, made before the clock starts. Answers are compared with the
definitions in float64 first.
The peers are those of ``gnomon kernels`` (gnomon.machine.peers.metrics); README.md in this folder
lists the traps. With one thread times are CPU seconds of the process, the least of several rounds.
GNOMON_BENCH_THREADS sets the threads of everyone.
"""

from __future__ import annotations

from gnomon.machine.pools import pin_for_benchmark

THREADS = pin_for_benchmark()  # before NumPy is imported

from typing import TYPE_CHECKING, Any

import pytest

from gnomon.machine.contest import checked_call, names_of, print_table
from gnomon.machine.peers import metrics
from gnomon.machine.work import LeftOutError, NotInstalledError
from gnomon.report.machine_text import work_lines

if TYPE_CHECKING:
    from gnomon.machine.work import Work

# The small one comes first: it makes ranx compile before it is timed on the others.
WORKS: list[Work[Any, Any]] = [
    metrics.work(100, 100),
    metrics.work(10_000, 100),
    metrics.work(1_000, 1_000),
]


@pytest.mark.parametrize(
    ("work", "name"), names_of(WORKS), ids=lambda one: getattr(one, "name", one)
)
def test_metrics(benchmark: Any, work: Work[Any, Any], name: str) -> None:
    """Time one peer on one work; peers of a work form a group."""
    benchmark.group = work.name
    try:
        call = checked_call(work, name, THREADS)
    except (NotInstalledError, LeftOutError) as reason:
        pytest.skip(f"{name}: {reason}")
    benchmark(call)


if __name__ == "__main__":
    print_table(WORKS, THREADS, description=__doc__, lines_of=work_lines)
