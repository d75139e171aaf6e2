"""What lint found, in plain lines: counts, findings, and what the set holds."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from gnomon.sources.escape import counted
from gnomon.sources.files import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.golden.finding import Finding
    from gnomon.golden.lint import LintResult

# Of one code in one file; the JSON has all.
SHOWN: Final = 10
_LABELS: Final = 40
_COLLECTION_NOUNS: Final = {
    "documents": ("document", "documents"),
    "queries": ("query", "queries"),
    "judgements": ("judgement", "judgements"),
    "judged_queries": ("judged query", "judged queries"),
}
_NOUNS: Final = {"golden set": "record", "probe set": "probe", "collection": "record"}


def lint_lines(result: LintResult) -> list[str]:
    """Return what was found in one file or folder, what it holds last."""
    counts = f"{counted(result.n_errors, 'error')}, {counted(result.n_warnings, 'warning')}"
    head = f"{result.kind} {shown(result.path)}: {counts}"
    return [head, *_findings(result), *_summary(result)]


def _findings(result: LintResult) -> list[str]:
    told: Counter[str] = Counter()
    lines = []
    for finding in result.findings:
        told[finding.code] += 1
        if told[finding.code] <= SHOWN:
            lines.append(_line(finding, _NOUNS[result.kind]))
    return lines + [
        f"  {n - SHOWN:,} more of {code}; --json has all" for code, n in told.items() if n > SHOWN
    ]


def _line(finding: Finding, noun: str) -> str:
    return f"  {finding.severity}  {finding.place(noun)}{finding.message}  [{finding.code}]"


def _summary(result: LintResult) -> list[str]:
    summary = result.summary
    if result.kind == "collection":
        return [", ".join(counted(n, *_COLLECTION_NOUNS[name]) for name, n in summary.items())]
    labels = ", ".join(f"{name} {n}" for name, n in summary["by_label"].items())
    lines = [f"{counted(summary['records'], _NOUNS[result.kind])}: {labels or 'none'}"]
    lines.append(f"by depth {_compact(summary['by_depth'])}")
    if summary["by_level"]:
        levels = " · ".join(
            f"{name} {one['pool']} (+{one['added']})" for name, one in summary["by_level"].items()
        )
        lines.append(f"by level  {levels}")
    lines += [
        f"by {name} {_labels(summary[f'by_{name}'])}"
        for name in ("kind", "lang")
        if summary[f"by_{name}"]
    ]
    return lines


def _labels(counts: Mapping[str, int]) -> str:
    more = len(counts) - _LABELS
    return _compact(dict(list(counts.items())[:_LABELS])) + (f" and {more:,} more" * (more > 0))


def _compact(counts: Mapping[str, Any]) -> str:
    return json.dumps(counts, ensure_ascii=False, separators=(",", ":"))
