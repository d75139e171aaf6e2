"""Work that runs beside the caller's own."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")


class Beside(Generic[Result]):
    """Calls a function in a thread of its own, or when its result is asked for.

    Nothing that a probe measures depends on which of the two: kernels and fits give the same bits
    whoever calls them. The thread is a daemon: after Ctrl-C or a refusal nobody waits for it.

    Parameters
    ----------
    work
        What to call, once.
    threads
        How many threads the caller may use; with one, nothing starts.
    """

    def __init__(self, work: Callable[[], Result], *, threads: int) -> None:
        self._work: Callable[[], Result] | None = work
        self._found: list[Result] = []
        self._error: BaseException | None = None
        self._thread: Thread | None = None
        if threads > 1:
            self._thread = Thread(target=self._call, daemon=True)
            self._thread.start()

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
            self._found.append(work())
        except BaseException as error:  # raised again where the result is asked for
            self._error = error
