"""Whether a run, its judgements and a corpus belong together: refused, or told in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.errors import InvalidInputError
from gnomon.golden.lint_judgements import is_another_corpus
from gnomon.sources.escape import by_number, counted, listed, none_of
from gnomon.sources.files import shown
from gnomon.sources.ids import near_miss
from gnomon.sources.judged import restrict
from gnomon.sources.words import keys_of_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gnomon.sources.qrels import Qrels
    from gnomon.sources.runs import Run

_EXAMPLES = 5


def check_queries(run: Run, qrels: Qrels) -> None:
    """Refuse a run that answers none of the judged queries: all its values would be 0.

    Raises
    ------
    InvalidInputError
        With examples of both sides, and a hint when only the spelling differs.
    """
    judged = set(qrels.query_ids)
    if not judged.isdisjoint(run.query_ids):
        return
    known = sorted(judged)
    raise InvalidInputError(
        f"{shown(run.text.path)}: {none_of(len(run.query_ids), 'query', 'queries', whose='its')} "
        "judged in "
        f"{shown(qrels.path)}; the run answers {listed(run.query_ids, first=_EXAMPLES)}; judged "
        f"are {listed(known, first=_EXAMPLES)}{near_miss(run.query_ids, known)}. Name the "
        "judgements of the collection that the run was made on"
    )


def notes_on_judgements(
    qrels: Qrels, corpus_ids: Sequence[str], query_ids: Sequence[str] | None
) -> list[str]:
    """Return sentences on ids of the judgements that the collection lacks, if they are few.

    Metrics count judged documents that the corpus lacks all the same, as trec_eval does. How many
    are too many is what `lint` says: its code ``another-corpus`` is an error.

    Parameters
    ----------
    query_ids
        The ids of the collection's queries, or None where it has no such file.

    Raises
    ------
    InvalidInputError
        When no judged document, or no judged query, is in the collection, or more than a tenth of
        them are not.
    """
    judged = restrict(qrels, corpus_ids, qrels.query_ids if query_ids is None else query_ids)
    n_documents, n_queries = len(qrels.doc_ids), len(qrels.query_ids)
    documents, queries = judged.unknown_documents, judged.unknown_queries
    _check_few(
        qrels,
        ("judged document", "judged documents"),
        "corpus",
        n_documents,
        judged.n_unknown_documents,
        documents,
    )
    _check_few(
        qrels,
        ("judged query", "judged queries"),
        "queries",
        n_queries,
        judged.n_unknown_queries,
        queries,
    )
    sentences = []
    if judged.n_unknown_documents:
        lost = counted(judged.n_unknown_documents, "judged document is", "judged documents are")
        sentences.append(
            f"{lost} not in the corpus, such as {listed(judged.unknown_documents)}: no run finds "
            f"{'it' if judged.n_unknown_documents == 1 else 'them'}"
        )
    if judged.n_unknown_queries:
        sentences.append(
            f"{counted(judged.n_unknown_queries, 'judged query is', 'judged queries are')} not "
            f"among the queries, such as {listed(judged.unknown_queries)}"
        )
    return sentences


def _check_few(
    qrels: Qrels,
    nouns: tuple[str, str],
    place: str,
    n_judged: int,
    n_lost: int,
    lost: Sequence[str],
) -> None:
    if is_another_corpus(n_lost, n_judged):
        raise InvalidInputError(
            f"{shown(qrels.path)}: {n_lost:,} of {counted(n_judged, *nouns)} "
            f"{by_number(n_lost, 'is', 'are')} not in the {place}, such as "
            f"{listed(lost, first=_EXAMPLES)}; more than a tenth means judgements "
            "of another corpus (lint calls it another-corpus), and every figure would be too low. "
            "Name the judgements of this collection with --qrels, or the collection that they "
            "belong to"
        )


def notes_on_run(run: Run, corpus_ids: Sequence[str], query_ids: Sequence[str] | None) -> list[str]:
    """Return sentences on ids of a run that the collection lacks.

    Raises
    ------
    InvalidInputError
        When no document of the run is in the corpus.
    """
    sentences = []
    unknown = [] if query_ids is None else sorted(set(run.query_ids).difference(query_ids))
    if unknown:
        sentences.append(
            f"{counted(len(unknown), 'query of the run is', 'queries of the run are')} not among "
            f"the queries, such as {listed(unknown, first=_EXAMPLES)}"
        )
    return sentences + _unknown_documents(run, corpus_ids)


def _unknown_documents(run: Run, corpus_ids: Sequence[str]) -> list[str]:
    keys = keys_of_texts([one.encode("utf-8") for one in corpus_ids]).view(np.int64)
    retrieved = np.unique(run.keys)
    unknown = np.setdiff1d(retrieved, keys, assume_unique=True)
    if len(unknown) == 0:
        return []
    rows = np.flatnonzero(np.isin(run.keys, unknown[: 4 * _EXAMPLES]))
    examples = sorted(set(run.document_ids(_first_rows(run.keys, rows))))
    if len(unknown) == len(retrieved):
        raise InvalidInputError(
            f"{shown(run.text.path)}: {none_of(len(retrieved), 'document', whose='its')} in the "
            "corpus; "
            f"it lists {listed(examples, first=_EXAMPLES)}; the corpus has "
            f"{listed(corpus_ids, first=_EXAMPLES)}{near_miss(examples, corpus_ids)}. Name the "
            "collection that the run was made on"
        )
    share = f"{len(unknown):,} of {counted(len(retrieved), 'document')} of the run"
    verb = by_number(len(unknown), "is", "are")
    return [f"{share} {verb} not in the corpus, such as {listed(examples, first=_EXAMPLES)}"]


def _first_rows(keys: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each distinct key the first of the rows that have it."""
    return rows[np.unique(keys[rows], return_index=True)[1]]
