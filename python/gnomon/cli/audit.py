"""``gnomon audit``: look at the trail, check it, carry it elsewhere, mend a torn end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from gnomon import audit
from gnomon.audit.record import Record, installed_version
from gnomon.cli._options import json_option, place_type, state_dir_option
from gnomon.cli._output import print_json, print_lines, print_note
from gnomon.cli.exit_codes import DONE, REFUSED
from gnomon.errors import MissingInputError
from gnomon.sources.escape import by_number, counted

if TYPE_CHECKING:
    from pathlib import Path


@click.group(name="audit")
def command() -> None:
    """Look at the trail of decisions, check it, export it, mend a torn end.

    The trail is tamper-evident, not tamper-proof: it shows corruption, edits, deletions and
    reordering, and whoever can write the file can rewrite it as a whole. Keep the output of
    `gnomon audit head` elsewhere.
    """


@command.command("list")
@state_dir_option
@json_option
@click.option("--last", type=click.IntRange(min=1), help="Only the last so many records.")
def list_records(state_dir: Path, as_json: bool, last: int | None) -> None:
    """List the records: number, time, action, decision."""
    try:
        records = list(audit.read_records(state_dir))
    except MissingInputError:
        # A state directory in which nothing was decided yet is no error.
        print_note(f"no audit trail yet at {audit.trail_path(state_dir)}")
        records = []
    shown = records[-last:] if last else records
    if as_json:
        rows = [_summary(record) for record in shown]
        print_json("gnomon.audit.list/1", {"n_records": len(records), "records": rows})
        return
    print_lines(*(_row(record) for record in shown))


@command.command("show")
@click.argument("seq", type=click.IntRange(min=1))
@state_dir_option
@json_option
def show_record(seq: int, state_dir: Path, as_json: bool) -> None:
    """Show record SEQ, after checking the chain up to it."""
    record = audit.read_record(state_dir, seq).to_json()
    if as_json:
        print_json("gnomon.audit.show/1", {"record": record})
        return
    text = json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False)
    print_lines(*text.split("\n"))


@command.command("verify")
@state_dir_option
@json_option
@click.option("--head", metavar="HASH", help="Hash that the chain must still contain.")
@click.option(
    "--trail",
    type=place_type,
    help="Check this file, such as an export, instead of the state directory's trail.",
)
def verify_trail(state_dir: Path, as_json: bool, head: str | None, trail: Path | None) -> int:
    """Check every record and every link; name the first bad one and why.

    Tamper-evident, not tamper-proof. Without --head a cut tail is not seen. Exits with 3 when
    anything is wrong, a torn tail included.
    """
    verdict = audit.verify(state_dir if trail is None else _existing(trail), head)
    if as_json:
        print_json("gnomon.audit.verify/1", _verdict_json(verdict, head))
    else:
        print_lines(*_verdict_lines(verdict))
    return DONE if verdict.ok else REFUSED


@command.command("head")
@state_dir_option
@json_option
def show_head(state_dir: Path, as_json: bool) -> None:
    """Print the number of records and the last hash, to keep where nobody can write.

    Tamper-evident, not tamper-proof: only a head that is kept elsewhere shows that the chain was
    cut or rewritten. The chain is verified first.
    """
    verdict = audit.verify(state_dir)
    if verdict.problem is not None:
        raise audit.TrailProblemError(str(audit.trail_path(state_dir)), verdict.problem)
    if as_json:
        print_json("gnomon.audit.head/1", _head_json(verdict))
        return
    print_lines(f"records {verdict.records}", f"head {verdict.head.hash}")
    print_note("Keep both elsewhere; `gnomon audit verify --head HASH` checks the chain for them.")


@command.command("export")
@state_dir_option
@json_option
@click.option("--out", type=place_type, required=True, help="File to write, as a whole.")
def export_trail(state_dir: Path, as_json: bool, out: Path) -> None:
    """Write a verified copy of the trail to a file, byte for byte."""
    verdict = audit.export(state_dir, out)
    if as_json:
        print_json("gnomon.audit.export/1", {"out": str(out), **_head_json(verdict)})
        return
    print_lines(f"{counted(verdict.records, 'record')} to {out}", f"head {verdict.head.hash}")


@command.command("repair")
@state_dir_option
@json_option
def repair_trail(state_dir: Path, as_json: bool) -> None:
    """Move a torn last line to a side file and record that.

    Only what a cut-off write leaves is mended. Every other damage is evidence and stays as it is.
    """
    done = audit.repair(state_dir, env=audit.collect_env(gnomon=installed_version()))
    if as_json:
        print_json("gnomon.audit.repair/1", _repair_json(done))
    elif done is None:
        print_lines("nothing to repair: the trail has no torn tail")
    else:
        print_lines(
            f"moved {counted(done.moved_bytes, 'byte')} to {done.moved_to}"
            f" (SHA-256 {done.moved_sha256}); record {done.record.seq} says so"
        )


def _existing(trail: Path) -> Path:
    if not trail.exists():
        raise MissingInputError(f"there is no file {trail}: --trail names a trail or an export")
    return trail


def _summary(record: Record) -> dict[str, Any]:
    return {
        "seq": record.seq,
        "ts": record.ts,
        "action": record.action,
        "decision": record.decision,
        "hash": record.hash,
    }


def _row(record: Record) -> str:
    return f"{record.seq:>5}  {record.ts}  {record.action:<12}  {record.decision or '-'}"


def _head_json(verdict: audit.Verdict) -> dict[str, Any]:
    return {"records": verdict.records, "hash": verdict.head.hash}


def _verdict_json(verdict: audit.Verdict, head: str | None) -> dict[str, Any]:
    problem = verdict.problem
    return {
        "ok": verdict.ok,
        **_head_json(verdict),
        "problem": None
        if problem is None
        else {"kind": problem.kind, "seq": problem.seq, "message": problem.message},
        "head_checked": head,
        "head_seq": verdict.head_seq,
        "notes": list(verdict.notes),
    }


def _verdict_lines(verdict: audit.Verdict) -> list[str]:
    if verdict.problem is None:
        lines = [f"ok: {counted(verdict.records, 'record')}, one chain"]
    else:
        lines = [
            f"{verdict.problem.kind.replace('_', ' ')}: {verdict.problem.message}",
            (
                f"{counted(verdict.records, 'record')} before it "
                f"{by_number(verdict.records, 'verifies', 'verify')}"
            ),
        ]
    if verdict.head_seq is not None:
        lines.append(f"the head that was kept is record {verdict.head_seq}")
    return [*lines, *verdict.notes]


def _repair_json(done: audit.Repair | None) -> dict[str, Any]:
    if done is None:
        return {"repaired": False, "moved_to": None, "bytes": 0, "sha256": None, "seq": None}
    return {
        "repaired": True,
        "moved_to": done.moved_to.name,
        "bytes": done.moved_bytes,
        "sha256": done.moved_sha256,
        "seq": done.record.seq,
    }
