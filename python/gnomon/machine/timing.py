"""Timing several calls fairly: in turns, each repeated until the clock is fine enough for it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LEAST_SAMPLE_S = 2e-3
MOST_ROUNDS = 200


@dataclass(frozen=True, slots=True)
class Seconds:
    """How long something took, by both clocks.

    Attributes
    ----------
    wall
        Seconds on the wall.
    cpu
        CPU seconds of the whole process, all threads together.
    """

    wall: float
    cpu: float

    def least(self, other: Seconds) -> Seconds:
        """Return the smaller of two figures on each clock."""
        return Seconds(min(self.wall, other.wall), min(self.cpu, other.cpu))

    @property
    def shortest(self) -> float:
        """The smaller of both clocks: what it takes when nobody else is in the way."""
        return min(self.wall, self.cpu)

    def on(self, threads: int) -> float:
        """Return the figure to compare: CPU time of one thread, else the time on the wall.

        Other processes lengthen the time on the wall and hardly the CPU time; but CPU time doesn't
        show whether several threads worked at the same time.
        """
        return self.cpu if threads == 1 else self.wall


def timed(call: Callable[[], object], times: int = 1) -> Seconds:
    """Return how long a call takes, averaged over calls in a row."""
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(times):
        call()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return Seconds(wall / times, cpu / times)


def interleaved(
    calls: Mapping[str, Callable[[], object]],
    first: Mapping[str, Seconds],
    seconds: float,
    *,
    before: Callable[[str], None] = lambda _name: None,
) -> dict[str, Seconds]:
    """Return the least time of each call over rounds in which all take turns.

    Parameters
    ----------
    calls
        What to time, by name.
    first
        A first time of each, its warm-up; it says how often a call must be repeated for a sample,
        and stands for calls that take longer than all the time they have.
    seconds
        About how long each call is timed in all.
    before
        Told the name before each sample.
    """
    least = dict(first)
    repeats = {name: max(1, round(LEAST_SAMPLE_S / max(first[name].wall, 1e-7))) for name in calls}
    spent = dict.fromkeys(calls, 0.0)
    for turn in range(MOST_ROUNDS):
        waiting = [
            name
            for name in calls
            if turn < _least_rounds(first[name].shortest, seconds)
            or (first[name].shortest < seconds and spent[name] < seconds)
        ]
        if not waiting:
            break
        for name in waiting:
            before(name)
            sample = timed(calls[name], repeats[name])
            spent[name] += sample.shortest * repeats[name]
            least[name] = least[name].least(sample)
    return least


def _least_rounds(first: float, seconds: float) -> int:
    # One warm sample even of what takes longer than its time; none of what takes far longer, whose
    # warm-up is then its figure.
    return 3 if first < seconds else 1 if first < 10 * seconds else 0
