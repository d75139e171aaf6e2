"""Records of JSON Lines files: one object a line, each with its id."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon.errors import InvalidInputError
from gnomon.sources.escape import listed, quoted
from gnomon.sources.files import shown
from gnomon.sources.json_text import RepeatedKeyError, TooDeepError, parse_json
from gnomon.sources.limits import DEFAULT_LIMITS, Limits
from gnomon.sources.textlines import Line, read_lines

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON object of a JSON Lines file and where it stood."""

    line: int
    offset: int
    fields: dict[str, Any]


def read_records(
    path: str | os.PathLike[str], *, limits: Limits = DEFAULT_LIMITS
) -> Iterator[Record]:
    """Yield the objects of a JSON Lines file, plain or gzip; blank lines are skipped.

    Raises
    ------
    InvalidInputError
        For a line that is not a JSON object; the message names file, line and column.
    """
    for line in read_lines(path, limits=limits):
        if line.text.strip(" \t\r"):
            yield Record(line.number, line.offset, parse_object(line, path))


def parse_object(line: Line, path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the JSON object that a line holds.

    Raises
    ------
    InvalidInputError
        When the line is not JSON, not an object, nested too deeply, or has a key twice in one
        object.
    """
    where = f"{shown(path)}: line {line.number}"
    try:
        value = parse_json(line.text)
    except RepeatedKeyError as error:
        raise InvalidInputError(f"{where}: {error.problem}") from None
    except json.JSONDecodeError as error:
        problem = error.msg.removesuffix(" at")
        raise InvalidInputError(
            f"{where}: is not valid JSON ({problem} at column {error.colno}); "
            "expected one JSON object a line"
        ) from None
    except TooDeepError:
        raise InvalidInputError(
            f"{where}: holds a structure too deep to read; expected one JSON object a line"
        ) from None
    except ValueError:
        raise InvalidInputError(
            f"{where}: holds a number too long to read; expected one JSON object a line"
        ) from None
    if not isinstance(value, dict):
        raise InvalidInputError(
            f"{where}: holds a JSON {json_type(value)}; expected one JSON object a line"
        )
    return value


def id_of(record: Record, path: str | os.PathLike[str]) -> str:
    """Return the ``_id`` of a record; a JSON integer gives its decimal digits.

    Raises
    ------
    InvalidInputError
        When the id is missing, blank, null, a fraction, a boolean, an array or an object, or not
        valid Unicode.
    """
    where = f"{shown(path)}: line {record.line}"
    if "_id" not in record.fields:
        found = listed(list(record.fields)) or "no fields"
        raise InvalidInputError(f"{where}: has no '_id'; found {found}. Name the id field '_id'")
    value = record.fields["_id"]
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise InvalidInputError(
            f"{where}: '_id' is a JSON {json_type(value)}; expected a string or an integer"
        )
    if not value.strip():
        raise InvalidInputError(f"{where}: '_id' is blank; every record needs an id of its own")
    return whole_characters(value, f"{where}: '_id'")


def text_of(record: Record, field: str, path: str | os.PathLike[str]) -> str:
    """Return a text field of a record; missing or null gives the empty string.

    Raises
    ------
    InvalidInputError
        When the field is not a string, or not valid Unicode.
    """
    value = record.fields.get(field)
    if value is None:
        return ""
    where = f"{shown(path)}: line {record.line}: {quoted(field)}"
    if not isinstance(value, str):
        raise InvalidInputError(f"{where} is a JSON {json_type(value)}; expected a string")
    return whole_characters(value, where)


def whole_characters(value: str, where: str) -> str:
    """Return a text that can be written as UTF-8.

    Raises
    ------
    InvalidInputError
        When it holds half of a surrogate pair; the message says where.
    """
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInputError(
            f"{where} holds half of a surrogate pair (\\u{ord(value[error.start]):04x}) at "
            f"character {error.start + 1}, which is no character; write the whole character or "
            "remove it"
        ) from None
    return value


def json_type(value: object) -> str:
    """Return what JSON calls the type of a value that was read from it."""
    if value is None:
        return "null"
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "array"}
    return names.get(type(value), "object")
