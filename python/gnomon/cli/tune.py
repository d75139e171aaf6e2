"""``gnomon tune``: sweep MMR_LAMBDA and GATE_K over the golden set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gnomon import audit
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
from gnomon.cli._output import (
    only_results_on_stdout,
    print_error,
    print_json,
    print_lines,
    print_note,
)
from gnomon.cli._progress import progress_shown
from gnomon.cli._targets import check_file_name, check_targets
from gnomon.cli.exit_codes import DONE, REFUSED
from gnomon.errors import UsageError
from gnomon.evaluation.tuning import Options, tune
from gnomon.evaluation.tuning_recording import (
    METRIC_VERSION,
    TUNE,
    TuningFiles,
    recorded_inputs,
    recorded_outputs,
)
from gnomon.evaluation.tuning_result import NARROWED, SCHEMA
from gnomon.golden.levels import LEVELS, pool_suffix
from gnomon.golden.lint import check_golden
from gnomon.report.tuning_markdown import refusals_line, tuning_lines, tuning_markdown
from gnomon.retrieval.index import Index
from gnomon.retrieval.levers import LEVERS, shadowing_variables
from gnomon.retrieval.opening import check_uri
from gnomon.retrieval.tuning_file import write_tuning
from gnomon.rules.tuning import DEFAULT_COUNTS, DEFAULT_LAMBDAS, parse_counts, parse_lambdas
from gnomon.sources.atomic import make_folder, write_text
from gnomon.sources.files import shown

if TYPE_CHECKING:
    from gnomon.evaluation.tuning_result import TuningResult


@click.command(name="tune")
@click.argument("index_dir", required=False, type=place_type, metavar="[INDEX]")
@click.option("--golden", type=place_type, metavar="FILE", help="The golden set.")
@click.option(
    "--lambda",
    "lambdas",
    metavar="AXIS",
    help=f"MMR_LAMBDA: lo:hi:step, or one number to pin it. [default: {DEFAULT_LAMBDAS}]",
)
@click.option(
    "--k",
    "counts",
    metavar="AXIS",
    help=f"GATE_K: lo:hi:step, or one number to pin it. [default: {DEFAULT_COUNTS}]",
)
@click.option("--level", type=click.Choice(LEVELS), help="Records up to this level, report only.")
@click.option("--limit", type=limit_type, metavar="N", help="First N, report only.")
@click.option("--dry", is_flag=True, help="Write the report and no tuning.json.")
@click.option("--out", type=place_type, metavar="FILE", help="tuning.json.")
@question_embedder_option
@seed_option
@state_dir_option
@json_option
@quiet_option
def command(
    index_dir: Path | None,
    golden: Path | None,
    lambdas: str | None,
    counts: str | None,
    level: str | None,
    limit: int | None,
    dry: bool,
    out: Path | None,
    embedder: str | None,
    seed: int,
    state_dir: Path,
    as_json: bool,
    quiet: bool,
) -> int:
    """Measure every pair of MMR lambda and k on the golden set, and keep the best.

    Every record is embedded and looked up once; then all cells are ranked and scored. The best cell
    goes to tuning.json, which `gnomon index` inlines; the report beside it says what the search is
    worth on records that had no say in it. A narrowed pool is for looking: report only.
    """  # fmt: skip
    options = Options(lambdas, counts, level, limit, seed)
    _check(options, embedder)
    settings = configured()
    place = index_dir or Path(settings.value("index"))
    files = TuningFiles(place, golden or Path(settings.value("golden")))
    target = out or Path(settings.value("tuning"))
    check_file_name("--out", target)
    suffix = pool_suffix(level, limit)
    report = target.with_name(f"{target.stem}{suffix}.report.md")
    check_targets({"--out": target, "the report of --out": report}, (place, files.golden))
    audit.check_appendable(state_dir)
    if suffix:
        print_note(NARROWED)
    with only_results_on_stdout(), progress_shown("records", quiet=quiet) as progress:
        index = Index.open(place, verify=True)
        records = check_golden(files.golden, index_facts(index))
        with question_embedding(index, place, embedder, settings) as embed:
            result = tune(index, records, embed, options, progress)
        entries = files.entries(index, state_dir)
    body = result.to_json()
    record = audit.append(
        state_dir,
        action=TUNE,
        inputs=recorded_inputs(entries, index, options),
        outputs=recorded_outputs(body),
        env=environment(None),
        metric_version=METRIC_VERSION,
    )
    make_folder(report.parent)
    write_text(report, tuning_markdown(body))
    written = result.writable and not dry
    if written:
        write_tuning(target, result.file_body())
    if as_json:
        paths = {"out": str(target) if written else None, "report": str(report), "dry": dry}
        print_json(SCHEMA, {**body, **paths, "audit": {"seq": record.seq, "hash": record.hash}})
    else:
        print_lines(*tuning_lines(body), *_ending(result, target, report, dry=dry))
    return _judged(result, body)


def _check(options: Options, embedder: str | None) -> None:
    """Refuse what no index could make right, before any work starts."""
    shadowing = shadowing_variables()
    if shadowing:
        are, them = ("is", "it") if len(shadowing) == 1 else ("are", "them")
        raise UsageError(
            f"{' and '.join(shadowing)} {are} set, so every cell would measure the same "
            f"retrieval; unset {them} and run again"
        )
    if options.lambdas is not None:
        parse_lambdas(options.lambdas)
    if options.counts is not None:
        parse_counts(options.counts, int(LEVERS["FUSED"].high))
    if embedder is not None:
        check_uri(embedder)


def _judged(result: TuningResult, body: dict[str, Any]) -> int:
    if result.narrowed:
        print_note(NARROWED)
    if result.refusals_differ:
        print_error(refusals_line(body), label="failed: ")
        return REFUSED
    return DONE


def _ending(result: TuningResult, target: Path, report: Path, *, dry: bool) -> list[str]:
    lines = [f"report: {shown(report)}"]
    if result.narrowed:
        return lines  # the line about it ends the run
    if dry and result.writable:
        return [*lines, f"not written, as --dry says; {shown(target)} is as it was"]
    if not result.writable:
        return [*lines, f"not written; {shown(target)} is as it was"]
    return [*lines, f"written: {shown(target)}; run gnomon index to serve it"]
