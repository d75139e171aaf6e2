"""The judge's page as an ASGI application: one sheet, at most one recording, four files of its own.

It is given the sheet and never the key. What it answers is what the sheet shows.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from gnomon.blind.guard import Door, Guard
from gnomon.blind.judging import Judging, OtherVerdictError, SheetChangedError
from gnomon.blind.sheet import VERDICTS, Sheet, Verdict
from gnomon.errors import StateError, UsageError
from gnomon.sources.files import shown

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.requests import Request
    from starlette.types import ASGIApp

PAGE: Final = "judge.html"
ASSETS: Final = {
    "judge.css": "text/css",
    "judge.js": "text/javascript",
    "text.js": "text/javascript",
    "player.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
AUDIO_TYPES: Final = {
    ".aac": "audio/aac",
    ".flac": "audio/flac",
    ".m4a": "audio/mp4",
    ".mp3": "audio/mpeg",
    ".mp4": "video/mp4",
    ".oga": "audio/ogg",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".wav": "audio/wav",
    ".weba": "audio/webm",
    ".webm": "video/webm",
}


@dataclass(slots=True)
class Attendance:
    """Whether somebody is still at the page.

    Attributes
    ----------
    last_seen
        When the last request was admitted, on the monotonic clock, in seconds.
    all_judged
        Whether every spot had a verdict when the sheet was last read.
    finished
        Whether the judge said to stop.
    """

    last_seen: float = field(default_factory=time.monotonic)
    all_judged: bool = False
    finished: bool = False

    def seen(self) -> None:
        """Note that a request was admitted."""
        self.last_seen = time.monotonic()


def checked_audio(path: Path) -> Path:
    """Return the recording's path, links followed.

    Raises
    ------
    UsageError
        When it is no file, or its name ends in nothing that a browser plays.
    """
    if path.suffix.lower() not in AUDIO_TYPES:
        raise UsageError(
            f"{shown(path)}: expected a recording whose name ends in {', '.join(AUDIO_TYPES)}"
        )
    if not path.is_file():
        raise UsageError(f"{shown(path)}: there is no such file; --audio names the recording")
    return path.resolve()


def make_page(judging: Judging, door: Door, attendance: Attendance, audio: Path | None) -> ASGIApp:
    """Return the application that shows a sheet to its judge.

    Parameters
    ----------
    judging
        The sheet.
    door
        Where it answers, and to whom.
    attendance
        Is told of every admitted request, and of the end.
    audio
        A recording that `checked_audio` has let pass, or None.
    """
    content = {name: _asset(name) for name in (PAGE, *ASSETS)}

    def sends(name: str, media_type: str) -> Any:
        async def send(_: Request) -> Response:
            return Response(content[name], media_type=media_type)

        return send

    async def sheet(_: Request) -> Response:
        found = await run_in_threadpool(judging.sheet)
        attendance.all_judged = not found.unfilled
        return JSONResponse({"audio": audio is not None, "spots": _spots(found)})

    async def verdicts(_: Request) -> Response:
        return _verdicts(await run_in_threadpool(judging.sheet), attendance)

    async def judge(request: Request) -> Response:
        number, verdict, was = _asked(await _object(request))
        saved = await run_in_threadpool(judging.judge, number, verdict, seen=was)
        return _verdicts(saved, attendance)

    async def finish(_: Request) -> Response:
        attendance.finished = True
        return JSONResponse({})

    async def recording(_: Request) -> Response:
        if audio is None or not await run_in_threadpool(audio.is_file):
            raise HTTPException(404, "There is no recording.")
        return FileResponse(audio, media_type=AUDIO_TYPES[audio.suffix.lower()])

    root = door.root
    routes = [
        Route(root, sends(PAGE, "text/html")),
        *(Route(f"{root}{name}", sends(name, kind)) for name, kind in ASSETS.items()),
        Route(f"{root}sheet", sheet),
        Route(f"{root}verdicts", verdicts),
        Route(f"{root}verdict", judge, methods=["POST"]),
        Route(f"{root}finish", finish, methods=["POST"]),
        Route(f"{root}audio", recording),
    ]
    app = Starlette(
        routes=routes,
        exception_handlers={
            HTTPException: _refused,
            UsageError: _unusable,
            OtherVerdictError: _judged_elsewhere,
            SheetChangedError: _changed,
            StateError: _not_saved,
        },
    )
    app.router.redirect_slashes = False
    return Guard(app, door, attendance.seen)


def _asset(name: str) -> str:
    return files("gnomon.blind").joinpath("assets", name).read_text("utf-8")


def _spots(sheet: Sheet) -> list[dict[str, Any]]:
    return [
        {
            "number": spot.number,
            "time": spot.time,
            "left_context": spot.left_context,
            "x": spot.x,
            "y": spot.y,
            "verdict": spot.verdict,
        }
        for spot in sheet.spots
    ]


def _verdicts(sheet: Sheet, attendance: Attendance) -> Response:
    attendance.all_judged = not sheet.unfilled
    return JSONResponse({"verdicts": [spot.verdict for spot in sheet.spots]})


async def _object(request: Request) -> dict[str, Any]:
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(415, "A verdict comes as application/json.")
    try:
        found = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise HTTPException(400, "The body is no JSON.") from None
    if not isinstance(found, dict):
        raise HTTPException(400, "The body is no JSON object.")
    return found


def _asked(fields: dict[str, Any]) -> tuple[int, Verdict | None, Verdict | None]:
    """Return the spot, its new verdict, and the one that the judge saw."""
    if sorted(fields) != ["number", "verdict", "was"]:
        raise HTTPException(400, "Expected number, verdict and was.")
    number = fields["number"]
    if isinstance(number, bool) or not isinstance(number, int):
        raise HTTPException(400, "The number is no whole number.")
    return number, _verdict(fields["verdict"]), _verdict(fields["was"])


def _verdict(value: object) -> Verdict | None:
    if value is None or (isinstance(value, str) and value in VERDICTS):
        return value
    raise HTTPException(400, f"A verdict is one of {', '.join(VERDICTS)}, or null for none.")


def _problem(kind: str, sentence: str, status: int, **more: Any) -> Response:
    return JSONResponse({"kind": kind, "problem": sentence, **more}, status)


def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return PlainTextResponse(f"{error.detail}\n", error.status_code, headers=error.headers)


def _unusable(_: Request, error: Exception) -> Response:
    return PlainTextResponse(f"{error}\n", 400)


def _judged_elsewhere(_: Request, error: Exception) -> Response:
    assert isinstance(error, OtherVerdictError)
    found = [spot.verdict for spot in error.sheet.spots]
    return _problem("judged_elsewhere", str(error), 409, verdicts=found)


def _changed(_: Request, error: Exception) -> Response:
    assert isinstance(error, SheetChangedError)
    return _problem("changed", error.found, 409)


def _not_saved(_: Request, error: Exception) -> Response:
    # Without the file's name: the page shows what is on the sheet and nothing else.
    found = error.__cause__.strerror if isinstance(error.__cause__, OSError) else None
    return _problem("not_saved", found or "the sheet cannot be written", 507)
