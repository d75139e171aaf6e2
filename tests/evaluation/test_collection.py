"""Runs against judgements: the values of dicts, and a hash of what is judged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.errors import InvalidInputError, NotMeasuredError
from gnomon.evaluation.collection import evaluate_run, judgements_hash
from gnomon.evaluation.collection_checks import notes_on_run
from gnomon.evaluation.collection_result import measures_of
from gnomon.metrics import evaluate
from gnomon.sources.qrels import Qrels
from gnomon.sources.runs import Run, make_run

METRICS = ["ndcg@3", "recall@2", "rr", "ap"]
# Longer than a word, alike in their first eight bytes, and beyond ASCII.
DOCUMENTS = ["a", "document-1", "document-2", "document-10", "документ"]
RUNS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from([1.0, 2.0, 2.5])),
    min_size=1,
)
JUDGED = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 2), min_size=1),
    min_size=1,
)


def run_of(run: dict[str, dict[str, float]]) -> Run:
    """Return a run of a dict."""
    scores = [np.array(list(own.values()), np.float64) for own in run.values()]
    return make_run(list(run), [list(own) for own in run.values()], scores, name="run", tag="t")


def qrels_of(judged: dict[str, dict[str, int]]) -> Qrels:
    """Return the judgements of a dict."""
    documents = list(dict.fromkeys(doc for own in judged.values() for doc in own))
    triples = [
        (number, documents.index(doc), gain)
        for number, own in enumerate(judged.values())
        for doc, gain in own.items()
    ]
    columns = np.array(triples, np.int64).T
    return Qrels(Path("qrels"), "trec", tuple(judged), tuple(documents), *columns, 0)


@given(RUNS, JUDGED, st.sampled_from(["id", "trec"]))
def test_the_values_of_dicts(
    run: dict[str, dict[str, float]], judged: dict[str, dict[str, int]], ties: str
) -> None:
    """Ids by bytes, gains, ties and everything left out give what dicts of strings give."""
    if not any(run.values()):
        return
    try:
        expected = evaluate(run, judged, METRICS, ties=ties)
    except (NotMeasuredError, ValueError):
        return
    found = evaluate_run(run_of(run), qrels_of(judged), METRICS, ties=ties)
    assert [found.per_query(name) for name in METRICS] == [
        expected.per_query(name) for name in METRICS
    ]


@given(JUDGED, st.randoms())
def test_the_hash_is_over_what_is_judged(judged: dict[str, dict[str, int]], chance: object) -> None:
    """The order of lines has no part in it; a gain, a document and a query have."""
    before = judgements_hash(qrels_of(judged))
    turned = {query: dict(reversed(own.items())) for query, own in reversed(judged.items())}
    assert judgements_hash(qrels_of(turned)) == before
    query = next(iter(judged))
    doc, gain = next(iter(judged[query].items()))
    for other in (
        {**judged, query: {**judged[query], doc: gain + 1}},
        {**judged, query: {**judged[query], "another": 0}},
        {**judged, "another": {doc: gain}},
    ):
        assert judgements_hash(qrels_of(other)) != before


def test_documents_that_the_corpus_lacks() -> None:
    """They are counted once each, however many queries list them, and shown in order of ids."""
    run = run_of({"q1": {"b": 1.0, "z": 2.0, "y": 3.0}, "q2": {"y": 1.0, "a": 1.0}})
    assert notes_on_run(run, ["a", "b"], None) == [
        "2 of 4 documents of the run are not in the corpus, such as 'y', 'z'"
    ]
    assert notes_on_run(run, ["a", "b", "y", "z"], ["q1", "q2"]) == []
    with pytest.raises(InvalidInputError, match=r"the run lists|it lists 'a', 'b', 'y', 'z'"):
        notes_on_run(run, ["A"], None)


def test_what_a_report_says_of_measures() -> None:
    """The cutoff stands in the sentence, and aliases under their one name."""
    told = {one.name: one.means for one in measures_of(["P@5", "MAP"])}
    assert list(told) == ["precision@5", "ap"]
    assert "the first 5" in told["precision@5"]
    assert "all documents" in told["ap"]
