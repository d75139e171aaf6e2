"""Running a recorded score again, as long as sheet and key are there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.audit import Record, Rerun, located_files
from gnomon.blind.score import recorded_files, score
from gnomon.blind.trail import read_trail
from gnomon.errors import InvalidInputError

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

_ROLES = ("sheet", "key", "second")


def rerun(
    record: Record,
    state_dir: str | os.PathLike[str],
    *,
    root: str | os.PathLike[str] | None = None,
    given: Mapping[str, Path] | None = None,
) -> Rerun:
    """Score the sheet of ``record`` again, by the plan and the draw that the trail held then.

    Parameters
    ----------
    record
        A record whose action is ``blind.score``.
    root, given
        As for `gnomon.audit.located_files`.

    Raises
    ------
    MissingInputError
        Sheet or key are gone, as after a purge.
    MismatchError
        They are not those that were scored.
    InvalidInputError
        The record is not one that a score writes.
    """
    files = _files(record, state_dir, root, given or {})
    scored = score(
        files["sheet"],
        files["key"],
        # The record itself is taken too: its seal keeps other verdicts from being tried here.
        read_trail(Path(state_dir), before=record.seq + 1),
        second=files.get("second"),
        given=None,
    )
    return Rerun(files=_entries(files, state_dir), outputs=scored.to_json())


def files_now(
    record: Record,
    state_dir: str | os.PathLike[str],
    *,
    root: str | os.PathLike[str] | None,
    given: Mapping[str, Path],
) -> dict[str, Any]:
    """Return role -> path, size and hash of the recorded files as they are now."""
    return _entries(_files(record, state_dir, root, given), state_dir)


def _files(
    record: Record,
    state_dir: str | os.PathLike[str],
    root: str | os.PathLike[str] | None,
    given: Mapping[str, Path],
) -> dict[str, Path]:
    files = located_files(record, state_dir, _ROLES, root=root, given=given)
    if not {"sheet", "key"} <= set(files):
        raise InvalidInputError(f"record {record.seq} names no sheet and key; a score reads both")
    return files


def _entries(files: Mapping[str, Path], state_dir: str | os.PathLike[str]) -> dict[str, Any]:
    return recorded_files(files["sheet"], files["key"], files.get("second"), state_dir)
