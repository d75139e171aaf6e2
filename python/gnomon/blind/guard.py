"""Who may speak to the judge's page: whoever has the token, from the page itself, on this machine.

Every request is checked before anything else sees it, and every answer carries the headers that
keep a browser from storing, framing, guessing or fetching.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE: Final = "gnomon_blind"
TOKEN_HEADER: Final = "X-Gnomon-Token"
# A verdict has some sixty bytes.
MAX_BODY_BYTES: Final = 4096

_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; media-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

# By a document of our own, so that the next request comes from this origin: a browser sends no
# Strict cookie along a redirect that began elsewhere. It also takes the token out of the address.
_WELCOME: Final = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Blind check</title>'
    '<meta http-equiv="refresh" content="0;url=./">'
)


@dataclass(slots=True)
class Door:
    """The address of one run of the page, and the secrets that open it.

    Attributes
    ----------
    host
        What the browser must name: address and port.
    room
        First part of every path. Browsers send cookies to all ports of an address, but only below
        their path, so that no other server of this machine is handed ours.
    token
        Opens the page as often as wanted.
    """

    host: str
    room: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _once: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def origin(self) -> str:
        """What a browser calls the page's origin."""
        return f"http://{self.host}"

    @property
    def root(self) -> str:
        """The path of the page."""
        return f"/{self.room}/"

    @property
    def address(self) -> str:
        """The address for the judge."""
        return f"{self.origin}{self.root}?token={self.token}"

    @property
    def address_for_once(self) -> str:
        """An address that opens the page once: command lines can be seen by other users."""
        return f"{self.origin}{self.root}?token={self._once}"

    @property
    def cookie(self) -> str:
        """The cookie that an admitted browser gets."""
        return f"{COOKIE}={self._cookie}; Path={self.root}; HttpOnly; SameSite=Strict"

    def admits(self, token: str) -> bool:
        """Whether a token from an address opens the page; a token for once is used up."""
        if _same(token, self._once):
            self._once = secrets.token_urlsafe(32)
            return True
        return _same(token, self.token)

    def knows(self, request: Request) -> bool:
        """Whether a request brings the cookie, or the token in its header."""
        cookie = request.cookies.get(COOKIE, "")
        return _same(cookie, self._cookie) | _same(
            request.headers.get(TOKEN_HEADER, ""), self.token
        )


class Guard:
    """ASGI middleware that refuses what does not come from the page, and seals every answer.

    Parameters
    ----------
    app
        What answers an admitted request.
    door
        Address and secrets.
    admitted
        Called for every request that is let through.
    """

    def __init__(self, app: ASGIApp, door: Door, admitted: Callable[[], None]) -> None:
        self._app, self._door, self._admitted = app, door, admitted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, refuse or pass on one request."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return

        async def send_sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
            await send(message)

        answer = self._answer(Request(scope))
        if answer is None:
            self._admitted()
            answer = self._app
        await answer(scope, receive, send_sealed)

    def _answer(self, request: Request) -> ASGIApp | None:
        """Return a refusal or a welcome; None when the request may pass."""
        headers = request.headers
        if headers.getlist("host") != [self._door.host]:
            return _refusal("This page answers only at the address that gnomon has printed.")
        token = QueryParams(request.scope["query_string"]).get("token")
        entering = request.method == "GET" and request.url.path == self._door.root
        if token is not None and entering and _is_navigation(headers):
            if not self._door.admits(token):
                return _refusal(
                    "This address is not valid any more; use the one that gnomon printed last."
                )
            return _welcome(self._door.cookie)
        if not self._is_from_the_page(headers, changing=request.method not in {"GET", "HEAD"}):
            return _refusal("Requests are taken from the page itself only.")
        if not self._door.knows(request):
            return _refusal("Open the page by the address that gnomon has printed.")
        return _body_refusal(request)

    def _is_from_the_page(self, headers: Headers, *, changing: bool) -> bool:
        origins = headers.getlist("origin")
        if changing or origins:
            return origins == [self._door.origin]
        return headers.get("sec-fetch-site", "none") in {"same-origin", "none"}


def _welcome(cookie: str) -> Response:
    return HTMLResponse(_WELCOME, headers={"Set-Cookie": cookie})


def _refusal(sentence: str, status: int = 403) -> Response:
    return PlainTextResponse(f"{sentence}\n", status)


def _body_refusal(request: Request) -> Response | None:
    """Refuse a body of unknown or too great length; the server holds clients to what they say."""
    length = request.headers.get("content-length")
    if length is None:
        if request.method in {"GET", "HEAD"} and "transfer-encoding" not in request.headers:
            return None
        return _refusal("A request states the length of its body.", 411)
    if not (length.isascii() and length.isdigit()) or len(length) > 9:
        return _refusal("The length of the body is no number, or far too great.", 413)
    if int(length) > MAX_BODY_BYTES:
        return _refusal(f"A body has at most {MAX_BODY_BYTES} bytes.", 413)
    return None


def _is_navigation(headers: Headers) -> bool:
    """Whether somebody opens the page; one who follows a link from elsewhere does too."""
    return headers.get("sec-fetch-dest", "document") == "document" and "origin" not in headers


def _same(given: str, expected: str) -> bool:
    """Compare in a time that tells nothing about where the two differ."""
    return secrets.compare_digest(given.encode("utf-8", "replace"), expected.encode("utf-8"))
