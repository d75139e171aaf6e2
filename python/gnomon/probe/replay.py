"""Running a recorded probe again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.adapters.storage import from_bytes
from gnomon.audit import Record, Rerun, compare_inputs, load_blob, located_files, part_of
from gnomon.audit.canonical import is_sha256
from gnomon.errors import InvalidInputError, UsageError
from gnomon.probe.files import FILE_ROLES, ProbeFiles
from gnomon.probe.gather import gather
from gnomon.probe.hashing import Fingerprints
from gnomon.probe.recording import recorded_files
from gnomon.probe.result import REFIT_FIELDS
from gnomon.probe.settings import N_FOLDS, ProbeSettings
from gnomon.probe.workflow import run_probe
from gnomon.sources.escape import listed

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from gnomon.adapters.base import FittedAdapter
    from gnomon.types import Progress


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
        Fit every adapter anew instead of using the stored ones, and measure what comes from other
        fits as well.
    threads
        Threads of the kernels.
    progress
        Told about the walks over the documents.

    Raises
    ------
    MissingInputError
        An input or a stored adapter is gone.
    InvalidInputError
        The record is not one that a probe writes; a trail can be made by anybody.
    """
    files = files_of_record(
        record, located_files(record, state_dir, FILE_ROLES, root=root, given=given or {})
    )
    settings = recorded_settings(record, threads=threads)
    gathered = gather(files)
    found = recorded_files(files, gathered.fingerprints, state_dir)
    # The stored adapters belong to the recorded files: what others give now takes other fits.
    refit = refit or compare_inputs(record.inputs["files"], found) != ()
    stored = None if refit else stored_adapters(record, state_dir)
    run = run_probe(gathered.inputs, settings, stored=stored, progress=progress)
    left_out = () if stored is None else REFIT_FIELDS
    return Rerun(files=found, outputs=run.result.to_json(), left_out=left_out)


def files_now(
    record: Record,
    state_dir: str | os.PathLike[str],
    *,
    root: str | os.PathLike[str] | None,
    given: Mapping[str, Path],
) -> dict[str, Any]:
    """Return role -> path, size and hash of the recorded files as they are now, unread."""
    files = files_of_record(
        record, located_files(record, state_dir, FILE_ROLES, root=root, given=given)
    )
    return recorded_files(files, Fingerprints(files.roles()).result(), state_dir)


def recorded_settings(record: Record, *, threads: int | None) -> ProbeSettings:
    """Return the settings of a record, checked like those of a command line."""
    settings = part_of(record, record.inputs, "settings", dict)
    try:
        return ProbeSettings.from_json(settings, threads=threads)
    except (KeyError, UsageError) as error:
        raise InvalidInputError(
            f"record {record.seq} holds settings that no probe has: {error}"
        ) from None


def files_of_record(record: Record, paths: Mapping[str, Path]) -> ProbeFiles:
    """Return the files of a record at the places where they are found now."""
    try:
        return ProbeFiles.from_record(paths, part_of(record, record.inputs, "options", dict))
    except (TypeError, UsageError) as error:
        raise InvalidInputError(f"record {record.seq}: {error}") from None


def recorded_adapter(record: Record) -> str:
    """Return the name of the adapter that a probe chose."""
    name: str = part_of(record, part_of(record, record.outputs, "adapter", dict), "name", str)
    return name


def stored_adapters(record: Record, state_dir: str | os.PathLike[str]) -> Sequence[FittedAdapter]:
    """Return the adapters behind the deciding figures of a record, checked by their hashes."""
    folds = part_of(record, part_of(record, record.outputs, "adapter", dict), "folds", list)
    hashes = [part_of(record, one, "sha256", str) if isinstance(one, dict) else "" for one in folds]
    if len(hashes) not in (1, N_FOLDS) or not all(map(is_sha256, hashes)):
        raise InvalidInputError(
            f"record {record.seq} names its adapters by {listed(hashes)}; expected 1 or {N_FOLDS} "
            "hashes of 64 hex digits"
        )
    return [from_bytes(load_blob(state_dir, one)) for one in hashes]
