"""What ``gnomon kernels`` measured, as lines for a terminal of 80 to 100 columns."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from gnomon.report.numbers import count
from gnomon.sources.escape import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.machine.cpu import Cpu
    from gnomon.machine.result import MachineResult, PeerResult, WorkResult

WIDTH = 96


def machine_lines(result: MachineResult) -> list[str]:
    """Return the machine, its limits, and every piece of work with all who did it."""
    clock = "CPU time" if result.threads == 1 else "time on the wall"
    others = [isa for isa in result.runnable_isas if isa != result.isa]
    lines = [
        f"CPU           {_processor(result.cpu)}",
        f"memory        {_memory(result.cpu)}",
        f"instructions  {result.isa} ({result.isa_why}); also here: {', '.join(others) or 'none'}",
        f"threads       {result.threads} ({result.threads_why})",
        "",
        *_limits(result),
        "",
        *_wrapped(
            f"Times are the least {clock} over rounds in which all take turns, each with "
            f"{result.threads} {'thread' if result.threads == 1 else 'threads'}, after all answers "
            "were compared with float64."
        ),
    ]
    for work in result.works:
        lines += ["", *work_lines(work)]
    return [*lines, *_engines(result.works)]


def milliseconds(seconds: float) -> str:
    """Return a time with three significant digits.

    Examples
    --------
    >>> milliseconds(0.0123456), milliseconds(1.5)
    ('12.3 ms', '1,500 ms')
    """
    value = 1e3 * seconds
    return f"{value:,.0f} ms" if value >= 100 else f"{value:.3g} ms"


def size(number: int) -> str:
    """Return a number of bytes.

    Examples
    --------
    >>> size(32768), size(160 << 20)
    ('32 KiB', '160 MiB')
    """
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if number >= 1 << shift:
            return f"{number / (1 << shift):.4g} {unit}"
    return f"{number} bytes"


def _processor(cpu: Cpu) -> str:
    cores = f", {cpu.cores} cores" if cpu.cores and cpu.cores != cpu.cpus else ""
    quota = "no CPU quota" if cpu.quota_cpus is None else f"a quota of {cpu.quota_cpus:.4g} CPUs"
    return f"{cpu.model}, {cpu.cpus} CPUs{cores}, {cpu.allowed_cpus} for this process, {quota}"


def _memory(cpu: Cpu) -> str:
    shown = [
        f"L{cache.level} {size(cache.size)}"
        + (f" for {cache.shared_by} CPUs" if cache.shared_by > 1 else "")
        for cache in cpu.caches
    ]
    if cpu.memory:
        shown.append(f"DRAM {size(cpu.memory)}")
    return ", ".join(shown) or "unknown"


def _limits(result: MachineResult) -> list[str]:
    reads, peaks = result.limits["read"], result.limits["multiply_add"]
    threads = [read["threads"] for read in reads]
    heads = [f"{n} thread" + ("s" if n > 1 else "") for n in threads]
    lines = [f"{'limits, measured':40}" + "".join(f"{head:>14}" for head in heads)]
    rates = [f"{read['bytes_per_second'] / 1e9:.1f} GB/s" for read in reads]
    lines.append(
        f"{'  reading ' + size(reads[0]['bytes']):40}" + "".join(f"{r:>14}" for r in rates)
    )
    for isa in dict.fromkeys(peak["isa"] for peak in peaks):
        for kind in ("float32", "int8"):
            rates = [
                f"{peak[f'{kind}_per_second'] / 1e9:.1f} G/s"
                for peak in peaks
                if peak["isa"] == isa
            ]
            name = f"  {kind} multiply-adds, {isa}"
            lines.append(f"{name:40}" + "".join(f"{rate:>14}" for rate in rates))
    return lines


def work_lines(work: WorkResult) -> list[str]:
    """Return a piece of work, our time, and everybody else's."""
    ours = work.ours
    lines = [f"{work.kernel}: {work.what}"]
    if ours.seconds is None:
        return [*lines, f"    not measured: {ours.note}"]
    rate = f"{_rate(work.amount / ours.seconds)} {work.unit}/s"
    share = ""
    if work.share_of_limit is not None and work.limit_seconds is not None:
        share = (
            f", {work.share_of_limit:.0%} of the limit"
            f" ({work.limited_by}, {milliseconds(work.limit_seconds)})"
        )
    lines.append(f"    {ours.name:16}{milliseconds(ours.seconds):>12}  {rate}{share}")
    timed = [peer for peer in work.peers if peer.seconds is not None and peer is not ours]
    timed.sort(key=lambda peer: peer.seconds or 0.0)
    lines += [_peer(peer, ours.seconds) for peer in timed]
    for status in ("wrong", "broken", "left out", "not installed"):
        some = [peer for peer in work.peers if peer.status == status]
        if some:
            named = "; ".join(peer.name + (f" ({peer.note})" if peer.note else "") for peer in some)
            lines += _wrapped(f"    {status}: {printable(named)}", " " * 8)
    return lines


def _peer(peer: PeerResult, ours: float) -> str:
    assert peer.seconds is not None
    note = f"; {peer.status}: {peer.note}" if peer.note else ""
    return (
        f"    {peer.name:16}{milliseconds(peer.seconds):>12}  {peer.seconds / ours:.3g} times{note}"
    )


def _rate(value: float) -> str:
    if value >= 1e6:
        return f"{value / 1e6:.3g}M"
    return count(round(value)) if value >= 100 else f"{value:.3g}"


def _engines(works: Sequence[WorkResult]) -> list[str]:
    """Return one line for each package that was timed: its version and what ran."""
    seen = {
        peer.package: f"{peer.package} {peer.version or ''}".rstrip()
        + (f": {peer.engine}" if peer.engine else "")
        for work in works
        for peer in work.peers
        if peer.package and peer.seconds is not None
    }
    if not seen:
        return []
    return [
        "",
        "what ran:",
        *(line for one in seen.values() for line in _wrapped(f"  {one}", " " * 6)),
    ]


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
