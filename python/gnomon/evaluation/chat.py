"""A chat model behind an endpoint of OpenAI's form (``POST /chat/completions``)."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from gnomon.embedding.endpoint import Host, JsonEndpoint, Key
from gnomon.errors import EndpointError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gnomon.embedding.endpoint import HostSource

KEY_VARIABLE: Final = "GNOMON_CHAT_API_KEY"
# The key of one service is not sent to another, so this one goes to its own host alone.
_OPENAI_KEY_VARIABLE: Final = "OPENAI_API_KEY"
_OPENAI: Final = "https://api.openai.com/"
# A model writes its whole answer before the first byte comes.
TIMEOUT_S: Final = 120.0
MOST_CHARACTERS: Final = 1 << 20

# Some services leave what a model thinks aloud in front of what it says.
_THOUGHT: Final = re.compile(r"\A\s*+<think>.*?</think>", re.S)

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    content: str

    def as_dict(self) -> dict[str, str]:
        """Return the message as the service takes it."""
        return {"role": self.role, "content": self.content}


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered.

    Attributes
    ----------
    text
        Without blanks around it, and without what the model thought aloud before.
    is_cut
        Whether the service stopped the model at a limit of length.
    """

    text: str
    is_cut: bool = False


class ChatModel:
    """Asks a chat model, one conversation at a time.

    Parameters
    ----------
    endpoint
        Where it is.
    name
        The name that the service knows it by.
    temperature
        Sent as it is; None leaves it to the service, for models that take none.
    """

    def __init__(
        self, endpoint: JsonEndpoint, name: str, *, temperature: float | None = 0.0
    ) -> None:
        self._endpoint, self.name, self.temperature = endpoint, name, temperature
        self._where = f"{endpoint.host.url}/chat/completions"

    def ask(self, messages: Sequence[Message]) -> Reply:
        """Return the answer to a conversation.

        Raises
        ------
        EndpointError
            When the service cannot be asked, or answers no text.
        """
        body: dict[str, Any] = {"model": self.name, "messages": [m.as_dict() for m in messages]}
        if self.temperature is not None:
            body["temperature"] = self.temperature
        return _reply(self._endpoint.post("chat/completions", body), self._where)

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()


def open_chat(
    url: str,
    named_by: HostSource,
    model: str,
    *,
    environment: Mapping[str, str],
    temperature: float | None = 0.0,
    timeout_s: float = TIMEOUT_S,
    sleep: Callable[[float], None] = time.sleep,
) -> ChatModel:
    """Return the chat model of a service.

    The key comes from ``GNOMON_CHAT_API_KEY``, for OpenAI's own host else from ``OPENAI_API_KEY``,
    and is sent only to a host that a project file did not name.

    Parameters
    ----------
    url
        Base address, such as ``http://127.0.0.1:11434/v1``.
    named_by
        Who named it.
    timeout_s
        How long to wait for a connection, and between two pieces of an answer.

    Raises
    ------
    UsageError
        When the address is none, or the key is one that no header carries.
    MissingDependencyError
        When httpx is not installed.
    """
    host = Host(url.rstrip("/"), named_by)
    found = _key_variable(host, environment)
    key = Key(found, environment[found]) if found is not None and host.takes_keys else None
    endpoint = JsonEndpoint(host, key=key, timeout_s=timeout_s, sleep=sleep)
    return ChatModel(endpoint, model, temperature=temperature)


def withheld_key(url: str, named_by: HostSource, environment: Mapping[str, str]) -> str | None:
    """Return the variable whose key is not sent, since a project file named the host; else None."""
    host = Host(url.rstrip("/"), named_by)
    return None if host.takes_keys else _key_variable(host, environment)


def temperature_of(text: str) -> float | None:
    """Return the temperature that a setting names; ``none`` sends none.

    Raises
    ------
    UsageError
        When it is no number from 0 to 2.
    """
    if text.strip().lower() == "none":
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 2.0:
        raise UsageError(f"chat.temperature is {text!r}; expected a number from 0 to 2, or none")
    return value


def _key_variable(host: Host, environment: Mapping[str, str]) -> str | None:
    variables = [KEY_VARIABLE]
    if f"{host.url}/".startswith(_OPENAI):
        variables.append(_OPENAI_KEY_VARIABLE)
    return next((name for name in variables if environment.get(name)), None)


def _reply(answer: Mapping[str, Any], where: str) -> Reply:
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        found = ascii(", ".join(sorted(answer)[:8]))[1:-1] or "nothing"
        raise EndpointError(f"{where}: the answer has no list 'choices' of objects; found {found}")
    message, reason = choices[0].get("message"), choices[0].get("finish_reason")
    text = message.get("content") if isinstance(message, dict) else None
    if not isinstance(text, str):
        shown = ascii(reason)[:40]
        raise EndpointError(
            f"{where}: the first choice holds no text (finish_reason {shown}); expected "
            "message.content"
        )
    if len(text) > MOST_CHARACTERS:
        raise EndpointError(
            f"{where}: the answer holds {len(text):,} characters; an answer of more than "
            f"{MOST_CHARACTERS:,} is none"
        )
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise EndpointError(
            f"{where}: the answer holds half of a surrogate pair, which is no character"
        ) from None
    return Reply(_THOUGHT.sub("", text, count=1).strip(), is_cut=reason == "length")
