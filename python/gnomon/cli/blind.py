"""``gnomon blind``: a check by a person, with rules fixed before anybody looks."""

from __future__ import annotations

import importlib
import secrets
from typing import TYPE_CHECKING, Any

import click

from gnomon import audit
from gnomon.blind import draw as drawing
from gnomon.blind import plan as planning
from gnomon.blind.arranging import SECRET_BYTES, seeded_secret
from gnomon.blind.key import KEY_FILE
from gnomon.blind.places import check_folder_free, refuse_in_repository
from gnomon.blind.plan import Plan
from gnomon.blind.rules_file import read_rules, rules_json
from gnomon.blind.sheet import SHEET_CSV, SHEET_JSONL
from gnomon.blind.trail import DRAW, read_trail
from gnomon.cli._environment import environment
from gnomon.cli._options import json_option, place_type, quiet_option, state_dir_option
from gnomon.cli._output import (
    only_results_on_stdout,
    print_error,
    print_json,
    print_lines,
    print_note,
)
from gnomon.cli._progress import progress_shown
from gnomon.cli.exit_codes import DONE, USAGE
from gnomon.errors import MismatchError
from gnomon.report.blind_markdown import plan_lines
from gnomon.rules.blind import FIXED_RULES
from gnomon.rules.blind_values import Rules
from gnomon.sources.escape import by_number, counted
from gnomon.sources.files import shown

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.audit import Record

DRAW_SCHEMA = "gnomon.blind.draw/1"
# Imported when they run: the judge's page needs packages of an extra.
_ELSEWHERE = {
    "judge": "gnomon.cli.blind_judge:command",
    "score": "gnomon.cli._blind_score:score_command",
    "purge": "gnomon.cli._blind_purge:purge_command",
    "contested": "gnomon.cli._blind_contested:contested_command",
}
_ORDER = ("plan", "draw", "judge", "score", "purge", "contested")

allow_in_repo_option = click.option(
    "--allow-in-repo", is_flag=True, help="Take files inside a Git work tree."
)
same_rules_option = click.option(
    "--rules", "rules_file", type=place_type, metavar="FILE",
    help="Refuse unless this file still holds the rules of the plan.",
)  # fmt: skip


class _Group(click.Group):
    """A group some of whose commands are imported when they run."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        """Return the commands in the order in which a check goes."""
        return list(_ORDER)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command, importing it if it lives elsewhere."""
        where = _ELSEWHERE.get(cmd_name)
        if where is None:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = where.partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command


@click.group(name="blind", cls=_Group)
def command() -> None:
    """Have a person check a choice, under rules that are fixed before anybody looks.

    Two systems produced two readings of the same spot and something chose between them. Is the
    choice right often enough, and more often than the better single system? A plan comes before a
    draw, a draw before a score; every step is recorded.
    """


@command.command("plan")
@click.option(
    "--rules", "rules_file", type=place_type, metavar="FILE",
    help="Rules as TOML; what it leaves out is as by default.",
)  # fmt: skip
@click.option("--yes", is_flag=True, help="I have read the rules; fix them.")
@state_dir_option
@json_option
def plan_command(*, rules_file: Path | None, yes: bool, state_dir: Path, as_json: bool) -> int:
    """Show all rules of a check and, with --yes, fix them.

    They are fixed by a record in the audit trail, which a draw and a score look up. Without --yes
    nothing is fixed and the exit code is 2. The same rules are the same plan: fixing them again
    changes nothing.
    """
    plan = Plan(Rules() if rules_file is None else read_rules(rules_file))
    record: Record | None = None
    seq = None
    if yes:
        audit.check_appendable(state_dir)
        known = read_trail(state_dir).plans.get(plan.hash)
        seq = None if known is None else known.seq
        if known is None:
            record = audit.append(
                state_dir,
                action=planning.ACTION,
                inputs={},
                outputs={"plan": plan.hash, "rules": rules_json(plan.rules)},
                env=environment(None),
            )
            seq = record.seq
    _show_plan(plan, seq, new=record is not None, as_json=as_json)
    if not yes:
        print_error("nothing is fixed yet: read the rules, then run the same command with --yes")
        return USAGE
    return DONE


@command.command("draw")
@click.argument("contested", type=place_type, metavar="CONTESTED")
@click.option("--plan", "plan_name", required=True, metavar="ID", help="The plan, as it was shown.")
@click.option(
    "--out", required=True, type=place_type, metavar="DIR",
    help="Folder for sheet and key: new, or empty with mode 0700.",
)  # fmt: skip
@same_rules_option
@click.option(
    "--allow-named", is_flag=True, help="Draw although readings name a system; counted apart."
)
@click.option(
    "--key-seed", type=click.IntRange(0, 2**53 - 1), metavar="N",
    help="For tests only: sides that everybody can compute. Recorded; the check is not blind.",
)  # fmt: skip
@allow_in_repo_option
@state_dir_option
@json_option
@quiet_option
def draw_command(
    *,
    contested: Path,
    plan_name: str,
    out: Path,
    rules_file: Path | None,
    allow_named: bool,
    key_seed: int | None,
    allow_in_repo: bool,
    state_dir: Path,
    as_json: bool,
    quiet: bool,
) -> int:
    """Draw the sample from CONTESTED and write sheet and key.

    The sample follows from the plan and the file alone; which reading stands on which side follows
    from 32 random bytes that only the key holds. Fill sheet.csv or sheet.jsonl, by hand or with
    gnomon blind judge, and leave the key shut until it is filled.
    """
    refuse_in_repository([contested, out], allow=allow_in_repo)
    check_folder_free(out)
    audit.check_appendable(state_dir)
    plan = read_trail(state_dir).plan(plan_name)
    _check_rules(rules_file, plan)
    secret = secrets.token_bytes(SECRET_BYTES) if key_seed is None else seeded_secret(key_seed)
    with only_results_on_stdout(), progress_shown("reading", quiet=quiet) as progress:
        drawn = drawing.draw(
            contested,
            plan,
            out,
            secret=secret,
            key_seed=key_seed,
            allow_named=allow_named,
            progress=progress,
        )
    outputs = drawn.outputs()
    try:
        entry = audit.file_entry(
            contested, state_dir, sha256=drawn.file.sha256, size=drawn.file.size,
            rows=drawn.file.rows,
        )  # fmt: skip
        record = audit.append(
            state_dir,
            action=DRAW,
            inputs={"plan": plan.hash, "plan_seq": plan.seq, "files": {"contested": entry}},
            outputs=outputs,
            env=environment(None),
        )
    except BaseException:
        drawing.discard(out, folder_too=True)
        raise
    for note in _notes(drawn, out):
        print_note(note)
    place_of = {"audit": {"seq": record.seq, "hash": record.hash}}
    if as_json:
        files = {name: str(out / name) for name in drawing.FILES if (out / name).exists()}
        lines = {"unplaced_lines": drawn.counts.first_unplaced}
        print_json(DRAW_SCHEMA, {**outputs, "files": files, **lines, **place_of})
    else:
        print_lines(*_draw_lines(drawn, plan, out), f"audit record: {record.seq}")
    return DONE


def _show_plan(plan: Plan, seq: int | None, *, new: bool, as_json: bool) -> None:
    if as_json:
        body: dict[str, Any] = {
            "plan": plan.id,
            "plan_hash": plan.hash,
            "fixed": seq is not None,
            "new": new,
            "seq": seq,
            "rules": rules_json(plan.rules),
            "fixed_rules": dict(FIXED_RULES),
        }
        print_json(planning.SCHEMA, body)
        return
    lines = plan_lines(plan.id, rules_json(plan.rules), FIXED_RULES)
    if seq is not None:
        lines.append(f"fixed: record {seq}{'' if new else ', before'}")
    print_lines(*lines)


def _check_rules(rules_file: Path | None, plan: Plan) -> None:
    if rules_file is None:
        return
    given = Plan(read_rules(rules_file))
    if given.hash != plan.hash:
        raise MismatchError(
            f"{shown(rules_file)}: its rules are those of {given.id}, and --plan names {plan.id}; "
            "rules may not change after the plan: fix them as a plan of their own"
        )


def _notes(drawn: drawing.Drawn, out: Path) -> list[str]:
    counts, sampled = drawn.counts, drawn.outputs()["sampled"]
    notes = []
    if drawn.key.key_seed is not None:
        notes.append("the sides come from --key-seed: everybody can compute them, nothing is blind")
    if sampled < drawn.wanted:
        notes.append(
            f"the plan asks for {counted(drawn.wanted, 'spot')}; "
            f"{by_number(sampled, 'the only one is', f'all {sampled} available are')} drawn"
        )
    if counts.unplaced:
        lines = ", ".join(str(line) for line in counts.first_unplaced)
        more = " and more" if counts.unplaced > len(counts.first_unplaced) else ""
        notes.append(
            f"not drawn, with neither time nor left context: {counts.unplaced} (lines {lines}"
            f"{more}; all of them in {shown(out / drawing.UNPLACED_FILE)})"
        )
    if counts.named:
        notes.append(f"readings that name a system: {'; '.join(counts.named_lines())}")
    if counts.changed == 0 or counts.kept == 0:
        only = "base" if counts.changed == 0 else "alt"
        notes.append(
            f"every choice in the file is {only}: it is never right more often than {only} alone, "
            "so condition 2 cannot hold"
        )
    return notes


def _draw_lines(drawn: drawing.Drawn, plan: Plan, out: Path) -> list[str]:
    outputs = drawn.outputs()
    rows = "" if outputs["rows"] == outputs["sampled"] else f" on {counted(outputs['rows'], 'row')}"
    return [
        f"draw: {outputs['draw']}",
        f"plan: {plan.id}",
        f"sampled: {outputs['sampled']} of {counted(drawn.counts.available, 'spot')}{rows}",
        f"sheet: {shown(out / SHEET_CSV)}, {shown(out / SHEET_JSONL)}",
        f"key: {shown(out / KEY_FILE)} (leave it shut until the sheet is filled)",
    ]
