"""A plan: the rules of a check, fixed before anybody looks, known by their hash."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gnomon import audit
from gnomon.blind.rules_file import rules_json
from gnomon.rules.blind import FIXED_RULES

if TYPE_CHECKING:
    from gnomon.rules.blind_values import Rules

ACTION: Final = "blind.plan"
SCHEMA: Final = "gnomon.blind.plan/1"


@dataclass(frozen=True, slots=True)
class Plan:
    """Rules and the hash that fixes them.

    Attributes
    ----------
    seq
        The record of the trail that holds the plan, or None while it is not fixed.
    """

    rules: Rules
    seq: int | None = None

    @property
    def body(self) -> dict[str, Any]:
        """What is hashed: the rules that were set, and those that no planner can set."""
        return {"schema": SCHEMA, "rules": rules_json(self.rules), "fixed": dict(FIXED_RULES)}

    @property
    def hash(self) -> str:
        """The sha256 of the canonical JSON of `body`, 64 hexadecimal digits."""
        return audit.fingerprint(self.body)

    @property
    def id(self) -> str:
        """What the plan is called: ``plan-`` and the first 16 digits of its hash."""
        return plan_id(self.hash)


def plan_id(plan_hash: str) -> str:
    """Return the name of the plan of a hash."""
    return f"plan-{plan_hash[:16]}"
