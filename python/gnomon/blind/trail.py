"""What the audit trail knows of checks: plans, draws, scores and purges, in their order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from gnomon import audit
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
    contested: str
    path: str
    outputs: dict[str, Any]


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

    def earlier_draws(self, draw: DrawRecord) -> list[DrawRecord]:
        """Return the draws from the same contested file before this one, whatever their plan."""
        return [
            other
            for other in self.draws.values()
            if other.contested == draw.contested and other.seq < draw.seq
        ]


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
        When a record of a check is none that this version writes, or a plan's rules do not have
        the recorded hash.
    """
    trail = Trail()
    if not audit.trail_path(state_dir).exists():
        return trail
    for record in audit.read_records(state_dir):
        if before is not None and record.seq >= before:
            break
        try:
            _take(trail, record)
        except (KeyError, TypeError, AttributeError) as error:
            raise InvalidInputError(
                f"record {record.seq} of the trail is a {record.action} that this version cannot "
                f"read ({type(error).__name__}: {error})"
            ) from None
    return trail


def _take(trail: Trail, record: Record) -> None:
    if record.action == PLAN:
        plan_hash = record.outputs["plan"]
        trail.plans.setdefault(plan_hash, _plan(record, plan_hash))
    elif record.action == DRAW:
        trail.draws[record.outputs["draw"]] = _draw(record)
    elif record.action == SCORE:
        trail.scores.setdefault(record.outputs["draw"], []).append(record)
    elif record.action == PURGE:
        for draw in record.outputs["draws"]:
            trail.purges.setdefault(draw, []).append(record)


def _plan(record: Record, plan_hash: str) -> Plan:
    try:
        plan = Plan(rules_of(record.outputs["rules"], f"record {record.seq}"), record.seq)
    except GnomonError as error:
        raise InvalidInputError(f"{error}; the plan cannot be used") from None
    if plan.hash != plan_hash:
        raise InvalidInputError(
            f"record {record.seq} calls its plan {plan_id(plan_hash)}, but its rules are those of "
            f"{plan.id}: they were edited, or fixed by another version of gnomon. Fix a new plan"
        )
    return plan


def _draw(record: Record) -> DrawRecord:
    out, contested = record.outputs, record.inputs["files"]["contested"]
    return DrawRecord(
        seq=record.seq,
        draw=out["draw"],
        plan=out["plan"],
        secret_sha256=out["secret_sha256"],
        rows=out["rows"],
        sheet=out["sheet"],
        key=out["key"],
        contested=contested["sha256"],
        path=contested["path"],
        outputs=out,
    )
