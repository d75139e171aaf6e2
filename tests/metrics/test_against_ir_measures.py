"""Every metric equals ir-measures to 1e-9, on tied and untied runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.metrics import evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]

CUTOFFS = (1, 3, 10)
NAMES = [
    *(f"{name}@{k}" for name in ("recall", "precision", "ndcg", "ap") for k in CUTOFFS),
    "rr",
    "ap",
    "ndcg",
]
_SPELT = {"recall": "R", "precision": "P", "ndcg": "nDCG", "ap": "AP", "rr": "RR"}


def theirs(name: str, qrels: Qrels, run: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return query -> value by ir-measures; it leaves out queries without any result."""
    measure = ir_measures.parse_measure(re.sub("^[a-z]+", lambda word: _SPELT[word[0]], name))
    return {row.query_id: row.value for row in ir_measures.iter_calc([measure], qrels, run)}


def assert_equal(qrels: Qrels, run: Run, name: str, ties: str) -> None:
    """Compare every query that has a relevant document."""
    expected = theirs(name, qrels, run)
    found = evaluate(run, qrels, [name], ties=ties)  # type: ignore[arg-type]
    for query, value in found.per_query(name).items():
        assert value == pytest.approx(expected.get(str(query), 0.0), abs=1e-9), (name, query)


@st.composite
def collections(draw: st.DrawFn, scores: st.SearchStrategy[float]) -> tuple[Qrels, Run]:
    """Draw judgements with at least one relevant document, and a run."""
    docs = [f"d{i}" for i in range(draw(st.integers(1, 25)))]
    qrels: Qrels = {"q0": {docs[0]: 1}}
    run: Run = {"q0": {docs[-1]: 1.0}}
    for q in range(draw(st.integers(1, 5))):
        own = draw(st.lists(st.sampled_from(docs), unique=True))
        qrels[f"q{q}"] = {doc: draw(st.integers(0, 4)) for doc in own}
        listed = draw(st.lists(st.sampled_from(docs), unique=True))
        run[f"q{q}"] = {doc: draw(scores) for doc in listed}
    qrels["judged"] = {docs[0]: 1}
    return qrels, run


@given(collections(st.sampled_from([0.0, 0.25, 0.5, 1.0])))
def test_tied_runs_under_the_rule_of_trec_eval(drawn: tuple[Qrels, Run]) -> None:
    """``ties="trec"`` gives the values of trec_eval where scores repeat."""
    qrels, run = drawn
    for name in NAMES:
        assert_equal(qrels, run, name, "trec")


@given(collections(st.sampled_from([0.1, 0.1 + 1e-12, 0.1 - 1e-12, 16777216.0, 16777217.0])))
def test_scores_that_are_equal_in_float32(drawn: tuple[Qrels, Run]) -> None:
    """trec_eval stores float32: scores that differ by less are ties under its rule."""
    qrels, run = drawn
    for name in ("recall@1", "ndcg@3", "ap", "rr"):
        assert_equal(qrels, run, name, "trec")


@given(collections(st.sampled_from([0.0, 0.25, 0.5, 1.0])))
def test_rr_with_a_cutoff_has_the_order_of_its_provider(drawn: tuple[Qrels, Run]) -> None:
    """ir-measures cuts RR by code that orders equal scores by id ascending, as our default does."""
    qrels, run = drawn
    for k in CUTOFFS:
        assert_equal(qrels, run, f"rr@{k}", "id")


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 30))
def test_arrays_of_rows(seed: int, n_queries: int, width: int) -> None:
    """int64[Q, k] with CSR judgements equals ir-measures on the same lists, minus rank as score."""
    rng = np.random.default_rng(seed)
    ids = np.array([rng.permutation(40)[:width] for _ in range(n_queries)])
    judged = [
        dict(zip(rng.permutation(40)[:9].tolist(), rng.integers(0, 4, 9).tolist(), strict=True))
        for _ in range(n_queries)
    ]
    judged[0][0] = 1
    qrels = {str(q): {str(doc): gain for doc, gain in own.items()} for q, own in enumerate(judged)}
    run = {
        str(q): {str(doc): -float(rank) for rank, doc in enumerate(own)}
        for q, own in enumerate(ids.tolist())
    }
    found = evaluate(ids, judged, NAMES)
    for name in NAMES:
        expected = theirs(name, qrels, run)
        values = [expected[str(q)] for q in np.asarray(found.queries)]
        np.testing.assert_allclose(found[name].values, values, rtol=0, atol=1e-9)
