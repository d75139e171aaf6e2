"""Who is timed when: turns, samples and what is not repeated. No test looks at a real duration."""

from __future__ import annotations

import pytest

from gnomon.machine import timing
from gnomon.machine.timing import Seconds, interleaved, timed


class Clock:
    """A clock that calls move on by themselves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.calls: list[str] = []
        monkeypatch.setattr(timing.time, "perf_counter", lambda: self.now)
        monkeypatch.setattr(timing.time, "process_time", lambda: 2 * self.now)

    def taking(self, name: str, *seconds: float) -> object:
        """Return a call that takes these times one after another, the last one from then on."""
        left = list(seconds)

        def call() -> None:
            self.calls.append(name)
            self.now += left.pop(0) if len(left) > 1 else left[0]

        return call


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Replace both clocks."""
    return Clock(monkeypatch)


def test_a_time_is_an_average_over_calls_in_a_row(clock: Clock) -> None:
    """Both clocks are divided by the number of calls."""
    assert timed(clock.taking("a", 1.0), 4) == Seconds(1.0, 2.0)  # type: ignore[arg-type]


def test_calls_take_turns(clock: Clock) -> None:
    """A round times every call once before the next round begins."""
    calls = {name: clock.taking(name, 0.25) for name in "abc"}
    first = dict.fromkeys(calls, Seconds(0.25, 0.25))
    interleaved(calls, first, 0.75)  # type: ignore[arg-type]
    assert "".join(clock.calls) == "abcabcabc"


def test_the_least_time_counts_and_a_warm_up_too(clock: Clock) -> None:
    """The figure is the least over warm-up and rounds, on each clock by itself."""
    calls = {"a": clock.taking("a", 0.5, 0.25, 0.5), "b": clock.taking("b", 0.5)}
    first = {"a": Seconds(0.5, 9.0), "b": Seconds(0.125, 9.0)}
    least = interleaved(calls, first, 1.0)  # type: ignore[arg-type]
    assert least == {"a": Seconds(0.25, 0.5), "b": Seconds(0.125, 1.0)}


def test_what_takes_far_too_long_is_not_repeated(clock: Clock) -> None:
    """The warm-up of a very slow call is its figure; a slow one gets a single round."""
    calls = {name: clock.taking(name, 5.0) for name in ("slow", "slower")}
    first = {"slow": Seconds(5.0, 10.0), "slower": Seconds(20.0, 40.0)}
    least = interleaved(calls, first, 1.0)  # type: ignore[arg-type]
    assert clock.calls == ["slow"]
    assert least["slower"] == first["slower"]


def test_short_calls_are_repeated_for_a_sample(clock: Clock) -> None:
    """A sample of a microsecond's call is long enough for the clock."""
    calls = {"a": clock.taking("a", 1e-6)}
    interleaved(calls, {"a": Seconds(1e-6, 1e-6)}, 1e-3)  # type: ignore[arg-type]
    assert len(clock.calls) >= 2000


def test_one_thread_is_judged_by_cpu_time() -> None:
    """One thread: CPU time; several: the wall."""
    assert Seconds(wall=1.0, cpu=2.0).on(1) == 2.0
    assert Seconds(wall=1.0, cpu=2.0).on(2) == 1.0
