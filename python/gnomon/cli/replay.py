"""``gnomon replay``: run a recorded decision again and compare."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gnomon import audit
from gnomon.audit import Record, ReplayResult, compare_inputs, compare_outputs, not_replayable
from gnomon.cli._options import json_option, quiet_option, state_dir_option
from gnomon.cli._output import only_results_on_stdout, print_json, print_lines
from gnomon.cli._probe_options import given_option, given_paths
from gnomon.cli._progress import progress_shown
from gnomon.cli.exit_codes import BY_REPLAY_VERDICT
from gnomon.errors import GnomonError, MissingInputError, UsageError
from gnomon.probe import replay as probe_replay
from gnomon.probe.result import REFIT_FIELDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.types import Progress

SCHEMA = "gnomon.replay/1"
MOST_CHANGES_SHOWN = 10

# The workflow behind every action that can be run again, and its figures that come from other fits.
WORKFLOWS = {"probe": (probe_replay.rerun, REFIT_FIELDS)}


@click.command(name="replay")
@click.argument("seq", type=click.IntRange(min=1))
@given_option
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="For a trail from elsewhere: read only files below DIR.",
)
@click.option(
    "--refit",
    is_flag=True,
    help="Fit every adapter anew and measure all; expects a match, not equality.",
)
@click.option("--threads", type=click.IntRange(min=1), help="Threads of the kernels.")
@state_dir_option
@json_option
@quiet_option
def command(
    seq: int,
    given: Sequence[str],
    root: Path | None,
    refit: bool,
    threads: int | None,
    state_dir: Path,
    as_json: bool,
    quiet: bool,
) -> int:
    """Run record SEQ again on its recorded inputs and compare every figure.

    identical or matched: exit 0. input_changed or differed: exit 3. not_replayable: exit 2.
    """  # fmt: skip
    paths = given_paths(given)
    record = audit.read_record(state_dir, seq)
    with only_results_on_stdout(), progress_shown("replaying", quiet=quiet) as progress:
        result = _replayed(record, state_dir, paths, root, refit, threads, progress)
    if as_json:
        print_json(SCHEMA, _as_json(seq, record, result))
    else:
        print_lines(*_lines(seq, record, result))
    return BY_REPLAY_VERDICT[result.verdict]


def _replayed(
    record: Record,
    state_dir: Path,
    given: dict[str, Path],
    root: Path | None,
    refit: bool,
    threads: int | None,
    progress: Progress,
) -> ReplayResult:
    if record.action not in WORKFLOWS:
        return not_replayable(f"record {record.seq} is a {record.action}, which decides nothing")
    rerun, refit_fields = WORKFLOWS[record.action]
    try:
        again = rerun(
            record, state_dir, root=root, given=given, refit=refit, threads=threads,
            progress=progress,
        )  # fmt: skip
    except MissingInputError as error:
        return not_replayable(str(error))
    except UsageError:
        raise
    except GnomonError as error:
        now = probe_replay.files_now(record, state_dir, root=root, given=given)
        changed = compare_inputs({"files": record.inputs["files"]}, {"files": now})
        if not changed:
            raise
        return ReplayResult(
            "input_changed",
            f"the fingerprint differs of {', '.join(changed)}, and nothing is decided on it: "
            f"{error}",
            changed_inputs=changed,
        )
    changed = compare_inputs({"files": record.inputs["files"]}, {"files": again.files})
    return compare_outputs(
        record.outputs,
        again.outputs,
        refit_fields,
        left_out=again.left_out,
        changed_inputs=changed,
    )


def _as_json(seq: int, record: Record, result: ReplayResult) -> dict[str, Any]:
    return {
        "verdict": result.verdict,
        "reason": result.reason,
        "seq": seq,
        "action": record.action,
        "recorded_decision": record.decision,
        "decision": result.decision,
        "changed_inputs": list(result.changed_inputs),
        "changes": [
            {"field": change.field, "recorded": _plain(change.recorded),
             "rerun": _plain(change.rerun)}
            for change in result.changes
        ],
        "refit_changes": [change.field for change in result.refit_changes],
        "left_out": list(result.left_out),
        "refit_fields": list(WORKFLOWS[record.action][1]) if record.action in WORKFLOWS else [],
        "recorded_env": record.env,
    }  # fmt: skip


def _plain(value: Any) -> Any:
    return (
        value if isinstance(value, (int, float, str, bool, list, dict, type(None))) else str(value)
    )


def _lines(seq: int, record: Record, result: ReplayResult) -> list[str]:
    lines = [f"{result.verdict}: {result.reason}"]
    lines += [
        f"  {change.field}: {_plain(change.recorded)} recorded, {_plain(change.rerun)} now"
        for change in result.changes[:MOST_CHANGES_SHOWN]
    ]
    more = len(result.changes) - MOST_CHANGES_SHOWN
    if more > 0:
        lines.append(f"  and {more} more; --json lists them")
    if result.refit_changes:
        lines.append(
            f"{len(result.refit_changes)} figures from other fits moved; they do not count"
        )
    if result.left_out:
        lines.append(
            f"not measured again, since other fits stand behind it: {', '.join(result.left_out)}; "
            "--refit measures it"
        )
    lines.append(f"record {seq}: {record.action}, {record.ts}, {record.hash}")
    return lines
