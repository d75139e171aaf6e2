"""Answers are kept as they come in, for the very same measurement and no other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gnomon.errors import InvalidInputError, MismatchError, MissingInputError, UsageError
from gnomon.evaluation.chat import Reply
from gnomon.evaluation.journal import Journal

MEASUREMENT = {"index_hash": "1a", "model": "small", "levers": {"GATE_K": 5}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a journal is kept, one answer in it."""
    file = tmp_path / "answers.partial.jsonl"
    journal = Journal.begin(file, MEASUREMENT)
    journal.add("q1", "r1", Reply("One.\nTwo é.", is_cut=True))
    return file


def test_going_on(path: Path) -> None:
    """What was answered is there again, to the letter, and more can be added."""
    journal = Journal.resume(path, MEASUREMENT)
    assert journal.kept == {"q1": Reply("One.\nTwo é.", is_cut=True)}
    journal.add("q2", "r2", Reply("Two."))
    assert list(Journal.resume(path, MEASUREMENT).kept) == ["q1", "q2"]


def test_not_begun_over_answers(path: Path) -> None:
    """A run that broke off is not thrown away by the next one."""
    before = path.read_bytes()
    with pytest.raises(UsageError, match="go on with --resume"):
        Journal.begin(path, MEASUREMENT)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model": "large"}, "model was 'small', is 'large'"),
        ({"levers": {"GATE_K": 6}}, "levers.GATE_K was 5, is 6"),
        ({"prompt_hash": "2b"}, "prompt_hash was None, is '2b'"),
    ],
)
def test_another_measurement(path: Path, changes: dict[str, object], words: str) -> None:
    """It is refused, with what differs."""
    with pytest.raises(MismatchError) as refused:
        Journal.resume(path, {**MEASUREMENT, **changes})
    assert words in str(refused.value)


def test_a_torn_line(path: Path) -> None:
    """A line that was cut short is dropped, and the next answer stands on a line of its own."""
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"request": "q2", "te')
    journal = Journal.resume(path, MEASUREMENT)
    assert list(journal.kept) == ["q1"]
    assert path.read_bytes() == whole
    journal.add("q3", "r3", Reply("Three."))
    assert list(Journal.resume(path, MEASUREMENT).kept) == ["q1", "q3"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "line 1 is no head"),
        (b"{}\n", "line 1 is no head"),
        (b"\xff\xfe\n", "line 1 is a damaged line"),
        (b"[1]\n", "line 1 is a damaged line"),
    ],
)
def test_no_journal(path: Path, content: bytes, words: str) -> None:
    """Another file is refused, not built upon."""
    path.write_bytes(content)
    with pytest.raises(InvalidInputError, match=words):
        Journal.resume(path, MEASUREMENT)


def test_a_damaged_answer(path: Path) -> None:
    """The line is named."""
    with path.open("ab") as file:
        file.write(b'{"request": 3}\n')
    with pytest.raises(InvalidInputError, match="line 3 is no answer"):
        Journal.resume(path, MEASUREMENT)


def test_an_answer_that_stands_twice(path: Path) -> None:
    """Said again it is the same answer; in other words nobody knows which one counts."""
    again = path.read_bytes().splitlines(keepends=True)[1]
    with path.open("ab") as file:
        file.write(again)
    assert list(Journal.resume(path, MEASUREMENT).kept) == ["q1"]
    with path.open("ab") as file:
        file.write(json.dumps(json.loads(again) | {"text": "Other."}).encode() + b"\n")
    with pytest.raises(InvalidInputError, match="line 4 answers in other words what line 2"):
        Journal.resume(path, MEASUREMENT)


def test_half_a_character(path: Path) -> None:
    """No answer of a service holds one, and no report can."""
    with path.open("ab") as file:
        file.write(b'{"request": "q2", "text": "\\ud800"}\n')
    with pytest.raises(InvalidInputError, match="line 3 holds half of a surrogate pair"):
        Journal.resume(path, MEASUREMENT)


def test_nothing_to_go_on_with(tmp_path: Path) -> None:
    """Without a journal there is no run to resume."""
    with pytest.raises(MissingInputError, match="no run to go on with"):
        Journal.resume(tmp_path / "none.jsonl", MEASUREMENT)


def test_finished(path: Path, tmp_path: Path) -> None:
    """The answers get their last name, and another run may begin."""
    final = tmp_path / "answers.jsonl"
    Journal.resume(path, MEASUREMENT).finish(final)
    assert final.is_file()
    assert not path.exists()
    Journal.begin(path, MEASUREMENT)
