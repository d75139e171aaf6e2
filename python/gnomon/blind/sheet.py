"""The sheet that a judge fills: numbered spots with two readings each, as CSV or JSON Lines.

Both forms hold the same, and either can be filled without the page. Which draw a sheet belongs to,
under which plan, and the sha256 of the secret that chose the sides stand on the first line of the
JSON Lines form, and in three columns at the right of the CSV form, on every row: a spreadsheet
keeps columns, and rows of two draws cannot be mixed unseen.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from gnomon.blind import sheet_csv, sheet_jsonl
from gnomon.blind.spots import VERDICTS, Spot, Verdict
from gnomon.errors import InvalidInputError, UsageError
from gnomon.sources.atomic import atomic_write
from gnomon.sources.escape import quoted
from gnomon.sources.files import read_bounded, shown
from gnomon.sources.limits import MIB

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

__all__ = ["VERDICTS", "Sheet", "Spot", "Verdict", "read_sheet", "save_verdict", "write_sheet"]

SHEET_CSV: Final = "sheet.csv"
SHEET_JSONL: Final = "sheet.jsonl"

MAX_SHEET_BYTES: Final = 256 * MIB

_DRAW = re.compile(r"draw-[0-9a-f]{16}", re.ASCII)
_SHA256 = re.compile(r"sha256:([0-9a-f]{64})", re.ASCII)
# Two tabs of the page may save at the same moment; each saving reads, changes and writes.
_SAVING = threading.Lock()


@dataclass(frozen=True, slots=True)
class Sheet:
    """The spots of one draw, in the order of their numbers.

    Attributes
    ----------
    draw
        Which draw it is: ``draw-`` and 16 hexadecimal digits.
    plan
        Hash of the plan, 64 hexadecimal digits.
    secret_sha256
        The sha256 of the secret in the key.
    spots
        Numbered from 1 without gaps.
    """

    draw: str
    plan: str
    secret_sha256: str
    spots: tuple[Spot, ...]

    @property
    def unfilled(self) -> tuple[int, ...]:
        """The numbers of the spots without a verdict."""
        return tuple(spot.number for spot in self.spots if spot.verdict is None)

    def with_verdict(self, number: int, verdict: Verdict | None) -> Sheet:
        """Return the sheet with one verdict set, or taken back when it is None.

        Raises
        ------
        UsageError
            When there is no spot of that number, or the verdict is none of the four.
        """
        if verdict is not None and verdict not in VERDICTS:
            raise UsageError(
                f"{quoted(str(verdict))} is no verdict; expected {', '.join(VERDICTS)}"
            )
        if not 1 <= number <= len(self.spots):
            raise UsageError(f"there is no spot {number}; the sheet has 1 to {len(self.spots)}")
        spots = list(self.spots)
        spots[number - 1] = replace(spots[number - 1], verdict=verdict)
        return replace(self, spots=tuple(spots))


def read_sheet(path: str | os.PathLike[str]) -> Sheet:
    """Read a sheet, ``.csv`` or ``.jsonl``, filled or not.

    Rows may stand in any order, as after sorting in a spreadsheet. A CSV may be separated by
    commas, semicolons or tabs.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        When it is no sheet, a verdict is none of the four, a number is doubled or missing, or rows
        are of two draws; the message names the line.
    """
    content = read_bounded(path, limit=MAX_SHEET_BYTES)
    read = sheet_jsonl.parse if _form(path) == "jsonl" else sheet_csv.parse
    names, rows = read(content, path)
    _check_numbers(rows, path)
    draw, plan, secret = names
    if not _DRAW.fullmatch(draw):
        raise InvalidInputError(
            f"{shown(path)}: its draw is {quoted(draw)}; expected 'draw-' and 16 hexadecimal "
            "digits. Take the sheet that gnomon blind draw has written"
        )
    spots = tuple(sorted((spot for _, spot in rows), key=lambda spot: spot.number))
    return Sheet(draw, _digits(plan, "plan", path), _digits(secret, "secret_sha256", path), spots)


def write_sheet(path: str | os.PathLike[str], sheet: Sheet) -> None:
    """Write a sheet as its name ends, ``.csv`` or ``.jsonl``, whole or not at all, mode 0600.

    Raises
    ------
    UsageError
        When the name has another ending.
    StateError
        When it cannot be written; what was there stays.
    """
    names = (sheet.draw, f"sha256:{sheet.plan}", f"sha256:{sheet.secret_sha256}")
    form = sheet_jsonl.form if _form(path) == "jsonl" else sheet_csv.form
    content = form(names, sheet.spots)
    with atomic_write(path, private=True) as file:
        file.write(content)


def save_verdict(path: str | os.PathLike[str], number: int, verdict: Verdict | None) -> Sheet:
    """Set one verdict in a sheet file, or take it back, and return the sheet as it now is.

    When this returns, the verdict is on the disk; when it raises, the file is as it was.

    Raises
    ------
    UsageError
        When there is no spot of that number, or the verdict is none of the four.
    InvalidInputError
        When the file is no sheet any more.
    StateError
        When it cannot be written.
    """
    with _SAVING:
        sheet = read_sheet(path).with_verdict(number, verdict)
        write_sheet(path, sheet)
    return sheet


def _form(path: str | os.PathLike[str]) -> Literal["csv", "jsonl"]:
    ending = Path(path).suffix.lower()
    if ending == ".csv":
        return "csv"
    if ending == ".jsonl":
        return "jsonl"
    raise UsageError(f"{shown(path)}: a sheet is called .csv or .jsonl; give one of the two")


def _check_numbers(rows: Sequence[tuple[int, Spot]], path: str | os.PathLike[str]) -> None:
    """Refuse a number that is doubled or missing; ``rows`` are spots with their lines."""
    line_of: dict[int, int] = {}
    for line, spot in rows:
        if spot.number in line_of:
            raise InvalidInputError(
                f"{shown(path)}: line {line}: spot {spot.number} stands on line "
                f"{line_of[spot.number]} already; a sheet has every spot once"
            )
        line_of[spot.number] = line
    missing = [number for number in range(1, len(rows) + 1) if number not in line_of]
    if missing:
        raise InvalidInputError(
            f"{shown(path)}: spot {missing[0]} is missing; the sheet's last is {max(line_of)}. "
            "Take the rows as they were drawn"
        )


def _digits(text: str, name: str, path: str | os.PathLike[str]) -> str:
    match = _SHA256.fullmatch(text)
    if match is None:
        raise InvalidInputError(
            f"{shown(path)}: its {name} is {quoted(text)}; expected 'sha256:' and 64 hexadecimal "
            "digits. Take the sheet that gnomon blind draw has written"
        )
    return match[1]
