"""A run on a collection as Markdown, as plain lines, and as one value a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.report.evaluation_markdown import evaluation_lines, evaluation_markdown
from gnomon.report.markdown import bullets, code, plain
from gnomon.report.tables import safe
from gnomon.sources.escape import counted, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.evaluation.result import EvaluationResult


def collection_markdown(body: Mapping[str, Any]) -> str:
    """Return the report of a run on a collection."""
    return evaluation_markdown(
        body, title="Retrieval on a collection", about=_about(body), unit="queries"
    )


def collection_lines(body: Mapping[str, Any]) -> list[str]:
    """Return a run on a collection in a few lines of plain text."""
    found = body["collection"]
    return [
        f"{safe(found['run'])} on {safe(found['name'])}, ties by {found['ties']}",
        *evaluation_lines(body, unit="queries"),
        *found["notes"],
    ]


def per_query_table(result: EvaluationResult) -> str:
    """Return a line for each query and metric, as ``trec_eval -q`` orders them, means last.

    Metric, query and value, separated by tabs; a value is the shortest decimal that gives it back.
    """
    names = [measure.name for measure in result.measures]
    lines = [
        f"{name}\t{printable(row.id)}\t{row.values[name]!r}"
        for row in result.rows
        for name in names
    ]
    means = [
        f"{measure.name}\tall\t{result.figure(measure).value!r}" for measure in result.measures
    ]
    return "\n".join([*lines, *means]) + "\n"


def _about(body: Mapping[str, Any]) -> str:
    found = body["collection"]
    counts = found["counts"]
    facts = ", ".join(f"{name} {value}" for name, value in body["index"]["facts"].items())
    sentences = [
        f"Run {code(safe(found['run']))} on {code(safe(found['name']))}; {plain(safe(facts))}.",
        (
            f"{counted(counts['n_measured'], 'query', 'queries')} measured of "
            f"{counts['n_total']:,}; equal scores ordered by the rule "
            f"{code(found['ties'])}; judgements {body['golden_hash'][:12]}; seed {body['seed']}."
        ),
    ]
    text = "\n".join(sentences)
    notes = [plain(safe_note) for safe_note in map(str, found["notes"])]
    return f"{text}\n\n{bullets(notes)}" if notes else text
