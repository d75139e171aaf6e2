"""A long call stops when a signal arrives, and leaves with the handler's exception."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gnomon import kernels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType


class Stopped(Exception):
    """What the handler raises."""


@pytest.fixture
def alarm() -> Iterator[None]:
    """Raise `Stopped` in the main thread after 50 ms, as Ctrl-C raises KeyboardInterrupt."""

    def stop(*_: object) -> None:
        raise Stopped

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.usefixtures("alarm")
def test_a_bootstrap_that_would_take_a_minute_is_stopped(threads: int) -> None:
    """The signal is looked for between draws."""
    values = np.ones((1_000, 1))
    with pytest.raises(Stopped):
        kernels.bootstrap_sums(values, seed=1, draws=10**7, threads=threads)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.usefixtures("alarm")
def test_a_map_that_would_take_seconds_is_stopped(threads: int) -> None:
    """The signal is looked for between blocks of rows."""
    rows = np.broadcast_to(np.ones((1, 512), np.float32), (1_000_000, 512))
    with pytest.raises(Stopped):
        kernels.affine_map(rows, np.ones((64, 512), np.float32), None, threads=threads)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.usefixtures("alarm")
def test_a_count_of_words_that_would_take_seconds_is_stopped(threads: int) -> None:
    """The signal is looked for between megabytes of text."""
    texts = ["x " * 500_000] * 20_000
    with pytest.raises(Stopped):
        kernels.word_counts(texts, threads=threads)


def _words() -> Callable[[], object]:
    text = "zürich " * 10_000_000
    return lambda: kernels.analyze(text)


def _folding() -> Callable[[], object]:
    text = "zürich " * 10_000_000
    return lambda: kernels.nfkc_casefold(text)


@pytest.fixture(
    params=[("text_words", _words), ("nfkc_casefold", _folding)], ids=lambda param: param[0]
)
def large(request: pytest.FixtureRequest) -> tuple[str, Callable[[], object]]:
    """Return a function of the core, and a call that keeps it busy with one thing for long."""
    name, prepare = request.param
    return name, prepare()


def test_one_large_thing_is_left_within_the_core(
    large: tuple[str, Callable[[], object]], alarm: None
) -> None:
    """The core itself raises: a signal that waits for the core to end is raised by Python."""
    name, call = large
    raised_in: list[str] = []

    def note(_frame: FrameType, event: str, function: Any) -> None:
        if event == "c_exception":
            raised_in.append(function.__name__)

    sys.setprofile(note)
    try:
        with pytest.raises(Stopped):
            call()
    finally:
        sys.setprofile(None)
    assert name in raised_in
