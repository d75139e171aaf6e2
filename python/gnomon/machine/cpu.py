"""What the machine is: model, cores, affinity, quota, caches. Reads files of Linux only."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gnomon import kernels

_CPU_FOLDER = Path("/sys/devices/system/cpu/cpu0/cache")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True, slots=True)
class Cache:
    """A data cache: its level, its size, and how many CPUs share one."""

    level: int
    size: int
    shared_by: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cpu:
    """The processor as this process sees it; what can't be found out is None or empty."""

    model: str
    cpus: int
    cores: int | None
    allowed_cpus: int
    quota_cpus: float | None
    caches: tuple[Cache, ...]
    memory: int | None

    def to_json(self) -> dict[str, Any]:
        """Return the description as JSON; sizes in bytes."""
        return asdict(self)


def this_cpu(root: Path = Path("/")) -> Cpu:
    """Return the processor of this machine; ``root`` is where its files are."""
    info = _text(root / "proc/cpuinfo")
    return Cpu(
        model=_model(info),
        cpus=os.cpu_count() or 1,
        cores=_cores(info),
        allowed_cpus=_allowed_cpus(),
        quota_cpus=cgroup_quota(root),
        caches=_caches(root / _CPU_FOLDER.relative_to("/")),
        memory=_memory(_text(root / "proc/meminfo")),
    )


def why_so_many_threads(given: int | None, cpu: Cpu) -> str:
    """Return the reason for the number of threads in words."""
    if given is not None:
        return "--threads"
    if os.environ.get("GNOMON_NUM_THREADS"):
        return "GNOMON_NUM_THREADS"
    if kernels.default_threads() < cpu.allowed_cpus:
        return "the CPU quota of the control group"
    if cpu.allowed_cpus < cpu.cpus:
        return "the CPUs that this process may use"
    return "all CPUs of this machine"


def why_this_isa() -> str:
    """Return the reason for the instruction set in words."""
    forced = os.environ.get("GNOMON_ISA")
    return "GNOMON_ISA" if forced else "the best that this CPU runs"


def cgroup_quota(root: Path = Path("/")) -> float | None:
    """Return the tightest CPU quota of this process's control groups in CPUs, or None."""
    found = [
        quota
        for line in _text(root / "proc/self/cgroup").splitlines()
        for quota in _quotas_of(root / "sys/fs/cgroup", *line.split(":", 2)[1:])
    ]
    return min(found, default=None)


def _quotas_of(mount: Path, controllers: str = "", path: str = "") -> list[float]:
    # Version 2 has no controllers in the line and one file; version 1 names them and has two.
    if controllers and "cpu" not in controllers.split(","):
        return []
    folders = [mount] if not controllers else [mount / controllers, mount / "cpu"]
    parts = Path(path.lstrip("/")).parts
    quotas = []
    for folder in folders:
        for depth in range(len(parts) + 1):
            place = folder.joinpath(*parts[:depth])
            if controllers:
                texts = [_text(place / f"cpu.cfs_{name}_us") for name in ("quota", "period")]
            else:
                texts = _text(place / "cpu.max").split()[:2]
            with suppress(ValueError, ZeroDivisionError):
                quota, period = (float(text) for text in texts)
                if quota > 0:
                    quotas.append(quota / period)
    return quotas


def _allowed_cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _model(info: str) -> str:
    for line in info.splitlines():
        name, _, value = line.partition(":")
        if name.strip() in {"model name", "Model", "Hardware"} and value.strip():
            return value.strip()
    return platform.processor() or platform.machine()


def _cores(info: str) -> int | None:
    cores: set[tuple[str, str]] = set()
    socket = "0"
    for line in info.splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "physical id":
            socket = value.strip()
        elif name.strip() == "core id":
            cores.add((socket, value.strip()))
    return len(cores) or None


def _caches(folder: Path) -> tuple[Cache, ...]:
    found = []
    for index in sorted(folder.glob("index*")):
        if _text(index / "type").strip() in {"Data", "Unified"}:
            with suppress(ValueError, IndexError, KeyError):
                found.append(_cache(index))
    return tuple(found)


def _cache(index: Path) -> Cache:
    size = _text(index / "size").strip()
    width = int(size[:-1]) * _UNITS[size[-1]] if size[-1] in _UNITS else int(size)
    shared = 0
    for part in _text(index / "shared_cpu_list").strip().split(","):
        first, _, last = part.partition("-")
        shared += int(last or first) - int(first) + 1
    return Cache(int(_text(index / "level")), width, shared)


def _memory(meminfo: str) -> int | None:
    for line in meminfo.splitlines():
        if line.startswith("MemTotal:"):
            return int(line.split()[1]) * 1024
    return None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
