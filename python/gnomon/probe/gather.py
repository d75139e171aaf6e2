"""From files to inputs: read, check, join and fingerprint."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.embedding.profile import Profile
from gnomon.errors import InvalidInputError
from gnomon.probe.hashing import Fingerprints
from gnomon.probe.inputs import ProbeInputs, QueryLog
from gnomon.probe.ranks import Relevance
from gnomon.sources import (
    FileFingerprint,
    JudgedQueries,
    VectorSource,
    printable,
    read_corpus,
    read_ids,
    read_qrels,
    read_queries,
    read_vectors,
    restrict,
    rows_of,
)
from gnomon.sources.collection import read_description

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from gnomon.probe.files import ProbeFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What was read.

    Attributes
    ----------
    inputs
        Ready to be measured.
    fingerprints
        Role -> which file it was, with the rows, records or judgements that were found in it.
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
    hashing = Fingerprints(files.roles())
    reader = _Reader(files)
    inputs = reader.inputs()
    fingerprints = {
        role: replace(found, rows=reader.rows.get(role)) for role, found in hashing.result().items()
    }
    return Gathered(inputs=inputs, fingerprints=fingerprints)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads and joins the files of a probe.

    Attributes
    ----------
    rows
        Role -> rows, records or judgements found in that file so far.
    """

    files: ProbeFiles
    rows: dict[str, int] = field(default_factory=dict)

    def inputs(self) -> ProbeInputs:
        """Return everything that was read, checked and joined."""
        files = self.files
        old = self._vectors("old_docs", "old documents")
        new = self._vectors("new_docs", "new documents")
        ids, has_text = self._document_ids(old, new)
        if ids is not None:
            old = old.with_ids(ids, where=self._where_ids())
        new_array, new_rows, file_rows = self._new_part(new, old, ids)
        log, skipped = self._query_log(ids)
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
            file_rows={} if file_rows is None else {"new documents": file_rows},
        )

    def _vectors(self, role: str, name: str) -> VectorSource:
        path = getattr(self.files, role)
        found = read_vectors(path, name=name, **self.files.vector_options(role))
        self.rows[role] = found.rows
        return found

    def _ids(self, role: str) -> Sequence[str]:
        ids = read_ids(getattr(self.files, role), column=self.files.told("id_column", role))
        self.rows[role] = len(ids)
        return ids

    def _document_ids(
        self, old: VectorSource, new: VectorSource
    ) -> tuple[Sequence[str] | None, bool]:
        """Return the ids of the old rows, and whether the source holds text."""
        if self.files.docs is not None:
            corpus = read_corpus(self.files.docs)
            self.rows["docs"] = len(corpus.ids)
            return corpus.ids, corpus.has_text
        if self.files.ids is not None:
            return self._ids("ids"), False
        if old.ids is None and self.files.new_ids is None and new.rows == old.rows:
            return new.ids, False
        return old.ids, False

    def _where_ids(self) -> str:
        files = self.files
        return printable(str(files.docs or files.ids or files.old_docs))

    def _new_part(
        self, new: VectorSource, old: VectorSource, ids: Sequence[str] | None
    ) -> tuple[NDArray[Any], NDArray[np.int64] | None, NDArray[np.int64] | None]:
        """Return the new vectors in corpus order, their documents and their rows in the file.

        None stands for all documents, and for the rows as they are.
        """
        if self.files.new_ids is None:
            if new.rows != old.rows:
                raise InvalidInputError(
                    f"old and new documents differ in number: {printable(str(old.path))} has "
                    f"{old.rows:,} rows, {printable(str(new.path))} has {new.rows:,}; if the new "
                    "model covers a part of the corpus, name its documents with --new-ids"
                )
            if ids is not None:
                new.with_ids(ids, where=self._where_ids())
            return new.array, None, None
        where = printable(str(self.files.new_ids))
        if ids is None:
            raise InvalidInputError(
                f"{where} names documents, but the index has no ids; give them with --docs or --ids"
            )
        covered = self._ids("new_ids")
        new.with_ids(covered, where=where)
        rows = rows_of(covered, ids, where=where, known=self._where_ids())
        order = np.argsort(rows, kind="stable")
        if np.array_equal(order, np.arange(len(rows))):
            return new.array, rows, None
        # Corpus order makes ties fall the same way in both spaces; costs one copy of the part.
        return new.array[order], rows[order], order

    def _query_log(self, doc_ids: Sequence[str] | None) -> tuple[QueryLog | None, dict[str, int]]:
        files = self.files
        if files.old_queries is None or files.new_queries is None:
            return None, {}
        old = self._vectors("old_queries", "old queries")
        new = self._vectors("new_queries", "new queries")
        ids = self._query_ids(old, new)
        where = printable(str(files.queries or files.old_queries))
        old, new = old.with_ids(ids, where=where), new.with_ids(ids, where=where)
        if files.qrels is None:
            everything = np.arange(len(ids), dtype=np.int64)
            log = QueryLog(old=old.array, new=new.array, ids=ids, rows=everything, relevance=None)
            return log, {}
        if doc_ids is None:
            raise InvalidInputError(
                f"{printable(str(files.qrels))} names documents by id, but the index has no ids; "
                "give them with --docs or --ids"
            )
        qrels = read_qrels(files.qrels)
        self.rows["qrels"] = len(qrels)
        judged = restrict(qrels, doc_ids, ids)
        log = QueryLog(
            old=old.array,
            new=new.array,
            ids=ids,
            rows=judged.query_rows,
            relevance=Relevance(judged.offsets, judged.doc_rows, judged.gains),
        )
        return log, _skipped(judged)

    def _query_ids(self, old: VectorSource, new: VectorSource) -> Sequence[str]:
        queries = self.files.queries
        if queries is not None:
            if not queries.name.removesuffix(".gz").endswith((".jsonl", ".ndjson")):
                return self._ids("queries")
            ids = read_queries(queries).ids
            self.rows["queries"] = len(ids)
            return ids
        stored = old.ids or new.ids
        if stored is not None:
            return stored
        if self.files.qrels is not None:
            raise InvalidInputError(
                f"{printable(str(self.files.qrels))} names queries by id, but the query vectors "
                "have none; give them with --queries"
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
    profile = Profile.from_embedding_info(read_description(path), where=where, name=name)
    if profile.dim != vectors.dim:
        raise InvalidInputError(
            f"{where} says that the model has {profile.dim} dimensions, but "
            f"{printable(str(vectors.path))} has {vectors.dim}"
        )
    return profile
