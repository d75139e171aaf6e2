"""How every evaluation over a golden set ends: compared, recorded, written, printed, judged.

``--gate-only`` and the evaluation of answers differ in what they measure; this part is the same.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gnomon import audit
from gnomon.cli._environment import environment
from gnomon.cli._output import print_error, print_json, print_lines
from gnomon.cli._targets import check_folder, check_targets
from gnomon.cli.exit_codes import DONE, EXPECTATION, REFUSED
from gnomon.errors import GnomonError, MissingInputError, UsageError
from gnomon.evaluation.baseline import comparison_json, no_comparison, read_baseline
from gnomon.evaluation.expectations import judge_expectations
from gnomon.evaluation.gate_only import CONTAINMENT
from gnomon.evaluation.result import METRIC_VERSION, SCHEMA
from gnomon.report.evaluation_markdown import evaluation_lines, evaluation_markdown
from gnomon.report.junit import junit_xml
from gnomon.sources.atomic import make_folder, write_text
from gnomon.sources.escape import counted
from gnomon.sources.files import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from gnomon.evaluation.baseline import Baseline
    from gnomon.evaluation.expectations import Expectation, Outcome
    from gnomon.evaluation.result import EvaluationResult

_REPORT_ENDINGS: Final = frozenset({".json", ".jsonl", ".md"})


@dataclass(frozen=True, slots=True)
class Ending:
    """What the command line asked of the result.

    Attributes
    ----------
    reports
        Folder of the reports.
    baseline
        The report that was named to compare with; None takes the last one of the same name.
    """

    reports: Path
    baseline: Baseline | None
    expectations: tuple[Expectation, ...]
    junit: Path | None
    state_dir: Path
    as_json: bool

    def check(self, read: Iterable[Path]) -> None:
        """Refuse what could not be written, before any work starts.

        Parameters
        ----------
        read
            The files and folders that the run reads.

        Raises
        ------
        UsageError
            When the file of ``--junit`` has no folder, is one, is read, or may be a report.
        StateError
            When the trail cannot be appended to, or the folder of the reports cannot be made.
        """
        check_folder(self.reports)
        if self.junit is not None:
            self._check_junit(self.junit, read)
        audit.check_appendable(self.state_dir)

    def _check_junit(self, junit: Path, read: Iterable[Path]) -> None:
        if not junit.parent.is_dir():
            raise UsageError(
                f"--junit {shown(junit)}: the folder {shown(junit.parent)} does not exist"
            )
        check_targets({"--junit": junit}, read)
        beside_reports = junit.parent.resolve() == self.reports.resolve()
        if beside_reports and junit.suffix in _REPORT_ENDINGS:
            raise UsageError(
                f"--junit {shown(junit)} is named as the reports there are; expected a name that "
                "ends in .xml"
            )


def end(
    result: EvaluationResult,
    ending: Ending,
    *,
    inputs: Mapping[str, Any],
    markdown: Callable[[Mapping[str, Any]], str] = evaluation_markdown,
    lines: Callable[[Mapping[str, Any]], Sequence[str]] = evaluation_lines,
    no_baseline: str = "this is the first report of its pool here",
    more: Mapping[str, Any] | None = None,
    faults: Sequence[str] = (),
) -> int:
    """Compare a result, record it, write its reports, print it and return the exit code.

    Parameters
    ----------
    inputs
        What the trail says went in; no text and no ids.
    markdown
        Makes the report of the body; an evaluation that measures more gives further sections.
    lines
        Makes the text of the body for the terminal.
    no_baseline
        Why there is no report to compare with, when there is none of the same name.
    more
        What the body holds beside the result's own.
    faults
        What makes the exit code 3, beside chunks from outside their scope.
    """
    file = ending.reports / f"{result.setup.name}.json"
    outcomes = judge_expectations(ending.expectations, result)
    comparison = _comparison(result, ending.baseline, file, no_baseline)
    body = {
        **result.to_json(),
        **(more or {}),
        "comparison": comparison,
        "expectations": [outcome.to_json() for outcome in outcomes],
    }
    record = audit.append(
        ending.state_dir,
        action="eval",
        inputs=dict(inputs),
        outputs=_recorded(body),
        env=environment(None),
        metric_version=METRIC_VERSION,
    )
    leaked = _leaked(result)
    text = json.dumps({"schema": SCHEMA, **body}, allow_nan=False, indent=1) + "\n"
    files = {file: text, file.with_suffix(".md"): markdown(body)}
    if ending.junit is not None:
        files[ending.junit] = _junit(result, outcomes, leaked, faults)
    _write(files, record)
    if ending.as_json:
        named = {"report": str(file), "markdown": str(file.with_suffix(".md"))}
        place = {"seq": record.seq, "hash": record.hash}
        print_json(SCHEMA, {**body, "files": named, "audit": place})
    else:
        print_lines(*lines(body), f"report: {shown(file.with_suffix('.md'))}")
    return _judged(outcomes, leaked, faults)


def _write(files: Mapping[Path, str], record: audit.Record) -> None:
    """Write the reports; when that fails, say where the figures stand all the same."""
    try:
        for path, text in files.items():
            make_folder(path.parent)
            write_text(path, text)
    except GnomonError as error:
        error.add_note(f"the figures themselves are recorded: gnomon audit show {record.seq}")
        raise


def _judged(outcomes: Sequence[Outcome], leaked: Sequence[str], faults: Sequence[str]) -> int:
    unmet = [outcome for outcome in outcomes if not outcome.met]
    for outcome in unmet:
        print_error(str(outcome), label="not met: ")
    if leaked:
        print_error(
            f"chunks from outside their scope were given to {counted(len(leaked), 'record')}; "
            "please report this with the index's manifest"
        )
    for fault in faults:
        print_error(fault)
    if leaked or faults:
        return REFUSED
    return EXPECTATION if unmet else DONE


def _comparison(
    result: EvaluationResult, baseline: Baseline | None, file: Path, no_baseline: str
) -> dict[str, Any]:
    if baseline is not None:
        return comparison_json(result, baseline)
    try:
        return comparison_json(result, read_baseline(file))
    except MissingInputError:
        return no_comparison(None, no_baseline)
    except GnomonError as error:
        return no_comparison(shown(file), str(error))


def _leaked(result: EvaluationResult) -> tuple[str, ...]:
    values = result.values(CONTAINMENT)
    return tuple(record for record, value in values.items() if value < 1.0)


def _junit(
    result: EvaluationResult,
    outcomes: Sequence[Outcome],
    leaked: Sequence[str],
    faults: Sequence[str],
) -> str:
    cases: list[dict[str, Any]] = [
        {
            "name": outcome.expectation.text,
            "failure": None if outcome.met else str(outcome),
            "records": outcome.records,
        }
        for outcome in outcomes
    ]
    leak = f"chunks from outside their scope were given to {counted(len(leaked), 'record')}"
    if any(measure.name == CONTAINMENT for measure in result.measures):
        cases.append(
            {"name": "scope containment", "failure": leak if leaked else None, "records": leaked}
        )
    cases += [{"name": fault, "failure": fault, "records": ()} for fault in faults]
    setup = result.setup
    hashes = {"index": str(setup.index["hash"]), "golden": setup.golden_hash}
    return junit_xml(setup.name, cases, hashes)


def _recorded(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the trail keeps: figures, no record by name and no label."""
    comparison = body["comparison"]
    differences = comparison["differences"]
    return {
        "n_records": body["n_records"],
        "figures": body["figures"],
        "comparison": {
            "comparable": comparison["comparable"],
            "index_hash": comparison["index_hash"],
            "differences": None
            if differences is None
            else {
                name: {key: value for key, value in one.items() if key not in {"better", "worse"}}
                for name, one in differences.items()
            },
        },
        "expectations": [
            {key: value for key, value in one.items() if key != "records"}
            for one in body["expectations"]
        ],
    }
