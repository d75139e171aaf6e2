"""The exact cosine top-k beside its peers: same inputs, same threads, same run.

    python bench/bench_cosine.py                    # the table, peers interleaved round by round
    pytest bench/bench_cosine.py --benchmark-timer=time.process_time

Every peer that is installed takes part; its answers are compared with the float64 top k first.
The peers are those of ``gnomon kernels`` (gnomon.machine.peers.topk); README.md in this folder
lists the traps. With one thread times are CPU seconds of the process, the least of several rounds.
GNOMON_BENCH_THREADS sets the threads of everyone.
"""

from __future__ import annotations

from gnomon.machine.pools import pin_for_benchmark

THREADS = pin_for_benchmark()  # before NumPy is imported

from typing import TYPE_CHECKING, Any

import pytest

from gnomon.machine.bars import bars
from gnomon.machine.contest import checked_call, names_of, print_table
from gnomon.machine.work import LeftOutError, NotInstalledError
from gnomon.report.machine_text import work_lines

if TYPE_CHECKING:
    from gnomon.machine.work import Work

WORKS: list[Work[Any, Any]] = [
    *(bar.work for bar in bars() if bar.work.kernel == "topk"),
]


@pytest.mark.parametrize(
    ("work", "name"), names_of(WORKS[3:5]), ids=lambda one: getattr(one, "name", one)
)
def test_top_k(benchmark: Any, work: Work[Any, Any], name: str) -> None:
    """Time one peer on one work; peers of a work form a group."""
    benchmark.group = work.name
    try:
        call = checked_call(work, name, THREADS)
    except (NotInstalledError, LeftOutError) as reason:
        pytest.skip(f"{name}: {reason}")
    benchmark(call)


if __name__ == "__main__":
    print_table(WORKS, THREADS, description=__doc__, lines_of=work_lines)
