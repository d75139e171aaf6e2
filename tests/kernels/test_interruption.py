"""A long call stops when a signal arrives, and leaves with the handler's exception."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon import kernels

if TYPE_CHECKING:
    from collections.abc import Iterator


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
