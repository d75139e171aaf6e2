"""Models behind a real local HTTP service, honest and otherwise."""

from __future__ import annotations

import datetime as dt
import email.utils
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.embedding.service import DIM, Answer, Service, running, vector_of

from gnomon.embedding.endpoint import Host, JsonEndpoint, Key, ShorterPauseWarning
from gnomon.embedding.remote import BATCH_BYTES, BATCH_TEXTS, ollama_embedder, openai_embedder
from gnomon.errors import EndpointError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

SECRET = "sk-very-secret"  # the tests search for it


@pytest.fixture
def service() -> Iterator[Service]:
    """Run a service."""
    with running() as one:
        yield one


@pytest.fixture
def pauses() -> list[float]:
    """Return the pauses that were made, in seconds."""
    return []


@pytest.fixture
def endpoint(service: Service, pauses: list[float]) -> Iterator[JsonEndpoint]:
    """Return a client of the service that counts pauses instead of making them."""
    key = Key("GNOMON_OPENAI_KEY", SECRET)
    one = JsonEndpoint(Host(service.url, "shell"), key=key, timeout_s=5, sleep=pauses.append)
    yield one
    one.close()


def asked(service: Service) -> list[Any]:
    """Return the bodies that the service received."""
    return [body for _, _, _, body in service.requests]


class TestModels:
    """Vectors come back in the order of the texts."""

    def test_openai(self, endpoint: JsonEndpoint, service: Service) -> None:
        """The width is learnt; the key is sent as a bearer token; the index gives the order."""
        model = openai_embedder(endpoint, "small", query_prefix="q: ", document_prefix="d: ")
        vectors = model.embed_documents(["one", "two words"])
        assert vectors.tolist() == [vector_of("d: one"), vector_of("d: two words")]
        assert model.embed_questions(["one"]).tolist() == [vector_of("q: one")]
        assert (model.profile.id, model.profile.dim) == ("openai/small", DIM)
        assert asked(service)[1] == {
            "model": "small",
            "input": ["d: one", "d: two words"],
            "encoding_format": "float",
        }
        assert {h["authorization"] for _, _, h, _ in service.requests} == {f"Bearer {SECRET}"}

    def test_ollama(self, endpoint: JsonEndpoint) -> None:
        """The digest of the model is its revision."""
        model = ollama_embedder(endpoint, "small")
        assert model.embed_documents(["one"]).tolist() == [vector_of("one")]
        assert (model.profile.id, model.profile.revision) == ("ollama/small", "sha256:abc")

    def test_ollama_without_the_model(self, endpoint: JsonEndpoint) -> None:
        """The message says how to get it and what is there."""
        with pytest.raises(EndpointError, match=r"has small:latest.*ollama pull large"):
            ollama_embedder(endpoint, "large")

    def test_batches(self, endpoint: JsonEndpoint, service: Service) -> None:
        """Neither too many texts nor too many bytes a request; no text is split or lost."""
        model = openai_embedder(endpoint, "small")
        texts = [f"text {i}" for i in range(BATCH_TEXTS + 1)] + ["é" * (BATCH_BYTES // 2)] * 2
        vectors = model.embed_documents(texts)
        assert vectors.tolist() == np.float32([vector_of(text) for text in texts]).tolist()
        assert [len(body["input"]) for body in asked(service)[1:]] == [BATCH_TEXTS, 1, 1, 1]

    def test_nothing_to_embed(self, endpoint: JsonEndpoint) -> None:
        """No text is no request and no row."""
        assert openai_embedder(endpoint, "small").embed_documents([]).shape == (0, DIM)


def data(*vectors: object) -> Answer:
    """Return an answer of OpenAI's form."""
    rows = [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    return Answer(body=json.dumps({"data": rows}).encode())


class TestLies:
    """What is not a vector a text is an error, never a guess."""

    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            (data([1, 2, 3, 4]), "answers 1 vectors for 2 texts"),
            (data(*[[1, 2, 3, 4]] * 3), "answers 3 vectors for 2 texts"),
            (data([1, 2, 3], [1, 2, 3]), r"the shape \[2, 3\]; expected 4 numbers"),
            (data([1, 2, 3, 4], [1, 2, 3]), "no lists of numbers of one length"),
            (data([1, 2, 3, 4], None), "no lists of numbers"),
            (data([1, 2, 3, 4], [1, 2, 3, float("nan")]), "text 1 of the batch holds NaN"),
            (data([1, 2, 3, 4], [1e300, 2, 3, 4]), "text 1 of the batch holds NaN or infinity"),
            (Answer(body=b'{"data": [{"index": 0}, {"index": 0}]}'), "numbers its vectors"),
            (Answer(body=b'{"data": {}}'), "no list 'data'; found data"),
            (Answer(body=b'{"data": [1, 2]}'), "something else than objects"),
            (Answer(body=b"[1, 2]"), "no JSON object"),
            (Answer(body=b"[" * 100_000), r"not JSON \(application/json\)"),
            (
                Answer(body=b"<html>Log in</html>", headers={"content-type": "text/html"}),
                r"not JSON \(text/html\): '<html>Log in</html>'",
            ),
            (Answer(body=b""), r"not JSON \(application/json\): nothing"),
            (Answer(401, b"no"), r"refuses the key, or wants one \(401\); set [A-Z_]+$"),
            (Answer(404, b"no such\x1b[31m model"), "answers 404: 'no such"),
            (Answer(400, b"Incorrect key: " + SECRET.encode()), r"'Incorrect key: \[key\]'"),
            (Answer(400, b" " * 290 + SECRET.encode()), r"answers 400: '\[key\]'"),
            (Answer(body=SECRET.encode()), r"not JSON \(application/json\): '\[key\]'"),
        ],
    )
    @pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
    def test_refused(
        self, endpoint: JsonEndpoint, service: Service, answer: Answer, said: str
    ) -> None:
        """The message says what came, on one printable line, without the key."""
        model = openai_embedder(endpoint, "small")
        service.script = [answer]
        with pytest.raises(EndpointError, match=said) as refused:
            model.embed_documents(["a", "b"])
        assert SECRET not in str(refused.value)
        assert str(refused.value).isprintable()

    def test_endless(self, endpoint: JsonEndpoint, service: Service) -> None:
        """An answer that never ends is given up at 64 MiB."""
        service.script = [Answer(body=b"{", endless=True)]
        with pytest.raises(EndpointError, match="larger than 64 MiB"):
            endpoint.post("embeddings", {})


class TestPatience:
    """What may pass is tried again; what won't is not."""

    @pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
    def test_passing_refusals(
        self, endpoint: JsonEndpoint, service: Service, pauses: list[float], status: int
    ) -> None:
        """The pause doubles, and the answer is used when it comes."""
        service.script = [Answer(status), Answer(status)]
        assert openai_embedder(endpoint, "small").profile.dim == DIM
        assert pauses == [0.5, 1.0]

    def test_given_up(self, endpoint: JsonEndpoint, service: Service, pauses: list[float]) -> None:
        """Five attempts, four pauses, then the last refusal is told."""
        service.script = [Answer(503, b"busy")] * 5
        with pytest.raises(EndpointError, match="answers 503: 'busy'"):
            endpoint.post("embeddings", {})
        assert pauses == [0.5, 1.0, 2.0, 4.0]
        assert len(service.requests) == 5

    @pytest.mark.parametrize(("asked_for", "pause"), [("7", 7.0), ("60", 60.0), ("soon", 0.5)])
    def test_retry_after(
        self,
        endpoint: JsonEndpoint,
        service: Service,
        pauses: list[float],
        asked_for: str,
        pause: float,
    ) -> None:
        """The service says how long, up to a minute, and nonsense is no answer."""
        service.script = [Answer(429, headers={"retry-after": asked_for})]
        openai_embedder(endpoint, "small")
        assert pauses == [pause]

    @pytest.mark.parametrize(
        ("asked_for", "said"), [("61", "61 s"), ("99999", "99,999 s"), ("9" * 400, "inf s")]
    )
    def test_a_shorter_pause_is_told(
        self,
        endpoint: JsonEndpoint,
        service: Service,
        pauses: list[float],
        asked_for: str,
        said: str,
    ) -> None:
        """Not longer than a minute is waited, and whoever waits learns what was asked for."""
        service.script = [Answer(429, headers={"retry-after": asked_for})]
        with pytest.warns(ShorterPauseWarning, match="is asked again after 60 s") as told:
            openai_embedder(endpoint, "small")
        assert f"{service.url}/embeddings: the service asks for a pause of {said}" in str(
            told[0].message
        )
        assert pauses == [60.0]

    def test_retry_after_a_date(
        self, endpoint: JsonEndpoint, service: Service, pauses: list[float]
    ) -> None:
        """The header may name a moment instead."""
        moment = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=30)
        date = email.utils.format_datetime(moment, usegmt=True)
        service.script = [Answer(429, headers={"retry-after": date})]
        openai_embedder(endpoint, "small")
        assert 20 < pauses[0] <= 30

    def test_nobody_there(self, pauses: list[float]) -> None:
        """A refused connection names the address, after five attempts."""
        endpoint = JsonEndpoint(Host("http://127.0.0.1:1", "shell"), sleep=pauses.append)
        with pytest.raises(EndpointError, match=r"127\.0\.0\.1:1/x: no answer in 5 attempts"):
            endpoint.get("x")
        assert len(pauses) == 4
        endpoint.close()


class TestSafety:
    """Where keys and requests go, and where they never do."""

    def test_another_origin(self, endpoint: JsonEndpoint, service: Service) -> None:
        """A redirect away is not followed, and nothing is sent there."""
        with running() as other:
            service.script = [Answer(307, headers={"location": f"{other.url}/embeddings"})]
            with pytest.raises(EndpointError, match="redirects to another origin"):
                endpoint.post("embeddings", {})
            assert other.requests == []

    def test_the_same_origin(self, endpoint: JsonEndpoint, service: Service) -> None:
        """A redirect within the host is followed with the same body."""
        service.script = [Answer(308, headers={"location": "/v2/embeddings"})]
        openai_embedder(endpoint, "small")
        assert [path for _, path, _, _ in service.requests] == ["/v1/embeddings", "/v2/embeddings"]

    def test_a_circle(self, endpoint: JsonEndpoint, service: Service) -> None:
        """Redirects end."""
        service.script = [Answer(302, headers={"location": "/v1/embeddings"})] * 9
        with pytest.raises(EndpointError, match="redirects more than 3 times"):
            endpoint.post("embeddings", {})

    def test_a_project_file_gets_no_key(self, service: Service) -> None:
        """Whoever writes the checkout's configuration cannot collect the keys of its visitors."""
        host = Host(service.url, "project file")
        with pytest.raises(UsageError, match="named by a file of the project"):
            JsonEndpoint(host, key=Key("OPENAI_API_KEY", SECRET))
        endpoint = JsonEndpoint(host)
        openai_embedder(endpoint, "small")
        assert "authorization" not in service.requests[0][2]
        endpoint.close()

    def test_proxies_of_the_environment_are_not_used(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A request goes to the host that was named."""
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
        monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
        endpoint = JsonEndpoint(Host(service.url, "shell"), sleep=lambda _: None)
        assert openai_embedder(endpoint, "small").profile.dim == DIM
        endpoint.close()

    def test_a_key_does_not_show_itself(self) -> None:
        """Not in a representation, so not in a traceback or a log either."""
        assert SECRET not in repr(Key("OPENAI_API_KEY", SECRET))

    @pytest.mark.parametrize("end", ["\n", " ", "\n x", "\x7f", "é", "\0"])
    def test_a_key_that_no_header_carries(self, end: str) -> None:
        """It is refused by its variable: the client's message would show the key."""
        with pytest.raises(UsageError, match="OPENAI_API_KEY holds a blank") as refused:
            Key("OPENAI_API_KEY", SECRET + end)
        assert SECRET not in str(refused.value)

    @pytest.mark.parametrize(
        "url",
        [
            "file:///etc/passwd",
            "ftp://host/x",
            "host.example/v1",
            "http://",
            "http://user:pass@host/v1",
            "https://host/v1?key=1",
            "http://host:port/v1",
            "http://host:0/v1",
        ],
    )
    def test_addresses(self, url: str) -> None:
        """Only http and https, and no secrets inside an address."""
        with pytest.raises(UsageError) as refused:
            Host(url, "shell")
        assert "user:pass" not in str(refused.value)
