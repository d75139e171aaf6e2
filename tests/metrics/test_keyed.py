"""Runs by keys have the metrics of the same runs as dicts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.errors import InvalidInputError, NotMeasuredError, UsageError
from gnomon.metrics import evaluate
from gnomon.metrics.keyed import KeyedJudgements, KeyedLists, evaluate_keyed

METRICS = ["ndcg@2", "ndcg", "recall@1", "rr", "ap", "precision@3"]
IDS = [f"d{i}" for i in range(8)]
Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]


def keyed(run: Run, qrels: Qrels) -> tuple[KeyedLists, KeyedJudgements]:
    """Return both sides with keys that are the numbers of the documents, backwards."""
    listed = [doc for own in run.values() for doc in own]
    judged = [doc for own in qrels.values() for doc in own]
    lists = KeyedLists(
        list(run),
        np.cumsum([0, *map(len, run.values())]),
        np.array([-int(doc[1:]) for doc in listed], np.int64),
        np.array([score for own in run.values() for score in own.values()], np.float64),
        lambda rows: [listed[row].encode() for row in rows.tolist()],
    )
    return lists, KeyedJudgements(
        list(qrels),
        np.cumsum([0, *map(len, qrels.values())]),
        np.array([-int(doc[1:]) for doc in judged], np.int64),
        np.array([gain for own in qrels.values() for gain in own.values()], np.float64),
        [doc.encode() for doc in judged],
    )


LISTS = st.dictionaries(st.sampled_from(IDS), st.sampled_from([0.0, 0.5, 1.0, 1.0 + 1e-9, 2.5]))
JUDGED = st.dictionaries(st.sampled_from(IDS), st.integers(-1, 3))


@given(
    st.dictionaries(st.sampled_from("abcde"), LISTS),
    st.dictionaries(st.sampled_from("abcde"), JUDGED),
    st.sampled_from(["id", "trec"]),
)
def test_equal_to_dicts(run: Run, qrels: Qrels, ties: str) -> None:
    """Values, counts and ties agree under both rules, whatever is missing on either side."""
    try:
        expected = evaluate(run, qrels, METRICS, ties=ties)
    except NotMeasuredError:
        with pytest.raises(NotMeasuredError):
            evaluate_keyed(*keyed(run, qrels), METRICS, ties=ties)
        return
    except UsageError:  # no scores at all
        return
    found = evaluate_keyed(*keyed(run, qrels), METRICS, ties=ties)
    assert found.queries == expected.queries
    for name in METRICS:
        assert found[name].values.tolist() == expected[name].values.tolist()
    mine, theirs = found.as_dict(), expected.as_dict()
    if expected.ties != "list":
        assert mine == theirs


def test_trec_rounds_scores() -> None:
    """Scores that differ beyond float32 are equal to trec_eval, and the greater id comes first."""
    run, judged = keyed({"q": {"d1": 1.0 + 1e-9, "d2": 1.0}}, {"q": {"d2": 1}})
    found = [evaluate_keyed(run, judged, "rr", ties=ties)["rr"] for ties in ("id", "trec")]
    assert [one.mean for one in found] == [0.5, 1.0]
    assert [one.n_tied for one in found] == [0, 1]


def test_two_ids_with_one_key() -> None:
    """A document of the run is not taken for a judged one whose key it has."""
    run, judged = keyed({"q": {"d1": 1.0}}, {"q": {"d1": 1}})
    other = KeyedJudgements(judged.queries, judged.offsets, judged.keys, judged.gains, [b"d2"])
    with pytest.raises(InvalidInputError, match="'d1' of the run and 'd2' of the judgements"):
        evaluate_keyed(run, other, METRICS)
