"""``gnomon feedback``: votes from production, turned into candidates for a person to review."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gnomon.cli._configured import Configured, configured
from gnomon.cli._options import json_option, place_type, quiet_option
from gnomon.cli._output import only_results_on_stdout, print_json, print_lines, print_note
from gnomon.cli._progress import progress_shown
from gnomon.embedding.endpoint import Key
from gnomon.errors import MissingInputError, UsageError
from gnomon.feedback.candidates import (
    Merged,
    check_target,
    merge,
    read_candidates,
    write_candidates,
)
from gnomon.feedback.questions import gather
from gnomon.feedback.reading import (
    KEY_VARIABLE,
    Pages,
    check_address,
    is_address,
    read_file,
    read_pages,
)
from gnomon.feedback.summary import summarise
from gnomon.report.feedback_text import feedback_json, feedback_lines
from gnomon.sources.escape import counted
from gnomon.sources.files import shown

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator

    from gnomon.feedback.turns import Turn
    from gnomon.sources.config import Setting
    from gnomon.types import Progress

CANDIDATES = "candidates.jsonl"


@click.group(name="feedback")
def command() -> None:
    """Turn votes from production into candidates for a person to review.

    Nothing here writes to the probe set or the golden set: labels come from people.
    """


@command.command("pull")
@click.option(
    "--from",
    "named",
    metavar="FILE|URL",
    help="Exported feedback: JSON Lines, or an http(s) address of JSON pages.",
)
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="Leave out turns before this day (UTC).",
)
@click.option(
    "--max-pages",
    type=click.IntRange(1, 100_000),
    default=50,
    show_default=True,
    metavar="N",
    help="Read at most so many pages of an address.",
)
@click.option(
    "--out",
    type=place_type,
    metavar="FILE",
    help=f"File of candidates. [default: {CANDIDATES} beside the probes]",
)
@json_option
@quiet_option
def pull(
    named: str | None,
    since: dt.datetime | None,
    max_pages: int,
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Gather exported feedback by question, and suggest what each may become.

    The file of candidates gets a row for each distinct question, with its counts, the gate's
    numbers, a suggested stratum and `needs_review`. What a person changed in it stays; only the
    figures of such a row are brought up to date. Pulling the same export again changes nothing.
    """
    settings = configured()
    source = _source(named, settings)
    place = str(source.value)
    target = out or _candidates(settings)
    remote = is_address(place)
    if remote:
        check_address(place)
    labelled = [Path(settings.value(name)) for name in ("probes", "golden")]
    check_target(target, labelled, None if remote else place)
    read_candidates(target)  # what cannot be merged into is told before anything is asked for
    pages = Pages()
    with only_results_on_stdout(), progress_shown("pages", quiet=quiet or not remote) as progress:
        turns = _remote(source, max_pages, pages, progress) if remote else read_file(place)
        questions = gather(turns, since=None if since is None else since.date())
    merged = merge(read_candidates(target), questions, target)
    changed = write_candidates(target, merged.rows)
    if pages.left:
        print_note(f"stopped after {counted(pages.read, 'page')} (--max-pages) with more to come")
    turns_pulled = sum(one.figures.count() for one in questions.values())
    report = _report(merged, target, changed=changed) | {
        "turns": turns_pulled,
        "questions": len(questions),
        "pages": pages.read if remote else None,
        "pages_left": pages.left,
    }
    if as_json:
        print_json("gnomon.feedback.pull/1", report)
    else:
        print_lines(*_lines(report))


@command.command("report")
@click.argument("file", required=False, type=place_type)
@click.option(
    "--top",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="N",
    help="How many of the most down-voted questions to list.",
)
@json_option
def report_candidates(file: Path | None, top: int, as_json: bool) -> None:
    """Count a FILE of candidates: by suggestion, language and cause, and the most disliked.

    [default of FILE: candidates.jsonl beside the probes]
    """
    place = file or _candidates(configured())
    if not os.path.lexists(place):
        raise MissingInputError(
            f"{shown(place)}: there are no candidates; make them with: gnomon feedback pull --from "
            "FILE|URL"
        )
    summary = summarise(read_candidates(place), place, top=top)
    if as_json:
        print_json("gnomon.feedback.report/1", feedback_json(summary))
        return
    print_lines(*feedback_lines(summary))


def _source(named: str | None, settings: Configured) -> Setting:
    source = settings.setting("feedback.from", named)
    if source.value is None:
        raise UsageError(
            "no feedback is named; give an export with --from FILE|URL, or set feedback.from in "
            "gnomon.toml"
        )
    return source


def _remote(source: Setting, max_pages: int, pages: Pages, progress: Progress) -> Iterator[Turn]:
    value = os.environ.get(KEY_VARIABLE)
    if value and source.origin == "project file":
        print_note(
            f"{KEY_VARIABLE} is not sent: {source.where} of the project names the address. Name "
            "it yourself, with --from"
        )
    return read_pages(
        str(source.value),
        named_by=source.origin,
        key=Key(KEY_VARIABLE, value) if value else None,
        max_pages=max_pages,
        pages=pages,
        progress=progress,
    )


def _candidates(settings: Configured) -> Path:
    return Path(settings.value("probes")).parent / CANDIDATES


def _report(merged: Merged, target: Path, *, changed: bool) -> dict[str, Any]:
    return {
        "out": str(target),
        "changed": changed,
        "rows": len(merged.rows),
        "new": merged.new,
        "refreshed": merged.refreshed,
        "kept": merged.kept,
        "unmentioned": merged.unmentioned,
    }


def _lines(report: dict[str, Any]) -> list[str]:
    pages = "" if report["pages"] is None else f" on {counted(report['pages'], 'page')}"
    return [
        (
            f"pulled: {counted(report['turns'], 'turn')}{pages}, "
            f"{counted(report['questions'], 'question')}"
        ),
        (
            f"rows: {report['rows']}, {report['new']} new, {report['refreshed']} brought up to "
            f"date, {report['kept']} with a person's changes kept"
        ),
        f"{'candidates' if report['changed'] else 'unchanged'}: {report['out']}",
        "review every row: a vote is not a label; see gnomon feedback report",
    ]
