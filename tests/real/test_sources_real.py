"""Every real collection is read, and holds what its own page says."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.sources import (
    fingerprint,
    read_corpus,
    read_qrels,
    read_queries,
    read_vectors,
    resolve_collection,
    restrict,
)

if TYPE_CHECKING:
    from pathlib import Path

COLLECTIONS = (
    "adi", "cacm", "cranfield", "fastapi-docs", "medline", "mtrag", "npl", "scifact", "squad2",
)  # fmt: skip
DIMENSIONS = {
    "glove-6b-50d": 50,
    "wordllama-256": 256,
    "use-multilingual-v3": 512,
    "sre-minilm": 384,
    "e5-small-q4": 384,
    "all-minilm-l6-v2-int8": 384,
    "all-minilm-l6-v2": 384,
    "all-mpnet-base-v2": 768,
}
EMPTY_DOCUMENTS = {"cranfield": ("471", "995")}
ROW = re.compile(
    r"\[(?P<name>[\w-]+)\]\([\w-]+/README\.md\) \| [^|]+ \| (?P<docs>\d+) \| "
    r"(?P<queries>\d+) \((?P<judged>\d+)\) \| (?P<judgements>\d+) \|"
)
DIGEST = re.compile(r"^(?P<sha256>[0-9a-f]{64})  (?P<name>\S+)  (?P<size>\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Counts:
    """What the table of the collections says about one of them."""

    docs: int
    queries: int
    judged: int
    judgements: int


@pytest.fixture(scope="module")
def table(shared_data: Path) -> dict[str, Counts]:
    """Return the counts of every collection, from the table in the page of them all."""
    page = (shared_data / "README.md").read_text(encoding="utf-8")
    return {
        row["name"]: Counts(
            int(row["docs"]), int(row["queries"]), int(row["judged"]), int(row["judgements"])
        )
        for row in ROW.finditer(page)
    }


def test_every_collection_is_tested(shared_data: Path, table: dict[str, Counts]) -> None:
    """The folders with a corpus, the table and the list in this file are the same."""
    folders = {path.parent.name for path in shared_data.glob("*/corpus.jsonl*")}
    assert folders == set(COLLECTIONS) == set(table)


@pytest.mark.parametrize("name", COLLECTIONS)
def test_counts(shared_data: Path, table: dict[str, Counts], name: str) -> None:
    """Documents, queries and judgements are as many as the table says, and all fit together."""
    files = resolve_collection(shared_data / name)
    assert files.queries is not None
    assert files.qrels is not None
    corpus, queries = read_corpus(files.corpus), read_queries(files.queries)
    qrels = read_qrels(files.qrels)
    judged = restrict(qrels, corpus.ids, queries.ids)
    found = Counts(len(corpus), len(queries), len(judged), len(qrels))
    assert found == table[name]
    assert qrels.format == "beir"
    assert (qrels.n_repeated, qrels.n_negative) == (0, 0)
    assert judged.n_unjudged == len(queries) - len(judged)
    assert (judged.n_unknown_documents, judged.n_unknown_queries) == (0, 0)
    assert len(judged.doc_rows) == len(qrels)
    assert queries.n_empty == 0


@pytest.mark.parametrize("name", COLLECTIONS)
def test_texts_by_row(shared_data: Path, name: str) -> None:
    """Texts are read again in one pass and by row; the empty documents are the known ones."""
    corpus = read_corpus(resolve_collection(shared_data / name).corpus)
    documents = list(corpus.documents())
    assert tuple(document.id for document in documents) == corpus.ids
    empty = tuple(document.id for document in documents if not document.passage)
    assert empty == EMPTY_DOCUMENTS.get(name, ())
    assert corpus.n_empty == len(empty)
    rows = [len(corpus) // 2, 0, len(corpus) - 1]
    assert list(corpus.documents(rows)) == [documents[row] for row in rows]


@pytest.mark.parametrize("name", COLLECTIONS)
def test_vectors(shared_data: Path, table: dict[str, Counts], name: str) -> None:
    """Stored vectors have a row for every document and query, and describe their model."""
    files = resolve_collection(shared_data / name)
    stored = {path.name for path in (shared_data / name / "emb").glob("*")}
    assert len(stored) == 3 * len(files.models)
    for model in files.models:
        known = files.model(model)
        assert known.queries is not None
        assert known.description is not None
        documents = read_vectors(known.documents, name="documents")
        queries = read_vectors(known.queries, name="queries")
        assert (documents.rows, queries.rows) == (table[name].docs, table[name].queries)
        assert documents.dim == queries.dim == DIMENSIONS[model] == known.description["dim"]
        assert documents.array.dtype == queries.array.dtype == np.float16
        assert isinstance(documents.array, np.memmap)


@pytest.mark.parametrize("name", COLLECTIONS)
def test_fingerprints(shared_data: Path, name: str) -> None:
    """Size and hash of every file are those that the collection's page lists."""
    folder = shared_data / name
    listed = list(DIGEST.finditer((folder / "README.md").read_text(encoding="utf-8")))
    assert len(listed) >= 3
    for row in listed:
        found = fingerprint(folder / row["name"])
        assert (found.sha256, found.size) == (row["sha256"], int(row["size"]))
        assert found.sha256 == hashlib.sha256((folder / row["name"]).read_bytes()).hexdigest()
