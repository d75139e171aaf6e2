"""Who is refused at the judge's page, before anything of the sheet is read."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from gnomon.blind.guard import COOKIE, MAX_BODY_BYTES, TOKEN_HEADER
from gnomon.blind.sheet import read_sheet
from tests.blind.asking import HOST, Visit, visit
from tests.blind.sheets import written

EVERYTHING = (
    "",
    "judge.css",
    "judge.js",
    "icon.svg",
    "sheet",
    "verdicts",
    "audio",
    "no-such-thing",
)
# What a browser that opens an address says about the request.
OPENING: dict[str, str | None] = {TOKEN_HEADER: None, "origin": None}


@pytest.fixture
def page(tmp_path: Path) -> Visit:
    """Open the page of a sheet of three spots."""
    return visit(written(tmp_path / "sheet.csv", 3))


def cookie_of(page: Visit) -> str:
    """Open the page as a browser does and return the cookie that it keeps."""
    answer = page.get(f"?token={page.door.token}", headers=OPENING)
    assert answer.status_code == 200
    return answer.headers["set-cookie"].partition(";")[0]


@pytest.mark.parametrize("name", EVERYTHING)
@pytest.mark.parametrize(
    "headers",
    [
        {TOKEN_HEADER: None},
        {TOKEN_HEADER: ""},
        {TOKEN_HEADER: "wrong"},
        {TOKEN_HEADER: None, "cookie": f"{COOKIE}="},
        {TOKEN_HEADER: None, "cookie": f"{COOKIE}=wrong"},
        {TOKEN_HEADER: None, "cookie": "other=1"},
        {TOKEN_HEADER: "naïve"},
    ],
)
def test_without_the_token_nothing_is_answered(
    page: Visit, name: str, headers: dict[str, str | None]
) -> None:
    """Not even whether there is such a thing."""
    sent = {key: value.encode() if value else value for key, value in headers.items()}
    answer = page.get(name, headers=sent)
    assert answer.status_code == 403
    assert "plain reading" not in answer.text


@pytest.mark.parametrize(
    "host",
    [
        "localhost:4321",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1:43210",
        "evil.example",
        "evil.example:4321",
        "127.0.0.1.evil.example:4321",
        "127.0.0.1:4321.evil.example",
        "[::1]:4321",
        "0.0.0.0:4321",
        "",
    ],
)
def test_another_host_is_refused(page: Visit, host: str) -> None:
    """A name that was made to point here (DNS rebinding) opens nothing, with the token too."""
    assert page.get("sheet", headers={"host": host}).status_code == 403
    opened = page.get(f"?token={page.door.token}", headers={**OPENING, "host": host})
    assert opened.status_code == 403
    assert "set-cookie" not in opened.headers


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "https://127.0.0.1:4321",
        "http://127.0.0.1",
        "http://127.0.0.1:4322",
        "http://localhost:4321",
        "http://evil.example",
        "http://127.0.0.1:4321.evil.example",
        "HTTP://127.0.0.1:4321",
    ],
)
def test_another_origin_is_refused(page: Visit, origin: str) -> None:
    """Reading and judging alike, although the token is right."""
    assert page.get("sheet", headers={"origin": origin}).status_code == 403
    before = page.sheet.read_bytes()
    body = {"number": 1, "verdict": "x", "was": None}
    assert page.post("verdict", body, headers={"origin": origin}).status_code == 403
    assert page.sheet.read_bytes() == before


def test_changing_needs_an_origin(page: Visit) -> None:
    """A browser always names it when posting; a request without one comes from elsewhere."""
    body = {"number": 1, "verdict": "x", "was": None}
    assert page.post("verdict", body, headers={"origin": None}).status_code == 403
    assert page.post("finish", {}, headers={"origin": None}).status_code == 403
    assert not page.attendance.finished


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_sites_cannot_embed(page: Visit, site: str) -> None:
    """Neither as an image nor as a script, a server on another port of this machine included."""
    sent = {"origin": None, "sec-fetch-site": site}
    assert page.get("sheet", headers=sent).status_code == 403
    assert page.get("judge.js", headers=sent).status_code == 403


def test_the_address_gives_a_cookie(page: Visit) -> None:
    """The token goes out of the address at once; the cookie is out of reach for scripts."""
    answer = page.get(f"?token={page.door.token}", headers=OPENING)
    cookie = answer.headers["set-cookie"]
    assert cookie.split("; ")[1:] == [f"Path={page.door.root}", "HttpOnly", "SameSite=Strict"]
    assert page.door.token not in cookie
    assert page.door.token not in answer.text
    assert "plain reading" not in answer.text
    kept = {**OPENING, "cookie": cookie.partition(";")[0]}
    assert page.get("sheet", headers=kept).status_code == 200


def test_a_link_from_elsewhere_may_open_the_page(page: Visit) -> None:
    """A terminal in a browser is another site; who follows the printed address has the token."""
    opening = {**OPENING, "sec-fetch-site": "cross-site", "sec-fetch-dest": "document"}
    assert page.get(f"?token={page.door.token}", headers=opening).status_code == 200
    for embedded in ("iframe", "image", "script", "empty"):
        sent = {**opening, "sec-fetch-dest": embedded}
        assert page.get(f"?token={page.door.token}", headers=sent).status_code == 403


@pytest.mark.parametrize("token", ["", "wrong", "a" * 5000, "%00", "%ff", "é"])
def test_a_wrong_address_gives_none(page: Visit, token: str) -> None:
    """Refused in a sentence, although the browser has the cookie of before."""
    cookie = cookie_of(page)
    answer = page.get(f"?token={token}", headers={**OPENING, "cookie": cookie})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_the_address_for_the_browser_opens_once(page: Visit) -> None:
    """Other users see the command line of a browser; what stands there is used up by then."""
    once = page.door.address_for_once.removeprefix(page.door.origin)
    assert page.door.token not in once
    assert page.ask("GET", once, headers=OPENING).status_code == 200
    assert page.ask("GET", once, headers=OPENING).status_code == 403
    assert cookie_of(page)


def test_the_token_in_the_address_opens_nothing_else(page: Visit) -> None:
    """Only the page itself is opened by it."""
    for name in ("sheet", "verdicts", "judge.js"):
        assert page.get(f"{name}?token={page.door.token}", headers=OPENING).status_code == 403
    assert page.ask("GET", f"/?token={page.door.token}", headers=OPENING).status_code == 403


@pytest.mark.parametrize(
    ("content", "status"),
    [(b"x" * (MAX_BODY_BYTES + 1), 413), (b"x" * MAX_BODY_BYTES, 400)],
)
def test_a_large_body_is_refused(page: Visit, content: bytes, status: int) -> None:
    """By its stated length, before a byte is read; the last size that fits is read."""
    sent = {"content-type": "application/json"}
    path = f"{page.door.root}verdict"
    assert page.ask("POST", path, content=content, headers=sent).status_code == status


@pytest.mark.parametrize(
    ("length", "status"), [(None, 411), ("-1", 413), ("1e3", 413), ("9" * 5000, 413), ("٣", 413)]
)
def test_a_body_of_unknown_length_is_refused(page: Visit, length: str | None, status: int) -> None:
    """Also one that comes in pieces, or states a length that is no number."""
    sent = [] if length is None else [(b"content-length", length.encode("latin-1", "replace"))]
    assert raw(page, "POST", "verdict", sent) == status


def test_no_web_sockets(page: Visit) -> None:
    """There is nothing to say over one."""
    said = asyncio.run(answers(page, {"type": "websocket", "path": page.door.root, "headers": []}))
    assert said == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize("name", [*EVERYTHING, f"?token={'x'}"])
@pytest.mark.parametrize("admitted", [True, False])
def test_every_answer_is_sealed(page: Visit, name: str, admitted: bool) -> None:
    """Refusals too: nothing is stored, framed, guessed, run or fetched from elsewhere."""
    headers = page.get(name, headers={} if admitted else {TOKEN_HEADER: None}).headers
    policy = dict(
        part.strip().partition(" ")[::2] for part in headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert policy["base-uri"] == "'none'"
    assert policy["form-action"] == "'none'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers


def test_secrets_are_long_and_new(page: Visit, tmp_path: Path) -> None:
    """32 random bytes each, drawn for every run, and in no printed form of the object."""
    other = visit(written(tmp_path / "other.csv", 1)).door
    assert len(page.door.token) >= 43
    assert page.door.token != other.token
    assert page.door.room != other.room
    assert page.door.token not in repr(page.door)
    assert read_sheet(page.sheet).unfilled == (1, 2, 3)


def test_a_refused_request_is_no_presence(page: Visit) -> None:
    """Knocking at the door keeps no server alive."""
    page.attendance.last_seen = 0.0
    page.get("sheet", headers={TOKEN_HEADER: None})
    assert page.attendance.last_seen == 0.0
    page.get("sheet")
    assert page.attendance.last_seen > 0.0


def raw(page: Visit, method: str, name: str, headers: list[tuple[bytes, bytes]]) -> int:
    """Send a request that no client library would send, and return the status."""
    sent = [(key.lower().encode(), value.encode()) for key, value in page.headers.items()]
    scope = {
        "type": "http",
        "method": method,
        "path": f"{page.door.root}{name}",
        "query_string": b"",
        "headers": [*sent, (b"content-type", b"application/json"), *headers],
    }
    said = asyncio.run(answers(page, scope))
    status: int = said[0]["status"]
    return status


async def answers(page: Visit, scope: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what the application says to one scope."""
    said: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        said.append(message)

    await page.page(scope, receive, send)
    return said


def test_two_host_headers_are_refused(page: Visit) -> None:
    """Two programs could read different ones."""
    assert raw(page, "GET", "sheet", [(b"host", HOST.encode())]) == 403
    assert raw(page, "GET", "sheet", []) == 200
