"""One numbered spot of a sheet, and what its cells may hold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, get_args

from gnomon.errors import InvalidInputError
from gnomon.sources.escape import quoted

Verdict = Literal["x", "y", "neither", "cannot_tell"]
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)

NOTHING: Final = "(nothing)"
"""What a sheet shows for an empty reading; in brackets, since a reading may be the bare word."""


@dataclass(frozen=True, slots=True)
class Spot:
    """What the judge sees of one spot, and what they said.

    Attributes
    ----------
    number
        From 1; given after the shuffle.
    time
        Seconds into the recording, or None.
    left_context
        A few words before the spot; may be empty.
    x, y
        The two readings; empty where that system reads nothing.
    verdict
        None as long as it is not filled.
    """

    number: int
    time: float | None
    left_context: str
    x: str
    y: str
    verdict: Verdict | None = None


def shown_reading(reading: str) -> str:
    """Return a reading as a sheet shows it."""
    return reading or NOTHING


def reading_of(cell: str) -> str:
    """Return the reading that a sheet shows; undoes `shown_reading`."""
    return "" if cell == NOTHING else cell


def verdict_of(cell: str, where: str) -> Verdict | None:
    """Return the verdict of a cell, None for an empty one; case and outer spaces do not count.

    Raises
    ------
    InvalidInputError
        When it is none of the four.
    """
    text = cell.strip().lower()
    if not text:
        return None
    if text not in VERDICTS:
        raise InvalidInputError(
            f"{where}: the verdict is {quoted(cell)}; expected {', '.join(VERDICTS)}, or nothing "
            "yet"
        )
    return text


def checked_time(value: float, where: str) -> float:
    """Return a time in seconds.

    Raises
    ------
    InvalidInputError
        When it is negative or not finite.
    """
    if not (math.isfinite(value) and value >= 0):
        raise InvalidInputError(f"{where}: the time is {value}; expected seconds, 0 or more")
    return value
