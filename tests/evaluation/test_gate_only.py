"""Retrieval and refusal on a small set of pages: which record counts for which figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.evaluation.records import record
from tests.retrieval.docs import SubjectEmbedder, build, write_pages

from gnomon.evaluation.gate_only import GATE_ONLY_MEASURES, evaluate_gate, setup_of
from gnomon.evaluation.result import EvaluationResult
from gnomon.golden.fingerprint import golden_hash
from gnomon.retrieval.index import Index

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.golden.records import GoldenRecord

REVOKE = "How do I revoke a key?"
RECORDS = (
    record("plain", "How do I rotate a key?", gold=["guide/keys#rotate"], kind="lookup"),
    record("first", "and what about that?", gold=["guide/keys"], previous=[REVOKE]),
    record("second", "and for this?", gold=["guide/keys"], previous=[REVOKE, "and that?"]),
    record("third", "and so?", gold=["guide/keys"], previous=["what is it?", REVOKE, "and that?"]),
    record("scoped", "which calls does the trail list?", gold=["admin"], scope=["admin"]),
    record("unknown", "borscht with beetroot", gold=["guide/calls#retries"], lang="en"),
    record("absent", "poem about rain", expect="refuse:no-evidence"),
    record("elsewhere", "rotate", expect="refuse:out-of-scope", scope=["admin"]),
    record("lost", "rotate a key", gold=["guide/keys#rotate"], scope=["admin"]),
    record("escape", "How do I export the trail?", expect="refuse:no-evidence"),
)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> EvaluationResult:
    """Evaluate all records on an index without vectors."""
    folder = tmp_path_factory.mktemp("gate")
    build(write_pages(folder / "docs"), folder / "index", None)
    return evaluate(Index.open(folder / "index"))


def evaluate(index: Index, records: tuple[GoldenRecord, ...] = RECORDS) -> EvaluationResult:
    """Evaluate records on an index."""
    embed = SubjectEmbedder().embed_questions if index.manifest.dense else None
    setup = setup_of(index, "index", records, level=None, limit=None)
    return evaluate_gate(index, records, embed, setup, lambda _done, _total: None, seed=0)


def test_over_refusals_are_of_answerable_records(found: EvaluationResult) -> None:
    """Negatives don't count; the one whose words the pages don't have is refused."""
    values = found.values("over_refusal")
    assert values == {
        "plain": 0.0,
        "first": 0.0,
        "second": 0.0,
        "third": 0.0,
        "scoped": 0.0,
        "unknown": 1.0,
    }


def test_negatives_are_refusals_and_gold_outside_the_scope(found: EvaluationResult) -> None:
    """Both kinds of refusal, and a scoped record with all its gold elsewhere."""
    values = found.values("negatives_caught")
    assert values == {"absent": 1.0, "elsewhere": 1.0, "lost": values["lost"], "escape": 0.0}
    rows = {row.id: row for row in found.rows}
    assert rows["lost"].labels["expect"] == "answer, outside its scope"
    assert rows["elsewhere"].detail["verdict"] == "out-of-scope"
    assert rows["absent"].detail["verdict"] == "no-evidence"


def test_negatives_have_no_gold_to_find(found: EvaluationResult) -> None:
    """Recall, MRR and F1 are null on them, not 0."""
    for name in ("recall@8", "mrr", "retrieval_f1", "retrieval_precision", "retrieval_recall"):
        assert set(found.values(name)) == set(found.values("over_refusal"))


def test_follow_ups_are_measured_on_the_channel_that_won(found: EvaluationResult) -> None:
    """Alone they have no content and find nothing; behind the question before, they find gold."""
    rows = {row.id: row for row in found.rows}
    assert [rows[name].labels["depth"] for name in ("first", "second", "third")] == ["1", "2", "3"]
    for name in ("first", "second", "third"):
        assert rows[name].detail["channel"] != "raw"
        assert rows[name].values["recall@8"] == 1.0


def test_containment_is_of_scoped_records(found: EvaluationResult) -> None:
    """And it is whole."""
    assert found.values("scope_containment") == {"scoped": 1.0, "elsewhere": 1.0, "lost": 1.0}


def test_groups(found: EvaluationResult) -> None:
    """By kind, level, language or script, depth and expectation."""
    groups = found.groups()
    assert set(groups["kind"]) == {"lookup", "none"}
    assert set(groups["language"]) == {"en", "latin"}
    assert set(groups["depth"]) == {"0", "1", "2", "3"}
    assert groups["level"]["low"]["n_total"] == len(RECORDS)
    assert groups["expect"]["refuse:no-evidence"]["negatives_caught"] == {
        "mean": 0.5,
        "n_measured": 2,
    }


def test_what_it_was_measured_on(found: EvaluationResult) -> None:
    """The hash of the pool; the last tier is the whole set."""
    assert found.setup.golden_hash == golden_hash(RECORDS)
    assert [one.name for one in found.measures] == [one.name for one in GATE_ONLY_MEASURES]


def test_the_whole_set_has_one_name(tmp_path: Path) -> None:
    """``--level ultra`` is no narrowing."""
    build(write_pages(tmp_path / "docs"), tmp_path / "index", SubjectEmbedder())
    index = Index.open(tmp_path / "index")
    assert setup_of(index, "i", RECORDS, level="ultra", limit=None).name == "i-gate-only"
    assert evaluate(index).figures()["scope_containment"]["mean"] == 1.0
