"""What is read about the processor, from files laid out as Linux lays them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gnomon.machine.cpu import Cache, cgroup_quota, this_cpu, why_so_many_threads, why_this_isa

CPUINFO = """processor : 0
model name : A Fine Processor
physical id : 0
core id : 0

processor : 1
model name : A Fine Processor
physical id : 0
core id : 0

processor : 2
model name : A Fine Processor
physical id : 1
core id : 0
"""


def write(root: Path, files: dict[str, str]) -> Path:
    """Write files below a folder."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_model_cores_caches_and_memory(tmp_path: Path) -> None:
    """Threads of one core count once; instruction caches are no data caches."""
    caches = "sys/devices/system/cpu/cpu0/cache"
    files = {"proc/cpuinfo": CPUINFO, "proc/meminfo": "MemTotal:  1024 kB\n"}
    rows = (("Data", 1, "48K", "0"), ("Instruction", 1, "32K", "0"), ("Unified", 3, "8M", "0-2,7"))
    for index, (kind, level, size, shared) in enumerate(rows):
        place = f"{caches}/index{index}"
        files |= {
            f"{place}/type": kind,
            f"{place}/level": str(level),
            f"{place}/size": size,
            f"{place}/shared_cpu_list": f"{shared}\n",
        }
    cpu = this_cpu(write(tmp_path, files))
    assert cpu.model == "A Fine Processor"
    assert cpu.cores == 2
    assert cpu.caches == (Cache(1, 48 << 10, 1), Cache(3, 8 << 20, 4))
    assert cpu.memory == 1 << 20
    json.dumps(cpu.to_json(), allow_nan=False)


def test_nothing_can_be_read(tmp_path: Path) -> None:
    """A machine that shows none of these files still has a description."""
    cpu = this_cpu(tmp_path)
    assert cpu.model
    assert (cpu.cores, cpu.caches, cpu.quota_cpus, cpu.memory) == (None, (), None, None)


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000\n"}, None),
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/cpu.max": "150000 100000\n"}, 1.5),
        (
            {
                "proc/self/cgroup": "0::/a/b\n",
                "sys/fs/cgroup/a/cpu.max": "150000 100000\n",
                "sys/fs/cgroup/a/b/cpu.max": "50000 100000\n",
            },
            0.5,
        ),
        (
            {
                "proc/self/cgroup": "4:cpu,cpuacct:/c\n3:memory:/c\n",
                "sys/fs/cgroup/cpu/c/cpu.cfs_quota_us": "200000\n",
                "sys/fs/cgroup/cpu/c/cpu.cfs_period_us": "100000\n",
            },
            2.0,
        ),
        (
            {
                "proc/self/cgroup": "4:cpu:/\n",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            },
            None,
        ),
        ({"proc/self/cgroup": "nonsense\n0::\n"}, None),
    ],
)
def test_the_tightest_quota_counts(
    tmp_path: Path, files: dict[str, str], quota: float | None
) -> None:
    """Both versions of control groups are read, and a parent binds its children."""
    assert cgroup_quota(write(tmp_path, files)) == quota


def test_reasons_follow_what_was_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """The flag, then the variables, are named as the reason."""
    cpu = this_cpu()
    monkeypatch.setenv("GNOMON_NUM_THREADS", "1")
    assert why_so_many_threads(3, cpu) == "--threads"
    assert why_so_many_threads(None, cpu) == "GNOMON_NUM_THREADS"
    monkeypatch.setenv("GNOMON_ISA", "scalar")
    assert why_this_isa() == "GNOMON_ISA"
    monkeypatch.delenv("GNOMON_ISA")
    assert why_this_isa() == "the best that this CPU runs"
