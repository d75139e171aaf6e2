"""Lines of JSON that are handed out and come back: one hash over what they say."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def line_of(value: Mapping[str, Any]) -> bytes:
    """Return an object as the line that is written."""
    return json.dumps(value, allow_nan=False).encode() + b"\n"


class RowsHash:
    """sha256 over the values of rows in their order; how a file spells them has no part in it."""

    def __init__(self, rows: Iterable[Mapping[str, Any]] = ()) -> None:
        self._digest = hashlib.sha256()
        for row in rows:
            self.add(row)

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one more row; NaN is kept apart from every number."""
        self._digest.update(json.dumps(row).encode() + b"\n")

    @property
    def hex(self) -> str:
        """64 hexadecimal digits."""
        return self._digest.hexdigest()
