"""The verdict of a replay: what counts, what does not, what moved."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from gnomon import audit

RESULT: dict[str, Any] = {
    "decision": "full_reindex",
    "arrangement": "cascade",
    "interim": "stay",
    "n_queries": 225,
    "metrics": {
        "arr": {"value": 0.7071, "ci": [0.65, 0.76], "reason": None},
        "arr_seen": {"value": 0.8337, "ci": None, "reason": None},
    },
    "candidates": [{"name": "ridge", "arr": 0.7}, {"name": "identity", "arr": 0.0}],
    "warnings": [{"code": "few_queries", "message": "only 63"}],
    "audit": {"seq": 1, "hash": "a"},
}


def changed(**parts: Any) -> dict[str, Any]:
    """Return a deep copy of RESULT in which dotted paths (``__`` for the dot) have new values."""
    result = json.loads(json.dumps(RESULT))
    for path, value in parts.items():
        *steps, last = path.split("__")
        where = result
        for step in steps:
            where = where[int(step) if step.isdigit() else step]
        where[last] = value
    return dict(result)


def test_the_same_bits_are_identical() -> None:
    """Stored and read back, every figure is the same double."""
    stored = json.loads(audit.canonical_bytes(RESULT))
    verdict = audit.compare_outputs(stored, RESULT)
    assert (verdict.verdict, verdict.changes) == ("identical", ())
    assert verdict.decision == "full_reindex"


def test_spelling_is_not_a_difference() -> None:
    """1 and 1.0, tuple and list, 0.0 and -0.0 are one value."""
    assert audit.compare_outputs({"a": [1, 0.0]}, {"a": (1.0, -0.0)}).verdict == "identical"


def test_the_record_itself_is_not_compared() -> None:
    """``audit`` names another record by nature, ``env`` another machine."""
    rerun = changed(audit={"seq": 9, "hash": "b"}) | {"env": {"isa": "avx2"}}
    assert audit.compare_outputs(RESULT, rerun).verdict == "identical"


def test_one_bit_is_not_identical_and_still_matches() -> None:
    """The smallest move of a figure ends ``identical``; it is named with its size."""
    nudged = math.nextafter(0.7071, 1.0)
    verdict = audit.compare_outputs(RESULT, changed(metrics__arr__value=nudged))
    assert verdict.verdict == "matched"
    assert [change.field for change in verdict.changes] == ["metrics.arr.value"]
    assert verdict.changes[0].moved == 1e-16


@pytest.mark.parametrize(
    ("value", "verdict"),
    [(0.5, "identical"), (0.502, "matched"), (0.498, "matched"), (0.5021, "differed")],
)
def test_two_thousandths_are_the_limit(value: float, verdict: str) -> None:
    """No figure may move by more than 0.002."""
    before, after = {"decision": "d", "x": 0.5}, {"decision": "d", "x": value}
    assert audit.compare_outputs(before, after).verdict == verdict


@pytest.mark.parametrize(
    "rerun",
    [
        changed(decision="caution"),
        changed(arrangement="single_stage"),
        changed(n_queries=224),
        changed(metrics__arr__value=None),
        changed(metrics__arr_seen__ci=[0.8, 0.9]),
        changed(candidates=RESULT["candidates"][:1]),
        changed(metrics={}),
    ],
    ids=["decision", "arrangement", "count", "vanished", "appeared", "shorter", "no metrics"],
)
def test_another_answer_differed(rerun: dict[str, Any]) -> None:
    """Another decision or arrangement, a moved, vanished or new figure: a regression."""
    assert audit.compare_outputs(RESULT, rerun).verdict == "differed"


@pytest.mark.parametrize(
    "rerun",
    [
        changed(warnings=[]),
        changed(interim="bridge"),
        changed(warnings__0__message="63 queries"),
    ],
    ids=["warning", "interim", "wording"],
)
def test_words_alone_match(rerun: dict[str, Any]) -> None:
    """Texts and flags are no figures: not identical, and still the same decision."""
    verdict = audit.compare_outputs(RESULT, rerun)
    assert verdict.verdict == "matched"
    assert "no figure moved" in verdict.reason


def test_true_is_not_one() -> None:
    """A flag that became a number is another type, and the number is new."""
    assert audit.compare_outputs({"a": True}, {"a": 1}).verdict == "differed"


def test_figures_of_other_fits_do_not_count() -> None:
    """Paths in refit_fields cover what is below them; ``*`` stands for one step."""
    rerun = changed(metrics__arr_seen__value=0.5, candidates__0__arr=0.1)
    fields = ["metrics.arr_seen", "candidates.*.arr"]
    verdict = audit.compare_outputs(RESULT, rerun, fields)
    assert verdict.verdict == "identical"
    assert [change.field for change in verdict.refit_changes] == [
        "candidates.0.arr",
        "metrics.arr_seen.value",
    ]
    assert audit.compare_outputs(RESULT, rerun, ["metrics.arr"]).verdict == "differed"
    assert audit.compare_outputs(RESULT, changed(n_queries=1), fields).verdict == "differed"


def test_what_was_left_out_is_not_compared() -> None:
    """A rerun that did not measure a figure says nothing about it, and the verdict names it."""
    rerun = changed(metrics__arr_seen=None, candidates=[])
    left_out = ["metrics.arr_seen", "candidates"]
    verdict = audit.compare_outputs(RESULT, rerun, left_out, left_out=left_out)
    assert verdict.verdict == "identical"
    assert verdict.refit_changes == ()
    assert verdict.left_out == tuple(left_out)
    assert audit.compare_outputs(RESULT, rerun, left_out=["candidates"]).verdict == "differed"


def test_the_figures_that_moved_most_come_first() -> None:
    """The reader sees the worst first, words last."""
    rerun = changed(metrics__arr__value=0.7072, metrics__arr_seen__value=0.8347, interim="bridge")
    verdict = audit.compare_outputs(RESULT, rerun)
    assert [change.field for change in verdict.changes] == [
        "metrics.arr_seen.value",
        "metrics.arr.value",
        "interim",
    ]
    assert "metrics.arr_seen.value moved most" in verdict.reason


def test_a_changed_input_comes_before_every_figure() -> None:
    """The verdict names the file and the decision that it now gives."""
    before = {"files": {"docs": {"path": "emb/a.npy", "sha256": "1"}, "ids": {"sha256": "2"}}}
    after = {"files": {"docs": {"path": "emb/a.npy", "sha256": "9"}, "ids": {"sha256": "2"}}}
    names = audit.compare_inputs(before, after)
    assert names == ("files.docs (emb/a.npy)",)
    verdict = audit.compare_outputs(RESULT, changed(decision="caution"), changed_inputs=names)
    assert verdict.verdict == "input_changed"
    assert verdict.decision == "caution"
    assert "emb/a.npy" in verdict.reason
    assert "'caution'" in verdict.reason
    assert "'full_reindex' was recorded" in verdict.reason
    same = audit.compare_outputs(RESULT, RESULT, changed_inputs=names)
    assert same.verdict == "input_changed"
    assert "as recorded" in same.reason


def test_inputs_are_found_wherever_they_stand() -> None:
    """Lists, profiles, and files on one side only."""
    before = {"files": [{"sha256": "1"}, {"sha256": "2"}], "model": {"profile": {"sha256": "3"}}}
    after = {"files": [{"sha256": "1"}], "model": {"profile": {"sha256": "4"}}}
    assert audit.compare_inputs(before, after) == ("files.1", "model.profile")
    assert audit.compare_inputs(after, before) == ("files.1", "model.profile")
    assert audit.compare_inputs(before, before) == ()


def test_not_replayable_says_why() -> None:
    """A record that is no decision has its own verdict."""
    verdict = audit.not_replayable("record 3 is a repair")
    assert (verdict.verdict, verdict.reason) == ("not_replayable", "record 3 is a repair")


def test_other_workflows_name_their_own_deciding_fields() -> None:
    """What must be equal is the workflow's to say."""
    before, after = {"verdict": {"winner": "a"}}, {"verdict": {"winner": "b"}}
    assert audit.compare_outputs(before, after).verdict == "matched"
    verdict = audit.compare_outputs(before, after, deciding_fields=["verdict.winner"])
    assert verdict.verdict == "differed"
