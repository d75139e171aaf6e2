"""One collection in every form of input gives one result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gnomon as gn
from gnomon.metrics import Judgements, evaluate

NAMES = ["recall@2", "ndcg", "rr", "ap@3", "precision@3", "capped_recall@2"]
LISTS = [[3, 1, 4], [1, 5, 9], [2, 6, 5], [3, 5, 8]]
SCORES = [[0.9, 0.6, 0.3]] * 4
JUDGED: list[dict[int, int]] = [{4: 2, 3: 1, 7: 1}, {9: 3}, {}, {8: 0, 5: 1, 3: 0}]
FLAT = np.array([doc for own in LISTS for doc in own])
OFFSETS = np.arange(0, 13, 3)
CSR = Judgements(
    np.array([doc for own in JUDGED for doc in own]),
    np.cumsum([0] + [len(own) for own in JUDGED]),
    np.array([gain for own in JUDGED for gain in own.values()]),
)
# recall@2, ndcg, rr, ap@3, precision@3, capped_recall@2 of queries 0, 1 and 3, by hand
EXPECTED = {
    "recall@2": [1 / 3, 0.0, 1.0],
    "rr": [1.0, 1 / 3, 1 / 2],
    "ap@3": [(1 + 2 / 3) / 3, 1 / 3, 1 / 2],
    "precision@3": [2 / 3, 1 / 3, 1 / 3],
    "capped_recall@2": [1 / 2, 0.0, 1.0],
    "ndcg": [
        (1 + 2 / 2) / (2 + 1 / np.log2(3) + 1 / 2),
        1 / 2,
        1 / np.log2(3),
    ],
}

ROW_RUNS: dict[str, Any] = {
    "array": np.array(LISTS),
    "int32": np.array(LISTS, dtype=np.int32),
    "uint8, strided": np.array([[x for doc in own for x in (doc, 0)] for own in LISTS], np.uint8)[
        :, ::2
    ],
    "Fortran": np.asfortranarray(LISTS),
    "lists": LISTS,
    "rows": [np.array(own) for own in LISTS],
    "TopK": gn.TopK(np.array(LISTS), np.array(SCORES, np.float32)),
    "Hits": gn.Hits(FLAT, np.array(SCORES, np.float32).ravel(), OFFSETS),
}
ROW_JUDGEMENTS: dict[str, Any] = {
    "CSR": CSR,
    "list of dicts": JUDGED,
    "dict of dicts": {q: own for q, own in enumerate(JUDGED) if own},
}


def check(found: Any) -> None:
    """Compare values and counts with the ones worked out by hand."""
    for name, values in EXPECTED.items():
        assert found[name].values.tolist() == pytest.approx(values, abs=1e-15)
        assert found[name].mean == pytest.approx(sum(values) / 3, abs=1e-15)
    assert (found.n_total, found.n_measured, found.n_unjudged) == (4, 3, 1)
    assert (found.n_relevant, found.n_relevant_retrieved) == (5, 4)
    assert (found.n_without_relevant, found.n_without_results, found.n_removed) == (0, 0, 0)


@pytest.mark.parametrize("judgements", ROW_JUDGEMENTS)
@pytest.mark.parametrize("run", ROW_RUNS)
def test_rows(run: str, judgements: str) -> None:
    """Integer documents, queries by row."""
    found = evaluate(ROW_RUNS[run], ROW_JUDGEMENTS[judgements], NAMES)
    check(found)
    assert np.asarray(found.queries).tolist() == [0, 1, 3]
    assert found["rr"].n_tied == (0 if run in {"TopK", "Hits"} else None)


@pytest.mark.parametrize("as_id", [str, int], ids=["strings", "integers"])
def test_dicts(as_id: type) -> None:
    """Documents and queries by id; scores, or lists in the given order."""
    qrels = {f"q{q}": {as_id(d): g for d, g in own.items()} for q, own in enumerate(JUDGED)}
    scored = {
        f"q{q}": {as_id(d): s for d, s in zip(own, scores, strict=True)}
        for q, (own, scores) in enumerate(zip(LISTS, SCORES, strict=True))
    }
    listed = {query: list(own) for query, own in scored.items()}
    shuffled = {query: dict(sorted(own.items())) for query, own in reversed(scored.items())}
    for run in (scored, listed, shuffled, {q: np.array(own) for q, own in listed.items()}):
        found = evaluate(run, qrels, NAMES)
        check(found)
        assert found.queries == ("q0", "q1", "q3")


def test_lists_of_strings_by_row() -> None:
    """A run of string lists needs no query ids."""
    run = [[f"d{doc}" for doc in own] for own in LISTS]
    judged = [{f"d{doc}": gain for doc, gain in own.items()} for own in JUDGED]
    check(evaluate(run, judged, NAMES))
    check(evaluate(np.array(run), judged, NAMES))
    check(evaluate(gn.rrf([run]), judged, NAMES))


def test_relevant_documents_without_gains() -> None:
    """Lists, sets, arrays and exact hits as judgements: every document has gain 1."""
    run = np.array([[3, 1], [5, 2]])
    relevant = np.array([[1, 7], [5, 2]])
    exact = gn.TopK(relevant, np.array([[0.9, 0.1], [0.8, 0.2]], np.float32))
    forms: list[Any] = [relevant, relevant.tolist(), [set(own) for own in relevant.tolist()], exact]
    for judged in [*forms, Judgements(relevant.ravel(), np.array([0, 2, 4]))]:
        assert evaluate(run, judged, ["recall@2"])["recall@2"].values.tolist() == [0.5, 1.0]
    named = evaluate({"q": ["a", "b"]}, {"q": {"b", "c"}}, ["recall"])
    assert named["recall"].mean == 0.5


def test_threads_and_order_never_change_a_bit() -> None:
    """1, 2 and 7 threads, judgements in any order: the same bits."""
    rng = np.random.default_rng(4)
    ids = np.array([rng.permutation(300)[:80] for _ in range(3000)])
    judged = [
        dict(zip(rng.permutation(300)[:40].tolist(), rng.integers(0, 4, 40).tolist(), strict=True))
        for _ in range(3000)
    ]
    names = ["ndcg", "ndcg@10", "ap", "rr", "recall@50"]
    one = evaluate(ids, judged, names, threads=1)
    turned = [dict(reversed(own.items())) for own in judged]
    for other in (
        evaluate(ids, judged, names, threads=2),
        evaluate(ids, judged, names, threads=7),
        evaluate(ids, turned, names),
    ):
        for name in names:
            assert other[name].values.tobytes() == one[name].values.tobytes()
            assert other[name].mean == one[name].mean
