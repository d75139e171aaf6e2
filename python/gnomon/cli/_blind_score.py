"""``gnomon blind score``: aggregate numbers and a decision, recorded before they are shown."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import click

from gnomon import audit
from gnomon.blind.places import refuse_in_repository
from gnomon.blind.plan import Plan
from gnomon.blind.result import METRIC_VERSION, PARTIAL_SCHEMA, SCHEMA
from gnomon.blind.rules_file import read_rules
from gnomon.blind.score import check_first, count_verdicts, recorded_files, score
from gnomon.blind.trail import SCORE, read_trail
from gnomon.cli._configured import configured
from gnomon.cli._environment import environment
from gnomon.cli._options import json_option, place_type, state_dir_option
from gnomon.cli._output import print_json, print_lines
from gnomon.cli._targets import check_targets
from gnomon.cli.blind import allow_in_repo_option, same_rules_option
from gnomon.cli.exit_codes import DONE, REFUSED
from gnomon.errors import UsageError
from gnomon.report.blind_markdown import blind_lines, blind_markdown, partial_lines
from gnomon.sources.atomic import make_folder, write_text
from gnomon.sources.files import shown


@click.command(name="score")
@click.option("--sheet", required=True, type=place_type, metavar="S", help="The filled sheet.")
@click.option("--key", type=place_type, metavar="K", help="The key of its draw.")
@click.option(
    "--second", type=place_type, metavar="S",
    help="The same sheet filled by a second judge; informs, decides nothing.",
)  # fmt: skip
@click.option("--partial", is_flag=True, help="Count the verdicts so far; the key stays shut.")
@same_rules_option
@click.option(
    "--report", type=place_type, metavar="FILE",
    help="The note, as Markdown. [default: blind-check-DATE-DRAW.md in the folder of reports]",
)  # fmt: skip
@allow_in_repo_option
@state_dir_option
@json_option
def score_command(
    *,
    sheet: Path,
    key: Path | None,
    second: Path | None,
    partial: bool,
    rules_file: Path | None,
    report: Path | None,
    allow_in_repo: bool,
    state_dir: Path,
    as_json: bool,
) -> int:
    """Score a filled sheet: numbers and a decision.

    No reading, no context and no id comes out. The first score seals the sheet: other verdicts for
    its draw are refused from then on. A sheet on which the judge could never tell measures nothing
    and exits with 3. --partial counts the verdicts of a sheet that is not filled yet.
    """
    files = [path for path in (sheet, key, second) if path is not None]
    refuse_in_repository(files, allow=allow_in_repo)
    if partial:
        _check_partial(second, rules_file, report)
        counts = count_verdicts(sheet, read_trail(state_dir))
        if as_json:
            print_json(PARTIAL_SCHEMA, counts)
        else:
            print_lines(*partial_lines(counts))
        return DONE
    if key is None:
        raise UsageError("--key is missing: name the key of the draw, or count with --partial")
    if report is not None:
        check_targets({"--report": report}, _read_files(files, rules_file, state_dir))
    audit.check_appendable(state_dir)
    given = None if rules_file is None else Plan(read_rules(rules_file))
    scored = score(sheet, key, read_trail(state_dir), second=second, given=given)
    body = scored.to_json()
    today = dt.datetime.now(dt.UTC).date().isoformat()
    place = report or _default_report(today, scored.draw.draw)
    make_folder(place.parent)
    record = audit.append(
        state_dir,
        action=SCORE,
        inputs={
            "plan": scored.draw.plan,
            "draw_seq": scored.draw.seq,
            "files": recorded_files(sheet, key, second, state_dir),
        },
        outputs=body,
        env=environment(None),
        metric_version=METRIC_VERSION,
    )
    check_first(scored, sheet, second, read_trail(state_dir))
    write_text(place, blind_markdown(body, date=today))
    if as_json:
        place_of: dict[str, Any] = {"audit": {"seq": record.seq, "hash": record.hash}}
        print_json(SCHEMA, {"date": today, **body, "report": str(place), **place_of})
    else:
        print_lines(*blind_lines(body), f"report: {shown(place)}", f"audit record: {record.seq}")
    return REFUSED if body["decision"] == "not_measurable" else DONE


def _read_files(files: list[Path], rules_file: Path | None, state_dir: Path) -> list[Path]:
    trail = audit.trail_path(state_dir)
    return [*files, trail, *([] if rules_file is None else [rules_file])]


def _check_partial(second: Path | None, rules_file: Path | None, report: Path | None) -> None:
    if second is not None or rules_file is not None or report is not None:
        raise UsageError("--partial only counts verdicts; leave out --second, --rules and --report")


def _default_report(date: str, draw: str) -> Path:
    name = draw.removeprefix("draw-")[:8]
    return Path(configured().value("reports")) / f"blind-check-{date}-{name}.md"
