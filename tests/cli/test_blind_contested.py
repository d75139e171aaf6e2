"""``gnomon blind contested``: spots from runs, each with the right reading on the right side."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from gnomon import audit
from tests.blind.checks import drawn, fill, planned, score
from tests.cli.probing import Gnomon, assert_refused

DOCUMENTS = {
    "d1": ("Keys", "How keys are rotated."),
    "d2": ("Tokens", "How tokens are made."),
    "d3": ("", "A page without a title."),
    "d4": ("Keys ", "Another page that is called keys."),
    "d5": ("Long", "word " * 300),
}


@pytest.fixture
def place(gnomon: Gnomon) -> Gnomon:
    """Write a collection of five documents and six questions."""
    folder = Path("collection")
    folder.mkdir()
    documents = [{"_id": i, "title": t, "text": x} for i, (t, x) in DOCUMENTS.items()]
    queries = [{"_id": f"q{i}", "text": f"what is  question {i}?"} for i in range(1, 7)]
    for name, rows in (("corpus", documents), ("queries", queries)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    Path("private").mkdir(mode=0o700)
    return gnomon


def run(name: str, **tops: str | list[tuple[str, float]]) -> None:
    """Write a TREC run: a document per query, or documents with scores."""
    lines = []
    for query, top in tops.items():
        for document, value in [(top, 1.0)] if isinstance(top, str) else top:
            lines.append(f"{query} Q0 {document} 1 {value} {name}\n")
    Path(f"{name}.trec").write_text("".join(lines), encoding="utf-8")


def contest(gnomon: Gnomon, *flags: object, code: int = 0, used: str = "used") -> Any:
    """Make the contested file of runs a, b and the live one."""
    return gnomon(
        "blind", "contested", "--a", "a.trec", "--b", "b.trec", "--used", f"{used}.trec",
        "--collection", "collection", "--out", "private/contested.jsonl", *flags, code=code,
    )  # fmt: skip


def spots() -> dict[str, dict[str, Any]]:
    """Read the contested file, by query."""
    lines = Path("private/contested.jsonl").read_text("utf-8").splitlines()
    return {spot["id"]: spot for spot in map(json.loads, lines)}


def test_what_differs(place: Gnomon) -> None:
    """A query is a spot, or counted: same result, same text, or a live result that is neither."""
    run("a", q1="d1", q2="d1", q3="d1", q4="d1", q6="d2")
    run("b", q1="d2", q2="d1", q3="d4", q4="d2", q5="d3")
    run("used", q1="d2", q2="d1", q3="d4", q4="d3", q5="d3", q6="d2")
    counts = contest(place, "--json").json
    assert {name: counts[name] for name in ("queries", "same", "same_text", "used_other")} == {
        "queries": 6,
        "same": 1,
        "same_text": 1,
        "used_other": 1,
    }
    assert (counts["spots"], counts["used_base"], counts["used_alt"]) == (3, 1, 2)
    found = spots()
    assert list(found) == ["q1", "q5", "q6"]
    assert found["q1"] == {
        "id": "q1",
        "base": "Keys",
        "alt": "Tokens",
        "used": "alt",
        "unsure": False,
        "left_context": "what is question 1?",
        "time": None,
        "kind": "substitution",
    }
    assert (found["q5"]["kind"], found["q5"]["base"]) == ("insertion", "")
    assert found["q5"]["alt"] == "A page without a title."
    assert (found["q6"]["kind"], found["q6"]["alt"], found["q6"]["used"]) == (
        "deletion",
        "",
        "base",
    )


def test_the_highest_score_is_on_top(place: Gnomon) -> None:
    """Scores rank, not lines or the rank column; among equal ones the lowest id."""
    run("a", q1=[("d2", 0.5), ("d1", 0.9)])
    run("b", q1=[("d3", 0.7), ("d2", 0.7), ("d5", 0.1)])
    contest(place, used="b")
    assert (spots()["q1"]["base"], spots()["q1"]["alt"]) == ("Keys", "Tokens")


def test_passages(place: Gnomon) -> None:
    """Title and text, cut after 120 words."""
    run("a", q1="d1")
    run("b", q1="d5")
    contest(place, "--show", "passage", used="a")
    one = spots()["q1"]
    assert one["base"] == "Keys. How keys are rotated."
    assert (len(one["alt"].split()), one["alt"][-6:]) == (121, "word …")


def test_a_live_system_that_never_chooses(place: Gnomon) -> None:
    """Said at once: the check's second condition cannot hold."""
    run("a", q1="d1", q2="d3")
    run("b", q1="d2", q2="d2")
    assert "never right more often than b alone" in contest(place, used="b").err


def test_file_record_and_modes(place: Gnomon) -> None:
    """0600; the record has counts and hashes, no question, no title and no id."""
    run("a", q1="d1", q2="d3")
    run("b", q1="d2", q2="d2")
    run("used", q1="d1", q2="d2")
    contest(place)
    file = Path("private/contested.jsonl")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    record = audit.read_record(".gnomon", 1)
    assert record.action == "blind.contested"
    assert sorted(record.inputs["files"]) == ["a", "b", "corpus", "queries", "used"]
    trail = Path(".gnomon/audit.jsonl").read_text("utf-8")
    for text in ("Keys", "Tokens", "question 1", "without a title"):
        assert text not in trail
    assert_refused(contest(place, code=2), "is there already")


def test_from_runs_to_a_decision(place: Gnomon) -> None:
    """The contested file is drawn from and scored like any other."""
    run("a", q1="d1", q2="d3", q4="d1")
    run("b", q1="d2", q2="d2", q4="d5")
    run("used", q1="d1", q2="d2", q4="d5")
    contest(place)
    Path("private/contested.jsonl").rename("contested.jsonl")
    drawn(place, planned(place))
    fill("check", "used")
    result = score(place, "--json").json
    assert (result["decision"], result["condition_2"]["chosen"]) == ("kept", 3)


def test_refused(place: Gnomon) -> None:
    """Unknown queries and documents, nothing contested, a folder that others may read, Git."""
    run("a", q1="d1", q9="d1")
    run("b", q1="d2")
    assert_refused(contest(place, code=3, used="b"), "lacks a query of the runs: 'q9'")
    run("a", q1="d1", q2="nowhere")
    assert_refused(contest(place, code=3, used="b"), "lacks a document of the runs: 'nowhere'")
    assert_refused(contest(place, code=3, used="none"), "no such file")
    run("a", q1="d2")
    assert_refused(contest(place, code=3, used="b"), "no query is contested: of 1, 1 has")
    Path("private").chmod(0o755)
    assert_refused(contest(place, code=2, used="b"), "has mode 0755")
    Path("private").chmod(0o700)
    Path(".git").mkdir()
    assert_refused(contest(place, code=2, used="b"), "lies in the Git work tree")
    assert list(Path("private").iterdir()) == []
    assert not Path(".gnomon").exists()


def test_documents_without_text(place: Gnomon) -> None:
    """A result that shows nothing could not be told from no result."""
    file = Path("collection/corpus.jsonl")
    file.write_text(file.read_text("utf-8") + '{"_id": "d6", "title": " "}\n', encoding="utf-8")
    run("a", q1="d1")
    run("b", q1="d6")
    assert_refused(contest(place, code=3, used="a"), "has neither title nor text: 'd6'")
