"""Metrics on every real collection and stored model equal ir-measures to 1e-9, ties included."""

from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING

import ir_measures
import numpy as np
import pytest

import gnomon as gn
from gnomon.metrics import evaluate
from gnomon.stats.means import mean

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.metrics import Evaluation

COLLECTIONS = ["adi", "cacm", "cranfield", "fastapi-docs", "medline", "mtrag", "scifact", "squad2"]
DEPTH = 100
THEIRS = {
    "recall@10": ir_measures.R @ 10,
    "recall@100": ir_measures.R @ 100,
    "precision@5": ir_measures.P @ 5,
    "ndcg@10": ir_measures.nDCG @ 10,
    "ndcg": ir_measures.nDCG,
    "rr": ir_measures.RR,
    "ap": ir_measures.AP,
    "ap@20": ir_measures.AP @ 20,
}
Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]


def identifiers(folder: Path, part: str) -> list[str]:
    """Return the ids of a JSONL file in file order."""
    path = folder / f"{part}.jsonl"
    packed = path.with_name(f"{path.name}.gz")
    data = path.read_bytes() if path.exists() else gzip.decompress(packed.read_bytes())
    return [json.loads(line)["_id"] for line in data.decode("utf-8").splitlines()]


def judgements(folder: Path) -> Qrels:
    """Return the judgements as they are, documents that don't exist included."""
    gains: Qrels = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, doc, gain = line.split("\t")
        gains.setdefault(query, {})[doc] = int(gain)
    return gains


def models(folder: Path) -> list[str]:
    """Return the models whose vectors are stored."""
    return sorted(re.sub(r"\.corpus\.npy$", "", p.name) for p in folder.glob("emb/*.corpus.npy"))


def compare(found: Evaluation, qrels: Qrels, run: Run) -> None:
    """Compare every query and the mean; ir-measures leaves out queries without results."""
    names = {measure: name for name, measure in THEIRS.items()}
    expected = {name: dict.fromkeys(qrels, 0.0) for name in THEIRS}
    for row in ir_measures.iter_calc(list(names), qrels, run):
        expected[names[row.measure]][row.query_id] = row.value
    for name, values in expected.items():
        ours = found.per_query(name)
        assert ours.keys() == values.keys()
        worst = max(abs(ours[query] - value) for query, value in values.items())
        assert worst <= 1e-9, (name, worst)
        assert abs(found[name].mean - mean(np.array(list(values.values())))) <= 1e-9


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_dense_runs(shared_data: Path, collection: str) -> None:
    """Rows with scores, the same run as TREC dicts, and a coarse one full of ties."""
    folder = shared_data / collection
    qrels = judgements(folder)
    docs, queries = (np.array(identifiers(folder, part)) for part in ("corpus", "queries"))
    row_of = {doc: row for row, doc in enumerate(docs.tolist())}
    for model in models(folder):
        hits = gn.topk(
            *(np.load(folder / "emb" / f"{model}.{part}.npy") for part in ("queries", "corpus")),
            DEPTH,
        )
        run: Run = {
            query: dict(zip(docs[ids].tolist(), scores.tolist(), strict=True))
            for query, ids, scores in zip(queries.tolist(), *hits, strict=True)
        }
        found = evaluate(run, qrels, THEIRS)
        if found["ap"].n_tied == 0:
            compare(found, qrels, run)
        compare(evaluate(run, qrels, THEIRS, ties="trec"), qrels, run)
        by_rank = {
            query: {doc: -float(place) for place, doc in enumerate(own)}
            for query, own in run.items()
        }
        rows = evaluate(
            hits.ids,
            [
                {row_of.get(doc, -1 - i): g for i, (doc, g) in enumerate(qrels.get(q, {}).items())}
                for q in queries.tolist()
            ],
            THEIRS,
        )
        lists = evaluate({query: list(own) for query, own in run.items()}, qrels, THEIRS)
        compare(lists, qrels, by_rank)
        for name in THEIRS:
            assert np.array_equal(np.sort(rows[name].values), np.sort(lists[name].values))
        coarse = {q: {d: round(s, 1) for d, s in own.items()} for q, own in run.items()}
        tied = evaluate(coarse, qrels, THEIRS, ties="trec")
        compare(tied, qrels, coarse)
        n_tied = tied["ap"].n_tied
        assert n_tied is not None
        assert n_tied > 0


def text_of(doc: dict[str, str]) -> str:
    """Return title and text, as they were embedded."""
    return ". ".join(part for part in (doc.get("title"), doc.get("text")) if part)


def records(folder: Path, part: str) -> list[dict[str, str]]:
    """Return the records of a JSONL file."""
    path = folder / f"{part}.jsonl"
    packed = path.with_name(f"{path.name}.gz")
    data = path.read_bytes() if path.exists() else gzip.decompress(packed.read_bytes())
    return [json.loads(line) for line in data.decode("utf-8").splitlines()]


@pytest.mark.parametrize("collection", [*COLLECTIONS, "npl"])
def test_lexical_and_fused_runs(shared_data: Path, collection: str) -> None:
    """BM25 with its own ties, and its fusion with a dense run, whose sums often tie."""
    folder = shared_data / collection
    qrels = judgements(folder)
    docs, questions = records(folder, "corpus"), records(folder, "queries")
    names = np.array([doc["_id"] for doc in docs])
    lexical = gn.BM25Index(map(text_of, docs)).search([one["text"] for one in questions], DEPTH)
    runs: list[gn.Hits] = [lexical]
    if collection != "npl":
        vectors = (
            np.load(folder / "emb" / f"wordllama-256.{part}.npy") for part in ("queries", "corpus")
        )
        runs.append(gn.rrf([lexical, gn.topk(*vectors, DEPTH)], top=DEPTH))
    for hits in runs:
        run: Run = {
            one["_id"]: dict(zip(names[row.ids].tolist(), row.scores.tolist(), strict=True))
            for one, row in zip(questions, hits, strict=True)
        }
        compare(evaluate(run, qrels, THEIRS, ties="trec"), qrels, run)
        ours = evaluate(run, qrels, ["rr@10"])
        theirs = {
            row.query_id: row.value
            for row in ir_measures.iter_calc([ir_measures.RR @ 10], qrels, run)
        }
        for query, value in ours.per_query("rr@10").items():
            assert abs(value - theirs.get(str(query), 0.0)) <= 1e-9
