"""A sheet as JSON Lines: what it belongs to on the first line, then one spot a line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from gnomon.blind.spots import Spot, checked_time, reading_of, shown_reading, verdict_of
from gnomon.errors import InvalidInputError
from gnomon.sources.escape import listed
from gnomon.sources.files import shown
from gnomon.sources.jsonl import json_type, parse_object, whole_characters
from gnomon.sources.textlines import Line, decoded_line

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

SCHEMA: Final = "gnomon.blind.sheet/1"

_HEAD: Final = ("schema", "draw", "plan", "secret_sha256")
_FIELDS: Final = ("number", "time", "left_context", "x", "y", "verdict")


def form(names: Sequence[str], spots: Iterable[Spot]) -> bytes:
    """Return the bytes of a sheet; ``names`` are its draw, plan and secret_sha256."""
    lines: list[dict[str, Any]] = [dict(zip(_HEAD, (SCHEMA, *names), strict=True))]
    lines += [
        {
            "number": spot.number,
            "time": spot.time,
            "left_context": spot.left_context,
            "x": shown_reading(spot.x),
            "y": shown_reading(spot.y),
            "verdict": spot.verdict,
        }
        for spot in spots
    ]
    texts = [json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines]
    return "".join(texts).encode("utf-8")


def parse(
    content: bytes, path: str | os.PathLike[str]
) -> tuple[tuple[str, str, str], list[tuple[int, Spot]]]:
    """Return the draw, plan and secret_sha256 of a sheet, and its spots with their lines.

    Raises
    ------
    InvalidInputError
        When the bytes are no such sheet.
    """
    found: list[tuple[int, dict[str, Any]]] = []
    for number, raw in enumerate(content.split(b"\n"), start=1):
        text = decoded_line(raw, path, number)
        if text.strip(" \t\r"):
            found.append((number, parse_object(Line(number, 0, text), path)))
    if not found or found[0][1].get("schema") != SCHEMA:
        raise InvalidInputError(
            f"{shown(path)}: line 1: is not the head of a sheet of schema {SCHEMA}; take the sheet "
            "that gnomon blind draw has written"
        )
    head = found[0][1]
    where = f"{shown(path)}: line {found[0][0]}"
    _check_fields(head, _HEAD, where)
    draw, plan, secret = (_text(head, name, where) for name in _HEAD[1:])
    rows = [(line, _spot(fields, f"{shown(path)}: line {line}")) for line, fields in found[1:]]
    if not rows:
        raise InvalidInputError(f"{shown(path)}: holds no spot; a sheet has one or more")
    return (draw, plan, secret), rows


def _spot(fields: dict[str, Any], where: str) -> Spot:
    _check_fields(fields, _FIELDS, where)
    number, time, verdict = fields["number"], fields["time"], fields["verdict"]
    if isinstance(number, bool) or not isinstance(number, int) or not 0 < number < 10**9:
        raise InvalidInputError(f"{where}: the number is no whole number from 1")
    if time is not None and (isinstance(time, bool) or not isinstance(time, (int, float))):
        raise InvalidInputError(f"{where}: 'time' is a JSON {json_type(time)}; expected seconds")
    if verdict is not None and not isinstance(verdict, str):
        raise InvalidInputError(
            f"{where}: 'verdict' is a JSON {json_type(verdict)}; expected a string or null"
        )
    return Spot(
        number=number,
        time=None if time is None else checked_time(_float(time, where), where),
        left_context=_text(fields, "left_context", where),
        x=reading_of(_text(fields, "x", where)),
        y=reading_of(_text(fields, "y", where)),
        verdict=verdict_of(verdict or "", f"{where} (spot {number})"),
    )


def _float(value: float, where: str) -> float:
    try:
        return float(value)
    except OverflowError:
        raise InvalidInputError(f"{where}: 'time' is too large; expected seconds") from None


def _check_fields(fields: dict[str, Any], expected: Sequence[str], where: str) -> None:
    missing = [name for name in expected if name not in fields]
    odd = [name for name in fields if name not in expected]
    if missing or odd:
        said = f"has no {listed(missing)}" if missing else f"has the unknown {listed(odd)}"
        raise InvalidInputError(f"{where}: {said}; expected {', '.join(expected)}")


def _text(fields: dict[str, Any], name: str, where: str) -> str:
    value = fields[name]
    if not isinstance(value, str):
        raise InvalidInputError(f"{where}: '{name}' is a JSON {json_type(value)}; expected a text")
    return whole_characters(value, f"{where}: '{name}'")
