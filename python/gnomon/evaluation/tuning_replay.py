"""Running a recorded tuning again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.audit import Record, Rerun, located_files, part_of
from gnomon.errors import InvalidInputError
from gnomon.evaluation.tuning import Options, tune
from gnomon.evaluation.tuning_recording import FILE_ROLES, TuningFiles, recorded_outputs
from gnomon.golden.records import read_golden
from gnomon.retrieval.index import Index
from gnomon.retrieval.recorded import recorded_levers

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
    """Run the tuning of ``record`` on its inputs as they are now, under the recorded levers.

    Parameters
    ----------
    record
        A record whose action is ``tune``.
    embedding
        Gives the vectors of questions, by way of those that were kept.
    root, given
        As for `gnomon.audit.located_files`.

    Raises
    ------
    MissingInputError
        An input, or the vector of a question, is gone.
    InvalidInputError
        The record is not one that a tuning writes.
    """
    files = _files(record, state_dir, root, given or {})
    levers = recorded_levers(record)
    index = Index.open(files.index, levers=levers, threads=threads, verify=True)
    records = read_golden(files.golden)
    with embedding(index, files.index) as embed:
        result = tune(index, records, embed, _options(record), progress)
    outputs = recorded_outputs(result.to_json())
    return Rerun(files=files.entries(index, state_dir), outputs=outputs)


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
) -> TuningFiles:
    paths = located_files(record, state_dir, FILE_ROLES, root=root, given=given)
    if set(paths) != set(FILE_ROLES):
        raise InvalidInputError(
            f"record {record.seq} names the files {', '.join(sorted(paths))}; a tuning reads "
            f"{', '.join(sorted(FILE_ROLES))}"
        )
    return TuningFiles(**paths)


def _options(record: Record) -> Options:
    settings = part_of(record, record.inputs, "settings", dict)
    return Options(
        lambdas=part_of(record, settings, "lambdas", str | None),
        counts=part_of(record, settings, "counts", str | None),
        level=part_of(record, settings, "level", str | None),
        limit=part_of(record, settings, "limit", int | None),
        seed=part_of(record, settings, "seed", int),
    )
