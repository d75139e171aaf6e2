"""A chat service on this machine: answers of OpenAI's form, or whatever a test wants."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.embedding.service import Answer, Service

if TYPE_CHECKING:
    from collections.abc import Callable


def said(text: object, **choice: object) -> Answer:
    """Return an answer that says something."""
    message = {"role": "assistant", "content": text}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop", **choice}]}
    return Answer(body=json.dumps(body).encode())


class Speaker(list[Any]):
    """A script that never ends: what a function says to the messages of every request."""

    def __init__(self, speak: Callable[[list[dict[str, str]]], str]) -> None:
        super().__init__([None])
        self._speak = speak

    def pop(self, _at: object = 0) -> Any:
        """Return what answers the next request."""
        return lambda body: said(self._speak(body["messages"]))


def speaking(service: Service, speak: Callable[[list[dict[str, str]]], str]) -> None:
    """Let a service answer by a function of the messages."""
    service.script = Speaker(speak)
