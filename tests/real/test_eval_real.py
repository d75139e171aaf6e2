"""Evaluation on judged collections: its recall and MRR are those of the metrics on the live run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from bench.gate_collections import RowsInOrder

from gnomon import metrics
from gnomon.embedding.profile import Profile
from gnomon.evaluation.gate_only import evaluate_gate, setup_of
from gnomon.evaluation.result import EvaluationResult
from gnomon.retrieval.index import Index
from tests.evaluation.records import record
from tests.retrieval.docs import build

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from gnomon.golden.records import GoldenRecord

MODEL = "all-minilm-l6-v2"


def judged(folder: Path) -> tuple[dict[str, str], dict[str, dict[str, int]]]:
    """Return the judged queries of a collection and their judgements."""
    qrels: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        query, document, gain = line.split("\t")
        qrels.setdefault(query, {})[document] = int(gain)
    rows = [json.loads(line) for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()]
    return {row["_id"]: row["text"] for row in rows if row["_id"] in qrels}, qrels


def vectors_of(folder: Path) -> dict[str, NDArray[np.float32]]:
    """Return the stored vector of every query, by its text."""
    vectors = np.load(folder / "emb" / f"{MODEL}.queries.npy").astype(np.float32)
    lines = (folder / "queries.jsonl").read_text("utf-8").splitlines()
    return dict(zip([json.loads(line)["text"] for line in lines], vectors, strict=True))


def evaluated(
    index: Index, records: tuple[GoldenRecord, ...], known: dict[str, NDArray[np.float32]]
) -> EvaluationResult:
    """Evaluate records, with stored vectors where there are any."""
    return evaluate_gate(
        index,
        records,
        (lambda texts: np.stack([known[text] for text in texts])) if known else None,
        setup_of(index, "real", records, level=None, limit=None),
        lambda _done, _total: None,
        seed=0,
    )


@pytest.mark.parametrize("dense", [False, True], ids=["lexical", "dense"])
@pytest.mark.parametrize("name", ["adi", "cranfield"])
def test_measures_are_those_of_the_live_run(
    shared_data: Path, tmp_path: Path, name: str, dense: bool
) -> None:
    """A document is a gold entry of one chunk, so recall@8 and RR equal those of the metrics."""
    folder = shared_data / name
    embedder = None
    if dense:
        vectors = np.load(folder / "emb" / f"{MODEL}.corpus.npy")
        embedder = RowsInOrder(Profile(MODEL, vectors.shape[1]), vectors)
    build(folder, tmp_path / "index", embedder)
    index = Index.open(tmp_path / "index")
    queries, qrels = judged(folder)
    records = tuple(
        record(query, text, gold=sorted(qrels[query])) for query, text in queries.items()
    )
    known = vectors_of(folder) if dense else {}
    found = evaluated(index, records, known)
    run = {
        one.id: [
            chunk.id for chunk in index.search(one.question, 8, vectors=known.get(one.question))
        ]
        for one in records
    }
    expected = metrics.evaluate(run, qrels, ["recall@8", "rr"])
    assert found.values("recall@8") == pytest.approx(expected.per_query("recall@8"), abs=1e-15)
    assert found.values("mrr") == pytest.approx(expected.per_query("rr"), abs=1e-15)
    assert found.figures()["recall@8"]["n_measured"] == len(queries)
