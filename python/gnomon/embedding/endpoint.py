"""A JSON service over HTTP: bounded, patient, and careful with the key.

The service is not trusted: answers are capped, redirects leave no origin, and what is not the JSON
that was asked for is an error that says what came instead.
"""

from __future__ import annotations

import email.utils
import json
import time
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import urlsplit

from gnomon.errors import EndpointError, MissingDependencyError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import httpx

HostSource = Literal["command line", "shell", "user config", "default", "project file"]

MAX_ANSWER_BYTES: Final = 64 << 20
ATTEMPTS: Final = 5
FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 60.0
REDIRECTS: Final = 3
_PASSING: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
_MOVED: Final = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Key:
    """An API key and the variable it came from; it never shows itself.

    Raises
    ------
    UsageError
        When no header can carry it. The client's own message would show it.
    """

    variable: str
    value: str = field(repr=False)

    def __post_init__(self) -> None:
        if not (self.value.isascii() and self.value.isprintable()) or " " in self.value:
            raise UsageError(
                f"{self.variable} holds a blank, a line end or a character outside ASCII, which no "
                "key does; set it anew"
            )


@dataclass(frozen=True, slots=True)
class Host:
    """A service's base address and who named it.

    Attributes
    ----------
    url
        http or https, without a trailing slash.
    named_by
        A key is sent only to a host that the user named, never to one that a project file named:
        whoever can change a checkout could otherwise collect the keys of its visitors.
    """

    url: str
    named_by: HostSource

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            port = parts.port
        except ValueError as error:
            raise UsageError(f"the endpoint {self.url!r} is no address: {error}") from None
        if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
            raise UsageError(
                f"the endpoint {self.url!r} is no http or https address; expected one such as "
                "https://host.example/v1"
            )
        if parts.username or parts.password or parts.query or parts.fragment:
            raise UsageError(
                f"the endpoint of {parts.hostname} carries a user name, a password, a query or a "
                "fragment; give the plain address, and the key in its variable"
            )

    @property
    def takes_keys(self) -> bool:
        """Whether a key may be sent there."""
        return self.named_by != "project file"


class ShorterPauseWarning(UserWarning):
    """A service asks for a longer pause than is made before it is asked again."""


class JsonEndpoint:
    """Posts JSON to one host and returns the JSON that it answers.

    Parameters
    ----------
    host
        Where to post.
    key
        Sent as a bearer token, if the host may be given it.
    timeout_s
        How long to wait for a connection, and between two pieces of an answer. An answer as a whole
        may take ten times as long.
    sleep
        Replaced by tests.

    Raises
    ------
    MissingDependencyError
        When httpx is not installed.
    UsageError
        When a key is given and the host was named by a project file.
    """

    def __init__(
        self,
        host: Host,
        *,
        key: Key | None = None,
        timeout_s: float = 60.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.host, self._sleep, self._timeout_s = host, sleep, timeout_s
        self._key = key
        headers = {"accept": "application/json", "user-agent": "gnomon"}
        if key is not None:
            if not host.takes_keys:
                raise UsageError(
                    f"{key.variable} is set and the host {host.url} is named by a file of the "
                    "project; a key is sent only to a host that you name yourself, on the command "
                    "line, in the shell or in your own configuration"
                )
            headers["authorization"] = f"Bearer {key.value}"
        # Settings of the environment (proxies, .netrc) would send requests elsewhere.
        self._client = _httpx().Client(
            headers=headers, timeout=timeout_s, follow_redirects=False, trust_env=False
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def get(self, path: str) -> dict[str, Any]:
        """Return the JSON object at a path; errors as for `post`."""
        return self._ask("GET", path, None)

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON object that answers a body.

        A refusal that may pass (429, 5xx, a time-out, a connection that breaks) is tried again, up
        to five times in all, after the pause that the service asks for or a growing one, of a
        minute at most; that the service asks for more is told by a `ShorterPauseWarning`.

        Raises
        ------
        EndpointError
            When the service cannot be reached, refuses, sends a redirect to another origin, too
            much, or something that is no JSON object. The key is in no message.
        """
        return self._ask("POST", path, json.dumps(body).encode())

    def _ask(self, method: str, path: str, body: bytes | None) -> dict[str, Any]:
        httpx = _httpx()
        url = f"{self.host.url}/{path}"
        for attempt in range(1, ATTEMPTS + 1):
            last = attempt == ATTEMPTS
            try:
                status, headers, content = self._send(method, url, body)
            except (httpx.InvalidURL, httpx.DecodingError) as error:
                raise EndpointError(
                    f"{shown_address(url)}: cannot be read ({_reason(error)}); check the address"
                ) from None
            except httpx.TransportError as error:
                if last:
                    raise EndpointError(
                        f"{shown_address(url)}: no answer in {ATTEMPTS} attempts "
                        f"({_reason(error)}); check that the service runs and the address is right"
                    ) from None
                self._sleep(_pause(attempt, None)[0])
                continue
            if status in _PASSING and not last:
                pause, asked = _pause(attempt, headers.get("retry-after"))
                if asked > pause:
                    _warn_of_shorter_pause(url, pause, asked)
                self._sleep(pause)
                continue
            where, kind = shown_address(url), headers.get("content-type", "")
            return _object(where, status, kind, content, self._key)
        raise AssertionError  # the last attempt returns or raises

    def _send(
        self, method: str, url: str, body: bytes | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        headers = {} if body is None else {"content-type": "application/json"}
        for _ in range(REDIRECTS + 1):
            with self._client.stream(method, url, content=body, headers=headers) as answer:
                if answer.status_code not in _MOVED:
                    return answer.status_code, answer.headers, self._read(url, answer)
                url = _same_origin(url, answer.headers.get("location", ""))
        raise EndpointError(
            f"{shown_address(url)}: redirects more than {REDIRECTS} times; name the final address"
        )

    def _read(self, url: str, answer: httpx.Response) -> bytes:
        content = bytearray()
        until = time.monotonic() + 10 * self._timeout_s
        for piece in answer.iter_bytes():
            content += piece
            if len(content) > MAX_ANSWER_BYTES:
                raise EndpointError(
                    f"{shown_address(url)}: the answer is larger than "
                    f"{MAX_ANSWER_BYTES >> 20} MiB; ask for less at a time"
                )
            if time.monotonic() > until:
                raise EndpointError(
                    f"{shown_address(url)}: the answer did not end within "
                    f"{10 * self._timeout_s:.0f} s"
                )
        return bytes(content)


def shown_address(url: str) -> str:
    """Return an address as it may appear in a message: without its query, which may be secret.

    Examples
    --------
    >>> shown_address("https://host.example/turns?token=secret")
    'https://host.example/turns'
    """
    return ascii(url.partition("?")[0])[1:-1]


def _same_origin(url: str, location: str) -> str:
    target = str(_httpx().URL(url).join(location))
    before, after = urlsplit(url), urlsplit(target)
    if (before.scheme, before.netloc) != (after.scheme, after.netloc):
        raise EndpointError(
            f"{shown_address(url)}: redirects to another origin "
            f"({after.scheme}://{after.netloc.rpartition('@')[2]}), which is not followed; if that "
            "is the right address, name it yourself"
        )
    return target


def _object(
    url: str, status: int, content_type: str, content: bytes, key: Key | None
) -> dict[str, Any]:
    if status in (401, 403):
        variable = "its variable" if key is None else key.variable
        raise EndpointError(
            f"{url}: the service refuses the key, or wants one ({status}); set {variable}"
        )
    if status != 200:
        raise EndpointError(f"{url}: the service answers {status}: {_excerpt(content, key)}")
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        kind = content_type.partition(";")[0] or "no content type"
        raise EndpointError(
            f"{url}: the answer is not JSON ({kind}): {_excerpt(content, key)}; check the address"
        ) from None
    if not isinstance(value, dict):
        raise EndpointError(f"{url}: the answer is no JSON object: {_excerpt(content, key)}")
    return value


def _excerpt(content: bytes, key: Key | None) -> str:
    if key is not None:  # services repeat a key that they don't know
        content = content.replace(key.value.encode(), b"[key]")
    text = " ".join(content[:300].decode("utf-8", "replace").split())
    shown = "".join(c if c.isprintable() else "\ufffd" for c in text[:160])
    return repr(shown) if shown else "nothing"


def _pause(attempt: int, retry_after: str | None) -> tuple[float, float]:
    """Return the pause to make and the one that was asked for, in seconds."""
    asked = _seconds(retry_after) if retry_after else None
    if asked is None:
        asked = FIRST_PAUSE_S * 2.0 ** (attempt - 1)
    return min(max(asked, 0.0), LONGEST_PAUSE_S), asked


def _warn_of_shorter_pause(url: str, pause: float, asked: float) -> None:
    warnings.warn(
        f"{shown_address(url)}: the service asks for a pause of {asked:,.0f} s (Retry-After); it "
        f"is asked again after {pause:.0f} s, the longest that gnomon waits",
        ShorterPauseWarning,
        stacklevel=4,
    )


def _seconds(retry_after: str) -> float | None:
    """Return the pause of a Retry-After header: seconds, or the time until a date."""
    text = retry_after.strip()
    if text.isdecimal():
        return float(text)
    try:
        until = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    return until.timestamp() - time.time()


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _httpx() -> Any:
    try:
        import httpx  # noqa: PLC0415  # an extra
    except ImportError as error:
        raise MissingDependencyError(
            f"asking a service over HTTP needs httpx ({error}); run: pip install 'gnomon[endpoint]'"
        ) from error
    return httpx
