"""One byte sequence per JSON value: canonical JSON after RFC 8785, and its strict reading.

What is hashed is what is stored, so the two directions live side by side: ``canonical_bytes`` for
writing, ``parse_json`` for reading back exactly what ``canonical_bytes`` can write.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

import rfc8785

from gnomon.errors import InvalidInputError

MAX_SAFE_INTEGER = 2**53 - 1
"""Largest integer that a JSON number holds exactly (RFC 8785, section 3.2.2.3, after RFC 7493)."""


def canonical_bytes(value: object) -> bytes:
    r"""Return the canonical JSON of ``value``: sorted keys, shortest numbers, UTF-8, no spaces.

    Parameters
    ----------
    value
        None, bool, int, float, str, and lists, tuples and dicts of these with string keys.

    Raises
    ------
    InvalidInputError
        When JSON cannot hold the value: NaN, an infinity, an integer beyond 2**53 - 1, a string
        that is no Unicode text, a key that is no string, another type, or too deep a nesting.
        The message names the field.

    References
    ----------
    RFC 8785, JSON Canonicalization Scheme.

    Examples
    --------
    >>> canonical_bytes({"b": 1.0, "a": [True, None, "é", 1e-7]})
    b'{"a":[true,null,"\xc3\xa9",1e-7],"b":1}'
    """
    try:
        return rfc8785.dumps(value)  # type: ignore[arg-type]  # the walk below names what is refused
    except RecursionError:
        raise InvalidInputError("the value is nested too deeply to be stored as JSON") from None
    except ValueError as error:
        where, why = _first_unstorable(value, "") or ("", str(error))
        raise InvalidInputError(
            f"{where or 'the value'} cannot be stored as JSON: {why}; store null with a reason,"
            " or a plain number or text"
        ) from None


def parse_json(data: bytes) -> Any:
    """Return the value of a JSON text, read as strictly as ``canonical_bytes`` writes.

    Integers beyond 2**53 - 1 become floats: canonical JSON writes 1e20 as a run of digits.

    Raises
    ------
    ValueError
        When the bytes are no UTF-8, no JSON, hold NaN or an infinity, or nest too deeply.

    Examples
    --------
    >>> parse_json(canonical_bytes([1e20, 3, -0.0]))
    [1e+20, 3, 0]
    """
    try:
        return json.loads(
            data.decode("utf-8"),
            parse_int=_integer_or_float,
            parse_float=_finite_float,
            parse_constant=_refuse_constant,
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of ``data`` as 64 lower-case hex digits."""
    return hashlib.sha256(data).hexdigest()


def fingerprint(value: object) -> str:
    """Return the SHA-256 of the canonical JSON of ``value``, e.g. of a model profile.

    Examples
    --------
    >>> fingerprint({"id": "m", "dim": 2}) == fingerprint({"dim": 2.0, "id": "m"})
    True
    """
    return sha256_hex(canonical_bytes(value))


def is_sha256(text: object) -> bool:
    """Tell whether ``text`` is 64 lower-case hex digits, and so may become part of a file name."""
    return isinstance(text, str) and len(text) == 64 and set(text) <= set("0123456789abcdef")


def _first_unstorable(value: object, where: str) -> tuple[str, str] | None:
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, str):
        return None if _is_unicode(value) else (where, "the text holds a lone surrogate")
    if isinstance(value, int):
        beyond = abs(value) > MAX_SAFE_INTEGER
        return (where, f"the integer {value} is beyond 2**53 - 1") if beyond else None
    if isinstance(value, float):
        return None if math.isfinite(value) else (where, f"the number is {value}")
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str) or not _is_unicode(key):
                return where, f"the key {key!r} is no Unicode text"
    elif not isinstance(value, (list, tuple)):
        return where, f"it is a {type(value).__name__}"
    children = value.items() if isinstance(value, dict) else enumerate(value)
    for key, child in children:
        found = _first_unstorable(child, f"{where}.{key}" if where else str(key))
        if found is not None:
            return found
    return None


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _integer_or_float(digits: str) -> int | float:
    # 16 digits and a sign hold every safe integer; longer ones need not be parsed exactly.
    if len(digits) <= 17:
        number = int(digits)
        if abs(number) <= MAX_SAFE_INTEGER:
            return number
    return _finite_float(digits)


def _finite_float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {digits[:40]} is beyond the range of a double")
    return number


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")
