"""Times every kernel while one size varies, looks for cliffs and draws the series as SVG.

    python -m bench.scaling                  # measures, writes docs/performance/ and the page
    python -m bench.scaling --kernel mmr     # one kernel, merged with the figures that there are
    python -m bench.scaling --page           # drawings and page again from the figures

One thread and CPU time; of two threads the CPU time too, and the time on the wall if the machine
was idle before. Each figure is the least of at least three calls. A cliff is a point that lies more
than 1.5 times off the smooth curve of its series, a parabola over logarithmic axes.
"""

from __future__ import annotations

import os

from gnomon.machine.pools import pinned

os.environ.update(pinned(1))  # before NumPy is imported

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from bench.plots import Panel, Series, drawing

from gnomon import kernels
from gnomon.machine.cpu import this_cpu
from gnomon.machine.peers import affine, bm25, metrics, mmr, rrf, text, topk
from gnomon.machine.timing import interleaved, timed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gnomon.machine.work import Work

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "performance.md"
FOLDER = ROOT / "docs" / "performance"
FIGURES = FOLDER / "scaling.json"
BEGIN, END = "<!-- scaling: begin -->", "<!-- scaling: end -->"
SECONDS = 0.15  # of repetitions for each point
CLIFF = 1.5
THREADS = "threads"
TWO = (
    "What a second thread costs. Twice as fast is the most; what CPU time is added is lost. On a",
    "machine that does other things the time on the wall, which would show the rest, says nothing.",
)


@dataclass(frozen=True, slots=True)
class Sweep:
    """A size that varies while the others stay.

    Attributes
    ----------
    panel
        What varies, and the title of its diagram.
    series
        The name of the line within the diagram.
    values
        The sizes; the numbers of threads, if the panel is `THREADS`.
    work
        The work at a size.
    """

    panel: str
    series: str
    values: Sequence[int]
    work: Callable[[int], Work[Any, Any]]


def sweeps() -> dict[str, list[Sweep]]:
    """Return the sweeps of each kernel."""
    few, many = (1, 3, 10, 32, 100, 320, 1000), (1, 3, 10, 32, 100, 320, 1000, 3200, 10_000)
    rows = (10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)
    dims = (64, 96, 128, 256, 384, 512, 768, 1024, 1536, 2048, 3072)
    passages = (1000, 3000, 10_000, 30_000, 100_000, 300_000)
    threads = (1, 2)

    def search(n: int, d: int, q: int, k: int, *, prepared: bool = True) -> Work[Any, Any]:
        return topk.work(n, d, q, k, prepared=prepared)

    def ask(n: int, q: int, k: int) -> Work[Any, Any]:
        return bm25.search_work(n, q, k, single=False)

    return {
        "topk": [
            Sweep("documents", "1 query", rows, lambda n: search(n, 384, 1, 10)),
            Sweep("documents", "32 queries", rows, lambda n: search(n, 384, 32, 10)),
            Sweep("queries", "prepared", many, lambda q: search(50_000, 384, q, 10)),
            Sweep("queries", "arrays", few, lambda q: search(50_000, 384, q, 10, prepared=False)),
            Sweep("dimensions", "1 query", dims, lambda d: search(20_000, d, 1, 10)),
            Sweep("dimensions", "32 queries", dims, lambda d: search(20_000, d, 32, 10)),
            Sweep("k", "1 query", few, lambda k: search(100_000, 384, 1, k)),
            Sweep("k", "32 queries", few, lambda k: search(100_000, 384, 32, k)),
            Sweep("k", "1,000 queries, 5,000 rows", few, lambda k: search(5000, 384, 1000, k)),
            Sweep(THREADS, "1,000 queries", threads, lambda _: search(50_000, 384, 1000, 10)),
            Sweep(THREADS, "1 query", threads, lambda _: search(200_000, 384, 1, 10)),
        ],
        "mmr": [
            Sweep("pool", "k = 10", (10, 30, 100, 300, 1000, 3000), lambda p: mmr.work(8, p, 384)),
            Sweep("queries", "pool 100", few, lambda q: mmr.work(q, 100, 384)),
            Sweep("dimensions", "pool 100", dims, lambda d: mmr.work(16, 100, d)),
            Sweep("k", "pool 1,000", (1, 3, 10, 30, 100, 300), lambda k: mmr.work(4, 1000, 384, k)),
            Sweep(THREADS, "256 queries", threads, lambda _: mmr.work(256, 100, 384)),
        ],
        "bm25": [
            Sweep("passages", "k = 10", passages, lambda n: ask(n, 300, 10)),
            Sweep("passages", "k = 100", passages, lambda n: ask(n, 300, 100)),
            Sweep("queries", "30k passages", few, lambda q: ask(30_000, q, 10)),
            Sweep("k", "30k passages", few, lambda k: ask(30_000, 300, k)),
            Sweep(THREADS, "1,000 queries", threads, lambda _: ask(30_000, 1000, 10)),
        ],
        "bm25_build": [
            Sweep("passages", "from text", passages, bm25.build_work),
            Sweep(THREADS, "30k passages", threads, lambda _: bm25.build_work(30_000)),
        ],
        "rrf": [
            Sweep("depth", "2 lists", (10, 30, 100, 300, 1000, 3000), lambda n: rrf.work(50, 2, n)),
            Sweep("queries", "2 x 100", many, lambda q: rrf.work(q, 2, 100)),
            Sweep("lists", "100 deep", (2, 3, 5, 8, 12, 20), lambda n: rrf.work(100, n, 100)),
            Sweep(THREADS, "1,000 queries", threads, lambda _: rrf.work(1000, 2, 100)),
        ],
        "metrics": [
            Sweep(
                "queries", "100 deep", (10, *few[4:], 3200, 10_000), lambda q: metrics.work(q, 100)
            ),
            Sweep("depth", "500 queries", (10, 30, 100, 300, 1000), lambda k: metrics.work(500, k)),
            Sweep(THREADS, "10,000 queries", threads, lambda _: metrics.work(10_000, 100)),
        ],
        "text": [Sweep("passages", "40 words", (100, 300, 1000, 3000, 10_000), text.work)],
        "affine": [
            Sweep("rows", "384 x 384", rows[:4], lambda n: affine.work(n, 384)),
            Sweep("dimensions", "2,000 rows", dims[:8], lambda d: affine.work(2000, d)),
            Sweep(THREADS, "20,000 rows", threads, lambda _: affine.work(20_000, 384)),
        ],
    }


def measured(sweep: Sweep) -> list[tuple[float, float, float]]:
    """Return size, CPU and wall seconds of every point; answers are checked first."""
    points: list[tuple[float, float, float]] = []
    for value in sweep.values:
        work = sweep.work(value)
        threads = value if sweep.panel == THREADS else 1
        task = work.make()
        call = work.peers[0].prepare(task, threads)
        work.check(task, call())
        first = timed(call)
        seconds = interleaved({"it": call}, {"it": first}, SECONDS)["it"]
        points.append((float(value), seconds.cpu, seconds.wall))
        print(f"{sweep.panel} {value}: {1e3 * seconds.cpu:.3g} ms", file=sys.stderr, flush=True)
    return points


def cliffs(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return size and factor of the points that lie far off a parabola over logarithmic axes.

    Examples
    --------
    >>> cliffs([(10.0**i, 2.0 * 10.0**i * (3 if i == 3 else 1)) for i in range(7)])
    [(1000.0, 2.1)]
    """
    if len(points) < 5:
        return []
    x, y = np.log(np.array(points)).T
    trend = np.polyval(np.polyfit(x, y, 2), x)
    factors = np.exp(y - trend)
    far = np.maximum(factors, 1 / factors) > CLIFF
    return [
        (size, round(float(factor), 1))
        for (size, _), factor, bad in zip(points, factors, far, strict=True)
        if bad
    ]


def page_part(figures: Mapping[str, Any]) -> str:
    """Return the part of the page: the drawings, and every cliff."""
    lines = [f"{figures['machine']}. Command: `python -m bench.scaling`.", ""]
    found, pairs = [], []
    for kernel, panels in figures["kernels"].items():
        named = ", ".join(panels_drawn(panels))
        lines += [f"![{kernel}: time over {named}](performance/scaling-{kernel}.svg)", ""]
        found += [
            f"- {kernel}, {one['panel']} {size:,.0f}, {one['series']}: {factor} times the trend"
            for one in panels
            for size, factor in cliffs([(a, b) for a, b, _ in one["points"]])
        ]
        for one in panels:
            if one["panel"] == THREADS:
                (_, cpu, wall), (_, both_cpu, both_wall) = one["points"]
                needs = f"2 threads need {both_cpu / cpu:.2f} times the CPU time of one"
                fast = f", and are {wall / both_wall:.2f} times as fast" if figures["idle"] else ""
                pairs.append(f"- {kernel}, {one['series']}: {needs}{fast}")
    lines += ["Cliffs:" if found else "No point is a cliff.", "", *found]
    return "\n".join([*lines, *([""] if found else []), *TWO, "", *pairs, ""])


def panels_drawn(panels: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what the diagrams of a kernel are over; two points of threads make none."""
    return [name for name in dict.fromkeys(one["panel"] for one in panels) if name != THREADS]


def draw(kernel: str, panels: Sequence[Mapping[str, Any]]) -> str:
    """Return the drawing of a kernel."""
    titles = panels_drawn(panels)
    return drawing(
        f"{kernel}: time over {', '.join(titles)}",
        [
            Panel(
                f"{kernel} over {title}",
                title,
                [
                    Series(one["series"], [(a, b) for a, b, _ in one["points"]])
                    for one in panels
                    if one["panel"] == title
                ],
            )
            for title in titles
        ],
    )


def main() -> None:
    """Measure, draw and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernel", nargs="*", default=[], help="only these kernels")
    parser.add_argument("--page", action="store_true", help="measure nothing, draw and write")
    args = parser.parse_args()
    figures: dict[str, Any] = {"kernels": {}}
    if FIGURES.is_file():
        figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    if not args.page:
        cpu = this_cpu()
        figures["idle"] = os.getloadavg()[0] < 0.5
        figures["machine"] = f"{cpu.cpus} CPUs of an {cpu.model}, instruction set {kernels.isa()}"
        for kernel, some in sweeps().items():
            if args.kernel and kernel not in args.kernel:
                continue
            figures["kernels"][kernel] = [
                {"panel": one.panel, "series": one.series, "points": measured(one)} for one in some
            ]
            FOLDER.mkdir(exist_ok=True)
            FIGURES.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    for kernel, panels in figures["kernels"].items():
        path = FOLDER / f"scaling-{kernel}.svg"
        path.write_text(draw(kernel, panels), encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n{page_part(figures)}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
