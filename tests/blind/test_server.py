"""The server of the judge's page on a real port: addresses, ends, and what is on the wire."""

from __future__ import annotations

import socket
from pathlib import Path

import httpx

from gnomon.blind.guard import TOKEN_HEADER
from gnomon.blind.server import _host
from tests.blind.browser import Serving, served
from tests.blind.sheets import silence, written


def asked(page: Serving, method: str, name: str, **more: str) -> httpx.Response:
    """Send one request as an admitted page does."""
    headers = {TOKEN_HEADER: page.door.token, "origin": page.door.origin, **more}
    address = f"{page.door.origin}{page.door.root}{name}"
    return httpx.request(method, address, headers=headers, trust_env=False)


def test_this_machine_only(tmp_path: Path) -> None:
    """The listener is on 127.0.0.1 and on no other address."""
    with served(written(tmp_path / "sheet.csv", 2)) as page:
        address, port = page.door.host.split(":")
        assert address == "127.0.0.1"
        assert asked(page, "GET", "sheet").status_code == 200
        with socket.socket() as other:
            assert other.connect_ex(("127.0.0.2", int(port))) != 0


def test_finish_ends_it(tmp_path: Path) -> None:
    """After its answer has arrived."""
    with served(written(tmp_path / "sheet.csv", 2)) as page:
        assert asked(page, "POST", "finish").status_code == 200
        page.wait()
        assert page.ending == "finished"


def test_nobody_there_ends_it(tmp_path: Path) -> None:
    """Refused requests are nobody."""
    with served(written(tmp_path / "sheet.csv", 2), idle_s=0.3) as page:
        assert asked(page, "GET", "sheet", **{TOKEN_HEADER: "wrong"}).status_code == 403
        page.wait()
        assert page.ending == "idle"


def test_the_wire_names_no_program(tmp_path: Path) -> None:
    """Nor the recording, whose ranges are served over the wire too."""
    recording = silence(tmp_path / "talk.wav", 2)
    with served(written(tmp_path / "sheet.csv", 2), recording) as page:
        answer = asked(page, "GET", "audio", range="bytes=0-3")
        assert (answer.status_code, answer.content) == (206, b"RIFF")
        assert "server" not in answer.headers
        assert "talk" not in str(answer.headers)


def test_the_port_of_http_is_left_out() -> None:
    """Browsers name it in no address, so neither does the door."""

    class Listener:
        def __init__(self, port: int) -> None:
            self.port = port

        def getsockname(self) -> tuple[str, int]:
            return "127.0.0.1", self.port

    assert _host(Listener(80)) == "127.0.0.1"  # type: ignore[arg-type]
    assert _host(Listener(8080)) == "127.0.0.1:8080"  # type: ignore[arg-type]
