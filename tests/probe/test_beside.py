"""Work beside the caller's own."""

from __future__ import annotations

import threading

import pytest

from gnomon.probe.beside import Beside


@pytest.mark.parametrize("threads", [1, 2])
def test_the_result_comes_once_however_often_it_is_asked_for(threads: int) -> None:
    """The function is called one time, in a thread of its own only where there may be two."""
    callers: list[threading.Thread] = []
    beside = Beside(lambda: callers.append(threading.current_thread()) or 7, threads=threads)
    assert (beside.result(), beside.result()) == (7, 7)
    assert len(callers) == 1
    assert (callers[0] is threading.main_thread()) == (threads == 1)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_is_raised_where_the_result_is_asked_for(threads: int) -> None:
    """Not before, and each time."""

    def fail() -> None:
        raise ValueError("no")

    beside = Beside(fail, threads=threads)
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            beside.result()
