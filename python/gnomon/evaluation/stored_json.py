"""JSON files that an evaluation has written and reads again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.errors import InvalidInputError
from gnomon.sources.files import read_bounded, shown
from gnomon.sources.json_text import parse_json

if TYPE_CHECKING:
    from pathlib import Path


def read_stored(path: Path, *, limit: int, schema: str, what: str) -> dict[str, Any]:
    """Return the object that a file of a schema holds.

    Parameters
    ----------
    path
        The file.
    limit
        Bytes that it may have.
    schema
        What its key ``schema`` has to be.
    what
        What such a file is, for a message: "report of gnomon eval".

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        When it is too long, no JSON, or of another schema.
    """
    try:
        body = parse_json(read_bounded(path, limit=limit))
    except InvalidInputError:
        raise
    except ValueError as error:
        raise InvalidInputError(f"{shown(path)}: is no {what}: not JSON ({error})") from None
    found = body.get("schema") if isinstance(body, dict) else None
    if not isinstance(body, dict) or found != schema:
        raise InvalidInputError(
            f"{shown(path)}: is no {what} that this gnomon can read: its schema is "
            f"{found!r:.60}, expected {schema!r}"
        )
    return body
