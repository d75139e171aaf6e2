"""Measures every aim of gnomon beside every installed peer and writes docs/performance.md.

    python bench/performance_table.py                 # everything, then the page
    python bench/performance_table.py --only "mmr "   # shows some works; leaves the page alone
    python bench/performance_table.py --page          # the page again, from the last figures

The figures of a whole run are kept in docs/performance/figures.json, and the page is made from
them: the part between the two comments is replaced, the text around it stays. Needs 8 GB of memory.
GNOMON_BENCH_THREADS sets the threads of everyone; with one, times are CPU time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.machine.bars import bars
from gnomon.machine.measure import measure
from gnomon.machine.result import WorkResult
from gnomon.machine.settings import MachineSettings
from gnomon.report.machine_text import machine_lines, milliseconds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gnomon.machine.bars import Bar

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "performance.md"
FIGURES = ROOT / "docs" / "performance" / "figures.json"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
THREADS = int(os.environ.get("GNOMON_BENCH_THREADS", "1"))


def page_part(figures: Mapping[str, Any]) -> str:
    """Return the measured part of the page, from the figures of one run."""
    works = {work["name"]: WorkResult.from_json(work) for work in figures["works"]}
    rows = [(bar, works[bar.work.name]) for bar in bars() if bar.work.name in works]
    return "\n".join([*_heading(figures), "", *_aims(rows), "", *_everyone(list(works.values()))])


def replaced(page: str, part: str) -> str:
    """Return the page with the part between the comments replaced."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{part}\n{END}{after}"


def _heading(figures: Mapping[str, Any]) -> list[str]:
    cpu, threads = figures["cpu"], figures["threads"]["count"]
    isa = figures["isa"]["in_use"]
    clock = "CPU time of the process" if figures["clock"] == "cpu" else "time on the wall"
    (read,) = (one for one in figures["limits"]["read"] if one["threads"] == threads)
    (peak,) = (
        one
        for one in figures["limits"]["multiply_add"]
        if (one["isa"], one["threads"]) == (isa, threads)
    )
    gigabytes, int8 = read["bytes_per_second"] / 1e9, peak["int8_per_second"] / 1e9
    float32 = peak["float32_per_second"] / 1e9
    return [
        f"{cpu['cpus']} CPUs of an {cpu['model']}, instruction set {isa}, {threads} thread(s),",
        f"Python {figures['python']}, {figures['system']}.",
        f"Times are the least {clock} over rounds in which all take turns.",
        f"Limits of the same run: reading {gigabytes:.1f} GB/s, {int8:.0f} G int8 and",
        f"{float32:.1f} G float32 multiply-adds a second.",
        "Command: `python bench/performance_table.py`.",
    ]


def _aims(rows: Sequence[tuple[Bar, WorkResult]]) -> list[str]:
    lines = [
        "| work | gnomon | best peer | times faster | aim | share of the limit |",
        "|---|---|---|---|---|---|",
    ]
    for bar, work in rows:
        ours = work.ours.seconds
        if ours is None:
            continue
        aims = dict(bar.over or {})
        if bar.times is not None and work.best_peer is not None:
            aims[work.best_peer.name] = bar.times
        share = (
            "" if work.share_of_limit is None else f"{work.share_of_limit:.0%}, {work.limited_by}"
        )
        for name, times in aims.items():
            peer = next((one for one in work.peers if one.name == name and one.seconds), None)
            if peer is None or peer.seconds is None:
                continue
            lines.append(
                f"| {work.kernel}: {work.what} | {milliseconds(ours)} | {peer.name}, "
                f"{milliseconds(peer.seconds)} | {peer.seconds / ours:.2f} | {times:g} | {share} |"
            )
    return lines


def _everyone(works: Sequence[WorkResult]) -> list[str]:
    lines = ["### Everyone", "", "In milliseconds, fastest first; what is left out says why.", ""]
    for work in works:
        timed = sorted(
            (peer for peer in work.peers if peer.seconds is not None),
            key=lambda peer: peer.seconds or 0.0,
        )
        shown = ", ".join(
            f"{peer.name} {milliseconds(peer.seconds or 0.0).removesuffix(' ms')}"
            + (f" ({peer.note})" if peer.note else "")
            for peer in timed
        )
        absent: dict[str, list[str]] = {}
        for peer in work.peers:
            if peer.seconds is None:
                why = peer.status + (f" ({peer.note})" if peer.note else "")
                absent.setdefault(why, []).append(peer.name)
        others = "; ".join(f"{why}: {', '.join(names)}" for why, names in absent.items())
        lines.append(f"- {work.kernel}: {work.what}: {shown}" + (f". {others}" if others else ""))
    versions = sorted(
        {
            f"{peer.package} {peer.version}" + (f" ({peer.engine})" if peer.engine else "")
            for work in works
            for peer in work.peers
            if peer.package and peer.version and peer.seconds is not None
        }
    )
    return [*lines, "", "Versions, and what ran: " + "; ".join(versions) + "."]


def main() -> None:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], help="only works whose name holds this")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each peer and work")
    parser.add_argument("--page", action="store_true", help="measure nothing, write the page")
    args = parser.parse_args()
    if not args.page:
        settings = MachineSettings(
            threads=THREADS, works="bars", only=tuple(args.only), seconds=args.seconds
        )
        result = measure(
            settings,
            threads_given=THREADS,
            progress=lambda done, total: print(f"{done} of {total}", file=sys.stderr, flush=True),
        )
        if args.only:
            print(*machine_lines(result), sep="\n")
            return
        figures = result.to_json() | {
            "python": platform.python_version(),
            "system": platform.system(),
        }
        FIGURES.parent.mkdir(exist_ok=True)
        FIGURES.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(replaced(page, page_part(figures)), encoding="utf-8")


if __name__ == "__main__":
    main()
