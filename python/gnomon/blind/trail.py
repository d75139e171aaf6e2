"""What the audit trail knows of checks: plans, draws, scores and purges, in their order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gnomon import audit
from gnomon.audit import part_of
from gnomon.blind.plan import ACTION as PLAN
from gnomon.blind.plan import Plan, plan_id
from gnomon.blind.rules_file import rules_of
from gnomon.errors import GnomonError, InvalidInputError, MismatchError
from gnomon.sources.escape import quoted

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.audit import Record

DRAW: Final = "blind.draw"
SCORE: Final = "blind.score"
PURGE: Final = "blind.purge"
COUNTED: Final = ("spots", "available", "unplaced", "changed", "kept", "unsure", "named")
"""What a draw counts over the whole contested file."""


@dataclass(frozen=True, slots=True)
class DrawRecord:
    """What the trail holds of a draw.

    Attributes
    ----------
    rows
        Rows of the sheet.
    sheet
        Hash of the sheet as it was drawn, without verdicts.
    key
        Hash of the key.
    wanted
        How many spots the plan asks for.
    key_seed
        Of ``--key-seed``, or None.
    all
        Counts over the whole contested file.
    contested, path
        The sha256 of the contested file, and its path as the trail may hold it.
    """

    seq: int
    draw: str
    plan: str
    secret_sha256: str
    rows: int
    sheet: str
    key: str
    wanted: int
    key_seed: int | None
    all: dict[str, int]
    contested: str
    path: str


@dataclass(frozen=True, slots=True)
class Trail:
    """The records of all checks in a trail.

    Attributes
    ----------
    plans
        By hash, the first record of each.
    draws, scores, purges
        By draw; scores and purges are the numbers of their records with their outputs.
    """

    plans: dict[str, Plan] = field(default_factory=dict)
    draws: dict[str, DrawRecord] = field(default_factory=dict)
    scores: dict[str, list[Record]] = field(default_factory=dict)
    purges: dict[str, list[Record]] = field(default_factory=dict)

    def plan(self, name: str) -> Plan:
        """Return a plan by its id or its hash.

        Raises
        ------
        MismatchError
            When no such plan is fixed.
        """
        for plan_hash, plan in self.plans.items():
            if name in {plan_hash, plan.id}:
                return plan
        known = ", ".join(plan.id for plan in self.plans.values()) or "none"
        raise MismatchError(
            f"no plan {quoted(name)} is fixed in this trail (fixed are: {known}); a plan must "
            "exist before a draw: run gnomon blind plan --yes, or name its trail with --state-dir"
        )

    def draw(self, name: str) -> DrawRecord:
        """Return the record of a draw.

        Raises
        ------
        MismatchError
            When the trail holds none.
        """
        if name not in self.draws:
            raise MismatchError(
                f"the trail holds no draw {quoted(name)}; a draw must exist before a score: run "
                "gnomon blind draw, or name the trail that it is recorded in with --state-dir"
            )
        return self.draws[name]

    def earlier_draws(self, draw: DrawRecord) -> dict[str, int]:
        """Count the draws before this one: all, from the same file, and those without a score."""
        earlier = [other for other in self.draws.values() if other.seq < draw.seq]
        return {
            "all": len(earlier),
            "same_file": sum(other.contested == draw.contested for other in earlier),
            "without_score": sum(
                all(record.seq > draw.seq for record in self.scores.get(other.draw, []))
                for other in earlier
            ),
        }


def read_trail(state_dir: Path, *, before: int | None = None) -> Trail:
    """Read and verify a trail; one that does not exist holds nothing.

    Parameters
    ----------
    before
        Take only records with a lower number, as when that one was written.

    Raises
    ------
    AuditCorruptError
        When the trail does not verify.
    InvalidInputError
        When a record of a check is not of the form that this version writes, or a plan's rules do
        not have the recorded hash.
    """
    trail = Trail()
    if not audit.trail_path(state_dir).exists():
        return trail
    for record in audit.read_records(state_dir):
        if before is not None and record.seq >= before:
            break
        _take(trail, record)
    return trail


def _take(trail: Trail, record: Record) -> None:
    out = record.outputs
    if record.action == PLAN:
        plan_hash = part_of(record, out, "plan", str)
        trail.plans.setdefault(plan_hash, _plan(record, plan_hash))
    elif record.action == DRAW:
        draw = _draw(record)
        trail.draws[draw.draw] = draw
    elif record.action == SCORE:
        _check_score(record)
        trail.scores.setdefault(out["draw"], []).append(record)
    elif record.action == PURGE:
        for name in part_of(record, out, "draws", list):
            trail.purges.setdefault(str(name), []).append(record)


def _plan(record: Record, plan_hash: str) -> Plan:
    rules = part_of(record, record.outputs, "rules", dict)
    try:
        plan = Plan(rules_of(rules, f"record {record.seq}"), record.seq)
    except GnomonError as error:
        raise InvalidInputError(f"{error}; the plan cannot be used") from None
    if plan.hash != plan_hash:
        raise InvalidInputError(
            f"record {record.seq} calls its plan {plan_id(plan_hash)}, but its rules are those of "
            f"{plan.id}: they were edited, or fixed by another version of gnomon. Fix a new plan"
        )
    return plan


def _draw(record: Record) -> DrawRecord:
    out = record.outputs
    files = part_of(record, record.inputs, "files", dict)
    contested = part_of(record, files, "contested", dict)
    counts = part_of(record, out, "all", dict)
    return DrawRecord(
        seq=record.seq,
        draw=part_of(record, out, "draw", str),
        plan=part_of(record, out, "plan", str),
        secret_sha256=part_of(record, out, "secret_sha256", str),
        rows=part_of(record, out, "rows", int),
        sheet=part_of(record, out, "sheet", str),
        key=part_of(record, out, "key", str),
        wanted=part_of(record, out, "wanted", int),
        key_seed=part_of(record, out, "key_seed", int | None),
        all={name: part_of(record, counts, name, int) for name in COUNTED},
        contested=part_of(record, contested, "sha256", str),
        path=part_of(record, contested, "path", str),
    )


def _check_score(record: Record) -> None:
    part_of(record, record.outputs, "draw", str)
    part_of(record, record.outputs, "sheet", str)
    part_of(record, record.outputs, "second", str | None)
    files = part_of(record, record.inputs, "files", dict)
    for role in files:
        part_of(record, part_of(record, files, role, dict), "path", str)
