"""Running a recorded probe again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon.adapters.storage import from_bytes
from gnomon.audit import Record, load_blob, resolve_recorded
from gnomon.errors import InvalidInputError, MissingInputError
from gnomon.probe.files import FILE_ROLES
from gnomon.probe.gather import gather
from gnomon.probe.recording import files_of_record, recorded_files
from gnomon.probe.settings import ProbeSettings
from gnomon.probe.workflow import run_probe

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from gnomon.adapters.base import FittedAdapter
    from gnomon.types import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """What the recorded command gives now.

    Attributes
    ----------
    files
        Role -> path, size and hash of the files as they are now.
    outputs
        The result object.
    """

    files: dict[str, Any]
    outputs: dict[str, Any]


def rerun(
    record: Record,
    state_dir: str | os.PathLike[str],
    *,
    root: str | os.PathLike[str] | None = None,
    given: Mapping[str, Path] | None = None,
    refit: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Rerun:
    """Run the probe of ``record`` on its inputs as they are now.

    Parameters
    ----------
    record
        A record whose action is ``probe``.
    state_dir
        Where the trail is; adapters stand beside it.
    root
        The only directory that a trail from elsewhere may read; None trusts the trail.
    given
        Paths by role, for files that the record names by hash only or that have moved.
    refit
        Fit every adapter anew instead of using the stored ones.
    threads
        Threads of the kernels.
    progress
        Told about the walks over the documents.

    Raises
    ------
    MissingInputError
        An input or a stored adapter is gone.
    """
    paths = located_files(record, state_dir, root=root, given=given or {})
    settings = ProbeSettings.from_json(record.inputs["settings"], threads=threads)
    files = files_of_record(record.inputs, paths)
    gathered = gather(files)
    stored = None if refit else stored_adapters(record, state_dir)
    run = run_probe(gathered.inputs, settings, stored=stored, progress=progress)
    return Rerun(
        files=recorded_files(files, gathered.fingerprints, state_dir),
        outputs=run.result.to_json(),
    )


def located_files(
    record: Record,
    state_dir: str | os.PathLike[str],
    *,
    root: str | os.PathLike[str] | None,
    given: Mapping[str, Path],
) -> dict[str, Path]:
    """Return where every recorded file is now; ``given`` goes before the record."""
    recorded = record.inputs["files"]
    unknown = sorted(set(recorded) - set(FILE_ROLES))
    if unknown:
        raise InvalidInputError(f"record {record.seq} names unknown files: {', '.join(unknown)}")
    paths: dict[str, Path] = {}
    for role, entry in recorded.items():
        path = given.get(role)
        paths[role] = (
            resolve_recorded(entry["path"], state_dir, root=root) if path is None else path
        )
        if not paths[role].is_file():
            raise MissingInputError(
                f"record {record.seq} read {entry['path']} as {role}, and it is not there; supply "
                f"it with --input {role}=PATH"
            )
    return paths


def stored_adapters(record: Record, state_dir: str | os.PathLike[str]) -> Sequence[FittedAdapter]:
    """Return the adapters behind the deciding figures of a record, checked by their hashes."""
    folds = record.outputs["adapter"]["folds"]
    return [from_bytes(load_blob(state_dir, one["sha256"])) for one in folds]
