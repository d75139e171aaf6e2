"""Exported turns: what is read, and what is refused with what was expected."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.feedback.exports import exported, write_export

from gnomon.errors import InvalidInputError
from gnomon.feedback.reading import read_file
from gnomon.feedback.turns import GateNumbers, Turn, parse_turn
from gnomon.sources.scope import Scope


def test_every_field() -> None:
    """All of them, the moment in UTC, unknown keys ignored."""
    turn = parse_turn(
        {
            "question": "And then?",
            "previous": ["How?"],
            "scope": {"kind": "section", "paths": ["/guide/"]},
            "vote": "down",
            "time": "2026-03-02T01:30:00.25+02:00",
            "gate": {
                "passes": False,
                "refuses": False,
                "score": 0.25,
                "threshold": 0.3,
                "source": "calibrated",
                "channel": "with-last",
                "cause": "out-of-scope",
                "chunks": [],
            },
            "lang": "en",
            "session": {"id": 7},
        },
        "here",
    )
    assert turn == Turn(
        "And then?",
        ("How?",),
        Scope(("guide",)),
        "down",
        dt.datetime(2026, 3, 1, 23, 30, 0, 250_000, dt.UTC),
        GateNumbers(False, False, 0.25, 0.3, "calibrated", "with-last", "out-of-scope"),
        "en",
    )


@pytest.mark.parametrize(
    ("gate", "verdict"),
    [
        (None, "unrecorded"),
        ({"passes": True}, "admitted"),
        ({"passes": False}, "refused"),
        ({"passes": False, "refuses": True}, "refused"),
        ({"passes": False, "refuses": False}, "unenforced"),
    ],
)
def test_verdicts(gate: dict[str, bool] | None, verdict: str) -> None:
    """What the reader saw: under a guard that is off a failing turn was answered."""
    assert parse_turn(exported(gate=gate), "here").verdict == verdict


@pytest.mark.parametrize(
    "time",
    ["2026-03-02T09:00:00Z", "2026-03-02t09:00:00z", "2026-03-02 09:00:00.5+00:00"],
)
def test_times(time: str) -> None:
    """RFC 3339 in its spellings."""
    found = parse_turn(exported(time=time), "here").time
    assert found.replace(microsecond=0) == dt.datetime(2026, 3, 2, 9, tzinfo=dt.UTC)


def test_leap_second() -> None:
    """23:59:60 is a moment of RFC 3339; it is counted to its own day."""
    assert parse_turn(exported(time="2016-12-31T23:59:60Z"), "here").time.year == 2016


GATE = {"passes": True}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"question": None}, "has no 'question'"),
        ({"question": " \n"}, "has no 'question'"),
        ({"question": "\u200b"}, "has no 'question'"),
        ({"question": 7}, "'question' is '7'; expected a text"),
        ({"question": "\ud800"}, "half of a surrogate pair"),
        ({"previous": [""]}, "expected a list of questions"),
        ({"previous": {"a": 1}}, "'previous' is a JSON object"),
        ({"previous": ["\udc00"]}, "half of a surrogate pair"),
        ({"scope": []}, "the scope names no pages"),
        ({"scope": ["\ud800"]}, "half of a surrogate pair"),
        ({"vote": "sideways"}, "'vote' is 'sideways'; expected \"up\", \"down\" or null"),
        ({"vote": 1}, "'vote' is '1'"),
        ({"vote": True}, "'vote' is a JSON boolean"),
        ({"time": None}, "there is no 'time'; expected a date, a time and an offset"),
        ({"time": 1_700_000_000}, "'time' is '1700000000'"),
        ({"time": "2026-03-02"}, "as in 2026-03-01T09:30:00Z"),
        ({"time": "2026-03-02T09:00:00"}, "and an offset"),
        ({"time": "2026-13-02T09:00:00Z"}, "is no moment"),
        ({"time": "0001-01-01T00:00:00+14:00"}, "is no moment"),
        ({"time": "٢٠٢٦-03-02T09:00:00Z"}, "expected a date"),
        ({"gate": True}, "'gate' is a JSON boolean"),
        ({"gate": {}}, "'gate' has no 'passes'"),
        ({"gate": {"passes": 1}}, "'passes' of 'gate' is '1'; expected true or false"),
        ({"gate": {"passes": True, "refuses": True}}, "both passes and refuses"),
        ({"gate": GATE | {"score": float("nan")}}, "'score' of 'gate' is NaN or infinite"),
        ({"gate": GATE | {"score": 1.5}}, "'1.5'; expected a number from 0 to 1"),
        ({"gate": GATE | {"threshold": 10**400}}, "expected a number from 0 to 1"),
        ({"gate": GATE | {"threshold": "0.3"}}, "'0.3'; expected a number"),
        ({"gate": GATE | {"channel": "loud"}}, "expected raw, with-last, with-last-two or null"),
        ({"gate": GATE | {"channel": ["raw"]}}, "'channel' of 'gate' is a JSON array"),
        ({"gate": GATE | {"cause": "rain"}}, "expected no-evidence, out-of-scope or null"),
        ({"lang": 3}, "'lang' is '3'"),
    ],
)
def test_refused(changes: dict[str, Any], said: str) -> None:
    """The message says where, what was found and what was expected, on one printable line."""
    with pytest.raises(InvalidInputError) as refused:
        parse_turn(exported(**changes), "here: line 1")
    assert said in str(refused.value)
    assert str(refused.value).startswith("here: line 1: ")
    assert str(refused.value).isprintable()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(["question", "previous", "scope", "vote", "time", "gate", "lang"])
GATES = st.sampled_from(["passes", "refuses", "score", "threshold", "source", "channel", "cause"])


@given(st.dictionaries(NAMES, JSON), st.dictionaries(GATES, JSON))
def test_any_json(changes: dict[str, Any], gate: dict[str, Any]) -> None:
    """Whatever a service sends is a turn that can be written, or refused on one printable line."""
    record = exported(**({"gate": {"passes": True} | gate} | changes))
    refused, row = "", []
    try:
        turn = parse_turn(record, "here")
        row = [turn.question, turn.previous, turn.lang, turn.gate and turn.gate.as_dict()]
    except InvalidInputError as error:
        refused = str(error)
    assert refused.translate({0x200C: "", 0x200D: ""}).isprintable()  # joiners stay
    json.dumps(row, ensure_ascii=False, allow_nan=False).encode()


def test_no_vote_is_told_apart() -> None:
    """A vote that is null is a turn without one; a record without the key is a mistake."""
    record = exported()
    assert parse_turn(record, "here").vote == "none"
    del record["vote"]
    with pytest.raises(InvalidInputError, match="has no 'vote'"):
        parse_turn(record, "here")


def test_every_problem_is_told(tmp_path: Path) -> None:
    """Ten of twelve by line, and how many more there are."""
    file = write_export(tmp_path / "votes.jsonl", *[exported(vote="?")] * 12, exported())
    with pytest.raises(InvalidInputError, match="and 2 more problems") as refused:
        list(read_file(file))
    assert "votes.jsonl: line 10: 'vote'" in str(refused.value)


def test_marks_blanks_and_line_ends_i01_i02(tmp_path: Path) -> None:
    """I01, I02: a byte-order mark, CRLF, a blank line and no last line end change nothing."""
    file = tmp_path / "votes.jsonl"
    line = json.dumps(exported()).encode()
    file.write_bytes(b"\xef\xbb\xbf" + line + b"\r\n\r\n" + line)
    assert len(list(read_file(file))) == 2


def test_the_example_of_the_page() -> None:
    """What docs/feedback.md shows as an export is one."""
    page = (Path(__file__).parents[2] / "docs" / "feedback.md").read_text("utf-8")
    _, _, rest = page.partition("```json\n")
    lines = rest.partition("```")[0].splitlines()
    found = [parse_turn(json.loads(line), "the page").verdict for line in lines]
    assert found == ["unrecorded", "unrecorded", "refused"]
