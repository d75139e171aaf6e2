"""``gnomon replay``: run a recorded decision again and compare."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from gnomon import audit
from gnomon.audit import (
    Record,
    ReplayResult,
    Rerun,
    compare_inputs,
    compare_outputs,
    not_replayable,
)
from gnomon.blind import replay as blind_replay
from gnomon.calibration import replay as calibration_replay
from gnomon.cli._configured import configured
from gnomon.cli._embedding import kept_embedding
from gnomon.cli._options import json_option, place_type, quiet_option, state_dir_option
from gnomon.cli._output import only_results_on_stdout, print_json, print_lines
from gnomon.cli._probe_options import given_option, given_paths
from gnomon.cli._progress import progress_shown
from gnomon.cli.exit_codes import BY_REPLAY_VERDICT
from gnomon.errors import GnomonError, MissingInputError, UsageError
from gnomon.evaluation import tuning_replay
from gnomon.probe import replay as probe_replay
from gnomon.probe.result import REFIT_FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gnomon.types import Progress

SCHEMA = "gnomon.replay/1"
MOST_CHANGES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Workflow:
    """How an action is run again.

    Attributes
    ----------
    rerun
        Runs it; raises when an input is gone or the record is none that the action writes.
    files_now
        Role -> path, size and hash of its files as they are now, when running it fails.
    refit_fields
        Figures that come from other fits and do not count.
    """

    rerun: Callable[[Record, Again], Rerun]
    files_now: Callable[..., dict[str, Any]]
    refit_fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Again:
    """What the command line says about a replay."""

    state_dir: Path
    root: Path | None
    given: dict[str, Path]
    refit: bool
    threads: int | None
    progress: Progress


def _rerun_probe(record: Record, again: Again) -> Rerun:
    return probe_replay.rerun(
        record,
        again.state_dir,
        root=again.root,
        given=again.given,
        refit=again.refit,
        threads=again.threads,
        progress=again.progress,
    )


def _rerun_score(record: Record, again: Again) -> Rerun:
    return blind_replay.rerun(record, again.state_dir, root=again.root, given=again.given)


def _on_an_index(rerun: Callable[..., Rerun]) -> Callable[[Record, Again], Rerun]:
    """Return how a workflow is run again that asks questions of an index: with kept vectors."""

    def run(record: Record, again: Again) -> Rerun:
        return rerun(
            record,
            again.state_dir,
            embedding=partial(kept_embedding, settings=configured(), ask=again.refit),
            root=again.root,
            given=again.given,
            threads=again.threads,
            progress=again.progress,
        )

    return run


_CALIBRATION = Workflow(_on_an_index(calibration_replay.rerun), calibration_replay.files_now)
# Every action that can be run again.
WORKFLOWS = {
    "probe": Workflow(_rerun_probe, probe_replay.files_now, REFIT_FIELDS),
    "calibrate": _CALIBRATION,
    "calibrate.transfer": _CALIBRATION,
    "tune": Workflow(_on_an_index(tuning_replay.rerun), tuning_replay.files_now),
    "blind.score": Workflow(_rerun_score, blind_replay.files_now),
}


@click.command(name="replay")
@click.argument("seq", type=click.IntRange(min=1))
@given_option
@click.option(
    "--root",
    type=place_type,
    metavar="DIR",
    help="For a trail from elsewhere: read only files below DIR.",
)
@click.option(
    "--refit",
    is_flag=True,
    help="Fit every adapter anew and measure all, ask endpoints for what was not kept; expects a "
    "match, not equality.",
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
        result = _replayed(record, Again(state_dir, root, paths, refit, threads, progress))
    if as_json:
        print_json(SCHEMA, _as_json(seq, record, result))
    else:
        print_lines(*_lines(seq, record, result))
    return BY_REPLAY_VERDICT[result.verdict]


def _replayed(record: Record, how: Again) -> ReplayResult:
    workflow = WORKFLOWS.get(record.action)
    if workflow is None:
        return not_replayable(f"record {record.seq} ({record.action}) decides nothing")
    files = {"files": record.inputs.get("files", {})}
    try:
        again = workflow.rerun(record, how)
    except MissingInputError as error:
        return not_replayable(str(error))
    except UsageError:
        raise
    except GnomonError as error:
        now = workflow.files_now(record, how.state_dir, root=how.root, given=how.given)
        changed = compare_inputs(files, {"files": now})
        if not changed:
            raise
        return ReplayResult(
            "input_changed",
            f"the fingerprint differs of {', '.join(changed)}, and nothing is decided on it: "
            f"{error}",
            changed_inputs=changed,
        )
    return compare_outputs(
        record.outputs,
        again.outputs,
        workflow.refit_fields,
        left_out=again.left_out,
        changed_inputs=compare_inputs(files, {"files": again.files}),
    )


def _as_json(seq: int, record: Record, result: ReplayResult) -> dict[str, Any]:
    workflow = WORKFLOWS.get(record.action)
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
        "refit_fields": list(workflow.refit_fields) if workflow else [],
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
