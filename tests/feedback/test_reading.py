"""Feedback behind a real local HTTP service, honest and otherwise."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.embedding.service import Answer, Service, running
from tests.feedback.exports import exported

from gnomon.embedding.endpoint import HostSource, JsonEndpoint, Key
from gnomon.errors import EndpointError, InvalidInputError, UsageError
from gnomon.feedback.reading import Pages, check_address, is_address, read_pages
from gnomon.feedback.turns import Turn

SECRET = "fb-very-secret"  # the tests search for it


@pytest.fixture
def service() -> Iterator[Service]:
    """Run a service."""
    with running() as one:
        yield one


def page(*items: object, link: object = None) -> Answer:
    """Return a page of a service."""
    return Answer(body=json.dumps({"items": items, "next": link}).encode())


def pull(address: str, *, named_by: HostSource = "command line", **options: Any) -> list[Turn]:
    """Return all turns; nothing sleeps."""
    impatient = functools.partial(JsonEndpoint, timeout_s=5, sleep=lambda _: None)
    return list(read_pages(address, named_by=named_by, endpoint=impatient, **options))


def paths(service: Service) -> list[str]:
    """Return the paths that were asked for."""
    return [path for _, path, _, _ in service.requests]


class TestPages:
    """Next-links are followed on the origin, up to a bound."""

    def test_links(self, service: Service) -> None:
        """Absolute, from the root, or relative to the page; the query is kept."""
        service.script = [
            page(exported("a"), link="?cursor=2"),
            page(exported("b"), exported("c"), link="/v2/turns"),
            page(link=f"{service.url}/last#end"),
            page(exported("d"), link=""),
        ]
        told = Pages()
        turns = pull(f"{service.url}/turns?size=2", pages=told)
        assert [turn.question for turn in turns] == ["a", "b", "c", "d"]
        assert paths(service) == ["/v1/turns?size=2", "/v1/turns?cursor=2", "/v2/turns", "/v1/last"]
        assert (told.read, told.left) == (4, False)

    def test_at_most(self, service: Service) -> None:
        """--max-pages stops, and it is known that there is more."""
        service.script = [page(exported(), link=f"?at={at}") for at in range(9)]
        told = Pages()
        assert len(pull(f"{service.url}/turns", max_pages=3, pages=told)) == 3
        assert (told.read, told.left, len(service.requests)) == (3, True, 3)

    def test_a_circle(self, service: Service) -> None:
        """A link to a page that was read would count its turns twice."""
        service.script = [page(link="?at=1"), page(link="/v1/turns")]
        with pytest.raises(EndpointError, match="leads back to a page that was read"):
            pull(f"{service.url}/turns")

    def test_busy(self, service: Service) -> None:
        """What may pass is asked again."""
        service.script = [Answer(503), page(exported())]
        assert len(pull(f"{service.url}/turns")) == 1

    def test_refused_by_page_and_item(self, service: Service) -> None:
        """A bad item stops the pull after the last page, with its place."""
        service.script = [page(exported(), link="?at=1"), page(exported(), exported(vote=2))]
        with pytest.raises(InvalidInputError, match=r": page 2: item 2: 'vote' is '2'"):
            pull(f"{service.url}/turns")


class TestSafety:
    """Where requests and keys go, and what is believed."""

    @pytest.mark.parametrize(
        "link",
        [
            "{other}/turns",
            "//127.0.0.1:1/turns",
            "https://{place}/turns",
            "http://user@{place}/turns",
            "file:///etc/passwd",
            "javascript:1",
            "http://[::1/turns",
            "/turns\n",
            "/tu rns",
            "/turns\u202e",
        ],
    )
    def test_links_elsewhere(self, service: Service, link: str) -> None:
        """A next-link off the origin, or one that is none, is not followed."""
        with running() as other:
            place = service.url.removeprefix("http://").removesuffix("/v1")
            service.script = [page(exported(), link=link.format(other=other.url, place=place))]
            with pytest.raises(EndpointError, match="'next'") as refused:
                pull(f"{service.url}/turns", key=Key("GNOMON_FEEDBACK_KEY", SECRET))
            assert (len(service.requests), other.requests) == (1, [])
            assert str(refused.value).isprintable()

    def test_redirects(self, service: Service) -> None:
        """Within the origin they are followed, elsewhere not, and nothing is sent there."""
        with running() as other:
            service.script = [
                Answer(302, headers={"location": "/v2/turns"}),
                page(exported(), link="?at=1"),
                Answer(302, headers={"location": f"{other.url}/turns"}),
            ]
            with pytest.raises(EndpointError, match="redirects to another origin"):
                pull(f"{service.url}/turns", key=Key("GNOMON_FEEDBACK_KEY", SECRET))
            assert other.requests == []

    @pytest.mark.parametrize(
        ("named_by", "sent"),
        [
            ("command line", True),
            ("shell", True),
            ("user config", True),
            ("project file", False),
        ],
    )
    def test_keys(self, service: Service, named_by: HostSource, sent: bool) -> None:
        """A host that a project file names is asked, without the key."""
        service.script = [page(exported(), link="?at=1"), page()]
        pull(f"{service.url}/t", named_by=named_by, key=Key("GNOMON_FEEDBACK_KEY", SECRET))
        assert [h.get("authorization") for _, _, h, _ in service.requests] == [
            f"Bearer {SECRET}" if sent else None
        ] * 2

    def test_endless(self, service: Service) -> None:
        """A page that never ends is given up at 64 MiB."""
        service.script = [Answer(body=b"{", endless=True)]
        with pytest.raises(EndpointError, match="larger than 64 MiB"):
            pull(f"{service.url}/turns")

    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            (Answer(body=b"[]"), "no JSON object"),
            (Answer(body=b"{}"), "has no list 'items'; found nothing"),
            (Answer(body=b'{"data": [], "x": 1}'), "found 'data, x'"),
            (Answer(body=b'{"items": {}}'), "has no list 'items'"),
            (Answer(body=b'{"items": [1]}'), "item 1 is a JSON number"),
            (Answer(body=b'{"items": [], "next": 2}'), "'next' is a JSON number"),
            (Answer(body=b"[" * 100_000), "not JSON"),
            (Answer(body=b"\xff\xfe{}"), "not JSON"),
            (Answer(body=b"no gzip", headers={"content-encoding": "gzip"}), "cannot be read"),
            (Answer(302, headers={"location": "http://h/\x7f"}), "Invalid URL in location"),
            (Answer(302, headers={"location": "http://[::1/"}), "Invalid URL in location"),
            (Answer(body=b"<html>", headers={"content-type": "text/html"}), r"not JSON \(text"),
            (Answer(401), "refuses the key"),
            (Answer(404, b"no such\x1b[31m page"), "answers 404"),
        ],
    )
    def test_lies(self, service: Service, answer: Answer, said: str) -> None:
        """What is no page is an error of one printable line, without key or query."""
        service.script = [answer] * 5
        with pytest.raises(EndpointError, match=said) as refused:
            pull(f"{service.url}/turns?token={SECRET}", key=Key("GNOMON_FEEDBACK_KEY", SECRET))
        assert SECRET not in str(refused.value)
        assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc/passwd",
        "FILE:/etc/passwd",
        "ftp://host/turns",
        "data:application/json,{}",
        "gopher://host",
        "http://",
        "http:turns",
        "http://user:pass@host/turns",
        "http://host:port/turns",
        "http://[::1/turns",
        "http://host/tu\nrns",
    ],
)
def test_addresses(address: str) -> None:
    """Only http and https, with a host and no password; refused before anything is asked for."""
    assert is_address(address)
    with pytest.raises(UsageError) as refused:
        check_address(address)
    assert "user:pass" not in str(refused.value)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("path", ["votes.jsonl", "a:b.jsonl", "./http/x", "2026:03.jsonl"])
def test_paths_are_no_addresses(path: str) -> None:
    """A file name may hold a colon."""
    assert not is_address(path)
