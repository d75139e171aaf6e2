"""Work that runs beside the caller's own."""

from __future__ import annotations

from threading import Event, Thread
from typing import TYPE_CHECKING, Generic, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")


class StoppedError(Exception):
    """Raised by a checkpoint once nobody waits for the result any more."""


class Beside(Generic[Result]):
    """Calls a function in a thread of its own, or when its result is asked for.

    Nothing that a probe measures depends on which of the two: kernels and fits give the same bits
    whoever calls them. Use it as a context: leaving it waits for the thread, which an error in the
    caller stops at its next checkpoint. A thread that outlived the caller would be cut off inside a
    kernel when the interpreter ends, and the process would abort.

    Parameters
    ----------
    work
        What to call, once; it is given a checkpoint to call between its steps.
    threads
        How many threads the caller may use; with one, nothing starts.
    """

    def __init__(self, work: Callable[[Callable[[], None]], Result], *, threads: int) -> None:
        self._work: Callable[[Callable[[], None]], Result] | None = work
        self._found: list[Result] = []
        self._error: BaseException | None = None
        self._stopping = Event()
        self._thread: Thread | None = None
        if threads > 1:
            self._thread = Thread(target=self._call)
            self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def result(self) -> Result:
        """Return what the function returned, or raise what it raised."""
        if self._thread is None:
            self._call()
        else:
            self._thread.join()
        if self._error is not None:
            raise self._error
        return self._found[0]

    def _call(self) -> None:
        work, self._work = self._work, None
        if work is None:
            return
        try:
            self._found.append(work(self._checkpoint))
        except BaseException as error:  # raised again where the result is asked for
            self._error = error

    def _checkpoint(self) -> None:
        if self._stopping.is_set():
            raise StoppedError
