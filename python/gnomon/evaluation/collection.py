"""A run against the judgements of a collection: ranking metrics with what they rest on."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from gnomon.metrics.keyed import KeyedJudgements, KeyedLists, evaluate_keyed
from gnomon.sources.words import keys_of_texts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gnomon.metrics import Evaluation
    from gnomon.metrics.named import Ties
    from gnomon.sources.qrels import Qrels
    from gnomon.sources.runs import Run


def evaluate_run(
    run: Run,
    qrels: Qrels,
    metrics: str | Iterable[str],
    *,
    ties: Ties = "id",
    threads: int | None = None,
) -> Evaluation:
    """Return ranking metrics of a run, equal to those of `gnomon.metrics.evaluate` on dicts."""
    lists = KeyedLists(run.query_ids, run.offsets, run.keys, run.scores, run.document_bytes)
    return evaluate_keyed(lists, keyed_judgements(qrels), metrics, ties=ties, threads=threads)


def judgements_hash(qrels: Qrels) -> str:
    """Return the SHA-256 over the judgements, whatever their order and the form of the file."""
    columns = (qrels.query_index.tolist(), qrels.doc_index.tolist(), qrels.gains.tolist())
    lines = sorted(
        f"{qrels.query_ids[query]}\t{qrels.doc_ids[document]}\t{gain}\n"
        for query, document, gain in zip(*columns, strict=True)
    )
    return hashlib.sha256("".join(lines).encode("utf-8")).hexdigest()


def keyed_judgements(qrels: Qrels) -> KeyedJudgements:
    """Return judgements by query, documents by key."""
    order = np.argsort(qrels.query_index, kind="stable")
    counts = np.bincount(qrels.query_index, minlength=len(qrels.query_ids))
    documents = qrels.doc_index[order]
    names = [name.encode("utf-8") for name in qrels.doc_ids]
    return KeyedJudgements(
        qrels.query_ids,
        np.concatenate([[0], np.cumsum(counts)]),
        keys_of_texts(names).view(np.int64)[documents],
        qrels.gains[order].astype(np.float64),
        [names[row] for row in documents.tolist()],
    )
