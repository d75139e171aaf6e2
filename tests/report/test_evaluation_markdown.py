"""An evaluation as Markdown, as lines and as JUnit XML: nothing in it acts, nothing is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt

from gnomon.evaluation.baseline import no_comparison
from gnomon.evaluation.gate_only import CONTAINMENT, GATE_ONLY_MEASURES
from gnomon.evaluation.result import EvaluationResult, Row, Setup
from gnomon.report.evaluation_markdown import evaluation_lines, evaluation_markdown
from gnomon.report.junit import junit_xml

if TYPE_CHECKING:
    from collections.abc import Mapping

INDEX = {
    "hash": "a" * 64,
    "chunks": 892,
    "embed_model": None,
    "threshold": 0.3,
    "guard": {"source": "provisional"},
    "guard_mode": "off",
    "levers": {
        "MMR_LAMBDA": {"value": 1.0, "source": "default"},
        "GATE_K": {"value": 5, "source": "tuning"},
    },
}
HOSTILE = "`</td><script>alert(1)</script>|\x1b[31m\u202e[x](http://evil)"


def body(
    name: str = "r-1",
    *,
    values: Mapping[str, float | None] | None = None,
    comparison: dict[str, Any] | None = None,
    expectations: tuple[dict[str, Any], ...] = (),
    level: str | None = None,
) -> dict[str, Any]:
    """Return what eval hands to the report, of one record."""
    setup = Setup("docs", INDEX, level, None, "b" * 64)
    row = Row(name, {"kind": name, "level": "low"}, values or {"recall@8": 0.5, "mrr": 0.0})
    return {
        **EvaluationResult(setup, GATE_ONLY_MEASURES, (row,), 0).to_json(),
        "comparison": comparison or no_comparison(None, "the first"),
        "expectations": list(expectations),
    }


def test_every_figure_with_its_numbers() -> None:
    """A figure that was not measured says so, with the reason."""
    text = evaluation_markdown(body())
    assert "| recall@8 | 0.5000 | one query shows no spread | 1 of 1 |" in text
    assert "| over\\_refusal | not measured | no record has a over\\_refusal" in text
    for measure in GATE_ONLY_MEASURES:
        assert measure.means in text.replace("\\", "")


def test_without_a_baseline() -> None:
    """The first report of a pool says so, in both forms."""
    assert "No baseline: the first." in evaluation_markdown(body())
    assert "No baseline: the first." in evaluation_lines(body())


def test_a_report_that_does_not_fit() -> None:
    """Named, with the reason."""
    comparison = no_comparison("old.json", "the prompt differs")
    text = evaluation_markdown(body(comparison=comparison))
    assert "Not compared with old.json: the prompt differs." in text


@pytest.mark.parametrize(
    ("changes", "reading"),
    [
        ({"low": -0.1, "high": 0.2}, "within the noise"),
        ({"low": 0.05, "high": 0.2}, "moved"),
        ({"low": -0.2, "high": -0.05}, "moved"),
        ({"low": 0.0, "high": 0.2}, "within the noise"),
        ({"low": None, "high": None}, "too few records to tell"),
        ({"low": 0.0, "high": 0.0, "n_better": 0, "n_worse": 0}, "no record moved"),
        ({"difference": None, "low": None, "high": None}, "not measured"),
    ],
)
def test_a_difference_is_read(changes: dict[str, Any], reading: str) -> None:
    """An interval that holds zero is noise, and is called that."""
    one = {
        "difference": 0.1, "low": 0.0, "high": 0.2, "reason": None, "n_pairs": 3,
        "n_better": 2, "n_worse": 1, "better": [{"id": "r-1", "was": 0.0, "now": 1.0}], "worse": [],
        **changes,
    }  # fmt: skip
    comparison = {
        **no_comparison("old.json", ""), "index_hash": "c" * 64, "changed": ["GATE_K 5 to 8"],
        "comparable": True, "why_not": [], "differences": {"recall@8": one},
    }  # fmt: skip
    found = body(comparison=comparison)
    text = evaluation_markdown(found)
    moved = f"{one['n_better']} better, {one['n_worse']} worse of 3"
    assert f"| {reading} | {moved} |" in text
    assert "changed: GATE\\_K 5 to 8" in text
    assert "`r-1` 0.00 to 1.00" in text
    assert any(line.endswith(f"{moved}; {reading}") for line in evaluation_lines(found))


def test_what_must_be_seen_stands_first() -> None:
    """A narrowed pool, and chunks from outside a scope."""
    lines = evaluation_markdown(body(values={CONTAINMENT: 0.0}, level="low")).splitlines()
    assert lines[2] == "**Chunks from outside a scope left retrieval.**"
    assert lines[4] == "**Narrowed pool: levels up to low.**"


def test_records_to_look_at() -> None:
    """By id: refused, passed, gold not found."""
    text = evaluation_markdown(body("lost", values={"mrr": 0.0, "over_refusal": 1.0}))
    assert "Refused, although answerable (1): `lost`" in text
    assert "No gold among what was ranked (1): `lost`" in text


def test_expectations_are_listed() -> None:
    """Met or not."""
    one = {
        "expectation": "recall@8>=0.8", "measure": "recall@8", "of_count": False,
        "value": 0.5, "n_measured": 1,
        "n_total": 1, "met": False, "records": ["r-1"],
    }  # fmt: skip
    counted = {**one, "expectation": "recall@8:n>=1", "of_count": True, "value": 1.0, "met": True}
    text = evaluation_markdown(body(expectations=(one, counted)))
    assert "| `recall@8>=0.8` | 0.5000 | 1 of 1 | not met |" in text
    assert "| `recall@8:n>=1` | 1 | 1 of 1 | met |" in text


def test_more_sections() -> None:
    """An evaluation that measures more adds to the report, under its own title."""
    text = evaluation_markdown(body(), title="Answers", more=["## Cited\n\nNothing."])
    assert text.startswith("# Answers\n")
    assert "## Cited\n\nNothing." in text


def test_nothing_in_a_name_acts() -> None:
    """Ids and labels come from files; rendered, they are text."""
    one = {
        "expectation": HOSTILE, "measure": "recall@8", "of_count": False,
        "value": None, "n_measured": 0,
        "n_total": 1, "met": False, "records": [],
    }  # fmt: skip
    found = body(HOSTILE, values={"mrr": 0.0, "over_refusal": 1.0}, expectations=(one,))
    text = evaluation_markdown(found)
    html = MarkdownIt("gfm-like", {"linkify": False}).render(text)
    assert "<script" not in html
    assert "href" not in html
    assert "\x1b" not in text
    assert "\u202e" not in text


class TestJunit:
    """What a CI service reads."""

    CASES = (
        {"name": "recall@8>=0.8", "failure": "recall@8 is 0.5", "records": ["a", "b"]},
        {"name": "scope containment", "failure": None, "records": []},
    )

    def test_a_case_each(self) -> None:
        """Failures are counted and name their records."""
        root = ET.fromstring(junit_xml("docs-gate-only", self.CASES, {"index": "abc"}))
        suite = root.find("testsuite")
        assert suite is not None
        assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == (
            "docs-gate-only", "2", "1",
        )  # fmt: skip
        failed, passed = suite.findall("testcase")
        failure = failed.find("failure")
        assert failure is not None
        assert failure.get("message") == "recall@8 is 0.5"
        assert failure.text == "recall@8 is 0.5\na\nb"
        assert passed.find("failure") is None

    @pytest.mark.parametrize(
        "text", ["\x00\x08\x1b[31m", "\ud800", "\ufffe\uffff", "]]>", "\"&<>'", "\x85\u2028"]
    )
    def test_what_xml_cannot_hold(self, text: str) -> None:
        """Any id gives a document that can be read, and the next one is still told."""
        cases = [{"name": text, "failure": text, "records": [text, "next"]}]
        xml = junit_xml(text, cases, {"index": text})
        root = ET.fromstring(xml.encode("utf-8"))
        failure = root.find(".//failure")
        assert failure is not None
        assert (failure.text or "").endswith("\nnext")
