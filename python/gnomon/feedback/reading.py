"""Where exported feedback comes from: a file of lines, or the pages of a service."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import SplitResult, urljoin, urlsplit

from gnomon.embedding.endpoint import Host, HostSource, JsonEndpoint, Key
from gnomon.errors import EndpointError, InvalidInputError, UsageError
from gnomon.feedback.turns import Turn, parse_turn
from gnomon.sources.escape import printable, quoted
from gnomon.sources.files import shown
from gnomon.sources.jsonl import json_type, read_records

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping

    from gnomon.types import Progress

KEY_VARIABLE: Final = "GNOMON_FEEDBACK_KEY"
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://|(file|data|ftp|https?):", re.IGNORECASE)
_SHOWN_PROBLEMS: Final = 10
_PORTS: Final = {"http": 80, "https": 443}


@dataclass(slots=True)
class Problems:
    """Records that were refused: the first ten in full, the others counted."""

    first: list[str] = field(default_factory=list)
    count: int = 0

    def add(self, error: InvalidInputError) -> None:
        """Keep why a record was refused."""
        self.count += 1
        if len(self.first) < _SHOWN_PROBLEMS:
            self.first.append(str(error))

    def check(self) -> None:
        """Refuse the export when any record was.

        Raises
        ------
        InvalidInputError
            With a line for each of the first ten problems.
        """
        more = self.count - len(self.first)
        if self.first:
            tail = [f"and {more} more problems"] if more else []
            raise InvalidInputError("\n".join([*self.first, *tail]))


@dataclass(slots=True)
class Pages:
    """How much of a service was read.

    Attributes
    ----------
    read
        Pages that were read.
    left
        Whether the last of them named another one.
    """

    read: int = 0
    left: bool = False


def is_address(source: str) -> bool:
    """Return whether a source is an address and not the path of a file."""
    return _SCHEME.match(source) is not None


def check_address(source: str) -> None:
    """Refuse an address that is not of http or https, before any work starts.

    Raises
    ------
    UsageError
        For another scheme, or an address without a host or with a password inside.
    """
    match = _SCHEME.match(source)
    scheme = "" if match is None else (match[1] or match[2]).lower()
    if scheme not in _PORTS:
        raise UsageError(
            f"feedback is not read from {quoted(scheme + ':')}; give an http or https address, or "
            "the plain path of a file"
        )
    Host(_origin(_split(source)), "command line")


def read_file(path: str | os.PathLike[str]) -> Iterator[Turn]:
    """Yield the turns of a JSON Lines file, plain or gzip.

    Raises
    ------
    InvalidInputError
        After the last line, when any was refused; at once for a line that is no JSON object.
    """
    problems = Problems()
    for record in read_records(path):
        yield from _parsed(record.fields, f"{shown(path)}: line {record.line}", problems)
    problems.check()


def read_pages(
    address: str,
    *,
    named_by: HostSource,
    key: Key | None = None,
    max_pages: int = 50,
    pages: Pages | None = None,
    progress: Progress | None = None,
    endpoint: Callable[..., JsonEndpoint] = JsonEndpoint,
) -> Iterator[Turn]:
    """Yield the turns of the pages of a service, ``{"items": [...], "next": "..."}`` each.

    Parameters
    ----------
    address
        Of the first page, http or https.
    named_by
        Who named the address. A key is not sent to one that a project file names.
    max_pages
        How many pages are read at most.
    pages
        Told how many were read and whether there are more.

    Raises
    ------
    EndpointError
        When a page cannot be had, is larger than 64 MiB, has no list of items, or its next-link
        leads to another origin or back.
    InvalidInputError
        After the last page, when any item was refused.
    """
    check_address(address)
    told, problems = pages or Pages(), Problems()
    start = _split(address)
    host = Host(_origin(start), named_by)
    here, seen = address, set[str]()
    with closing(endpoint(host, key=key if host.takes_keys else None)) as service:
        while told.read < max_pages:
            seen.add(_path(here))
            page = service.get(_path(here))
            told.read += 1
            where = f"{host.url}: page {told.read}"
            for at, item in enumerate(_items(page, where), start=1):
                yield from _parsed(item, f"{where}: item {at}", problems)
            if progress is not None:
                progress(told.read, max_pages)
            link = _next(page, where)
            told.left = link is not None
            if link is None:
                break
            here = _followed(here, link, start, where)
            if _path(here) in seen:
                raise EndpointError(
                    f"{where}: 'next' leads back to a page that was read; nothing is counted twice"
                )
    problems.check()


def _parsed(fields: Mapping[str, Any], where: str, problems: Problems) -> Iterator[Turn]:
    try:
        turn = parse_turn(fields, where)
    except InvalidInputError as error:
        problems.add(error)
    else:
        yield turn


def _items(page: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    items = page.get("items")
    if not isinstance(items, list):
        found = quoted(", ".join(sorted(page)[:8])) if page else "nothing"
        raise EndpointError(
            f"{where}: has no list 'items'; found {found}. Expected "
            '{"items": [...], "next": "..."}'
        )
    for at, item in enumerate(items, start=1):
        if not isinstance(item, dict):
            raise EndpointError(
                f"{where}: item {at} is a JSON {json_type(item)}; expected an object a turn"
            )
    return items


def _next(page: Mapping[str, Any], where: str) -> str | None:
    link = page.get("next")
    if link is None or link == "":
        return None
    if not isinstance(link, str):
        raise EndpointError(f"{where}: 'next' is a JSON {json_type(link)}; expected an address")
    return link


def _followed(here: str, link: str, start: SplitResult, where: str) -> str:
    """Return the address of the next page, on the origin of the first."""
    if not link.isprintable() or not link.isascii() or " " in link:
        raise EndpointError(f"{where}: 'next' {quoted(link)} is no address")
    try:
        target = urljoin(here, link)
        parts = urlsplit(target)
        same = _place(parts) == _place(start)
    except ValueError:
        raise EndpointError(f"{where}: 'next' {quoted(link)} is no address") from None
    if not same:
        raise EndpointError(
            f"{where}: 'next' leads to another origin "
            f"({quoted(f'{parts.scheme}://{parts.hostname}')}), which is not followed"
        )
    return target


def _place(parts: SplitResult) -> tuple[str, str | None, int | None, bool]:
    return (
        parts.scheme,
        parts.hostname,
        parts.port or _PORTS.get(parts.scheme),
        "@" in parts.netloc,
    )


def _origin(parts: SplitResult) -> str:
    return f"{parts.scheme}://{parts.netloc}"


def _path(address: str) -> str:
    parts = urlsplit(address)
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.path.removeprefix('/')}{query}"


def _split(address: str) -> SplitResult:
    if not address.isprintable() or " " in address:
        raise UsageError(f"{quoted(printable(address))} is no address")
    try:
        return urlsplit(address)
    except ValueError as error:
        raise UsageError(f"the address of the feedback cannot be read: {error}") from None
