"""Exported feedback: one turn with its vote and the gate's recorded numbers."""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from gnomon.errors import InvalidInputError
from gnomon.kernels import nfkc_casefold
from gnomon.retrieval.verdict import CHANNELS, Cause
from gnomon.sources.escape import quoted
from gnomon.sources.jsonl import json_type, whole_characters
from gnomon.sources.scope import Scope, parse_scope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.rules.feedback import Verdict

Vote = Literal["up", "down", "none"]
VOTES: Final[tuple[Vote, ...]] = get_args(Vote)
CAUSES: Final[tuple[Cause, ...]] = get_args(Cause)
_TIME = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:(?P<second>\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)
_EXAMPLE: Final = "2026-03-01T09:30:00Z"


@dataclass(frozen=True, slots=True)
class GateNumbers:
    """What the gate recorded of a turn.

    Attributes
    ----------
    passes
        Whether the score reached the threshold.
    refuses
        Whether the reader was refused: False under a guard that is off, whatever the score.
    """

    passes: bool
    refuses: bool
    score: float | None = None
    threshold: float | None = None
    source: str | None = None
    channel: str | None = None
    cause: Cause | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Turn:
    """A question that a reader asked, and what they thought of what came back.

    Attributes
    ----------
    previous
        The questions asked before it, oldest first.
    time
        In UTC.
    gate
        None when the gate's numbers were not recorded.
    """

    question: str
    previous: tuple[str, ...]
    scope: Scope | None
    vote: Vote
    time: dt.datetime
    gate: GateNumbers | None
    lang: str | None

    @property
    def verdict(self) -> Verdict:
        """What the gate made of it, as the reader saw it."""
        if self.gate is None:
            return "unrecorded"
        if self.gate.passes:
            return "admitted"
        return "refused" if self.gate.refuses else "unenforced"


def parse_turn(fields: Mapping[str, Any], where: str) -> Turn:
    """Return the turn of an exported object; keys that are not known are ignored.

    Raises
    ------
    InvalidInputError
        When a field is missing or is not what it should be.
    """
    question = _text(fields, "question", where)
    if question is None or not folded(question):
        raise InvalidInputError(f"{where}: has no 'question'; expected the text that was asked")
    return Turn(
        question,
        _previous(fields.get("previous"), where),
        scope_of(fields.get("scope"), where),
        _vote(fields, where),
        _time(fields.get("time"), where),
        parse_gate(fields.get("gate"), where),
        _text(fields, "lang", where) or None,
    )


def parse_gate(value: object, where: str) -> GateNumbers | None:
    """Return the gate's numbers of a turn, or None for null.

    Raises
    ------
    InvalidInputError
        When it is no object with the numbers of a verdict.
    """
    if value is None:
        return None
    if not isinstance(value, dict):
        raise InvalidInputError(
            f"{where}: 'gate' is {_found(value)}; expected an object such as "
            '{"passes": false, "score": 0.21, "threshold": 0.3}, or null'
        )
    passes = _yes_or_no(value, "passes", where)
    if passes is None:
        raise InvalidInputError(f"{where}: 'gate' has no 'passes'; expected true or false")
    refuses = _yes_or_no(value, "refuses", where)
    if passes and refuses:
        raise InvalidInputError(f"{where}: 'gate' both passes and refuses; expected one of them")
    return GateNumbers(
        passes=passes,
        refuses=not passes if refuses is None else refuses,
        score=_share(value, "score", where),
        threshold=_share(value, "threshold", where),
        source=_text(value, "source", where),
        channel=_one_of(value, "channel", CHANNELS, where),
        cause=next((c for c in CAUSES if c == _one_of(value, "cause", CAUSES, where)), None),
    )


def folded(text: str) -> str:
    """Return a text as it is compared: case and compatibility forms folded, blanks run together."""
    return " ".join(nfkc_casefold(text).split())


def scope_of(value: object, where: str) -> Scope | None:
    """Return the scope that a record names, as `gnomon.sources.scope.parse_scope` does.

    Raises
    ------
    InvalidInputError
        When it is no scope, or a path is no text that can be written.
    """
    scope = parse_scope(value, where=where)
    for path in () if scope is None else scope.paths:
        whole_characters(path, f"{where}: a path of the scope")
    return scope


def _previous(value: object, where: str) -> tuple[str, ...]:
    if value is None:
        return ()
    asked = [value] if isinstance(value, str) else value
    if not isinstance(asked, list) or not all(isinstance(q, str) and q.strip() for q in asked):
        raise InvalidInputError(
            f"{where}: 'previous' is {_found(value)}; expected a list of questions, oldest first, "
            "none blank, or null"
        )
    return tuple(whole_characters(question, f"{where}: 'previous'") for question in asked)


def _vote(fields: Mapping[str, Any], where: str) -> Vote:
    if "vote" not in fields:
        raise InvalidInputError(f'{where}: has no \'vote\'; expected "up", "down" or null')
    value = fields["vote"]
    if value is None:
        return "none"
    if value == "up":
        return "up"
    if value == "down":
        return "down"
    raise InvalidInputError(f'{where}: \'vote\' is {_found(value)}; expected "up", "down" or null')


def _time(value: object, where: str) -> dt.datetime:
    match = _TIME.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        found = "there is no 'time'" if value is None else f"'time' is {_found(value)}"
        raise InvalidInputError(
            f"{where}: {found}; expected a date, a time and an offset (RFC 3339), as in {_EXAMPLE}"
        )
    text = match.string.upper()
    if match["second"] == "60":  # a leap second, which the calendar of Python does not know
        text = f"{text[:17]}59{text[19:]}"
    try:
        return dt.datetime.fromisoformat(text).astimezone(dt.UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidInputError(
            f"{where}: 'time' {quoted(match.string)} is no moment ({error}); expected one such as "
            f"{_EXAMPLE}"
        ) from None


def _text(fields: Mapping[str, Any], name: str, where: str) -> str | None:
    value = fields.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidInputError(f"{where}: {name!r} is {_found(value)}; expected a text")
    return whole_characters(value, f"{where}: {name!r}")


def _yes_or_no(fields: Mapping[str, Any], name: str, where: str) -> bool | None:
    value = fields.get(name)
    if value is None or isinstance(value, bool):
        return value
    raise InvalidInputError(
        f"{where}: {name!r} of 'gate' is {_found(value)}; expected true or false"
    )


def _share(fields: Mapping[str, Any], name: str, where: str) -> float | None:
    value = fields.get(name)
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)  # NaN and infinities are not in the range
    raise InvalidInputError(
        f"{where}: {name!r} of 'gate' is {_found(value)}; expected a number from 0 to 1, or null"
    )


def _one_of(fields: Mapping[str, Any], name: str, known: tuple[str, ...], where: str) -> str | None:
    value = fields.get(name)
    if value is None or value in known:
        return value
    raise InvalidInputError(
        f"{where}: {name!r} of 'gate' is {_found(value)}; expected {', '.join(known)} or null"
    )


def _found(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return f"a JSON {json_type(value)}"
    if isinstance(value, (str, int)):
        return quoted(str(value))
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN or infinite"
    return quoted(str(value)) if isinstance(value, float) else f"a JSON {json_type(value)}"
