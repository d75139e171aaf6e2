"""Judgements joined with the documents and queries that exist."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.errors import InvalidInputError
from gnomon.sources.escape import counted, listed, none_of
from gnomon.sources.files import shown
from gnomon.sources.ids import near_miss

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gnomon.sources.qrels import Qrels

_EXAMPLES = 5
# What other tools write for an id that was not there.
_ABSENT = frozenset({"none", "null", "nan", "n/a", "<na>"})


@dataclass(frozen=True, slots=True, eq=False)
class JudgedQueries:
    """The queries that can be evaluated, with their relevant documents as rows.

    A document is relevant when its gain is 1 or more and it is in the corpus; a query is here when
    it has at least one relevant document.

    Attributes
    ----------
    query_rows
        int64[m], rising: rows of the evaluated queries.
    offsets
        int64[m + 1]: the documents of evaluated query i are at ``offsets[i]:offsets[i + 1]``.
    doc_rows
        int64[judgements]: rows of relevant documents, rising within a query.
    gains
        int64[judgements]: their gains, each 1 or more.
    n_unjudged
        Queries that no judgement is about.
    n_without_relevant
        Judged queries of which no relevant document is in the corpus.
    n_unknown_documents, unknown_documents
        Judged document ids that the corpus lacks: how many, and the first five in sorted order.
    n_unknown_judgements
        Judgements of known queries that name such a document.
    n_unknown_queries, unknown_queries
        Judged query ids that are not among the queries: how many, and the first five.
    n_absent_ids
        Unknown ids among these that read ``None``, ``null`` or ``nan``: what other tools write
        where there was no id.
    """

    query_rows: NDArray[np.int64] = field(repr=False)
    offsets: NDArray[np.int64] = field(repr=False)
    doc_rows: NDArray[np.int64] = field(repr=False)
    gains: NDArray[np.int64] = field(repr=False)
    n_unjudged: int
    n_without_relevant: int
    n_unknown_documents: int
    unknown_documents: tuple[str, ...]
    n_unknown_judgements: int
    n_unknown_queries: int
    unknown_queries: tuple[str, ...]
    n_absent_ids: int

    def __len__(self) -> int:
        return len(self.query_rows)

    @property
    def n_skipped(self) -> int:
        """Queries that are not evaluated, for whichever reason."""
        return self.n_unjudged + self.n_without_relevant

    def relevant(self, position: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return rows and gains of the relevant documents of evaluated query ``position``."""
        part = slice(self.offsets[position], self.offsets[position + 1])
        return self.doc_rows[part], self.gains[part]


def restrict(qrels: Qrels, corpus_ids: Sequence[str], query_ids: Sequence[str]) -> JudgedQueries:
    """Join judgements with the documents and queries that exist.

    Parameters
    ----------
    qrels
        The judgements.
    corpus_ids, query_ids
        Ids in the row order of the vectors, each unique.

    Returns
    -------
    JudgedQueries

    Raises
    ------
    InvalidInputError
        When no judged document is in the corpus, no judged query is among the queries, or no query
        has a relevant document in the corpus; with counts and examples.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from gnomon.sources.qrels import read_qrels
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("q2 0 d1 1")
    >>> judged = restrict(read_qrels(path), ["d0", "d1"], ["q1", "q2"])
    >>> judged.query_rows.tolist(), judged.doc_rows.tolist(), judged.n_unjudged
    ([1], [1], 1)
    """
    doc_row, unknown_documents = _rows(qrels.doc_ids, corpus_ids)
    query_row, unknown_queries = _rows(qrels.query_ids, query_ids)
    _check_known(qrels, "document", qrels.doc_ids, unknown_documents, corpus_ids, query_ids)
    _check_known(qrels, "query", qrels.query_ids, unknown_queries, query_ids, corpus_ids)

    rows = query_row[qrels.query_index]
    docs = doc_row[qrels.doc_index]
    kept = (rows >= 0) & (docs >= 0) & (qrels.gains >= 1)
    order = np.lexsort((docs[kept], rows[kept]))
    kept_rows = rows[kept][order]
    query_rows, counts = np.unique(kept_rows, return_counts=True)
    n_judged = len(qrels.query_ids) - len(unknown_queries)
    if not len(query_rows):
        raise InvalidInputError(
            f"{shown(qrels.path)}: no judged query: "
            f"{counted(n_judged, 'query has', 'queries have')} judgements, but none has a "
            "document with a gain of 1 or more in the corpus"
        )
    unknown = [*unknown_documents, *unknown_queries]
    return JudgedQueries(
        query_rows=query_rows,
        offsets=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        doc_rows=docs[kept][order],
        gains=qrels.gains[kept][order],
        n_unjudged=len(query_ids) - n_judged,
        n_without_relevant=n_judged - len(query_rows),
        n_unknown_documents=len(unknown_documents),
        unknown_documents=tuple(unknown_documents[:_EXAMPLES]),
        n_unknown_judgements=int(np.count_nonzero((rows >= 0) & (docs < 0))),
        n_unknown_queries=len(unknown_queries),
        unknown_queries=tuple(unknown_queries[:_EXAMPLES]),
        n_absent_ids=sum(item.strip().lower() in _ABSENT for item in unknown),
    )


def _rows(wanted: Sequence[str], known: Sequence[str]) -> tuple[NDArray[np.int64], list[str]]:
    """Return the row of every wanted id, -1 where it is unknown, and the unknown ids sorted."""
    row_of = {item: row for row, item in enumerate(known)}
    rows = np.fromiter((row_of.get(item, -1) for item in wanted), np.int64, len(wanted))
    return rows, sorted(item for item in wanted if item not in row_of)


def _check_known(
    qrels: Qrels,
    noun: str,
    judged: Sequence[str],
    unknown: Sequence[str],
    known: Sequence[str],
    other: Sequence[str],
) -> None:
    if len(unknown) < len(judged):
        return
    plural = {"document": "documents", "query": "queries"}[noun]
    place = {"document": "in the corpus", "query": "among the queries"}[noun]
    swapped = set(other)
    hint: Any = ""
    if all(item in swapped for item in judged):
        hint = ". The columns of queries and documents seem to be exchanged"
    raise InvalidInputError(
        f"{shown(qrels.path)}: no judged {noun}: "
        f"{none_of(len(judged), f'judged {noun}', f'judged {plural}')} {place}; judged are "
        f"{listed(unknown)}; known are {listed(known[:_EXAMPLES])}"
        f"{hint or near_miss(unknown, known)}"
    )
