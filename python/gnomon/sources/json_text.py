"""JSON that people write or edit: read whole, and refused where a key stands twice in one object.

The standard leaves open which of the two values counts, and most readers take the last one in
silence: a second ``"expect"`` or ``"tau"`` would decide, and nobody would see it.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, Final

from gnomon.sources.escape import printable, quoted

_WHITE: Final = " \t\n\r"
_MOST_SHOWN: Final = 120


class RepeatedKeyError(ValueError):
    """A key stands twice in one object.

    Attributes
    ----------
    problem
        What is wrong and what to do, without the place.
    line
        Of the second one, from 1; None where the text is nested too deeply to look.
    """

    def __init__(self, key: str, line: int | None) -> None:
        self.line = line
        self.problem = f"has the key {quoted(key)} twice; keep one of them"
        super().__init__(self.problem if line is None else f"line {line} {self.problem}")


class TooDeepError(ValueError):
    """Objects and arrays lie within each other too deeply to be read."""


def parse_json(content: str | bytes) -> Any:
    r"""Return the value that a JSON text holds.

    Parameters
    ----------
    content
        Text, or its bytes in UTF-8, UTF-16 or UTF-32, told apart as `json.loads` does.

    Raises
    ------
    RepeatedKeyError
        A key stands twice in one object, at whatever depth.
    TooDeepError
        It is nested too deeply to read.
    ValueError
        It is not JSON; a `json.JSONDecodeError` where the place is known.

    Examples
    --------
    >>> parse_json('{"k": [1, {"k": 2}]}')
    {'k': [1, {'k': 2}]}
    >>> parse_json('{"tau": 0.3,\n "tau": 0.5}')
    Traceback (most recent call last):
        ...
    gnomon.sources.json_text.RepeatedKeyError: line 2 has the key 'tau' twice; keep one of them
    """
    text = content if isinstance(content, str) else _decoded(content)
    try:
        return _DECODER.decode(text)
    except _TwiceError as error:
        raise RepeatedKeyError(*_first_repeated(text, error.args[0])) from None
    except RecursionError:
        raise TooDeepError("nested too deeply") from None


class WrongPartError(ValueError):
    """A part of a JSON value is not what it has to be; the message says which."""


def fault_of(error: Exception) -> str:
    """Say what is wrong with a value of which a part was taken as if it were there.

    Whoever takes parts says with `WrongPartError` what one must be; a `TypeError` is Python's.

    Examples
    --------
    >>> fault_of(KeyError("tau"))
    "'tau' is missing"
    >>> fault_of(ValueError("tau is 7"))
    'tau is 7'
    """
    if isinstance(error, KeyError):
        return f"{quoted(str(error.args[0]), limit=_MOST_SHOWN)} is missing"
    if isinstance(error, IndexError):
        return "a list in it is too short"
    if isinstance(error, (TypeError, AttributeError)):
        return "a part of it has another JSON type than it should"
    text = str(error)
    return printable(text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}...")


class _TwiceError(Exception):
    """A key that stands twice in an object."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise _TwiceError(Counter(key for key, _ in pairs).most_common(1)[0][0])
    return fields


# Made once: `json.loads` with a hook makes one for every text.
_DECODER: Final = json.JSONDecoder(object_pairs_hook=_once)


def _decoded(content: bytes) -> str:
    return content.decode(json.detect_encoding(content), "surrogatepass")


class _FoundError(Exception):
    """The place of a key that stands twice."""


def _first_repeated(text: str, key: str) -> tuple[str, int | None]:
    """Return the first key that repeats one of its object, and its line.

    The parser has seen the end of an object that holds one, so up to there the text is JSON.
    """
    try:
        _walk(text, _skip(text, 0))
    except _FoundError as found:
        key, at = found.args
        return key, 1 + text.count("\n", 0, at)
    except RecursionError:
        pass
    return key, None


def _walk(text: str, at: int) -> int:
    """Return the place behind the value that begins at a place."""
    if text[at] not in "{[":
        return json.JSONDecoder().raw_decode(text, at)[1]
    end, keys = {"{": "}", "[": "]"}[text[at]], set()
    at = _skip(text, at + 1)
    while text[at] != end:
        if end == "}":
            key, behind = json.JSONDecoder().raw_decode(text, at)
            if key in keys:
                raise _FoundError(key, at)
            keys.add(key)
            at = _skip(text, _skip(text, behind) + 1)  # behind the colon
        at = _skip(text, _walk(text, at))
        if text[at] == ",":
            at = _skip(text, at + 1)
    return at + 1


def _skip(text: str, at: int) -> int:
    while text[at] in _WHITE:
        at += 1
    return at
