"""A real HTTP service on this machine that embeds, or behaves as told."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DIM = 4


def vector_of(text: str) -> list[float]:
    """Return a vector that depends on the text and nothing else."""
    return [float(len(text)), float(text.count("e")), float(text.count(" ")), 1.0]


@dataclass
class Answer:
    """What the service sends back; ``stall`` is called between the head and the body."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    endless: bool = False


@dataclass
class Service:
    """The service: its address, every request that came, and answers to give before any other."""

    url: str = ""
    requests: list[tuple[str, str, dict[str, str], Any]] = field(default_factory=list)
    script: list[Answer | Callable[[Any], Answer]] = field(default_factory=list)

    def answer(self, path: str, body: Any) -> Answer:
        """Return the next answer of the script, else an honest one."""
        if self.script:
            one = self.script.pop(0)
            return one(body) if callable(one) else one
        return Answer(body=json.dumps(_honest(path, body)).encode())


def _honest(path: str, body: Any) -> dict[str, Any]:
    if path.endswith("/api/tags"):
        return {"models": [{"name": "small:latest", "digest": "sha256:abc"}]}
    vectors = [vector_of(text) for text in body["input"]]
    if path.endswith("/api/embed"):
        return {"embeddings": vectors}
    rows = [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    return {"data": rows[::-1]}  # the order of an answer means nothing; the index does


@contextmanager
def running() -> Iterator[Service]:
    """Run a service for the time of a test."""
    service = Service()

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            headers = {name.lower(): value for name, value in self.headers.items()}
            service.requests.append((self.command, self.path, headers, body))
            answer = service.answer(self.path, body)
            self.send_response(answer.status)
            if not answer.endless:
                self.send_header("content-length", str(len(answer.body)))
            for name, value in {"content-type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self._send(answer)

        def _send(self, answer: Answer) -> None:
            try:
                self.wfile.write(answer.body)
                while answer.endless:
                    self.wfile.write(b" " * (1 << 20))
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        do_GET = do_POST = _serve

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.url = f"http://127.0.0.1:{server.server_port}/v1"
    # Half a second between two looks at the wish to stop would be most of a test.
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
