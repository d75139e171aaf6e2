"""What ``gnomon eval --collection`` measures on every real collection equals ir-measures to 1e-9.

An index is built on the corpus with stored vectors, each channel's run is written as a TREC file,
and both sides read that file. Of collections with more than 400 judged queries every third one is
asked, for the time that ir-measures takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import ir_measures
import numpy as np
import pytest

from gnomon.embedding.profile import Profile
from gnomon.evaluation.collection import evaluate_run
from gnomon.evaluation.collection_search import Asked, check_corpus, search_collection
from gnomon.kernels import Analyzer
from gnomon.retrieval.build import Plan, build_index, read_source
from gnomon.retrieval.index import Index
from gnomon.sources import Qrels, read_qrels, read_queries, resolve_collection
from gnomon.sources.run_writing import write_run
from gnomon.sources.runs import make_run, read_run
from gnomon.stats.means import mean

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from gnomon.metrics import Evaluation
    from gnomon.sources.runs import Run

COLLECTIONS = (
    *("adi", "cacm", "cranfield", "fastapi-docs", "medline"),
    *("mtrag", "npl", "scifact", "squad2"),
)
MODEL = "wordllama-256"
DEPTH = 100
MANY, STEP = 400, 3
THEIRS = {
    "recall@10": ir_measures.R @ 10,
    "recall@100": ir_measures.R @ 100,
    "precision@10": ir_measures.P @ 10,
    "ndcg@10": ir_measures.nDCG @ 10,
    "ndcg": ir_measures.nDCG,
    "rr": ir_measures.RR,
    "ap": ir_measures.AP,
}


class Stored:
    """Stored vectors of a corpus, in its order."""

    def __init__(self, vectors: NDArray[np.generic]) -> None:
        self.profile = Profile(MODEL, vectors.shape[1])
        self._blocks = iter(np.array_split(vectors, np.arange(256, len(vectors), 256)))

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the next rows."""
        block = next(self._blocks)
        assert len(block) == len(texts)
        return block.astype(np.float32)

    embed_questions = embed_documents


def built(folder: Path, place: Path) -> Index:
    """Return an index of a collection, with vectors where some are stored."""
    models = resolve_collection(folder).models
    vectors = np.load(folder / "emb" / f"{MODEL}.corpus.npy") if models else None
    build_index(
        read_source(folder),
        place,
        Plan(Analyzer(), ("en",), "cosine", "off", None, None, {}),
        uri=None if vectors is None else f"precomputed:{MODEL}",
        embedder=None if vectors is None else Stored(vectors),
        cache=None,
        progress=lambda _done, _total: None,
    )
    return Index.open(place)


def asked_of(folder: Path, qrels: Qrels) -> Asked:
    """Return the judged queries that are asked, with stored vectors if there are some."""
    queries = read_queries(next(folder.glob("queries.jsonl*")))
    judged = set(qrels.query_ids)
    rows = [row for row, query in enumerate(queries.ids) if query in judged]
    rows = rows[:: STEP if len(rows) > MANY else 1]
    stored = folder / "emb" / f"{MODEL}.queries.npy"
    vectors = np.load(stored)[rows].astype(np.float32) if stored.exists() else None
    return Asked([queries.ids[r] for r in rows], [queries.texts[r] for r in rows], vectors)


def restricted(qrels: Qrels, queries: Sequence[str]) -> Qrels:
    """Return the judgements of some queries."""
    number_of = {query: number for number, query in enumerate(queries)}
    numbers = np.array([number_of.get(query, -1) for query in qrels.query_ids])
    kept = numbers[qrels.query_index] >= 0
    return Qrels(
        qrels.path,
        qrels.format,
        tuple(queries),
        qrels.doc_ids,
        numbers[qrels.query_index][kept],
        qrels.doc_index[kept],
        qrels.gains[kept],
        0,
    )


def compare(found: Evaluation, qrels: Qrels, path: Path) -> None:
    """Compare every value and every mean; queries that ir-measures leaves out count as 0."""
    judgements = [
        ir_measures.Qrel(qrels.query_ids[query], qrels.doc_ids[doc], int(gain))
        for query, doc, gain in zip(qrels.query_index, qrels.doc_index, qrels.gains, strict=True)
    ]
    names = {measure: name for name, measure in THEIRS.items()}
    expected = {name: dict.fromkeys(map(str, found.queries), 0.0) for name in THEIRS}
    run = list(ir_measures.read_trec_run(str(path)))
    for row in ir_measures.iter_calc(list(names), judgements, run):
        if row.query_id in expected[names[row.measure]]:
            expected[names[row.measure]][row.query_id] = row.value
    for name, values in expected.items():
        ours = found.per_query(name)
        assert max(abs(ours[query] - value) for query, value in values.items()) <= 1e-9, name
        assert abs(found[name].mean - mean(np.array(list(values.values())))) <= 1e-9, name


def with_scores(run: Run, scores: NDArray[np.float64]) -> Run:
    """Return a run with other scores."""
    ids = run.document_ids(np.arange(len(run)))
    bounds = list(zip(run.offsets.tolist(), run.offsets[1:].tolist(), strict=False))
    return make_run(
        run.query_ids,
        [ids[a:b] for a, b in bounds],
        [scores[a:b] for a, b in bounds],
        name="other",
        tag="other",
    )


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_channels_of_an_index(shared_data: Path, collection: str, tmp_path: Path) -> None:
    """BM25, dense and fused runs, ties as trec_eval has them; fused ones also full of ties."""
    folder = shared_data / collection
    files = resolve_collection(folder)
    assert files.qrels is not None
    index = built(folder, tmp_path / "index")
    check_corpus(index, tmp_path / "index", files.corpus)
    qrels = read_qrels(files.qrels)
    asked = asked_of(folder, qrels)
    qrels = restricted(qrels, asked.ids)
    path = tmp_path / "run.trec"
    for channel in ("bm25", "dense", "fused") if asked.vectors is not None else ("bm25",):
        run = search_collection(index, asked, channel, DEPTH, lambda _done, _total: None)
        write_run(path, run)
        compare(evaluate_run(read_run(path), qrels, THEIRS, ties="trec"), qrels, path)
        # The file says the same as what it was written from.
        for ties in ("id", "trec"):
            mine, read = (
                evaluate_run(one, qrels, THEIRS, ties=ties) for one in (run, read_run(path))
            )
            assert all(np.array_equal(mine[name].values, read[name].values) for name in THEIRS)
    coarse = with_scores(run, np.round(run.scores, 1))
    write_run(path, coarse)
    found = evaluate_run(read_run(path), qrels, THEIRS, ties="trec")
    compare(found, qrels, path)
    assert found["ap"].n_tied


@pytest.mark.parametrize("collection", ["adi", "cacm", "cranfield", "medline"])
def test_ties_by_id(shared_data: Path, collection: str, tmp_path: Path) -> None:
    """The rule ``id`` is that of a run whose scores fall from place to place in that order."""
    folder = shared_data / collection
    files = resolve_collection(folder)
    assert files.qrels is not None
    qrels = read_qrels(files.qrels)
    index, asked = built(folder, tmp_path / "index"), asked_of(folder, qrels)
    run = search_collection(index, asked, "fused", DEPTH, lambda _done, _total: None)
    path = tmp_path / "run.trec"
    write_run(path, with_scores(run, np.round(run.scores, 1)))
    coarse = read_run(path)  # written by falling score and rising id
    write_run(tmp_path / "untied.trec", with_scores(coarse, -np.arange(len(coarse), dtype=float)))
    found = evaluate_run(coarse, qrels, THEIRS)
    compare(found, qrels, tmp_path / "untied.trec")
    assert found["ap"].n_tied
