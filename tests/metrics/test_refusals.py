"""What can't be measured is refused where it stands, or left out and counted."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import gnomon as gn
from gnomon.errors import InvalidInputError, InvalidTypeError, NotMeasuredError, UsageError
from gnomon.metrics import Judgements, capped_recall, evaluate, recall

QRELS = {"q1": {"d1": 1}}
RUN = {"q1": {"d1": 0.5}}
ROWS = np.array([[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("recall@0", "cutoff is '0'"),
        ("ndcg@-3", "cutoff is '-3'"),
        ("ndcg@", "cutoff is ''"),
        ("rr@1.5", "cutoff is '1.5'"),
        ("precision", "has no cutoff"),
        ("ndgc@10", "there is no metric 'ndgc@10'"),
    ],
)
def test_names(name: str, says: str) -> None:
    """E10: a cutoff under 1 is an error and never "no cutoff"; a misspelling names the metrics."""
    with pytest.raises(UsageError, match=says):
        evaluate(RUN, QRELS, [name])


def test_single_metrics_refuse_the_same() -> None:
    """The functions by name share names, cutoffs and errors with `evaluate`."""
    with pytest.raises(UsageError, match="cutoff is '0'"):
        recall(RUN, QRELS, 0)
    with pytest.raises(UsageError, match="no metric is named"):
        evaluate(RUN, QRELS, [])
    for wrong in (5, [["ndcg@10"]], [None]):
        with pytest.raises(UsageError, match="metric"):
            evaluate(RUN, QRELS, wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="ties is 'random'"):
        evaluate(RUN, QRELS, ties="random")  # type: ignore[arg-type]
    assert capped_recall(RUN, QRELS, 1).mean == 1.0


@pytest.mark.parametrize(
    ("run", "judgements", "error", "says"),
    [
        (ROWS, [[1]], InvalidInputError, "1 queries are judged, but the run has 2"),
        (ROWS, [1, 2], InvalidTypeError, r"judgements\[0\] is 1; expected a list"),
        (ROWS, ["d1", "d2"], InvalidTypeError, r"judgements\[0\] is 'd1'; expected a list"),
        (ROWS, [["1"], ["2"]], InvalidTypeError, r"judgements\[0\] holds '1'; expected integers"),
        (ROWS, {5: [1]}, InvalidInputError, "query 5 is not a row of the run"),
        (ROWS, {"q1": [1]}, InvalidInputError, "query 'q1' is not a row of the run"),
        (ROWS[0], [[1]], InvalidInputError, r"write run\[np.newaxis\]"),
        (ROWS.astype(float), [[1], [2]], InvalidTypeError, r"run.astype\(np.int64\)"),
        (ROWS, [[True], [2]], InvalidTypeError, "holds True"),
        (ROWS, [[2**70], [2]], InvalidInputError, "beyond 64 bits"),
        ([[1, 1], [2]], [[1], [2]], InvalidInputError, "query 0 lists document 1 more than once"),
        (ROWS, [[1, 1], [2]], InvalidInputError, "query 0 judges document 1 more than once"),
        (
            ROWS,
            Judgements(np.array([1, 3]), np.array([0, 1])),
            InvalidInputError,
            "offsets must be one dimension that rises from 0",
        ),
        ([{1: 0.5}, {2: 0.5}], [[1], [2]], InvalidTypeError, "need dict queries"),
        (RUN, [["d1"]], InvalidTypeError, "list was given for a run that is a dict"),
        (RUN, {"q1": "d1"}, InvalidTypeError, r"write \['d1'\]"),
        (RUN, {"q1": {1: 1}}, InvalidTypeError, "integers in the judgements, strings in the run"),
        ({"q1": {"d1": None}}, QRELS, InvalidTypeError, "score is not a number"),
        ({"q1": {"d1": "0.5"}}, QRELS, InvalidTypeError, "score is not a number"),
        (RUN, {"q1": {"d1": None}}, InvalidTypeError, "gain is not a number"),
        ({"q1": {"d1": math.nan}}, QRELS, InvalidInputError, "query 'q1', document 'd1'.*NaN"),
        ({"q1": ["d2", "d2"]}, QRELS, InvalidInputError, "document 'd2' more than once"),
        (RUN, {"q1": ["d2", "d2"]}, InvalidInputError, "document 'd2' more than once"),
        (
            {"q1": ["d1"], "q2": {"d1": 1.0}},
            {"q1": ["d1"], "q2": ["d1"]},
            InvalidTypeError,
            "give all queries in one form",
        ),
        ({1: {"d1": 1.0}}, {"1": {"d1": 1}}, InvalidTypeError, "queries such as 1,.* such as '1'"),
        ([["d1"]], {"q1": ["d1"]}, InvalidTypeError, "queries such as 0,.* such as 'q1'"),
        ({"q1": {b"d1": 1.0}}, QRELS, InvalidTypeError, "document id is of type bytes"),
        ({"q1": 3}, QRELS, InvalidTypeError, "expected a dict document -> score, or a list"),
        ([["d1"]], [], InvalidInputError, "0 queries are judged, but the run has 1"),
    ],
)
def test_broken_input_is_named(run: Any, judgements: Any, error: type, says: str) -> None:
    """Wrong nesting (E28), mixed ids, repetitions and lengths that differ say where they are."""
    with pytest.raises(error, match=says):
        evaluate(run, judgements, ["recall@10"])


def test_trec_ties_need_scores() -> None:
    """Lists have an order already; asking for trec_eval's is a contradiction."""
    for run in ({"q1": ["d1"]}, [["d1"]]):
        with pytest.raises(UsageError, match="ties='trec'"):
            evaluate(run, QRELS if isinstance(run, dict) else [["d1"]], ties="trec")
    with pytest.raises(UsageError, match="ties='trec'"):
        evaluate(ROWS, [[1], [2]], ties="trec")


@pytest.mark.parametrize(
    ("run", "judgements"),
    [({}, {}), (RUN, {}), ({}, {"q1": {}}), (RUN, {"q1": {"d1": 0}}), (ROWS, [[], []])],
)
def test_nothing_judged(run: Any, judgements: Any) -> None:
    """E06: an error that says so, never 0 and never NaN."""
    with pytest.raises(NotMeasuredError, match="no judged queries"):
        evaluate(run, judgements, ["recall@10"])


def test_fractional_gains() -> None:
    """E16: refused by default with query and document; used as they are on request."""
    graded = {"q1": {"d1": 0.5, "d2": 1.0}}
    with pytest.raises(InvalidInputError, match=r"query 'q1', document 'd1': the gain 0\.5"):
        evaluate(RUN, graded, ["ndcg"])
    with pytest.raises(InvalidInputError, match=r"query 1, document 3: the gain 0\.5"):
        evaluate(ROWS, [{1: 1}, {3: 0.5}], ["ndcg"])
    found = evaluate(RUN, graded, ["ndcg", "recall"], float_gains=True)
    assert found["ndcg"].mean == pytest.approx(0.5 / (1 + 0.5 / math.log2(3)), abs=1e-15)
    assert found["recall"].mean == 0.5
    assert evaluate(RUN, {"q1": {"d1": 1.0}}, ["recall"])["recall"].mean == 1.0
    for gain in (math.nan, math.inf, 2.0**54):
        with pytest.raises(InvalidInputError, match="not a number of at most 2"):
            evaluate(RUN, {"q1": {"d1": gain}}, ["ndcg"], float_gains=True)


def test_negative_gains_are_irrelevant() -> None:
    """trec_eval knows gains under 0 (junk); like 0 they are judged and not relevant."""
    found = evaluate({"q": ["a", "b"]}, {"q": {"a": -2, "b": 1}}, ["ndcg", "precision@1"])
    assert found["ndcg"].mean == pytest.approx(1 / math.log2(3))
    assert found["precision@1"].mean == 0.0


def test_none_is_no_document() -> None:
    """E14: removed from run and judgements before ranks are counted, and counted itself."""
    found = evaluate({"q": [None, "a"]}, {"q": ["a", None]}, ["rr", "recall"])
    assert (found["rr"].mean, found["recall"].mean, found.n_removed) == (1.0, 1.0, 2)
    scored = evaluate({"q": {None: 2.0, "a": 1.0}}, {"q": {"a": 1, None: 1}}, ["rr", "recall"])
    assert (scored["rr"].mean, scored["recall"].mean, scored.n_removed) == (1.0, 1.0, 2)
    rows = evaluate([[None, 5]], [{5: 1, None: 2}], ["rr", "ndcg"])
    assert (rows["rr"].mean, rows["ndcg"].mean, rows.n_removed) == (1.0, 1.0, 2)


def test_gaps_in_arrays_are_named() -> None:
    """-1 is a document like any other until the caller says that it marks gaps."""
    hits = gn.Hits(np.array([4, 2, 7]), np.float32([0.9, 0.5, 0.8]), np.array([0, 2, 3]))
    wide = hits.padded(fill=-1)
    found = evaluate(wide, [[2], [7]], ["rr"], fill=-1)
    assert (found["rr"].values.tolist(), found.n_removed) == ([0.5, 1.0], 1)
    assert found["rr"].n_tied == 0
    with pytest.raises(UsageError, match=r"fill is 1\.5; expected the integer"):
        evaluate(wide, [[2], [7]], ["rr"], fill=1.5)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="only integers in arrays and lists can mark gaps"):
        evaluate(RUN, QRELS, ["rr"], fill=-1)
    with pytest.raises(InvalidInputError, match=r"document -1 more than once.*as fill"):
        evaluate(np.array([[1, -1, -1]]), [[1]], ["rr"])


def test_what_is_left_out_is_counted() -> None:
    """E03, E04, E07, E08: each kind of query has its count, and the counts add up."""
    run = {"good": {"a": 1.0}, "empty": {}, "unjudged": {"a": 1.0}, "useless": {"a": 1.0}}
    qrels = {
        "good": {"a": 1},
        "empty": {"a": 1},
        "absent": {"a": 1},
        "useless": {"a": 0},
        "unjudged": {},
    }
    found = evaluate(run, qrels, ["recall@10"])
    assert found.per_query("recall@10") == {"good": 1.0, "empty": 0.0, "absent": 0.0}
    assert found.n_total == found.n_measured + found.n_unjudged + found.n_without_relevant == 5
    assert (found.n_measured, found.n_unjudged, found.n_without_relevant) == (3, 1, 1)
    assert found.n_without_results == 2
    assert found.coverage == 0.6
    assert len(found.reasons) == 3
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["n_measured"] == 3


def test_result_by_name() -> None:
    """Any spelling finds a metric; one that wasn't asked for is named."""
    found = evaluate(RUN, QRELS, ["nDCG@10", "MRR", "ndcg@10"])
    assert list(found) == ["ndcg@10", "rr"]
    assert len(found) == 2
    assert "NDCG@10" in found
    assert found["RR"].mean == 1.0
    with pytest.raises(UsageError, match="'ap' was not evaluated"):
        found["MAP"]


def test_ties_are_counted_per_metric() -> None:
    """E01, E02: a constant scorer is as good as its rule, and the result says that ties decide."""
    run = {"q": dict.fromkeys(("d1", "d2", "d3"), 1.0)}
    qrels = {"q": {"d3": 1}}
    ours = evaluate(run, qrels, ["rr", "ndcg", "recall@2", "recall@3"])
    assert ours["rr"].mean == pytest.approx(1 / 3)
    assert ours["ndcg"].mean == 0.5
    assert [ours[name].n_tied for name in ours] == [1, 1, 1, 0]
    assert ours["rr"].tied_share == 1.0
    assert evaluate(run, qrels, ["rr"], ties="trec")["rr"].mean == 1.0
    listed = evaluate({"q": ["d3", "d1"]}, qrels, ["rr"])
    assert (listed["rr"].mean, listed["rr"].n_tied, listed["rr"].tied_share) == (1.0, None, None)


def test_integer_ids_under_the_rule_of_trec_eval() -> None:
    """trec_eval knows strings only: 9 comes before 10 from the end, as text."""
    run = {"q": {9: 1.0, 10: 1.0}}
    assert evaluate(run, {"q": [10]}, ["rr"])["rr"].mean == 0.5
    assert evaluate(run, {"q": [10]}, ["rr"], ties="trec")["rr"].mean == 0.5
    assert evaluate(run, {"q": [9]}, ["rr"])["rr"].mean == 1.0
    assert evaluate(run, {"q": [9]}, ["rr"], ties="trec")["rr"].mean == 1.0


def test_a_run_without_any_relevant_document_is_remarked_on() -> None:
    """E29: ids that changed their spelling look like a catastrophe; the reasons name the cause."""
    found = evaluate({"q": ["D1", "D2"]}, {"q": {"d1": 1}}, ["recall"])
    assert (found.n_relevant, found.n_relevant_retrieved) == (1, 0)
    assert "spell ids alike" in found.reasons[-1]
