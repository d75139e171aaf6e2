"""Faults that evaluation tools had in the field, each with its right value."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from gnomon.errors import GnomonError, NotMeasuredError
from gnomon.metrics import evaluate

ALL = ["recall@10", "capped_recall@10", "precision@10", "rr", "ap", "ndcg@10"]


@pytest.mark.parametrize("order", [("d1", "d2", "d3"), ("d3", "d2", "d1"), ("d2", "d3", "d1")])
def test_e01_ties_have_one_rule(order: tuple[str, ...]) -> None:
    """E01: equal scores are ordered by id: RR 1/3 and nDCG .5 however the dict was made."""
    run, qrels = {"q": dict.fromkeys(order, 1.0)}, {"q": {"d3": 1}}
    found = evaluate(run, qrels, ["rr", "ndcg", "ap", "recall@2"])
    assert found["rr"].mean == 1 / 3
    assert found["ndcg"].mean == 0.5
    assert found["recall@2"].mean == 0
    assert found["rr"].n_tied == 1
    assert evaluate(run, qrels, ["rr"], ties="trec")["rr"].mean == 1.0
    assert evaluate({"q": list(order)}, qrels, ["rr"])["rr"].mean == 1 / (order.index("d3") + 1)


def test_e02_a_constant_scorer_is_not_above_chance() -> None:
    """E02: with all scores equal the positive isn't first for being listed first; ties are told."""
    run = {f"q{i}": {f"d{j}": 0.5 for j in [i, *range(i), *range(i + 1, 20)]} for i in range(20)}
    qrels = {f"q{i}": {f"d{i}": 1} for i in range(20)}
    found = evaluate(run, qrels, ["rr"])
    assert found["rr"].mean == pytest.approx(math.fsum(1 / r for r in range(1, 21)) / 20)
    assert found["rr"].n_tied == 20
    assert found["rr"].tied_share == 1.0


def test_e03_an_absent_query_is_a_miss() -> None:
    """E03: a judged query that the run leaves out counts with 0: recall .5, not 1."""
    found = evaluate({"q1": {"d1": 1.0}}, {"q1": {"d1": 1}, "q2": {"d2": 1}}, ALL)
    assert found["recall@10"].mean == 0.5
    assert found.n_measured == 2
    assert found.n_without_results == 1


def test_e04_queries_without_judgements_are_left_out() -> None:
    """E04: an unjudged query neither crashes nor counts as 0; it is counted apart."""
    found = evaluate({"q1": {"d1": 1.0}, "q9": {"d4": 1.0}}, {"q1": {"d1": 1}}, ALL)
    assert found["recall@10"].mean == 1.0
    assert (found.n_measured, found.n_total, found.n_unjudged) == (1, 2, 1)
    assert any("1" in reason for reason in found.reasons)


@pytest.mark.parametrize(("run", "qrels"), [({}, {}), ({"q": {"d": 1.0}}, {}), ([], [])])
def test_e06_nothing_judged_is_an_error(run: object, qrels: object) -> None:
    """E06: without a judged query there is no number: an error that says so."""
    with pytest.raises(NotMeasuredError, match="no judged queries"):
        evaluate(run, qrels, ALL)  # type: ignore[arg-type]


def test_e07_a_query_without_results_is_0() -> None:
    """E07: an empty result is a miss for every metric."""
    for run in ({"q1": {}}, {"q1": []}, [[]], np.empty((1, 0), np.int64)):
        qrels = {"q1": {"d1": 1}} if isinstance(run, dict) else [[1]]
        assert set(evaluate(run, qrels, ALL).means.values()) == {0.0}  # type: ignore[arg-type]


def test_e08_queries_without_a_relevant_document_are_excluded() -> None:
    """E08: undefined for every metric: left out, counted, and lengths still match."""
    qrels = {"q1": {"d1": 0}, "q2": {"d1": 1}}
    found = evaluate({"q1": {"d1": 1.0}, "q2": {"d1": 1.0}}, qrels, ALL)
    assert found.n_without_relevant == 1
    assert list(found.queries) == ["q2"]
    assert all(len(values.values) == 1 for values in found.metrics.values())
    with pytest.raises(NotMeasuredError):
        evaluate({"q1": {"d1": 1.0}}, {"q1": {"d1": 0}}, ALL)


def test_e10_a_cutoff_of_0_is_refused() -> None:
    """E10: 0 is no cutoff, and a document with score 0 is retrieved."""
    for bad in ("recall@0", "ndcg@-1", "rr@1.5", "recall@", "recall@ten"):
        with pytest.raises(ValueError, match=bad.split("@", maxsplit=1)[0]) as caught:
            evaluate({"q": {"d": 1.0}}, {"q": {"d": 1}}, [bad])
        assert isinstance(caught.value, GnomonError)
    assert evaluate({"q": {"d": 0.0}}, {"q": {"d": 1}}, ["recall@1"])["recall@1"].mean == 1.0


def test_e11_recall_divides_by_all_relevant_documents() -> None:
    """E11: ten of twenty found is .5; 1.0 has another name."""
    docs = [f"d{i}" for i in range(20)]
    found = evaluate({"q": docs[:10]}, {"q": docs}, ["recall@10", "capped_recall@10"])
    assert found["recall@10"].mean == 0.5
    assert found["capped_recall@10"].mean == 1.0


def test_e12_the_ideal_ranking_has_all_relevant_documents() -> None:
    """E12: one of three relevant documents, first: nDCG .4693, not 1."""
    found = evaluate({"q": {"a": 1.0}}, {"q": {"a": 1, "b": 1, "c": 1}}, ["ndcg@10"])
    assert found["ndcg@10"].mean == pytest.approx(0.4693, abs=5e-5)


def test_e14_none_is_no_document() -> None:
    """E14: a missing id is removed from the run and from the judgements, and counted."""
    found = evaluate([[None, 5]], [[None, 5]], ["rr", "recall@1", "precision@2"])
    assert found.means == {"rr": 1.0, "recall@1": 1.0, "precision@2": 0.5}
    assert found.n_removed == 2
    named = evaluate({"q": [None, "a"]}, {"q": [None, "a"]}, ["rr", "recall@1"])
    assert named.means == {"rr": 1.0, "recall@1": 1.0}
    assert named.n_removed == 2


def test_e16_fractional_gains_are_not_truncated() -> None:
    """E16: {d: .5} is an error by default, and keeps its value when asked to."""
    run, qrels = {"q": ["a", "b"]}, {"q": {"a": 0.5, "b": 1.0}}
    with pytest.raises(ValueError, match=r"0\.5") as caught:
        evaluate(run, qrels, ["ndcg"])
    assert isinstance(caught.value, GnomonError)
    value = evaluate(run, qrels, ["ndcg"], float_gains=True)["ndcg"].mean
    ideal = 1 + 0.5 / math.log2(3)
    assert value == pytest.approx((0.5 + 1 / math.log2(3)) / ideal)


def test_e17_means_come_with_their_denominators() -> None:
    """E17: failed queries neither vanish nor poison a mean: counts stand beside it."""
    run = {"q1": {"d": 1.0}, "q2": {}, "q3": {"d": 1.0}, "q4": {"d": 1.0}}
    qrels = {"q1": {"d": 1}, "q2": {"d": 1}, "q3": {"d": 0}}
    found = evaluate(run, qrels, ["recall@1"])
    assert found["recall@1"].mean == 0.5
    assert (found.n_measured, found.n_total) == (2, 4)
    assert found.coverage == 0.5
    with pytest.raises(ValueError, match="NaN") as caught:
        evaluate({"q1": {"d": math.nan}}, qrels, ["recall@1"])
    assert isinstance(caught.value, GnomonError)


def test_e18_nothing_that_is_written_is_nan() -> None:
    """E18: what goes to JSON is strict JSON, with a reason for what is missing."""
    found = evaluate({"q1": {"d": 1.0}, "q9": {}}, {"q1": {"d": 1}, "q2": {"d": 0}}, ALL)
    text = json.dumps(found.as_dict(), allow_nan=False)
    assert "NaN" not in text
    assert found.reasons
