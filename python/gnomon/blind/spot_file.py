"""The contested file: every spot that was judged, one JSON object a line."""

from __future__ import annotations

import math
import unicodedata
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from gnomon.blind.spots import NOTHING
from gnomon.errors import InvalidInputError
from gnomon.rules.blind_values import SYSTEMS, System
from gnomon.sources.escape import quoted
from gnomon.sources.files import shown
from gnomon.sources.jsonl import json_type, read_records, whole_characters

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from gnomon.sources.jsonl import Record

Kind = Literal["substitution", "insertion", "deletion"]
KINDS: Final = ("substitution", "insertion", "deletion")
LONGEST_TEXT: Final = 20_000
"""Characters of a reading or a context; a cell of a spreadsheet holds 32,767."""

# Controls and invisible format characters; what a Python's Unicode does not know yet is kept.
_DROPPED: Final = frozenset({"Cc", "Cf"})
# Joiners are part of words in several scripts, and signs that span numbers are visible although
# they count as format characters. White space is evened out, not dropped.
_KEPT: Final = frozenset(
    "\u200c\u200d \t\n\v\f\r\x1c\x1d\x1e\x1f\x85"
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)


class Contested(NamedTuple):
    """One spot on which two systems differ, and which of the two readings was chosen.

    Readings and context are as a judge may see them: spaces evened out, composed Unicode (NFC),
    without control and invisible characters, so that no habit of a system gives it away.

    Attributes
    ----------
    base, alt
        The two readings; one of them is empty for an insertion or a deletion.
    used
        The system whose reading was chosen.
    unsure
        Whether the choice was an unsure one.
    time
        Seconds, to the millisecond, or None.
    line, offset
        Where it stands in the file.
    """

    id: str
    base: str
    alt: str
    used: System
    unsure: bool
    left_context: str
    time: float | None
    kind: Kind
    line: int
    offset: int

    @property
    def is_placed(self) -> bool:
        """Whether a judge can find the spot; one with two readings always counts as placed."""
        return self.kind == "substitution" or self.time is not None or bool(self.left_context)


def read_contested(path: str | os.PathLike[str]) -> Iterator[Contested]:
    """Yield the spots of a contested file, plain or gzip, one at a time.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        When a line is not such a spot; the message names it.
    """
    for record in read_records(path):
        try:
            yield _spot(record)
        except _OddSpotError as problem:
            raise InvalidInputError(f"{shown(path)}: line {record.line}: {problem}") from None


def as_shown(text: str) -> str:
    r"""Return a text as a judge sees it.

    Examples
    --------
    >>> as_shown("  a\t b\u200b\n"), as_shown("e\u0301") == "\u00e9"
    ('a b', True)
    """
    if not text.isprintable():
        text = "".join(c for c in text if c in _KEPT or unicodedata.category(c) not in _DROPPED)
    if not text.isascii() and not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    return " ".join(text.split())


class _OddSpotError(Exception):
    """A line is no spot; says why, and the caller knows where."""


def _spot(record: Record) -> Contested:
    fields = record.fields
    try:
        base, alt = _reading(fields["base"], "base"), _reading(fields["alt"], "alt")
        used, unsure, kind, own = fields["used"], fields["unsure"], fields["kind"], fields["id"]
    except KeyError as missing:
        raise _OddSpotError(
            f"has no {missing}; a spot has id, base, alt, used, unsure, kind, and left_context and "
            "time where they are known"
        ) from None
    if used not in SYSTEMS:
        raise _OddSpotError(f"'used' is {_given(used)}; expected 'base' or 'alt'")
    if unsure is not True and unsure is not False:
        raise _OddSpotError(f"'unsure' is {_given(unsure)}; expected true or false")
    if kind not in KINDS:
        raise _OddSpotError(
            f"'kind' is {_given(kind)}; expected 'substitution', 'insertion' or 'deletion'"
        )
    _check_readings(base, alt, kind)
    context, time = fields.get("left_context"), fields.get("time")
    return Contested(
        own if isinstance(own, str) and own.isascii() and own.strip() else _id(own),
        base,
        alt,
        used,
        unsure,
        "" if context is None else _reading(context, "left_context"),
        None if time is None else _time(time),
        kind,
        record.line,
        record.offset,
    )


def _check_readings(base: str, alt: str, kind: Kind) -> None:
    if base == alt:
        raise _OddSpotError(
            "both readings are the same once spaces and Unicode forms are evened out; leave the "
            "spot out, there is nothing to judge"
        )
    if (kind == "substitution") != (base != "" and alt != ""):
        raise _OddSpotError(
            "a substitution has two readings, an insertion or a deletion has one and an empty one; "
            f"this {kind} has {2 if base and alt else 1}"
        )
    if NOTHING in {base, alt}:
        raise _OddSpotError(f"a reading is {NOTHING!r}, which the sheet shows for an empty one")


def _id(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise _OddSpotError(
            f"'id' is {_given(value)}; expected a text that is not blank, or an integer"
        )
    _check_whole(value, "id")
    return value


def _reading(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise _OddSpotError(f"'{name}' is a JSON {json_type(value)}; expected a text")
    if len(value) > LONGEST_TEXT:
        raise _OddSpotError(
            f"'{name}' has {len(value):,} characters; a sheet shows at most {LONGEST_TEXT:,}"
        )
    if not value.isascii():
        _check_whole(value, name)
    return as_shown(value)


def _check_whole(value: str, name: str) -> None:
    try:
        whole_characters(value, f"'{name}'")
    except InvalidInputError as error:
        raise _OddSpotError(str(error)) from None


def _time(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _OddSpotError(f"'time' is {_given(value)}; expected seconds, or null")
    try:
        seconds = float(value)
    except OverflowError:
        seconds = math.inf
    if not (math.isfinite(seconds) and seconds >= 0):
        raise _OddSpotError(f"'time' is {seconds}; expected seconds, 0 or more")
    # A spreadsheet writes no more digits of a number than it shows.
    return round(seconds, 3)


def _given(value: Any) -> str:
    return quoted(value) if isinstance(value, str) else f"a JSON {json_type(value)}"
