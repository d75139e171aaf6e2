"""The exact cosine top-k beside its peers: same inputs, same threads, same run.

    python bench/bench_cosine.py                    # the table, peers interleaved round by round
    python bench/bench_cosine.py --only "100000x384 q32 "
    pytest bench/bench_cosine.py --benchmark-timer=time.process_time

Every peer that is installed takes part; its answers are checked against the float64 reference
before it is timed. The peers are those of ``gnomon kernels`` (gnomon.machine.peers.topk). README.md
in this folder lists the traps. With one thread times are CPU seconds of the process, the least of
several rounds. GNOMON_BENCH_THREADS sets the threads of everyone.
"""

from __future__ import annotations

import os

from gnomon.machine.pools import pinned

THREADS = int(os.environ.get("GNOMON_BENCH_THREADS", "1"))
os.environ.update(pinned(THREADS))  # before NumPy is imported

import argparse
from typing import TYPE_CHECKING, Any

import pytest

from gnomon import kernels
from gnomon.machine.bars import bars
from gnomon.machine.peers import topk
from gnomon.machine.run import run_work
from gnomon.machine.settings import MachineSettings
from gnomon.machine.work import LeftOutError, NotInstalledError
from gnomon.report.machine_text import work_lines

if TYPE_CHECKING:
    from gnomon.machine.work import Work

WORKS: list[Work[Any, Any]] = [bar.work for bar in bars() if bar.work.kernel == "topk"]
TESTED = [topk.work(100_000, 384, n_queries, 10, prepared=True) for n_queries in (1, 8, 32)]


@pytest.mark.parametrize("work", TESTED, ids=lambda work: str(work.name))
@pytest.mark.parametrize("name", [peer.name for peer in topk.PREPARED])
def test_top_k(benchmark: Any, work: Work[Any, Any], name: str) -> None:
    """Time one peer on one work; peers of a work form a group."""
    benchmark.group = work.name
    task = work.make()
    try:
        (call,) = (peer.prepare(task, THREADS) for peer in work.peers if peer.name == name)
    except (NotInstalledError, LeftOutError) as reason:
        pytest.skip(f"{name}: {reason}")
    work.check(task, call())
    benchmark(call)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], help="only works whose name holds this")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each peer and work")
    parser.add_argument("--no-peers", action="store_true", help="only gnomon")
    args = parser.parse_args()
    settings = MachineSettings(
        threads=THREADS, peers=not args.no_peers, seconds=args.seconds, works="bars"
    )
    print(f"isa {kernels.isa()}, {THREADS} thread(s)")
    for work in WORKS:
        if not args.only or any(text in work.name for text in args.only):
            print(*work_lines(run_work(work, settings)), sep="\n", flush=True)


if __name__ == "__main__":
    main()
