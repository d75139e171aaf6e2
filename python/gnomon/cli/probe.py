"""``gnomon probe``: what is kept, what is gained, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import click

from gnomon import audit
from gnomon.cli._environment import environment
from gnomon.cli._options import json_option, place_type, quiet_option, state_dir_option
from gnomon.cli._output import only_results_on_stdout, print_json, print_lines, print_note
from gnomon.cli._probe_options import (
    common_options,
    files_from,
    input_options,
    measure_options,
    settings_from,
)
from gnomon.cli._progress import progress_shown
from gnomon.errors import ExpectationError, GnomonError, UsageError
from gnomon.probe.gather import gather
from gnomon.probe.recording import ACTION, METRIC_VERSION, recorded_inputs
from gnomon.probe.result import SCHEMA, ProbeResult
from gnomon.probe.workflow import run_probe
from gnomon.report.probe_text import probe_lines
from gnomon.report.writing import check_report_path, write_probe_report
from gnomon.rules.upgrade import Decision

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gnomon.probe.files import ProbeFiles
    from gnomon.probe.settings import ProbeSettings


@click.command(name="probe")
@input_options
@measure_options
@common_options
@click.option(
    "--expect",
    metavar="DECISION[,DECISION]",
    help="Exit with 4 unless the decision is one of these.",
)
@click.option(
    "--report",
    "reports",
    type=place_type,
    multiple=True,
    metavar="FILE",
    help="Write a report, .html or .md; may be repeated.",
)
@state_dir_option
@json_option
@quiet_option
def command(
    expect: str | None,
    reports: tuple[Path, ...],
    state_dir: Path,
    as_json: bool,
    quiet: bool,
    **flags: Any,
) -> None:
    """Decide what to do with an index when the embedding model changes.

    Measures the old model, the new one and the bridges between them on this corpus, decides, and
    writes the decision to the audit trail before it is printed. Reads only; nothing is sent.
    """  # fmt: skip
    settings = settings_from(flags)
    expected = expected_decisions(expect)
    for path in reports:
        check_report_path(path)
    files = files_from(flags)
    audit.check_appendable(state_dir)
    result, record = probe_and_record(files, settings, state_dir=state_dir, quiet=quiet)
    for path in reports:
        write_report(path, result, record)
    show(result, record, as_json=as_json)
    require(result, expected)


def probe_and_record(
    files: ProbeFiles, settings: ProbeSettings, *, state_dir: Path, quiet: bool
) -> tuple[ProbeResult, audit.Record]:
    """Run a probe and write its record; nothing of the decision is shown before that."""
    with only_results_on_stdout(), progress_shown("measuring", quiet=quiet) as progress:
        gathered = gather(files)
        run = run_probe(gathered.inputs, settings, progress=progress)
    for adapter in run.adapters:
        audit.store_blob(state_dir, adapter.canonical_bytes)
    profiles = {"old": gathered.inputs.old_profile, "new": gathered.inputs.new_profile}
    record = audit.append(
        state_dir,
        action=ACTION,
        inputs=recorded_inputs(files, gathered.fingerprints, settings, profiles, state_dir),
        outputs=run.result.to_json(),
        env=environment(settings.threads),
        metric_version=METRIC_VERSION,
    )
    return run.result, record


def write_report(path: Path, result: ProbeResult, record: audit.Record) -> None:
    """Write a report and name it; when that fails, say where the decision stands all the same."""
    try:
        write_probe_report(path, result, record)
    except GnomonError as error:
        error.add_note(f"the decision itself is recorded: gnomon audit show {record.seq}")
        raise
    print_note(f"report: {path}")


def show(result: ProbeResult, record: audit.Record, *, as_json: bool) -> None:
    """Print the result, as one JSON object or as text."""
    if as_json:
        place = {"audit": {"seq": record.seq, "hash": record.hash}}
        print_json(SCHEMA, result.to_json() | place)
        return
    print_lines(*probe_lines(result, record))


def expected_decisions(expect: str | None) -> Sequence[str]:
    """Return the decisions of ``--expect``, each a known one.

    Raises
    ------
    UsageError
        A name is not a decision.
    """
    if expect is None:
        return ()
    names = [name.strip() for name in expect.split(",")]
    for name in names:
        if name not in get_args(Decision):
            raise UsageError(
                f"--expect names {name!r}; the decisions are {', '.join(get_args(Decision))}"
            )
    return names


def require(result: ProbeResult, expected: Sequence[str]) -> None:
    """Refuse a decision that the command line did not expect."""
    if expected and result.verdict.decision not in expected:
        raise ExpectationError(
            f"the decision is {result.verdict.decision}; --expect asked for {' or '.join(expected)}"
        )
