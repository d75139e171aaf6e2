"""Work beside the caller's own."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from gnomon.probe.beside import Beside

Checkpoint = Callable[[], None]


@pytest.mark.parametrize("threads", [1, 2])
def test_the_result_comes_once_however_often_it_is_asked_for(threads: int) -> None:
    """The function is called one time, in a thread of its own only where there may be two."""
    callers: list[threading.Thread] = []

    def work(_: Checkpoint) -> int:
        callers.append(threading.current_thread())
        return 7

    with Beside(work, threads=threads) as beside:
        assert (beside.result(), beside.result()) == (7, 7)
    assert len(callers) == 1
    assert (callers[0] is threading.main_thread()) == (threads == 1)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_is_raised_where_the_result_is_asked_for(threads: int) -> None:
    """Not before, and each time."""

    def fail(_: Checkpoint) -> None:
        raise ValueError("no")

    with Beside(fail, threads=threads) as beside:
        for _ in range(2):
            with pytest.raises(ValueError, match="no"):
                beside.result()


def test_an_error_of_the_caller_stops_the_thread_and_waits_for_it() -> None:
    """No thread outlives the context: it would be cut off inside a kernel at the exit."""
    started, ended = threading.Event(), threading.Event()

    def work(checkpoint: Checkpoint) -> None:
        started.set()
        try:
            while True:
                checkpoint()
        finally:
            ended.set()

    def interrupted() -> None:
        with Beside(work, threads=2):
            started.wait()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert ended.is_set()
