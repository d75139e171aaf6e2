"""Asking the judge's page without a network: the application itself, over httpx."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from starlette.types import ASGIApp

from gnomon.blind.guard import TOKEN_HEADER, Door
from gnomon.blind.judging import Judging
from gnomon.blind.page import Attendance, make_page

HOST = "127.0.0.1:4321"


@dataclass
class Visit:
    """A page and its door; requests come from the page itself unless told otherwise."""

    page: ASGIApp
    door: Door
    attendance: Attendance
    sheet: Path
    headers: dict[str, str] = field(default_factory=dict)

    def ask(
        self, method: str, path: str, *, headers: dict[str, str | None] | None = None, **more: Any
    ) -> httpx.Response:
        """Send one request; a header given as None is left out."""
        wanted = {**self.headers, **(headers or {})}
        sent = {name: value for name, value in wanted.items() if value is not None}

        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(self.page)
            async with httpx.AsyncClient(
                transport=transport, base_url=self.door.origin, trust_env=False
            ) as client:
                return await client.request(method, path, headers=sent, **more)

        return asyncio.run(send())

    def get(self, name: str, **more: Any) -> httpx.Response:
        """Get something below the page's address."""
        return self.ask("GET", f"{self.door.root}{name}", **more)

    def post(self, name: str, body: object, **more: Any) -> httpx.Response:
        """Post JSON below the page's address."""
        return self.ask("POST", f"{self.door.root}{name}", json=body, **more)

    def judge(self, number: object, verdict: object, was: object = None) -> httpx.Response:
        """Give a verdict."""
        return self.post("verdict", {"number": number, "verdict": verdict, "was": was})


def visit(sheet: Path, audio: Path | None = None) -> Visit:
    """Return the page of a sheet, asked as an admitted browser would."""
    door, attendance = Door(HOST), Attendance()
    page = make_page(Judging(sheet), door, attendance, audio)
    return Visit(
        page,
        door,
        attendance,
        sheet,
        {"host": HOST, "origin": door.origin, TOKEN_HEADER: door.token},
    )
