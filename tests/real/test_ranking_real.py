"""Recall, graded nDCG and RR@k on real runs, against ir-measures and the published table."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import ir_measures
import numpy as np
import pytest

from gnomon.stats.means import mean
from gnomon.stats.ranking import ndcg_at, recall_at, reciprocal_rank_at

if TYPE_CHECKING:
    from pathlib import Path

DEPTH = 200
# collection, model, nDCG@10 and recall@10 as the collection's own notes state them
PUBLISHED = [
    ("cranfield", "all-minilm-l6-v2", 0.429, 0.455),
    ("cranfield", "glove-6b-50d", 0.114, 0.120),
    ("medline", "wordllama-256", 0.658, 0.291),
    ("mtrag", "use-multilingual-v3", 0.700, 0.801),
    ("adi", "all-mpnet-base-v2", 0.602, 0.689),
]


def identifiers(folder: Path, part: str) -> list[str]:
    """Return the ids of a JSONL file in file order."""
    path = folder / f"{part}.jsonl"
    packed = path.with_name(f"{path.name}.gz")
    data = path.read_bytes() if path.exists() else gzip.decompress(packed.read_bytes())
    return [json.loads(line)["_id"] for line in data.decode("utf-8").splitlines()]


def judgements(folder: Path) -> dict[str, dict[str, int]]:
    """Return the gains of at least 1 of documents that exist, per query."""
    docs = set(identifiers(folder, "corpus"))
    gains: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, doc, gain = line.split("\t")
        if int(gain) >= 1 and doc in docs:
            gains.setdefault(query, {})[doc] = int(gain)
    return gains


def rankings(folder: Path, model: str) -> dict[str, list[str]]:
    """Return the top documents of every query, by score and then by row."""
    docs, queries = (
        np.load(folder / "emb" / f"{model}.{part}.npy").astype(np.float32)
        for part in ("corpus", "queries")
    )
    ids = identifiers(folder, "corpus")
    top = np.argsort(-(queries @ docs.T), axis=1, kind="stable")[:, :DEPTH]
    return {
        query: [ids[row] for row in rows]
        for query, rows in zip(identifiers(folder, "queries"), top, strict=True)
    }


@pytest.mark.parametrize(("collection", "model", "ndcg", "recall"), PUBLISHED)
def test_metrics_of_real_runs(
    shared_data: Path, collection: str, model: str, ndcg: float, recall: float
) -> None:
    """Filtered qrels and minus rank as score: equal to 1e-9 per query, and as published at 10."""
    gains, run = judgements(shared_data / collection), rankings(shared_data / collection, model)
    place = {query: {doc: at for at, doc in enumerate(run[query], start=1)} for query in gains}
    ranks = np.array([place[q].get(doc, 0) for q, own in gains.items() for doc in own])
    weights = np.array([gain for own in gains.values() for gain in own.values()])
    offsets = np.cumsum([0] + [len(own) for own in gains.values()])
    qrels = [
        ir_measures.Qrel(query, doc, gain)
        for query, own in gains.items()
        for doc, gain in own.items()
    ]
    scored = [
        ir_measures.ScoredDoc(query, doc, -float(at))
        for query, own in place.items()
        for doc, at in own.items()
    ]
    for k in (1, 5, 10, 100):
        ours = {
            ir_measures.R @ k: recall_at(k, ranks, offsets),
            ir_measures.nDCG @ k: ndcg_at(k, ranks, weights, offsets),
            ir_measures.RR @ k: reciprocal_rank_at(k, ranks, offsets),
        }
        theirs = {
            (row.measure, row.query_id): row.value
            for row in ir_measures.iter_calc(list(ours), qrels, scored)
        }
        for measure, values in ours.items():
            expected = [theirs[measure, query] for query in gains]
            np.testing.assert_allclose(values, expected, rtol=0, atol=1e-9)
    assert mean(recall_at(10, ranks, offsets)) == pytest.approx(recall, abs=0.0006)
    assert mean(ndcg_at(10, ranks, weights, offsets)) == pytest.approx(ndcg, abs=0.0006)
