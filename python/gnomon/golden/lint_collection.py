"""Lint of a collection: documents, queries and judgements that fit together, and each other.

A collection may hold millions of lines, so findings of one kind are counted and shown by example.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.errors import InvalidInputError
from gnomon.golden import lint_judgements as judging
from gnomon.golden import lint_texts as texts
from gnomon.golden.collection_reading import read_judged, read_texts
from gnomon.golden.finding import Finding
from gnomon.golden.lint import LintResult, ordered
from gnomon.sources.collection import resolve_collection
from gnomon.sources.escape import counted
from gnomon.sources.files import shown
from gnomon.sources.vectors import read_vectors

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from gnomon.golden.collection_reading import JudgedFile, TextFile
    from gnomon.sources.collection import CollectionFiles


def lint_collection(
    folder: str | os.PathLike[str], function_words: frozenset[str] = frozenset()
) -> LintResult:
    """Check a folder in the BEIR layout, with vectors in ``emb/``.

    Parameters
    ----------
    function_words
        Words that a question of any subject has.

    Raises
    ------
    MissingInputError
        When the folder or its corpus does not exist.
    InvalidInputError
        When two files claim one role, or no line of a file could be read.
    """
    files = resolve_collection(folder)
    problems: list[Finding] = []
    judged = None if files.qrels is None else read_judged(files.qrels, files.root, problems)
    queries = None
    if files.queries is not None:
        queries = read_texts(files.queries, files.root, problems, keep=None)
    wanted = frozenset() if judged is None else judged.relevant_documents
    documents = read_texts(files.corpus, files.root, problems, keep=wanted)
    found = [*problems, *texts.of_documents(documents), *_vectors(files, documents, queries)]
    if queries is None:
        found.append(_missing("no-queries", "queries.jsonl", "nothing can be asked"))
    else:
        found += texts.of_queries(queries, judged, function_words)
    if judged is None:
        found.append(_missing("no-judgements", "qrels.tsv", "nothing can be measured"))
    elif queries is not None:
        found += judging.of_judgements(judged, documents, queries)
        found += judging.of_splits(judged, files)
    return LintResult(
        "collection", Path(folder), ordered(found), _summary(documents, queries, judged)
    )


def _missing(code: str, name: str, consequence: str) -> Finding:
    return Finding(code, None, None, f"the folder has no {name}, so {consequence}")


def _vectors(
    files: CollectionFiles, documents: TextFile, queries: TextFile | None
) -> Iterator[Finding]:
    for name in files.models:
        pairs = [(files.root / "emb" / f"{name}.corpus.npy", documents)]
        stored = files.root / "emb" / f"{name}.queries.npy"
        if stored.exists() and queries is not None:
            pairs.append((stored, queries))
        for path, rows in pairs:
            problem = None
            try:
                found = read_vectors(path, name="vectors").rows
                if found != rows.n_lines:
                    problem = (
                        f"has {counted(found, 'row')} and {rows.file} has "
                        f"{counted(rows.n_lines, 'record')}; embed again, in the order of the file"
                    )
            except InvalidInputError as error:
                problem = str(error).removeprefix(f"{shown(path)}: ")
            if problem is not None:
                where = str(path.relative_to(files.root))
                yield Finding("vector-rows", None, None, problem, where)


def _summary(
    documents: TextFile, queries: TextFile | None, judged: JudgedFile | None
) -> dict[str, int]:
    summary = {"documents": len(documents.ids)}
    if queries is not None:
        summary["queries"] = len(queries.ids)
    if judged is not None:
        summary["judgements"] = len(judged.gains)
        known = judged.queries if queries is None else judged.queries & set(queries.ids)
        summary["judged_queries"] = len(known)
    return summary
