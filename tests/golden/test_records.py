"""Golden sets: what is read, what is refused, and that one bad line hides none of the others."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.errors import InvalidInputError, MissingInputError
from gnomon.golden.records import GoldenRecord, parse_golden, read_golden
from gnomon.sources.scope import Scope

if TYPE_CHECKING:
    from pathlib import Path

PLAIN: dict[str, Any] = {"id": "g-1", "question": "How?", "expect": "answer"}


def written(folder: Path, *records: dict[str, Any] | str | bytes) -> Path:
    """Write a golden set, of records or of lines as they are."""
    file = folder / "golden.jsonl"
    lines = []
    for record in records:
        if isinstance(record, dict):
            lines.append(json.dumps(record).encode())
        else:
            lines.append(record if isinstance(record, bytes) else record.encode())
    file.write_bytes(b"".join(line + b"\n" for line in lines))
    return file


def test_every_field(tmp_path: Path) -> None:
    """All fields are taken, the one-turn spelling too; unknown keys are left alone."""
    file = written(
        tmp_path,
        {
            "id": "g-1",
            "question": "How do I rotate a key?",
            "expect": "answer",
            "level": "low",
            "gold_chunks": ["/guide/keys#rotate", "guide/auth"],
            "gold_answer": "Call rotate().",
            "identifiers": ["rotate()"],
            "scope": {"kind": "section", "paths": ["/guide/"]},
            "prev_questions": ["What is a key?", "Where is it?"],
            "kind": " how-to ",
            "lang": "en",
            "note": {"by": 1},
        },
        {"id": "g-2", "question": "And?", "expect": "refuse:no-evidence", "prev_question": "Key?"},
        {"id": "g-3", "question": "What?", "expect": "refuse:out-of-scope", "scope": ["a"]},
    )
    assert read_golden(file) == (
        GoldenRecord(
            "g-1",
            "How do I rotate a key?",
            "answer",
            level="low",
            gold_chunks=("/guide/keys#rotate", "guide/auth"),
            gold_answer="Call rotate().",
            identifiers=("rotate()",),
            scope=Scope(("guide",)),
            previous=("What is a key?", "Where is it?"),
            kind="how-to",
            lang="en",
            line=1,
        ),
        GoldenRecord("g-2", "And?", "refuse:no-evidence", previous=("Key?",), line=2),
        GoldenRecord("g-3", "What?", "refuse:out-of-scope", scope=Scope(("a",)), line=3),
    )


def test_what_counts_as_absent(tmp_path: Path) -> None:
    """Null is no value, and a blank answer, kind or language none either."""
    nothing = dict.fromkeys(
        ["level", "gold_chunks", "identifiers", "scope", "prev_question", "prev_questions"]
    )
    blank = {"gold_answer": " ", "kind": "", "lang": "\t"}
    assert read_golden(written(tmp_path, {**PLAIN, **nothing, **blank})) == (
        GoldenRecord("g-1", "How?", "answer", line=1),
    )


@pytest.mark.parametrize(
    ("changes", "code", "said"),
    [
        ({"id": None}, "missing-id", "has no 'id'"),
        ({"id": " "}, "missing-id", "has no 'id'"),
        ({"id": 7}, "wrong-type", "'id' is a JSON number"),
        ({"id": ["g"]}, "wrong-type", "'id' is a JSON array"),
        ({"question": None}, "blank-question", "the question is empty"),
        ({"question": " \n"}, "blank-question", "the question is empty"),
        ({"question": {"text": "How?"}}, "wrong-type", "'question' is a JSON object"),
        ({"expect": None}, "unknown-expect", "has no 'expect'"),
        ({"expect": "Answer"}, "unknown-expect", "expects 'Answer'"),
        ({"expect": "refuse"}, "unknown-expect", "'refuse:no-evidence'"),
        ({"expect": "refuse:not-answerable"}, "unknown-expect", "a run may observe"),
        ({"expect": True}, "wrong-type", "'expect' is a JSON boolean"),
        ({"expect": ["answer"]}, "wrong-type", "'expect' is a JSON array"),
        ({"level": 1}, "wrong-type", "'level' is a JSON number"),
        ({"gold_chunks": "guide/auth"}, "wrong-type", "'gold_chunks' is a JSON string"),
        ({"gold_chunks": [["a"]]}, "wrong-type", "'gold_chunks[1]' is a JSON array"),
        ({"gold_chunks": ["a", None]}, "wrong-type", "'gold_chunks[2]' is a JSON null"),
        ({"gold_chunks": [" "]}, "blank-entry", "entry 1 of 'gold_chunks' is blank"),
        ({"gold_answer": ["So."]}, "wrong-type", "'gold_answer' is a JSON array"),
        ({"identifiers": {"a": 1}}, "wrong-type", "'identifiers' is a JSON object"),
        ({"identifiers": ["a", ""]}, "blank-entry", "entry 2 of 'identifiers'"),
        ({"scope": "guide"}, "bad-scope", "the scope names no pages"),
        ({"scope": []}, "bad-scope", "the scope names no pages"),
        ({"scope": {"kind": "section"}}, "bad-scope", "the scope names no pages"),
        ({"scope": {"kind": "tag", "paths": ["a"]}}, "bad-scope", "scope kind 'tag'"),
        ({"scope": {"kind": 5, "paths": ["a"]}}, "bad-scope", "scope kind '5'"),
        ({"scope": ["/"]}, "bad-scope", "is no page path"),
        ({"scope": [3]}, "bad-scope", "'3' is no page path"),
        ({"scope": ["\ud800"]}, "bad-scope", "half of a surrogate pair"),
        ({"prev_questions": "a"}, "wrong-type", "'prev_questions' is a JSON string"),
        ({"prev_questions": ["a", ""]}, "blank-entry", "entry 2 of 'prev_questions'"),
        ({"prev_questions": [1]}, "wrong-type", "'prev_questions[1]' is a JSON number"),
        ({"prev_question": ""}, "blank-entry", "'prev_question' is blank"),
        ({"prev_question": ["a"]}, "wrong-type", "'prev_question' is a JSON array"),
        ({"prev_question": "a", "prev_questions": ["a"]}, "two-spellings", "has both"),
        ({"prev_question": "", "prev_questions": []}, "two-spellings", "has both"),
        ({"kind": 1}, "wrong-type", "'kind' is a JSON number"),
        ({"lang": ["en"]}, "wrong-type", "'lang' is a JSON array"),
        ({"question": "a\ud800"}, "no-text", "half of a surrogate pair"),
        ({"gold_chunks": ["\udfff"]}, "no-text", "half of a surrogate pair"),
        ({"id": "\ud83d"}, "no-text", "half of a surrogate pair"),
    ],
)
def test_refused_by_line(tmp_path: Path, changes: dict[str, Any], code: str, said: str) -> None:
    """One problem, one finding: an error with its code, line and id."""
    file = written(tmp_path, {**PLAIN, **changes})
    records, problems = parse_golden(file)
    assert records == ()
    assert [(one.code, one.severity, one.line) for one in problems] == [(code, "error", 1)]
    assert said in problems[0].message
    assert problems[0].id == (None if "id" in changes else "g-1")
    with pytest.raises(InvalidInputError, match=r"golden\.jsonl: line 1: "):
        read_golden(file)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"id": "g-2", ', "is not valid JSON"),
        (b"[1, 2]", "holds a JSON array"),
        (b'"text"', "holds a JSON string"),
        (b'{"id": "\xe9"}', "byte 9 of the line (0xe9) is not UTF-8"),
        (b'{"id": "a", "id": "b"}', "has the key 'id' twice"),
        (b'{"id": "a", "scope": {"paths": ["a"], "paths": []}}', "has the key 'paths' twice"),
        (b"{" * 200_000, "is not valid JSON"),
        (b'{"a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "too deep to read"),
        (b'{"a": ' + b"1" * 5000 + b"}", "number too long"),
        (b"\x00\x01\x02", "is not valid JSON"),
        (b'{"id": "' + b"x" * (17 << 20) + b'"}', "is longer than 16,777,216 bytes"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_bad_line_hides_no_other(tmp_path: Path, line: bytes, said: str) -> None:
    """The line is named, and what stands before and behind it is read."""
    records, problems = parse_golden(written(tmp_path, PLAIN, line, {**PLAIN, "id": "g-3"}))
    assert [record.id for record in records] == ["g-1", "g-3"]
    assert [(one.code, one.line, one.id) for one in problems] == [("broken-line", 2, None)]
    assert said in problems[0].message
    assert "golden.jsonl" not in problems[0].message


def test_every_problem_of_a_record_is_told(tmp_path: Path) -> None:
    """Three wrong fields are three findings, so that one repair is enough."""
    broken = {**PLAIN, "level": 3, "gold_chunks": 4, "scope": 5}
    _, problems = parse_golden(written(tmp_path, broken))
    assert [one.code for one in problems] == ["wrong-type", "wrong-type", "bad-scope"]


def test_duplicate_ids(tmp_path: Path) -> None:
    """Both lines are named, the first record is kept, and one that is broken counts as well."""
    file = written(
        tmp_path, PLAIN, {**PLAIN, "id": "g-2", "level": 4}, PLAIN, {**PLAIN, "id": "g-2"}
    )
    records, problems = parse_golden(file)
    assert [record.line for record in records] == [1]
    assert [(one.code, one.line, one.id) for one in problems] == [
        ("wrong-type", 2, "g-2"),
        ("duplicate-id", 3, "g-1"),
        ("duplicate-id", 4, "g-2"),
    ]
    assert "line 1" in problems[1].message


def test_ten_problems_are_told_and_the_rest_counted(tmp_path: Path) -> None:
    """The error of reading is as long as a screen."""
    broken = [{**PLAIN, "id": f"g-{i}", "question": ""} for i in range(12)]
    with pytest.raises(InvalidInputError, match="and 2 more problems") as refused:
        read_golden(written(tmp_path, *broken))
    assert str(refused.value).count("the question is empty") == 10


def test_endings_and_marks(tmp_path: Path) -> None:
    """A byte-order mark, CRLF, blank lines, a missing last line feed and gzip are all fine."""
    line = json.dumps(PLAIN).encode()
    other = json.dumps({**PLAIN, "id": "g-2"}).encode()
    data = b"\xef\xbb\xbf" + line + b"\r\n\r\n  \n" + other
    for name, content in (("a.jsonl", data), ("a.jsonl.gz", gzip.compress(data))):
        (tmp_path / name).write_bytes(content)
        records = read_golden(tmp_path / name)
        assert [(record.id, record.line) for record in records] == [("g-1", 1), ("g-2", 4)]


def test_nothing_there(tmp_path: Path) -> None:
    """An empty set, a missing one, a folder and UTF-16 are told apart."""
    with pytest.raises(InvalidInputError, match=r"golden\.jsonl: holds no record"):
        read_golden(written(tmp_path))
    with pytest.raises(MissingInputError):
        read_golden(tmp_path / "none.jsonl")
    with pytest.raises(InvalidInputError, match="is a folder"):
        parse_golden(tmp_path)
    (tmp_path / "wide.jsonl").write_bytes(json.dumps(PLAIN).encode("utf-16"))
    with pytest.raises(InvalidInputError, match="UTF-16"):
        parse_golden(tmp_path / "wide.jsonl")
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(b"x" * 1000)[:-9])
    with pytest.raises(InvalidInputError, match="cut short or damaged"):
        parse_golden(tmp_path / "cut.jsonl.gz")


def test_ids_are_kept_as_written(tmp_path: Path) -> None:
    """Blanks around an id make it another id; lint warns of that."""
    records = read_golden(written(tmp_path, PLAIN, {**PLAIN, "id": "g-1 "}))
    assert [record.id for record in records] == ["g-1", "g-1 "]


def test_only_an_answer_expects_an_answer(tmp_path: Path) -> None:
    """Both refusals are negatives."""
    sets = [{**PLAIN, "id": e, "expect": e} for e in ("answer", "refuse:no-evidence")]
    sets.append({**PLAIN, "id": "o", "expect": "refuse:out-of-scope"})
    assert [r.expects_answer for r in read_golden(written(tmp_path, *sets))] == [True, False, False]
