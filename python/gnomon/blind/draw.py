"""The draw: from a contested file to a sheet and a key, with what the trail says about it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from gnomon.blind.arranging import arrange
from gnomon.blind.counting import Counts
from gnomon.blind.key import KEY_FILE, Key, KeyRow, sheet_hash, shown_hash, write_key
from gnomon.blind.naming import Namer
from gnomon.blind.places import private_folder
from gnomon.blind.sample import Sampled, Sampler, sample_seed
from gnomon.blind.sheet import SHEET_CSV, SHEET_JSONL, Sheet, write_sheet
from gnomon.blind.spot_file import read_contested
from gnomon.blind.trail import COUNTED
from gnomon.errors import InvalidInputError, NotMeasuredError
from gnomon.sources.atomic import atomic_write
from gnomon.sources.files import shown
from gnomon.sources.fingerprint import FileFingerprint, fingerprint

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.blind.plan import Plan
    from gnomon.types import Progress

UNPLACED_FILE: Final = "unplaced.jsonl"
FILES: Final = (SHEET_CSV, SHEET_JSONL, KEY_FILE, UNPLACED_FILE)
"""Everything that a draw writes into its folder."""

_STEP: Final = 10_000


@dataclass(frozen=True, slots=True)
class Drawn:
    """A draw whose files are written.

    Attributes
    ----------
    counts
        Of the whole contested file.
    file
        What the contested file was.
    seed
        What the sample was drawn by, in hexadecimal digits.
    wanted
        How many spots the plan asks for.
    """

    sheet: Sheet
    key: Key
    counts: Counts
    file: FileFingerprint
    seed: str
    wanted: int

    def outputs(self) -> dict[str, Any]:
        """Return what the trail keeps: hashes and counts, no reading, no context, no id."""
        counts = self.counts
        return {
            "draw": self.sheet.draw,
            "plan": self.sheet.plan,
            "seed": self.seed,
            "secret_sha256": self.sheet.secret_sha256,
            "key_seed": self.key.key_seed,
            "sheet": sheet_hash(self.sheet, verdicts=False),
            "key": self.key.hash,
            "wanted": self.wanted,
            "sampled": len({row.id for row in self.key.rows}),
            "sampled_named": len({row.id for row in self.key.rows if row.named}),
            "rows": len(self.sheet.spots),
            "all": {name: getattr(counts, name) for name in COUNTED},
        }


def draw(
    contested: Path,
    plan: Plan,
    out: Path,
    *,
    secret: bytes,
    key_seed: int | None,
    allow_named: bool,
    progress: Progress,
) -> Drawn:
    """Draw a sample and write sheet and key; when it fails, no file is left.

    The file is read for its hash first, which is part of the seed, and then in one pass for its
    spots. Memory holds the sample, whatever the file's size.

    Parameters
    ----------
    out
        Folder for the files; new, or empty and private.
    secret
        32 bytes that place the readings.
    key_seed
        What the secret was made from, when it is not random; recorded in the key.
    allow_named
        True draws although a reading names a system; such spots are counted apart.

    Raises
    ------
    InvalidInputError
        When the file breaks a rule, changes while it is read, or has readings that name a system.
    NotMeasuredError
        When no spot can be drawn.
    UsageError, StateError
        When the folder is not free or cannot be written.
    """
    path = _named_in_utf8(contested)
    before = fingerprint(contested)
    seed = sample_seed(plan.hash, before.sha256)
    namer = Namer([plan.rules.base_name, plan.rules.alt_name])
    counts, sampler = Counts(), Sampler(plan.rules.sample, seed)
    is_new = not os.path.lexists(out)
    private_folder(out)
    try:
        with atomic_write(out / UNPLACED_FILE, private=True) as unplaced:
            _read_all(contested, sampler, counts, namer, unplaced, progress)
        if counts.unplaced == 0:
            (out / UNPLACED_FILE).unlink()
        _check_unchanged(contested, before)
        counts.check_named(allow=allow_named)
        sheet, key = _sheet_and_key(
            sampler.sample(), plan, secret, namer, _Origin(path, before.sha256, key_seed)
        )
        write_sheet(out / SHEET_CSV, sheet)
        write_sheet(out / SHEET_JSONL, sheet)
        write_key(out / KEY_FILE, key)
    except BaseException:
        discard(out, folder_too=is_new)
        raise
    file = FileFingerprint(before.size, counts.spots, before.sha256)
    return Drawn(sheet, key, counts, file, seed.hex(), plan.rules.sample)


def discard(out: Path, *, folder_too: bool) -> None:
    """Remove the files of a draw that did not come to be."""
    with contextlib.suppress(OSError):
        for name in FILES:
            (out / name).unlink(missing_ok=True)
        if folder_too:
            out.rmdir()


def _named_in_utf8(contested: Path) -> str:
    """Return the absolute path as the key can hold it."""
    path = os.path.abspath(contested)  # noqa: PTH100  # resolve() would follow links
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidInputError(
            f"{shown(contested)}: its path is not UTF-8, so the key could not name it for "
            "gnomon blind purge; rename it"
        ) from None
    return path


def _check_unchanged(contested: Path, before: FileFingerprint) -> None:
    if fingerprint(contested) != before:
        raise InvalidInputError(
            f"{shown(contested)}: changed while it was read; wait until it is written"
        )


@dataclass(frozen=True, slots=True)
class _Origin:
    path: str
    sha256: str
    key_seed: int | None


def _read_all(
    contested: Path,
    sampler: Sampler,
    counts: Counts,
    namer: Namer,
    unplaced: BinaryIO,
    progress: Progress,
) -> None:
    size = max(1, contested.stat().st_size)
    for spot in read_contested(contested):
        counts.take(spot, namer)
        if counts.spots % _STEP == 0:
            progress(min(spot.offset, size), size)
        if spot.is_placed:
            try:
                sampler.take(spot)
            except InvalidInputError as error:
                raise InvalidInputError(f"{shown(contested)}: {error}") from None
        else:
            listed = {"line": spot.line, "id": spot.id, "kind": spot.kind}
            unplaced.write(json.dumps(listed, ensure_ascii=False).encode("utf-8") + b"\n")
    progress(size, size)
    if counts.available == 0:
        raise NotMeasuredError(
            f"{shown(contested)}: no spot can be drawn: it holds {counts.spots}, of which "
            f"{counts.unplaced} are insertions or deletions with neither time nor left context"
        )


def _sheet_and_key(
    sampled: list[Sampled], plan: Plan, secret: bytes, namer: Namer, origin: _Origin
) -> tuple[Sheet, Key]:
    rows = arrange(sampled, secret, both_orders=plan.rules.both_orders)
    secret_sha256 = hashlib.sha256(secret).hexdigest()
    name = draw_id(plan.hash, origin.sha256, secret_sha256)
    sheet = Sheet(name, plan.hash, secret_sha256, tuple(row.shown for row in rows))
    key_rows = tuple(
        KeyRow(
            number=row.shown.number,
            base=row.base,
            used=row.spot.used,
            id=row.spot.id,
            unsure=row.spot.unsure,
            named=bool(namer.found(row.spot.base) or namer.found(row.spot.alt)),
            shown=shown_hash(row.shown),
        )
        for row in rows
    )
    key = Key(name, plan.hash, secret, origin.key_seed, origin.path, origin.sha256, key_rows)
    return sheet, key


def draw_id(plan_hash: str, contested_sha256: str, secret_sha256: str) -> str:
    """Return what a draw is called: ``draw-`` and 16 digits of the hash of all that made it.

    Examples
    --------
    >>> draw_id("0" * 64, "1" * 64, "2" * 64)
    'draw-46bdf232d82fd7f3'
    """
    made_of = f"{plan_hash}\n{contested_sha256}\n{secret_sha256}\n".encode("ascii")
    return f"draw-{hashlib.sha256(made_of).hexdigest()[:16]}"
