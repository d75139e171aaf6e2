"""``gnomon calibrate``: measure the window and the thresholds of the gate."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gnomon import audit
from gnomon.calibration.raw_cache import EVIDENCE_FILE
from gnomon.calibration.recording import (
    CALIBRATE,
    METRIC_VERSION,
    CalibrationFiles,
    recorded_inputs,
    recorded_outputs,
)
from gnomon.calibration.result import SCHEMA, CalibrationResult
from gnomon.calibration.workflow import Options, calibrate
from gnomon.cli._configured import configured
from gnomon.cli._embedding import question_embedding
from gnomon.cli._environment import environment
from gnomon.cli._index_facts import index_facts
from gnomon.cli._options import (
    json_option,
    limit_type,
    place_type,
    question_embedder_option,
    quiet_option,
    seed_option,
    state_dir_option,
)
from gnomon.cli._output import only_results_on_stdout, print_error, print_json, print_lines
from gnomon.cli._progress import progress_shown
from gnomon.cli._targets import check_file_name, check_targets
from gnomon.cli._transfer import Carried, carry_over_and_write
from gnomon.cli.exit_codes import DONE, REFUSED
from gnomon.errors import UsageError
from gnomon.golden.lint import check_probes
from gnomon.report.calibration_markdown import calibration_lines, calibration_markdown
from gnomon.retrieval.calibration_file import write_calibration
from gnomon.retrieval.index import Index
from gnomon.retrieval.opening import check_uri
from gnomon.sources.atomic import make_folder, write_text
from gnomon.sources.files import shown
from gnomon.sources.fingerprint import fingerprint

if TYPE_CHECKING:
    from gnomon.rules.gate_transfer import Anchors


@click.command(name="calibrate")
@click.argument("index_dir", required=False, type=place_type, metavar="[INDEX]")
@click.option("--probes", type=place_type, metavar="FILE", help="The probe set.")
@click.option("--out", type=place_type, metavar="FILE", help="calibration.json.")
@click.option("--report", type=place_type, metavar="FILE", help="Markdown report.")
@question_embedder_option
@seed_option
@click.option("--strict", is_flag=True, help="Hold the bounds on probes that had no say.")
@click.option("--sweep-only", is_flag=True, help="Search again on kept evidence, embed nothing.")
@click.option("--refresh", is_flag=True, help="Ignore kept evidence.")
@click.option("--limit", type=limit_type, metavar="N", help="First N probes, no file.")
@click.option(
    "--transfer",
    "source",
    type=place_type,
    metavar="FILE",
    help="Carry this calibration's thresholds to the index's embedder. "
    "[default of --out: calibration.<index name>.json]",
)
@click.option(
    "--anchors",
    type=click.Choice(["bounded", "full"]),
    help="With --transfer: ask as few probes as can keep the bounds, or all. [default: bounded]",
)
@state_dir_option
@json_option
@quiet_option
def command(
    index_dir: Path | None,
    probes: Path | None,
    out: Path | None,
    report: Path | None,
    embedder: str | None,
    seed: int,
    strict: bool,
    sweep_only: bool,
    refresh: bool,
    limit: int | None,
    source: Path | None,
    anchors: Anchors | None,
    state_dir: Path,
    as_json: bool,
    quiet: bool,
) -> int:
    """Measure from what score the gate of an index may let a question pass.

    Every probe of the set is looked up in the index; then 612 windows and 101 thresholds are
    compared on what was found. The thresholds are written only when every bound holds; otherwise
    the old file stays as it is, the reasons are named, and the exit code is 3. Run `gnomon index`
    afterwards: it inlines the file.

    With --transfer only the window is measured, on a part of the probes, and the thresholds of
    another embedder's calibration of the same pages are kept: a bounded bet, marked as such.
    """  # fmt: skip
    if sweep_only and refresh:
        raise UsageError("--sweep-only needs the kept evidence that --refresh ignores; keep one")
    _check_transfer_flags(source, anchors, report, strict=strict, limit=limit)
    settings = configured()
    place = index_dir or Path(settings.value("index"))
    probe_file = probes or Path(settings.value("probes"))
    own = "calibration.json" if source is None else f"calibration.{place.name}.json"
    target = out or probe_file.parent / own
    check_file_name("--out", target)
    report_file = report or target.with_suffix(".report.md")
    if embedder is not None:
        check_uri(embedder)
    written = (
        {"--out": target} if source is not None else {"--out": target, "--report": report_file}
    )
    check_targets(written, (place, probe_file) if source is None else (place, probe_file, source))
    audit.check_appendable(state_dir)
    if source is not None:
        return carry_over_and_write(
            Carried(place, probe_file, source, target, anchors or "bounded", seed, state_dir),
            lambda index: question_embedding(index, place, embedder, settings),
            as_json=as_json,
            quiet=quiet,
        )
    options = Options(seed, strict, sweep_only, refresh, limit)
    with only_results_on_stdout(), progress_shown("probes", quiet=quiet) as progress:
        index = Index.open(place, verify=True)
        asked = check_probes(probe_file, index_facts(index))
        embedding = question_embedding(index, place, embedder, settings)
        with nullcontext() if sweep_only else embedding as embed:
            result = calibrate(
                index,
                asked,
                embed,
                state_dir / EVIDENCE_FILE,
                options,
                progress,
                probes_hash=fingerprint(probe_file).sha256,
            )
        entries = CalibrationFiles(place, probe_file).entries(index, state_dir)
    body = result.to_json()
    record = audit.append(
        state_dir,
        action=CALIBRATE,
        inputs=recorded_inputs(entries, index, index.manifest.guard, options.to_json()),
        outputs=recorded_outputs(body),
        env=environment(None),
        metric_version=METRIC_VERSION,
    )
    make_folder(report_file.parent)
    write_text(report_file, calibration_markdown(body))
    if result.written:
        write_calibration(target, result.file_body())
    place_of = {"audit": {"seq": record.seq, "hash": record.hash}}
    files = {"out": str(target) if result.written else None, "report": str(report_file)}
    if as_json:
        print_json(SCHEMA, {**body, **files, **place_of})
    else:
        print_lines(*calibration_lines(body), *_ending(result, target, report_file))
    for failure in result.measured.failures:
        print_error(f"{failure.code}: {failure.message}", label="failed: ")
    return REFUSED if result.measured.failures else DONE


def _check_transfer_flags(
    source: Path | None,
    anchors: Anchors | None,
    report: Path | None,
    *,
    strict: bool,
    limit: int | None,
) -> None:
    if source is None and anchors is not None:
        raise UsageError("--anchors belongs to --transfer; name the calibration to carry over")
    if source is not None and report is not None:
        raise UsageError("--transfer writes no report; leave out --report")
    if source is not None and (strict or limit is not None):
        raise UsageError("--transfer measures no bounds; leave out --strict and --limit")


def _ending(result: CalibrationResult, target: Path, report: Path) -> list[str]:
    lines = [f"report: {shown(report)}"]
    if result.narrowed:
        return [*lines, "narrowed probe set: report only, no calibration is written"]
    if result.written:
        return [*lines, f"written: {shown(target)}; run gnomon index to serve it"]
    return [*lines, f"not written; {shown(target)} is as it was"]
