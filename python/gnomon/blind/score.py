"""Scoring: a filled sheet and its key become findings, and the rule decides over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon.audit import file_entry
from gnomon.blind.belonging import (
    check_key,
    check_not_purged,
    check_plan,
    check_rows,
    check_sheet,
    check_unedited,
)
from gnomon.blind.key import read_key, sheet_hash
from gnomon.blind.result import Agreement, agreement_of, numbers, outcome_json, partial_json
from gnomon.blind.sheet import read_sheet
from gnomon.errors import InvalidInputError, MismatchError, UsageError
from gnomon.rules.blind import combined, decide
from gnomon.rules.blind_values import Finding, Judged
from gnomon.sources.escape import by_number, counted
from gnomon.sources.files import shown
from gnomon.sources.fingerprint import fingerprint

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from gnomon.blind.key import Key, KeyRow
    from gnomon.blind.plan import Plan
    from gnomon.blind.sheet import Sheet, Spot
    from gnomon.blind.trail import DrawRecord, Trail
    from gnomon.rules.blind_values import Outcome, Rules


@dataclass(frozen=True, slots=True)
class Scored:
    """A score, before it is recorded.

    Attributes
    ----------
    seal
        Hash of the sheet with its verdicts; the first score of a draw fixes it.
    second_seal
        That of the second judge's sheet, if there is one.
    """

    draw: DrawRecord
    outcome: Outcome
    rules: Rules
    agreement: Agreement | None
    earlier_draws: dict[str, int]
    seal: str
    second_seal: str | None

    def to_json(self) -> dict[str, Any]:
        """Return the result as a JSON object: aggregate numbers only."""
        body = outcome_json(self.outcome, self.rules, self.draw, earlier_draws=self.earlier_draws)
        agreement = None if self.agreement is None else self.agreement.to_json()
        return {**body, "second_judge": agreement, "sheet": self.seal, "second": self.second_seal}


def count_verdicts(sheet_file: Path, trail: Trail) -> dict[str, Any]:
    """Return the counts of a sheet that may be half filled; no key is opened.

    Raises
    ------
    InvalidInputError, MismatchError
        When the sheet is damaged, or is not the one that was drawn.
    """
    sheet = read_sheet(sheet_file)
    draw = trail.draw(sheet.draw)
    check_sheet(sheet, sheet_file, draw)
    check_unedited(sheet, sheet_file, draw)
    return partial_json(sheet)


def score(
    sheet_file: Path, key_file: Path, trail: Trail, *, second: Path | None, given: Plan | None
) -> Scored:
    """Score a filled sheet.

    Parameters
    ----------
    second
        The sheet of a second judge, of the same draw; it informs and decides nothing.
    given
        The plan of a rules file that must be the drawn one, or None.

    Raises
    ------
    UsageError
        When both judges' sheets are one file.
    InvalidInputError
        When a file is damaged, or a spot has no verdict.
    MismatchError
        When sheet, key, plan and trail do not belong together, anything but a verdict was changed,
        or the draw was scored with other verdicts before, or purged.
    """
    if second is not None and second.resolve() == sheet_file.resolve():
        raise UsageError(f"{shown(second)}: is the first judge's sheet; --second is another's")
    sheet = read_sheet(sheet_file)
    draw = trail.draw(sheet.draw)
    plan = check_plan(trail, draw, given)
    check_not_purged(trail, draw)
    check_sheet(sheet, sheet_file, draw)
    key = read_key(key_file)
    check_key(key, key_file, draw)
    check_rows(sheet, sheet_file, key)
    _check_filled(sheet, sheet_file)
    seal = _sealed(sheet, sheet_file, trail, "sheet")
    agreement, second_seal = None, None
    if second is not None:
        other = _second_sheet(second, sheet_file, draw, key)
        second_seal = _sealed(other, second, trail, "second")
        agreement = agreement_of(sheet, other)
    return Scored(
        draw=draw,
        outcome=decide(_opened(sheet, key), plan.rules),
        rules=plan.rules,
        agreement=agreement,
        earlier_draws=trail.earlier_draws(draw),
        seal=seal,
        second_seal=second_seal,
    )


def recorded_files(
    sheet_file: Path, key_file: Path, second: Path | None, state_dir: str | os.PathLike[str]
) -> dict[str, Any]:
    """Return role -> path, size and hash of the files of a score."""
    files = {"sheet": sheet_file, "key": key_file}
    if second is not None:
        files["second"] = second
    entries = {}
    for role, path in files.items():
        file = fingerprint(path)
        entries[role] = file_entry(path, state_dir, sha256=file.sha256, size=file.size)
    return entries


def _second_sheet(path: Path, first: Path, draw: DrawRecord, key: Key) -> Sheet:
    sheet = read_sheet(path)
    if sheet.draw != draw.draw:
        raise MismatchError(
            f"{shown(path)}: is of {sheet.draw}, and {shown(first)} of {draw.draw}; both judges "
            "fill a sheet of the same draw"
        )
    check_sheet(sheet, path, draw)
    check_rows(sheet, path, key)
    _check_filled(sheet, path)
    return sheet


def _check_filled(sheet: Sheet, path: Path) -> None:
    if sheet.unfilled:
        raise InvalidInputError(
            f"{shown(path)}: {len(sheet.unfilled)} of {counted(len(sheet.spots), 'spot')} "
            f"{by_number(len(sheet.unfilled), 'has', 'have')} no verdict: "
            f"{numbers(sheet.unfilled)}; fill them, or count with --partial, which keeps the key "
            "shut"
        )


def _sealed(sheet: Sheet, path: Path, trail: Trail, role: str) -> str:
    """Return the hash of a sheet with its verdicts, if no earlier score fixed another."""
    found = sheet_hash(sheet, verdicts=True)
    _check_seal(found, path, sheet.draw, trail, role)
    return found


def check_first(scored: Scored, sheet_file: Path, second: Path | None, trail: Trail) -> None:
    """Refuse a score that was recorded behind one of other verdicts, while it was computed.

    Raises
    ------
    MismatchError
        Naming the first record, which is the one that counts.
    """
    _check_seal(scored.seal, sheet_file, scored.draw.draw, trail, "sheet")
    if second is not None:
        _check_seal(scored.second_seal, second, scored.draw.draw, trail, "second")


def _check_seal(found: str | None, path: Path, draw: str, trail: Trail, role: str) -> None:
    fixed = [one for one in trail.scores.get(draw, []) if one.outputs.get(role) is not None]
    if fixed and fixed[0].outputs[role] != found:
        raise MismatchError(
            f"{shown(path)}: {draw} was scored with other verdicts before (record {fixed[0].seq}); "
            "the first score seals the sheet"
        )


def _opened(sheet: Sheet, key: Key) -> list[Judged]:
    """Return what the verdicts say once the key is open; a spot shown twice is one."""
    findings: dict[str, list[Finding]] = {}
    rows: dict[str, KeyRow] = {}
    for spot, row in zip(sheet.spots, key.rows, strict=True):
        findings.setdefault(row.id, []).append(_finding(spot, row))
        rows[row.id] = row
    return [
        Judged(
            found[0] if len(found) == 1 else combined(found[0], found[1]),
            rows[name].used,
            rows[name].unsure,
            rows[name].named,
        )
        for name, found in findings.items()
    ]


def _finding(spot: Spot, row: KeyRow) -> Finding:
    match spot.verdict:
        case "x" | "y":
            return "base" if spot.verdict == row.base else "alt"
        case "neither" | "cannot_tell":
            return spot.verdict
        case None:
            raise AssertionError("only filled sheets are opened")
