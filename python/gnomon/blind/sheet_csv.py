"""A sheet as CSV, for a spreadsheet: UTF-8 with a byte-order mark, CRLF line ends (RFC 4180).

A cell that a spreadsheet would run as a formula gets a leading apostrophe, which reading removes.
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Final

from gnomon.blind.spots import Spot, checked_time, reading_of, shown_reading, verdict_of
from gnomon.errors import InvalidInputError
from gnomon.sources.escape import counted, listed, quoted
from gnomon.sources.files import shown

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

COLUMNS: Final = (
    "number", "time", "left_context", "x", "y", "verdict", "draw", "plan", "secret_sha256",
)  # fmt: skip

_DELIMITERS: Final = ",;\t"
# Apostrophes before the sign are part of the rule: "'=a" is a text too, and comes back as it was.
_ACTIVE = re.compile(r"'*[=+\-@\t\r\n]")
_ESCAPED = re.compile(r"'+[=+\-@\t\r\n]")


def inert(cell: str) -> str:
    """Return a cell that no spreadsheet runs as a formula.

    Examples
    --------
    >>> inert("=1+2"), inert("'=1+2"), inert("'tis")
    ("'=1+2", "''=1+2", "'tis")
    """
    return f"'{cell}" if _ACTIVE.match(cell) else cell


def original(cell: str) -> str:
    """Return what was made inert; undoes `inert` exactly, for every text.

    Examples
    --------
    >>> original("'=1+2"), original("''=1+2"), original("'tis")
    ('=1+2', "'=1+2", "'tis")
    """
    return cell[1:] if _ESCAPED.match(cell) else cell


def form(names: Sequence[str], spots: Iterable[Spot]) -> bytes:
    """Return the bytes of a sheet; ``names`` are its draw, plan and secret_sha256."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for spot in spots:
        time = "" if spot.time is None else repr(spot.time)
        shown_texts = (spot.left_context, shown_reading(spot.x), shown_reading(spot.y))
        writer.writerow(
            [spot.number, time, *map(inert, shown_texts), spot.verdict or "", *map(inert, names)]
        )
    return text.getvalue().encode("utf-8-sig")


def parse(
    content: bytes, path: str | os.PathLike[str]
) -> tuple[tuple[str, str, str], list[tuple[int, Spot]]]:
    """Return the draw, plan and secret_sha256 of a sheet, and its spots with their lines.

    Raises
    ------
    InvalidInputError
        When the bytes are no such sheet.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{shown(path)}: byte {error.start + 1} (0x{content[error.start]:02x}) is not UTF-8; "
            "save the sheet as CSV in UTF-8"
        ) from None
    if "\n" not in text:  # some spreadsheets end lines with CR alone
        text = text.replace("\r", "\n")
    delimiter, places = _header(text, path)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[tuple[int, Spot]] = []
    names: tuple[str, str, str] | None = None
    try:
        next(reader)
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue  # spreadsheets leave such rows at the end
            line = reader.line_num
            fields = _fields(cells, places, f"{shown(path)}: line {line}")
            rows.append((line, _spot(fields, f"{shown(path)}: line {line}", delimiter)))
            found = (fields["draw"], fields["plan"], fields["secret_sha256"])
            names = names or found
            if found != names:
                raise InvalidInputError(
                    f"{shown(path)}: line {line}: is of another draw, plan or key than the rows "
                    "above it; a sheet holds one draw"
                )
    except csv.Error as error:
        raise InvalidInputError(
            f"{shown(path)}: line {reader.line_num}: is not CSV ({error}); save the sheet as CSV"
        ) from None
    if names is None:
        raise InvalidInputError(f"{shown(path)}: holds no spot; a sheet has one or more")
    return names, rows


def _header(text: str, path: str | os.PathLike[str]) -> tuple[str, dict[str, int]]:
    """Return what separates cells, and the place of each column."""
    first = text.split("\n", 1)[0].rstrip("\r")
    for delimiter in _DELIMITERS:
        cells = [cell.strip().strip('"') for cell in first.split(delimiter)]
        cells = _without_empty_ends(cells, len(COLUMNS))
        if sorted(cells) == sorted(COLUMNS):
            return delimiter, {name: place for place, name in enumerate(cells)}
    cells = [cell.strip().strip('"') for cell in re.split(f"[{_DELIMITERS}]", first)]
    missing = [name for name in COLUMNS if name not in cells]
    odd = [name for name in cells if name not in COLUMNS]
    said = f"{listed(missing)} missing" if missing else f"{listed(odd)} too much"
    if not missing and not odd:
        said = "a column doubled"
    raise InvalidInputError(
        f"{shown(path)}: line 1: has {said}; expected the columns {', '.join(COLUMNS)}, as gnomon "
        "blind draw has written them"
    )


def _without_empty_ends(cells: list[str], columns: int) -> list[str]:
    """Drop empty cells behind the last column, which spreadsheets add."""
    return cells[:columns] if not any(cells[columns:]) else cells


def _fields(cells: list[str], places: dict[str, int], where: str) -> dict[str, str]:
    cells = _without_empty_ends(cells, len(places))
    if len(cells) != len(places):
        raise InvalidInputError(
            f"{where}: has {counted(len(cells), 'cell')}; expected {len(places)}. A cell with a "
            "comma or a "
            "line end stands in quotes"
        )
    return {name: original(cells[place]) for name, place in places.items()}


def _spot(fields: dict[str, str], where: str, delimiter: str) -> Spot:
    number = fields["number"].strip()
    if not (number.isascii() and number.isdigit() and len(number) < 10 and int(number) > 0):
        raise InvalidInputError(
            f"{where}: the number is {quoted(fields['number'])}; expected a whole number from 1"
        )
    return Spot(
        number=int(number),
        time=_time(fields["time"].strip(), where, delimiter),
        left_context=fields["left_context"],
        x=reading_of(fields["x"]),
        y=reading_of(fields["y"]),
        verdict=verdict_of(fields["verdict"], f"{where} (spot {number})"),
    )


def _time(text: str, where: str, delimiter: str) -> float | None:
    if not text:
        return None
    # Where cells are separated by semicolons, spreadsheets write decimals with a comma.
    point = text.replace(",", ".") if delimiter == ";" else text
    try:
        value = float(point)
    except ValueError:
        raise InvalidInputError(
            f"{where}: the time is {quoted(text)}; expected seconds, 0 or more"
        ) from None
    return checked_time(value, where)
