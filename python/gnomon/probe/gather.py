"""From files to inputs: read, check, join and fingerprint."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.embedding.profile import Profile
from gnomon.errors import InvalidInputError
from gnomon.probe.inputs import ProbeInputs, QueryLog
from gnomon.probe.ranks import Relevance
from gnomon.sources import (
    FileFingerprint,
    JudgedQueries,
    VectorSource,
    fingerprint,
    printable,
    read_bounded,
    read_corpus,
    read_ids,
    read_qrels,
    read_queries,
    read_vectors,
    restrict,
    rows_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from gnomon.probe.files import ProbeFiles

_PROFILE_LIMIT = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What was read.

    Attributes
    ----------
    inputs
        Ready to be measured.
    fingerprints
        Role -> which file it was.
    """

    inputs: ProbeInputs
    fingerprints: dict[str, FileFingerprint]


def gather(files: ProbeFiles) -> Gathered:
    """Read the files of a probe.

    Vectors stay memory-mapped where their format allows; hashing runs beside the reading.

    Raises
    ------
    MissingInputError, InvalidInputError
        A file is missing, is not what its name says, or does not fit the others; the message
        names file, line, row or id.
    """
    with ThreadPoolExecutor(max_workers=1) as hashing:
        hashed = {role: hashing.submit(fingerprint, path) for role, path in files.roles()}
        try:
            inputs = _read(files)
        except BaseException:
            hashing.shutdown(wait=False, cancel_futures=True)
            raise
        fingerprints = {role: future.result() for role, future in hashed.items()}
    return Gathered(inputs=inputs, fingerprints=fingerprints)


def _read(files: ProbeFiles) -> ProbeInputs:
    old = _vectors(files, files.old_docs, "old documents")
    new = _vectors(files, files.new_docs, "new documents")
    ids, has_text = _document_ids(files, old)
    if ids is not None:
        old = old.with_ids(ids, where=_where_ids(files))
    new_array, new_rows = _new_part(files, new, old, ids)
    log, skipped = _query_log(files, ids)
    return ProbeInputs(
        old_docs=old.array,
        new_docs=new_array,
        new_rows=new_rows,
        log=log,
        has_text=has_text,
        old_profile=_profile(files.old_profile, files.old_name, old),
        new_profile=_profile(files.new_profile, files.new_name, new),
        skipped=skipped,
        names={
            "old documents": printable(str(files.old_docs)),
            "new documents": printable(str(files.new_docs)),
            "old queries": printable(str(files.old_queries)),
            "new queries": printable(str(files.new_queries)),
        },
    )


def _vectors(files: ProbeFiles, path: Path, name: str) -> VectorSource:
    return read_vectors(
        path, name=name, column=files.vector_column, id_column=files.id_column, key=files.key
    )


def _document_ids(files: ProbeFiles, old: VectorSource) -> tuple[Sequence[str] | None, bool]:
    """Return the ids of the old rows, and whether the source holds text."""
    if files.docs is not None:
        corpus = read_corpus(files.docs)
        return corpus.ids, corpus.has_text
    if files.ids is not None:
        return read_ids(files.ids, column=files.id_column), False
    return old.ids, False


def _where_ids(files: ProbeFiles) -> str:
    source = files.docs or files.ids or files.old_docs
    return printable(str(source))


def _new_part(
    files: ProbeFiles, new: VectorSource, old: VectorSource, ids: Sequence[str] | None
) -> tuple[NDArray[Any], NDArray[np.int64] | None]:
    """Return the new vectors in corpus order, and the rows that they cover (None: all)."""
    if files.new_ids is None:
        if new.rows != old.rows:
            raise InvalidInputError(
                f"old and new documents differ in number: {printable(str(old.path))} has "
                f"{old.rows:,} rows, {printable(str(new.path))} has {new.rows:,}; if the new model "
                "covers a part of the corpus, name its documents with --new-ids"
            )
        if ids is not None:
            new.with_ids(ids, where=_where_ids(files))
        return new.array, None
    if ids is None:
        raise InvalidInputError(
            "--new-ids names documents, but the index has no ids; give them with --docs or --ids"
        )
    covered = read_ids(files.new_ids, column=files.id_column)
    new.with_ids(covered, where=printable(str(files.new_ids)))
    rows = rows_of(covered, ids, where=printable(str(files.new_ids)), known=_where_ids(files))
    order = np.argsort(rows, kind="stable")
    if np.array_equal(order, np.arange(len(rows))):
        return new.array, rows
    # Corpus order makes ties fall the same way in both spaces; costs one copy of the part.
    return new.array[order], rows[order]


def _query_log(
    files: ProbeFiles, doc_ids: Sequence[str] | None
) -> tuple[QueryLog | None, dict[str, int]]:
    if files.old_queries is None or files.new_queries is None:
        return None, {}
    old = _vectors(files, files.old_queries, "old queries")
    new = _vectors(files, files.new_queries, "new queries")
    ids = _query_ids(files, old)
    where = printable(str(files.queries or files.old_queries))
    old, new = old.with_ids(ids, where=where), new.with_ids(ids, where=where)
    if files.qrels is None:
        everything = np.arange(len(ids), dtype=np.int64)
        return QueryLog(old=old.array, new=new.array, ids=ids, rows=everything, relevance=None), {}
    if doc_ids is None:
        raise InvalidInputError(
            f"{printable(str(files.qrels))} names documents by id, but the index has no ids; give "
            "them with --docs or --ids"
        )
    judged = restrict(read_qrels(files.qrels), doc_ids, ids)
    log = QueryLog(
        old=old.array,
        new=new.array,
        ids=ids,
        rows=judged.query_rows,
        relevance=Relevance(judged.offsets, judged.doc_rows, judged.gains),
    )
    return log, _skipped(judged)


def _query_ids(files: ProbeFiles, old: VectorSource) -> Sequence[str]:
    if files.queries is not None:
        if files.queries.name.removesuffix(".gz").endswith((".jsonl", ".ndjson")):
            return read_queries(files.queries).ids
        return read_ids(files.queries, column=files.id_column)
    if old.ids is not None:
        return old.ids
    if files.qrels is not None:
        raise InvalidInputError(
            f"{printable(str(files.qrels))} names queries by id, but the query vectors have none; "
            "give them with --queries"
        )
    return [str(row) for row in range(old.rows)]


def _skipped(judged: JudgedQueries) -> dict[str, int]:
    return {
        "unjudged_queries": judged.n_unjudged,
        "queries_without_relevant_document": judged.n_without_relevant,
        "missing_judged_documents": judged.n_unknown_documents,
        "unknown_judged_queries": judged.n_unknown_queries,
    }


def _profile(path: Path | None, name: str, vectors: VectorSource) -> Profile:
    if path is None:
        return Profile(id=name, dim=vectors.dim)
    where = printable(str(path))
    try:
        info = json.loads(read_bounded(path, limit=_PROFILE_LIMIT))
    except ValueError as error:
        raise InvalidInputError(f"{where}: is not JSON ({error})") from None
    if not isinstance(info, dict):
        raise InvalidInputError(f"{where}: holds {type(info).__name__}; expected a JSON object")
    profile = Profile.from_embedding_info(info, where=where, name=name)
    if profile.dim != vectors.dim:
        raise InvalidInputError(
            f"{where} says that the model has {profile.dim} dimensions, but "
            f"{printable(str(vectors.path))} has {vectors.dim}"
        )
    return profile
