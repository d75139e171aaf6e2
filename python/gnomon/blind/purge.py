"""Purging: removing every file of a check that holds readings, and naming what is left."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon import audit
from gnomon.blind.draw import FILES, UNPLACED_FILE
from gnomon.blind.key import KEY_FILE, Key, read_key
from gnomon.blind.sheet import SHEET_CSV, SHEET_JSONL, read_sheet
from gnomon.blind.spot_file import read_contested
from gnomon.errors import GnomonError, MissingInputError, UsageError
from gnomon.sources.files import reason, shown
from gnomon.sources.fingerprint import fingerprint
from gnomon.sources.jsonl import read_records

if TYPE_CHECKING:
    from gnomon.blind.trail import DrawRecord, Trail

# What a process that was killed while it drew or saved has left.
_UNFINISHED = f".gnomon-{'[0-9a-f]' * 16}.tmp"


@dataclass(frozen=True, slots=True)
class Purged:
    """What a purge did.

    Attributes
    ----------
    draws
        The draws whose files were in the folder, with whether each has a score.
    removed
        Paths.
    left
        Paths of files that may hold readings and are still there, each with the reason.
    contested_removed
        Whether the contested file was removed.
    """

    folder: Path
    draws: dict[str, bool]
    removed: tuple[Path, ...]
    left: tuple[tuple[str, str], ...]
    contested_removed: bool

    @property
    def unscored(self) -> tuple[str, ...]:
        """The draws that have no score yet, and will have none."""
        return tuple(draw for draw, scored in self.draws.items() if not scored)

    def outputs(self) -> dict[str, Any]:
        """Return what the trail keeps; paths of what is left may name people, so it is counted."""
        return {
            "draws": list(self.draws),
            "scored": list(self.draws.values()),
            "removed": len(self.removed),
            "left": len(self.left),
            "contested_removed": self.contested_removed,
        }


def purge(folder: Path, trail: Trail, state_dir: Path) -> Purged:
    """Remove sheet, key, verdicts and the contested file of the draw in a folder.

    The contested file lies elsewhere: it is removed only when the trail knows the draw and the file
    still is the one that was drawn from, so that no file is removed because a key names it.

    Raises
    ------
    MissingInputError
        When there is no such folder.
    UsageError
        When it holds no file of a draw.
    """
    found = _files_in(folder)
    key, names = _draws_in(folder)
    if not names and any(path.name in FILES and not _is_list(path) for path in found):
        raise UsageError(
            f"{shown(folder)}: neither a key nor a sheet in it can be read, so nothing says that "
            "its files are of a draw; nothing is removed"
        )
    found += _copies_of_sheets(folder, names, found)
    draws = {name: name in trail.scores for name in names}
    removed: list[Path] = []
    left: list[tuple[str, str]] = []
    records = [trail.draws[name] for name in names if name in trail.draws]
    contested_removed = _remove_contested(key, records, state_dir, removed, left)
    if not records:
        left.append(("the contested file", "this trail does not know the draw, nor so its file"))
    for path in found:
        _remove(path, removed, left)
    if folder.is_dir():
        rest = sorted(folder.iterdir())
        left += [(shown(path), "is not of the draw") for path in rest if path not in found]
        if not rest:
            with contextlib.suppress(OSError):
                folder.rmdir()
    left += _sheets_elsewhere(names, folder, trail, state_dir)
    left += _unfinished_beside(key, records, folder, state_dir)
    return Purged(folder, draws, tuple(removed), tuple(left), contested_removed)


def _files_in(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise MissingInputError(f"{shown(folder)}: no such folder; name the folder of a draw")
    found = [
        folder / name for name in FILES if (folder / name).is_symlink() or (folder / name).exists()
    ]
    found += sorted(folder.glob(_UNFINISHED))
    if not found:
        raise UsageError(
            f"{shown(folder)} holds no file of a draw ({', '.join(FILES)}); nothing is removed"
        )
    return found


def _is_list(path: Path) -> bool:
    """Return whether a file is a list of what could not be drawn, told by its first line."""
    if path.name != UNPLACED_FILE or path.is_symlink():
        return False
    try:
        return set(next(read_records(path)).fields) == {"line", "id", "kind"}
    except (GnomonError, StopIteration):
        return False


def _draws_in(folder: Path) -> tuple[Key | None, list[str]]:
    """Return the key, if it can be read, and the draws that the files state."""
    key: Key | None = None
    names: list[str] = []
    with contextlib.suppress(GnomonError):
        key = read_key(folder / KEY_FILE)
        names.append(key.draw)
    for name in (SHEET_JSONL, SHEET_CSV):
        with contextlib.suppress(GnomonError):
            names.append(read_sheet(folder / name).draw)
    return key, list(dict.fromkeys(names))


def _copies_of_sheets(folder: Path, names: list[str], found: list[Path]) -> list[Path]:
    """Return sheets of the draws that have another name, such as the one that a judge gave back."""
    copies = []
    for path in sorted({*folder.glob("*.csv"), *folder.glob("*.jsonl")} - {*found}):
        if not path.is_symlink():
            with contextlib.suppress(GnomonError):
                if read_sheet(path).draw in names:
                    copies.append(path)
    return copies


def _remove_contested(
    key: Key | None,
    records: list[DrawRecord],
    state_dir: Path,
    removed: list[Path],
    left: list[tuple[str, str]],
) -> bool:
    done = False
    for record in records:
        stated = [Path(key.contested)] if key is not None and key.draw == record.draw else []
        with contextlib.suppress(GnomonError):
            stated.append(audit.resolve_recorded(record.path, state_dir))
        if not stated:
            left.append((record.path, "the trail keeps no full path, and there is no key"))
        for path in dict.fromkeys(stated):
            if _is_gone(path):
                continue
            why = _other_than(path, record)
            if why is None:
                _remove(path, removed, left)
                done = not path.exists()
            else:
                left.append((shown(path), why))
    return done


def _other_than(path: Path, record: DrawRecord) -> str | None:
    """Return why a file is not to be removed as the contested one, or None."""
    if os.path.islink(path):  # noqa: PTH114  # Path.is_symlink raises where the folder can't be entered
        return "is a link; remove what it leads to"
    try:
        if fingerprint(path).sha256 != record.contested:
            return "is not as it was when it was drawn from"
        # A trail may come from elsewhere, and its hashes may be those of somebody's other files.
        next(read_contested(path))
    except StopIteration:
        return "holds no spot"
    except GnomonError as error:
        return f"is not removed: {error}"
    return None


def _is_gone(path: Path) -> bool:
    """Return whether nothing is there; what can't be looked at may be there."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return True
    except OSError:
        return False
    return False


def _remove(path: Path, removed: list[Path], left: list[tuple[str, str]]) -> None:
    try:
        path.unlink()
    except OSError as error:
        left.append((shown(path), f"cannot be removed: {reason(error)}"))
    else:
        removed.append(path)


def _sheets_elsewhere(
    names: list[str], folder: Path, trail: Trail, state_dir: Path
) -> list[tuple[str, str]]:
    """Return the files outside the folder that were scored and are still there."""
    places: dict[Path, None] = {}
    for name in names:
        for record in trail.scores.get(name, []):
            for entry in record.inputs["files"].values():
                with contextlib.suppress(GnomonError):
                    places[audit.resolve_recorded(entry["path"], state_dir)] = None
    inside = folder.resolve()
    return [
        (shown(path), "was scored, and lies outside the folder")
        for path in places
        if not _is_gone(path) and path.resolve().parent != inside
    ]


def _unfinished_beside(
    key: Key | None, records: list[DrawRecord], folder: Path, state_dir: Path
) -> list[tuple[str, str]]:
    """Return what was begun in the folder of the contested file, and may be a part of it."""
    places = [] if key is None else [Path(key.contested).parent]
    for record in records:
        with contextlib.suppress(GnomonError):
            places.append(audit.resolve_recorded(record.path, state_dir).parent)
    there = [place for place in places if os.path.isdir(place)]  # noqa: PTH112  # as above
    others = {place.resolve() for place in there} - {folder.resolve()}
    return [
        (shown(path), "was begun beside the contested file, and may hold readings")
        for place in sorted(others)
        for path in sorted(place.glob(_UNFINISHED))
    ]
