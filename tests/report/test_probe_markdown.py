"""The Markdown report: well-formed tables, and no value that breaks out of its place."""

from __future__ import annotations

import re

import pytest
from tests.report.builders import HOSTILE_IDS, HOSTILE_RECORD, RECORD, SHAPES, T0, T1_FOLDS

from gnomon.report.markdown import code, fenced, plain
from gnomon.report.probe_markdown import probe_markdown


def cells(line: str) -> list[str]:
    """Return the cells of a table row; an escaped pipe does not end one."""
    return re.split(r"(?<!\\)\|", line)[1:-1]


def without_code(text: str) -> str:
    """Return what stands outside code; an escaped backtick opens none."""
    pattern = r"(\\[\W_])|(?<!`)(`+)(?!`).*?(?<!`)\2(?!`)"
    return re.sub(pattern, lambda match: match[1] or "", text, flags=re.DOTALL)


@pytest.mark.parametrize("shape", SHAPES)
def test_tables_are_well_formed(shape: str) -> None:
    """Every row has as many cells as its header, and a rule stands below the header."""
    tables = re.findall(r"(?:^\|.*\n)+", probe_markdown(*SHAPES[shape]), re.MULTILINE)
    assert len(tables) >= 4
    for table in tables:
        header, rule, *rows = table.splitlines()
        assert set(cells(rule)) == {" --- "}
        assert {len(cells(row)) for row in (rule, *rows)} == {len(cells(header))}


@pytest.mark.parametrize("shape", SHAPES)
def test_no_control_character_is_left(shape: str) -> None:
    """Line feeds are the only control characters, and no text is reordered."""
    text = probe_markdown(*SHAPES[shape])
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


def test_hostile_values_stay_text() -> None:
    """Outside code, markup and links are escaped; inside code, nothing can close it."""
    text = probe_markdown(HOSTILE_IDS, HOSTILE_RECORD)
    outside = without_code(text)
    assert not re.search(r"(?<!\\)[<\[]", outside)
    assert "http://" not in outside
    assert "`` a\\|b`c ``" in text


def test_decision_comes_first() -> None:
    """After the title stands what to do, then how sure it is."""
    blocks = probe_markdown(T1_FOLDS, RECORD).split("\n\n")
    assert blocks[0] == "# Moving from `old-model` to `new-model`"
    assert blocks[1] == "**Re-embed the whole corpus with the new model.**"
    assert blocks[3].startswith("How sure: Clear.")


def test_missing_evidence_and_replay_are_named() -> None:
    """The report says what would settle the decision and how to run it again."""
    text = probe_markdown(T0, RECORD)
    assert "Queries that would settle the decision: 4,100 (now 200)." in text
    assert "```text\ngnomon replay 7\n```" in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.3678", "0.3678"),
        ("-0.5000", "-0.5000"),
        ("+0.5000", "+0.5000"),
        ("# title", "\\# title"),
        ("- item", "\\- item"),
        ("---", "\\---"),
        ("1. item", "1\\. item"),
        ("12) item", "12\\) item"),
        ("full_reindex", "full\\_reindex"),
        ("<b>&amp;", "\\<b\\>\\&amp;"),
        ("see http://x.example", "see http:\\//x.example"),
    ],
)
def test_plain_text_has_no_markup(text: str, expected: str) -> None:
    """A sign or a number stays readable; what would be markup is escaped."""
    assert plain(text) == expected


def test_code_is_closed_by_nothing_inside_it() -> None:
    """The fence is longer than any run of backticks in the text."""
    assert code("a``b") == "``` a``b ```"
    assert code("") == "`  `"
    assert fenced("a```b").startswith("````text\n")
