"""The text of ``gnomon kernels``: sorted peers, shares, and words for what was not timed."""

from __future__ import annotations

from gnomon.machine.cpu import Cache, Cpu
from gnomon.machine.result import MachineResult, PeerResult, WorkResult
from gnomon.report.machine_text import machine_lines

CPU = Cpu(
    model="A Fine Processor",
    cpus=8,
    cores=4,
    allowed_cpus=2,
    quota_cpus=1.5,
    caches=(Cache(1, 32 << 10, 2), Cache(3, 8 << 20, 8)),
    memory=16 << 30,
)
PEERS = (
    PeerResult(name="gnomon", status="measured", seconds=0.010),
    PeerResult(
        name="slow", status="measured", seconds=0.5, package="slow", version="1.2", engine="AVX2"
    ),
    PeerResult(name="near", status="differs", seconds=0.02, note="rounds lengths"),
    PeerResult(name="mad", status="wrong", note="not the true top 10 of query 0"),
    PeerResult(name="bad", status="broken", note="ended\x1b[31m the process"),
    PeerResult(name="none", status="not installed"),
)
WORK = WorkResult(
    kernel="topk",
    name="topk 1",
    what="1 query, 100 x 8",
    amount=50,
    unit="queries",
    limit_seconds=0.008,
    limited_by="reading",
    peers=PEERS,
)
PEAK = {"isa": "scalar", "threads": 2, "float32_per_second": 26e9, "int8_per_second": 46e9}
RESULT = MachineResult(
    gnomon="0.1",
    quick=True,
    cpu=CPU,
    isa="avx2",
    isa_why="GNOMON_ISA",
    runnable_isas=("scalar", "avx2"),
    threads=2,
    threads_why="the CPU quota of the control group",
    limits={
        "read": [{"threads": 2, "bytes": 1 << 28, "bytes_per_second": 31e9}],
        "multiply_add": [PEAK],
    },
    works=[WORK],
)


def words(line: str) -> str:
    """Return a line without its columns."""
    return " ".join(line.split())


def test_the_machine_comes_first() -> None:
    """Model, CPUs, quota, caches, instruction sets and threads, each with its reason."""
    first, second, third, fourth = machine_lines(RESULT)[:4]
    assert "A Fine Processor, 8 CPUs, 4 cores, 2 for this process, a quota of 1.5 CPUs" in first
    assert second.split(maxsplit=1)[1] == "L1 32 KiB for 2 CPUs, L3 8 MiB for 8 CPUs, DRAM 16 GiB"
    assert third.split(maxsplit=1)[1] == "avx2 (GNOMON_ISA); also here: scalar"
    assert fourth.split(maxsplit=1)[1] == "2 (the CPU quota of the control group)"


def test_ours_first_then_peers_by_time() -> None:
    """Our line has rate and share of the limit; the others follow, fastest first."""
    lines = machine_lines(RESULT)
    start = lines.index("topk: 1 query, 100 x 8")
    ours, near, slow = lines[start + 1 : start + 4]
    assert words(ours) == "gnomon 10 ms 5,000 queries/s, 80% of the limit (reading, 8 ms)"
    assert words(near) == "near 20 ms 2 times; differs: rounds lengths"
    assert words(slow) == "slow 500 ms 50 times"


def test_whoever_was_not_timed_is_named_with_the_reason() -> None:
    """Wrong, broken and missing peers have a line; control characters are escaped."""
    text = "\n".join(machine_lines(RESULT))
    assert "wrong: mad (not the true top 10 of query 0)" in text
    assert "broken: bad (ended\\x1b[31m the process)" in text
    assert "not installed: none" in text
    assert "slow 1.2: AVX2" in text


def test_no_line_is_too_long() -> None:
    """A terminal of 100 columns shows every line whole."""
    assert max(map(len, machine_lines(RESULT))) <= 100


def test_derived_figures() -> None:
    """The best peer is the fastest one whose answers may stand beside ours."""
    assert WORK.best_peer is not None
    assert WORK.best_peer.name == "near"
    assert WORK.times_faster == 2.0
    assert WORK.share_of_limit == 0.8
