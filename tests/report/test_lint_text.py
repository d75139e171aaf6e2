"""What lint found, as lines: one for each finding, at most ten of a code, then what there is."""

from __future__ import annotations

from pathlib import Path

from gnomon.golden.finding import Finding
from gnomon.golden.lint import LintResult
from gnomon.report.lint_text import lint_lines

SUMMARY = {
    "records": 1,
    "by_label": {"answer": 1, "refuse:no-evidence": 0, "refuse:out-of-scope": 0},
    "by_depth": {"0": 1},
    "by_level": {"low": {"pool": 1, "added": 1}, "medium": {"pool": 1, "added": 0}},
    "by_kind": {},
    "by_lang": {"日本語": 1},
}


def test_one_of_each() -> None:
    """Severity, place, message and code on a line; one is no plural; labels as they are."""
    findings = (
        Finding("no-refusals", None, None, "nothing is refused"),
        Finding("no-gold", 3, "g-3", "names no gold"),
        Finding("missing-id", 4, None, "has no 'id'"),
    )
    assert lint_lines(LintResult("golden set", Path("a.jsonl"), findings, SUMMARY)) == [
        "golden set a.jsonl: 2 errors, 1 warning",
        "  warning  nothing is refused  [no-refusals]",
        "  error  line 3: record 'g-3': names no gold  [no-gold]",
        "  error  line 4: has no 'id'  [missing-id]",
        "1 record: answer 1, refuse:no-evidence 0, refuse:out-of-scope 0",
        'by depth {"0":1}',
        "by level  low 1 (+1) · medium 1 (+0)",
        'by lang {"日本語":1}',
    ]


def test_probes_are_called_probes() -> None:
    """A set without tiers has no line of them, an empty one says so."""
    summary = {
        **SUMMARY,
        "records": 0,
        "by_label": {},
        "by_depth": {},
        "by_level": {},
        "by_lang": {},
    }
    found = (Finding("no-previous", 2, "f-1", "follows a question"),)
    assert lint_lines(LintResult("probe set", Path("p.jsonl"), found, summary)) == [
        "probe set p.jsonl: 1 error, 0 warnings",
        "  error  line 2: probe 'f-1': follows a question  [no-previous]",
        "0 probes: none",
        "by depth {}",
    ]


def test_files_of_a_folder() -> None:
    """A finding in a collection begins with the file that it is in."""
    found = (Finding("broken-line", 7, None, "is not valid JSON", "queries.jsonl"),)
    summary = {"documents": 1400, "queries": 225, "judgements": 1837, "judged_queries": 225}
    assert lint_lines(LintResult("collection", Path("c"), found, summary)) == [
        "collection c: 1 error, 0 warnings",
        "  error  queries.jsonl: line 7: is not valid JSON  [broken-line]",
        "1,400 documents, 225 queries, 1,837 judgements, 225 judged queries",
    ]


def test_many_of_one_code() -> None:
    """Ten are shown, the rest is counted; other codes are not crowded out."""
    many = [Finding("no-gold", line, f"g-{line}", "names no gold") for line in range(1, 1013)]
    found = (*many, Finding("missing-id", 2000, None, "has no 'id'"))
    lines = lint_lines(LintResult("golden set", Path("a"), found, SUMMARY))
    assert sum("[no-gold]" in line for line in lines) == 10
    assert "  1,002 more of no-gold; --json has all" in lines
    assert "  error  line 2000: has no 'id'  [missing-id]" in lines


def test_many_labels() -> None:
    """A label for each record is no histogram."""
    kinds = {f"k{i}": 1 for i in range(41)}
    lines = lint_lines(LintResult("golden set", Path("a"), (), {**SUMMARY, "by_kind": kinds}))
    [line] = [line for line in lines if line.startswith("by kind")]
    assert line.endswith('"k39":1} and 1 more')
    assert "k40" not in line
