"""BM25 beside its peers: searches one at a time and at once, and building from text.

    python bench/passages.py --out passages.txt --debian dict-gcide ... --folder /usr/share/doc
    GNOMON_BENCH_PASSAGES=passages.txt python bench/bench_bm25.py            # the table
    GNOMON_BENCH_PASSAGES=passages.txt python bench/bench_bm25.py --only "bm25 1000000"
    pytest bench/bench_bm25.py --benchmark-timer=time.process_time

Hits are compared with float64 sums first. Without a file of passages the words are made up, which
has neither the long tail nor the company that words keep in real text. The peers are those of
``gnomon kernels`` (gnomon.machine.peers.bm25); README.md in this folder lists the traps. With one
thread times are CPU seconds of the process, the least of several rounds. GNOMON_BENCH_THREADS sets
the threads of everyone.
"""

from __future__ import annotations

from gnomon.machine.pools import pin_for_benchmark

THREADS = pin_for_benchmark()  # before NumPy is imported

from typing import TYPE_CHECKING, Any

import pytest

from gnomon.machine.contest import checked_call, names_of, print_table
from gnomon.machine.peers import bm25
from gnomon.machine.work import LeftOutError, NotInstalledError
from gnomon.report.machine_text import work_lines

if TYPE_CHECKING:
    from gnomon.machine.work import Work

WORKS: list[Work[Any, Any]] = [
    *(bm25.search_work(n, 200, k, single=True) for n in (10_000, 100_000) for k in (10, 100)),
    bm25.search_work(100_000, 1000, 100, single=False),
    bm25.build_work(100_000),
    *(bm25.search_work(1_000_000, 200, k, single=True) for k in (10, 100)),
    bm25.search_work(1_000_000, 1000, 100, single=False),
]
TESTED = WORKS[:6]


@pytest.mark.parametrize(
    ("work", "name"), names_of(TESTED), ids=lambda one: getattr(one, "name", one)
)
def test_bm25(benchmark: Any, work: Work[Any, Any], name: str) -> None:
    """Time one peer on one work; peers of a work form a group."""
    benchmark.group = work.name
    try:
        call = checked_call(work, name, THREADS)
    except (NotInstalledError, LeftOutError) as reason:
        pytest.skip(f"{name}: {reason}")
    benchmark(call)


if __name__ == "__main__":
    print_table(WORKS, THREADS, description=__doc__, lines_of=work_lines)
