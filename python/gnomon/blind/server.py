"""Serving the judge's page on this machine, until the judge is done or gone."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
import time
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final, Literal

import uvicorn

from gnomon.blind.guard import Door
from gnomon.blind.page import Attendance, make_page
from gnomon.errors import UsageError
from gnomon.sources.files import reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from starlette.types import ASGIApp

    from gnomon.blind.judging import Judging

Ending = Literal["finished", "idle", "interrupted"]

ADDRESS: Final = "127.0.0.1"
HTTP_PORT: Final = 80
# Once every spot is judged nothing is left to wait for but second thoughts.
DONE_IDLE_S: Final = 300.0
_LOOKS_EVERY_S: Final = 0.1


def serve(
    judging: Judging,
    audio: Path | None,
    *,
    port: int,
    idle_s: float,
    opened: Callable[[Door], None],
) -> Ending:
    """Serve the page until the judge finishes, nobody is there, or Ctrl-C.

    Parameters
    ----------
    judging
        The sheet.
    audio
        A recording that `gnomon.blind.page.checked_audio` has let pass, or None.
    port
        On 127.0.0.1; 0 takes a free one.
    idle_s
        Seconds without a request after which nobody is taken to be there; five minutes at most
        once every spot is judged.
    opened
        Called with the address once connections are accepted and Ctrl-C is looked for.

    Raises
    ------
    UsageError
        When the port is taken or not allowed.
    """
    with closing(_listening(port)) as listener:
        door = Door(_host(listener))
        attendance = Attendance()
        page = make_page(judging, door, attendance, audio)
        try:
            return asyncio.run(_serve(page, attendance, listener, idle_s, lambda: opened(door)))
        except KeyboardInterrupt:  # pressed while starting or ending
            return "interrupted"


class _Server(uvicorn.Server):
    """A server that leaves the process's signals alone."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def _serve(
    page: ASGIApp,
    attendance: Attendance,
    listener: socket.socket,
    idle_s: float,
    opened: Callable[[], None],
) -> Ending:
    interrupted = asyncio.Event()
    server = _Server(_settings(page))
    with _interrupt_sets(interrupted):
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        opened()
        ending = None
        while ending is None and not serving.done():
            await asyncio.sleep(_LOOKS_EVERY_S)
            ending = _ending(attendance, interrupted, idle_s)
        server.should_exit = True
        await serving
    assert ending is not None, "the server stopped by itself"
    return ending


def _settings(page: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        page,
        http="h11",
        ws="none",
        lifespan="off",
        loop="asyncio",
        log_config=None,  # addresses with the token stay out of every log
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=64,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=16_384,
    )


def _ending(attendance: Attendance, interrupted: asyncio.Event, idle_s: float) -> Ending | None:
    if interrupted.is_set():
        return "interrupted"
    if attendance.finished:
        return "finished"
    limit_s = min(idle_s, DONE_IDLE_S) if attendance.all_judged else idle_s
    return "idle" if time.monotonic() - attendance.last_seen > limit_s else None


@contextmanager
def _interrupt_sets(event: asyncio.Event) -> Iterator[None]:
    """Turn Ctrl-C into an event, so that a verdict on its way is saved before the end."""
    before = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if not main or before == signal.SIG_IGN:
        yield
        return
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, event.set)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        signal.signal(signal.SIGINT, before)


def _host(listener: socket.socket) -> str:
    """Return address and port as a browser names them: it leaves out the port of HTTP."""
    port = listener.getsockname()[1]
    return ADDRESS if port == HTTP_PORT else f"{ADDRESS}:{port}"


def _listening(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((ADDRESS, port))
        listener.listen(64)
    except OSError as error:
        listener.close()
        raise UsageError(
            f"port {port} of {ADDRESS} cannot be used: {reason(error)}; name another by --port, or "
            "none to take a free one"
        ) from error
    return listener
