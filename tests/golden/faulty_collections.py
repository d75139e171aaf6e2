"""A collection without a fault, and the one change of its files that lint should notice."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def lines(*records: object) -> bytes:
    """Return records as JSON Lines; texts stand as they are."""
    texts = [one if isinstance(one, str) else json.dumps(one) for one in records]
    return "".join(f"{text}\n" for text in texts).encode()


def table(*rows: str) -> bytes:
    """Return judgements in the BEIR form."""
    return (
        "".join(f"{row}\n" for row in ("query-id corpus-id score", *rows))
        .encode()
        .replace(b" ", b"\t")
    )


def vectors(rows: int) -> bytes:
    """Return a file of so many vectors."""
    buffer = io.BytesIO()
    np.save(buffer, np.ones((rows, 3), np.float32))
    return buffer.getvalue()


D1: dict[str, Any] = {"_id": "d1", "title": "Keys", "text": "A key opens the backend of the house."}
D2: dict[str, Any] = {"_id": "d2", "title": "", "text": "The trail lists every call."}
Q1: dict[str, Any] = {"_id": "q1", "text": "How do I get in?"}
Q2: dict[str, Any] = {"_id": "q2", "text": "Who sees what was done?"}
# Eleven more documents, so that one judged id that is gone is less than a tenth.
MORE = [{"_id": f"m{i}", "text": f"Number {i}"} for i in range(11)]
MORE_ROWS = [f"q1 m{i} 0" for i in range(11)]

RIGHT: dict[str, bytes] = {
    "corpus.jsonl": lines(D1, D2, *MORE),
    "queries.jsonl": lines(Q1, Q2),
    "qrels.tsv": table("q1 d1 1", "q2 d2 2", *MORE_ROWS),
    "emb/m.corpus.npy": vectors(13),
    "emb/m.queries.npy": vectors(2),
}


@dataclass(frozen=True)
class FaultyCollection:
    """What is changed of the files.

    Attributes
    ----------
    files
        Name to content; None takes a file away.
    file, line
        Where the fault is found; empty and None when it is the folder's.
    said
        What the message must hold.
    """

    code: str
    files: Mapping[str, bytes | None] = field(repr=False)
    file: str
    line: int | None
    said: str


def corpus(*records: object, vectors_too: bool = True) -> dict[str, bytes | None]:
    """Return the change that puts documents in the place of the first two."""
    rows = len(records) + len(MORE)
    changes: dict[str, bytes | None] = {"corpus.jsonl": lines(*records, *MORE)}
    return {**changes, "emb/m.corpus.npy": vectors(rows)} if vectors_too else changes


def queries(*records: object) -> dict[str, bytes | None]:
    """Return the change that asks other queries."""
    return {"queries.jsonl": lines(*records), "emb/m.queries.npy": vectors(len(records))}


def judgements(*rows: str) -> dict[str, bytes | None]:
    """Return the change that judges otherwise."""
    return {"qrels.tsv": table(*rows)}


FAULTS = [
    FaultyCollection("broken-line", corpus(D1, D2, "{"), "corpus.jsonl", 3, "is not valid JSON"),
    FaultyCollection("broken-line", queries(Q1, Q2, "7"), "queries.jsonl", 3, "a JSON number"),
    FaultyCollection(
        "broken-line", judgements("q1 d1 1", "q2 d2 much"), "qrels.tsv", 3, "not a whole number"
    ),
    FaultyCollection(
        "broken-line", judgements("q1 d1 1", "q2 d2 1 1"), "qrels.tsv", 3, "has 4 columns"
    ),
    FaultyCollection("empty-set", {"queries.jsonl": b"\n"}, "queries.jsonl", None, "no record"),
    FaultyCollection("empty-set", judgements(), "qrels.tsv", None, "holds no judgement"),
    FaultyCollection("missing-id", corpus(D1, D2, {"id": "d3"}), "corpus.jsonl", 3, "has no '_id'"),
    FaultyCollection(
        "duplicate-id", corpus(D1, D2, {**D1, "text": "x"}), "corpus.jsonl", 3, "of line 1"
    ),
    FaultyCollection(
        "wrong-type", queries(Q1, Q2, {"_id": "q3", "text": ["a"]}), "queries.jsonl", 3, "array"
    ),
    FaultyCollection(
        "no-text", corpus(D1, D2, {"_id": "d3", "text": "\ud83d"}), "corpus.jsonl", 3, "surrogate"
    ),
    FaultyCollection(
        "id-spelling",
        queries(Q1, Q2, {"_id": "\uff51 1", "text": "x"}),
        "queries.jsonl",
        None,
        "'q1'",
    ),
    FaultyCollection(
        "id-spelling", corpus(D1, D2, {"_id": "D1 ", "text": "x"}), "corpus.jsonl", None, "'D1 '"
    ),
    FaultyCollection(
        "empty-text",
        corpus(D1, D2, {"_id": "d3", "title": " ", "text": ""}),
        "corpus.jsonl",
        None,
        "1 of 14 documents has no text and can't be found by their words: 'd3'",
    ),
    FaultyCollection(
        "empty-text", queries(Q1, Q2, {"_id": "q3"}), "queries.jsonl", None, "ask nothing: 'q3'"
    ),
    FaultyCollection(
        "duplicate-text",
        corpus(D1, D2, {"_id": "d3", "text": "the TRAIL lists  every call."}),
        "corpus.jsonl",
        None,
        "1 document has the text of an earlier one: 'd3' ('d2')",
    ),
    FaultyCollection(
        "unjudged-copy",
        corpus(D1, D2, {**D2, "_id": "d3"}),
        "qrels.tsv",
        None,
        "'d3' beside 'd2' for query 'q2'",
    ),
    FaultyCollection(
        "duplicate-question",
        queries(Q1, Q2, {"_id": "q3", "text": "how do I GET in?"}),
        "queries.jsonl",
        None,
        "1 query asks what an earlier one asks: 'q3' ('q1'), 1 of them with other judgements",
    ),
    FaultyCollection(
        "near-duplicate",
        queries(Q1, Q2, {"_id": "q3", "text": "Who sees what was done"}),
        "queries.jsonl",
        None,
        "1 of 3 queries asks nearly what an earlier one asks, such as 'Who sees what was done?'",
    ),
    FaultyCollection(
        "quotes-gold",
        queries({**Q1, "text": "What does a key opens the backend of the house mean?"}, Q2),
        "queries.jsonl",
        None,
        "'q1' quotes 'd1': 'a key opens the backend of the house'",
    ),
    FaultyCollection("no-queries", {"queries.jsonl": None}, "", None, "has no queries.jsonl"),
    FaultyCollection("no-judgements", {"qrels.tsv": None}, "", None, "has no qrels.tsv"),
    FaultyCollection(
        "unjudged-query",
        queries(Q1, Q2, {"_id": "q3", "text": "Why?"}),
        "queries.jsonl",
        None,
        "1 of 3 queries has no judgement",
    ),
    FaultyCollection(
        "nothing-relevant",
        judgements("q1 d1 0", "q2 d2 0"),
        "qrels.tsv",
        None,
        "no query has a relevant document",
    ),
    FaultyCollection(
        "no-relevant",
        judgements("q1 d1 1", "q2 d2 0", *MORE_ROWS),
        "qrels.tsv",
        None,
        "1 judged query has no relevant document",
    ),
    FaultyCollection(
        "repeated-judgement",
        judgements("q1 d1 1", "q2 d2 2", "q1 d1 1", *MORE_ROWS),
        "qrels.tsv",
        None,
        "1 line says again",
    ),
    FaultyCollection(
        "contradicting-judgement",
        judgements("q1 d1 1", "q2 d2 2", "q1 d1 0", *MORE_ROWS),
        "qrels.tsv",
        4,
        "the gain 0, line 2 gives 1",
    ),
    FaultyCollection(
        "dangling-document",
        judgements("q1 d1 1", "q2 d2 2", "q2 d9 1", *MORE_ROWS),
        "qrels.tsv",
        None,
        "1 of 14 judged documents is not in corpus.jsonl: 'd9'",
    ),
    FaultyCollection(
        "dangling-query",
        {
            **queries(Q1, Q2, *({"_id": f"x{i}", "text": f"What is {i}?"} for i in range(9))),
            **judgements("q1 d1 1", "q2 d2 2", *(f"x{i} m{i} 1" for i in range(9)), "Q2 d2 1"),
        },
        "qrels.tsv",
        None,
        "'Q2' is 'q2' but for upper and lower case",
    ),
    FaultyCollection(
        "another-corpus",
        judgements("q1 a 1", "q2 b 2", "q2 d2 1"),
        "qrels.tsv",
        None,
        "2 of 3 judged documents are not in corpus.jsonl: 'a', 'b'; known are 'd1'",
    ),
    FaultyCollection(
        "another-corpus",
        judgements("q1 None 1", "q2 d2 1"),
        "qrels.tsv",
        None,
        "1 of them read None, null or nan",
    ),
    FaultyCollection(
        "split-overlap",
        {"qrels/train.tsv": table("q2 d1 1", "q7 d1 1")},
        "qrels/train.tsv",
        None,
        "1 of its 2 queries is judged in qrels.tsv as well: 'q2'",
    ),
    FaultyCollection(
        "vector-rows", {"emb/m.queries.npy": vectors(3)}, "emb/m.queries.npy", None, "has 3 rows"
    ),
    FaultyCollection("vector-rows", {"emb/m.corpus.npy": b"\x80"}, "emb/m.corpus.npy", None, "npy"),
]


def write_files(folder: Path, files: Mapping[str, bytes | None]) -> Path:
    """Write a collection of the right files, with changes, and return its folder."""
    for name, content in {**RIGHT, **files}.items():
        if content is not None:
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    return folder
