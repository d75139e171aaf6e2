"""Probe sets: what is taken, what is refused, and that every problem is told at once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.errors import InvalidInputError, MissingInputError
from gnomon.golden.probes import Probe, read_probes
from gnomon.sources.scope import Scope

if TYPE_CHECKING:
    from pathlib import Path


def written(folder: Path, *records: dict[str, Any]) -> Path:
    """Write a probe set."""
    file = folder / "probes.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return file


def test_every_field(tmp_path: Path) -> None:
    """Slashes around paths are a matter of taste; unknown keys are left alone."""
    file = written(
        tmp_path,
        {"id": "c-1", "question": "How?", "stratum": "U", "gold_page": "/guide/keys", "note": 1},
        {"id": "c-2", "question": "And then?", "stratum": "F", "prev_question": "How?"},
        {
            "id": "c-3",
            "question": "Why?",
            "stratum": "S",
            "prev_questions": ["A?", "B?"],
            "scope": {"kind": "section", "paths": ["/guide/", "api"]},
            "lang": "en",
        },
    )
    assert read_probes(file) == (
        Probe("c-1", "How?", "U", gold_page="guide/keys", line=1),
        Probe("c-2", "And then?", "F", ("How?",), line=2),
        Probe("c-3", "Why?", "S", ("A?", "B?"), Scope(("api", "guide")), lang="en", line=3),
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"stratum": None}, "has no 'stratum'; expected one of"),
        ({"stratum": "N7"}, "stratum 'N7' is not one of"),
        ({"stratum": "u"}, "stratum 'u' is not one of"),
        ({"stratum": 4}, "stratum '4' is not one of"),
        ({"question": " \n"}, "the question is empty"),
        ({"question": 7}, "'question' is a JSON number"),
        ({"id": ""}, "has no 'id'"),
        ({"stratum": "F"}, "stratum F follows a question"),
        ({"stratum": "N5"}, "stratum N5 follows a question"),
        ({"stratum": "N5", "prev_question": " "}, "'prev_question' is blank"),
        ({"stratum": "N5", "prev_questions": []}, "stratum N5 follows a question"),
        ({"stratum": ["U"]}, "is not one of"),
        ({"gold_page": 4}, "'gold_page' is a JSON number"),
        ({"lang": ["en"]}, "'lang' is a JSON array"),
        ({"stratum": "S"}, "stratum S is asked within a scope"),
        ({"stratum": "X", "scope": []}, "the scope names no pages"),
        ({"stratum": "P", "scope": {"kind": "tag", "paths": ["a"]}}, "scope kind 'tag'"),
        ({"stratum": "P", "scope": ["/"]}, "is no page path"),
        ({"prev_questions": ["a", ""]}, "entry 2 of 'prev_questions' is blank"),
        ({"prev_questions": "a"}, "expected a list of strings"),
        ({"prev_questions": ["a"], "prev_question": "b"}, "has both"),
    ],
)
def test_refused_by_line_and_id(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    """The message names file, line and, where there is one, the probe."""
    record = {"id": "c-1", "question": "How?", "stratum": "U", **changes}
    with pytest.raises(InvalidInputError, match=said) as refused:
        read_probes(written(tmp_path, record))
    assert "probes.jsonl: line 1" in str(refused.value)


def test_duplicate_ids(tmp_path: Path) -> None:
    """Both lines are named."""
    record = {"id": "c-1", "question": "How?", "stratum": "U"}
    with pytest.raises(InvalidInputError, match="line 3: probe 'c-1': has the id of line 1"):
        read_probes(written(tmp_path, record, {**record, "id": "c-2"}, record))


def test_every_problem_is_told(tmp_path: Path) -> None:
    """Ten of twelve by line, and how many more there are."""
    records = [{"id": f"c-{i}", "question": "", "stratum": "U"} for i in range(12)]
    with pytest.raises(InvalidInputError, match="and 2 more problems") as refused:
        read_probes(written(tmp_path, *records))
    assert str(refused.value).count("the question is empty") == 10


def test_nothing_there(tmp_path: Path) -> None:
    """An empty set and a missing one are told apart."""
    with pytest.raises(InvalidInputError, match="holds no probe"):
        read_probes(written(tmp_path))
    with pytest.raises(MissingInputError):
        read_probes(tmp_path / "none.jsonl")


@pytest.mark.parametrize(
    ("page", "covered"),
    [("guide/scope", True), ("guide/scope/a/b", True), ("guide/scoped", False), ("guide", False)],
)
def test_scopes_have_a_boundary(page: str, covered: bool) -> None:
    """A path covers its page and what is nested below, not what merely begins alike."""
    assert Scope.of(["/guide/scope/"]).covers(page) is covered
