"""Running a recorded calibration, or a transfer, again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from gnomon.audit import Record, Rerun, located_files, part_of
from gnomon.calibration.carrying import carry_over
from gnomon.calibration.recording import (
    FILE_ROLES,
    TRANSFER,
    CalibrationFiles,
    recorded_outputs,
)
from gnomon.calibration.workflow import Options, calibrate
from gnomon.errors import InvalidInputError
from gnomon.golden.probes import read_probes
from gnomon.retrieval.guard import Guard
from gnomon.retrieval.index import Index
from gnomon.retrieval.recorded import recorded_levers
from gnomon.rules.gate_transfer import Anchors
from gnomon.sources.fingerprint import fingerprint

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from pathlib import Path

    from gnomon.retrieval.recorded import Embedding
    from gnomon.types import Progress


def rerun(
    record: Record,
    state_dir: str | os.PathLike[str],
    *,
    embedding: Embedding,
    root: str | os.PathLike[str] | None = None,
    given: Mapping[str, Path] | None = None,
    threads: int | None = None,
    progress: Progress,
) -> Rerun:
    """Run the calibration of ``record`` on its inputs as they are now.

    Every probe is looked up anew, evidence that was kept is not used. The levers and the guard in
    force are the recorded ones: `gnomon index` may have inlined what this very run measured.

    Parameters
    ----------
    record
        A record whose action is ``calibrate`` or ``calibrate.transfer``.
    embedding
        Gives the vectors of questions, by way of those that were kept.
    root, given
        As for `gnomon.audit.located_files`.

    Raises
    ------
    MissingInputError
        An input, or the vector of a question, is gone.
    InvalidInputError
        The record is not one that a calibration writes.
    """
    files = _files(record, state_dir, root, given or {})
    levers = recorded_levers(record)
    index = Index.open(files.index, levers=levers, threads=threads, verify=True)
    probes = read_probes(files.probes)
    settings = part_of(record, record.inputs, "settings", dict)
    seed, probes_hash = part_of(record, settings, "seed", int), fingerprint(files.probes).sha256
    with embedding(index, files.index) as embed:
        if record.action == TRANSFER:
            assert files.source is not None  # checked with the files
            body = carry_over(
                index, probes, files.source, embed, None, progress,
                anchors=_anchors(record, settings), seed=seed, probes_hash=probes_hash,
            ).to_json()  # fmt: skip
        else:
            options = Options(
                seed=seed,
                strict=part_of(record, settings, "strict", bool),
                limit=part_of(record, settings, "limit", int | None),
            )
            body = calibrate(
                index, probes, embed, None, options, progress,
                probes_hash=probes_hash,
                incoming=_incoming(record),
                with_ladder=part_of(record, settings, "ladder", bool),
            ).to_json()  # fmt: skip
    return Rerun(files=files.entries(index, state_dir), outputs=recorded_outputs(body))


def files_now(
    record: Record,
    state_dir: str | os.PathLike[str],
    *,
    root: str | os.PathLike[str] | None,
    given: Mapping[str, Path],
) -> dict[str, Any]:
    """Return role -> path, size and hash of the recorded files as they are now."""
    files = _files(record, state_dir, root, given)
    return files.entries(Index.open(files.index), state_dir)


def _files(
    record: Record,
    state_dir: str | os.PathLike[str],
    root: str | os.PathLike[str] | None,
    given: Mapping[str, Path],
) -> CalibrationFiles:
    paths = located_files(record, state_dir, FILE_ROLES, root=root, given=given)
    wanted = {"index", "probes"} | ({"source"} if record.action == TRANSFER else set())
    if set(paths) != wanted:
        raise InvalidInputError(
            f"record {record.seq} names the files {', '.join(sorted(paths))}; a {record.action} "
            f"reads {', '.join(sorted(wanted))}"
        )
    return CalibrationFiles(**paths)


def _incoming(record: Record) -> Guard:
    recorded = part_of(record, record.inputs, "incoming", dict)
    try:
        return Guard.from_dict(recorded)
    except (TypeError, ValueError, AttributeError) as error:
        raise InvalidInputError(
            f"record {record.seq} holds a guard that no index has: {error}"
        ) from None


def _anchors(record: Record, settings: Mapping[str, Any]) -> Anchors:
    recorded = part_of(record, settings, "anchors", str)
    for known in get_args(Anchors):
        if recorded == known:
            chosen: Anchors = known
            return chosen
    raise InvalidInputError(f"record {record.seq} holds the anchors {recorded!r}, which none has")
