"""What the rule of a blind check is told and what it answers: counts in, a decision out."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.types import Figure

System = Literal["base", "alt"]
SYSTEMS: Final[tuple[System, ...]] = ("base", "alt")

Finding = Literal["base", "alt", "neither", "cannot_tell", "tie"]
"""What a judge's verdict says once the key is open: which reading is right, or why none is.

``tie``: shown in both orders, the judge gave two verdicts that do not agree.
"""

Decision = Literal["kept", "switched_off", "not_measurable"]


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that the planner may set; the others are part of `gnomon.rules.blind`.

    Attributes
    ----------
    judge
        Who judges: a role, in free text.
    sample
        How many spots are drawn.
    decided_at_least
        Condition 1: the share of the spots where the judge could tell on which the chosen reading
        is right, or more.
    all_above
        Condition 1: the share of all sampled spots that it must exceed.
    both_orders
        True shows every spot twice, sides exchanged the second time.
    base_name, alt_name
        What the two systems are called; may be empty.
    on_failure
        A sentence: what is switched off when the check fails.
    """

    judge: str = "a person who can settle it from the source"
    sample: int = 30
    decided_at_least: Fraction = Fraction(85, 100)
    all_above: Fraction = Fraction(70, 100)
    both_orders: bool = False
    base_name: str = ""
    alt_name: str = ""
    on_failure: str = "What chooses is switched off, and the better single system is used alone."


@dataclass(frozen=True, slots=True)
class Judged:
    """One spot once the key is open.

    Attributes
    ----------
    used
        The system whose reading was chosen.
    named
        True where a reading names its system, so that this spot was not blind.
    """

    finding: Finding
    used: System
    unsure: bool = False
    named: bool = False

    @property
    def right(self) -> bool:
        """Whether the chosen reading is right."""
        return self.finding == self.used


@dataclass(frozen=True, slots=True)
class Condition1:
    """Whether the chosen reading is right often enough.

    Attributes
    ----------
    decided, all
        The two shares with their Wilson 95% intervals; the intervals decide nothing.
    decided_holds, all_holds
        Whether each reaches its threshold; None when no spot was decided.
    """

    decided: Figure
    all: Figure
    decided_holds: bool | None
    all_holds: bool | None

    @property
    def holds(self) -> bool | None:
        """Whether both hold; None when no spot was decided."""
        if self.decided_holds is None or self.all_holds is None:
            return None
        return self.decided_holds and self.all_holds


@dataclass(frozen=True, slots=True)
class Single:
    """What one system alone would have got right, and where the choice differs from it.

    Attributes
    ----------
    gained, lost
        Spots on which only the choice is right, and on which only this system is.
    p_value
        Of McNemar's exact test, two-sided.
    least_lead
        By how many spots the one must lead, of those on which they differ, for a p-value of at
        most 0.05; None when no lead would do.
    """

    right: int
    gained: int
    lost: int
    p_value: float
    least_lead: int | None


@dataclass(frozen=True, slots=True)
class Condition2:
    """Whether the choice is right strictly more often than the better single system.

    Attributes
    ----------
    chosen
        Spots on which the chosen reading is right.
    better
        The systems with the most right readings; both when they are equal.
    holds
        None when no spot was decided.
    tie_rule
        True when the choice and the better single system are right equally often, so that the rule
        for ties decided.
    """

    chosen: int
    singles: Mapping[System, Single]
    better: tuple[System, ...]
    holds: bool | None
    tie_rule: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """The decision of a check with everything that it rests on.

    Attributes
    ----------
    spots
        Sampled spots.
    findings
        How many spots of each finding.
    changed, kept, unsure, named
        Spots whose chosen reading is alt, whose chosen reading is base, about which the choice was
        unsure, and that name their system.
    right_of
        Right spots among the changed, the kept, the unsure and the named.
    resolvable
        The smallest difference, in spots, that so many spots can resolve at all; None when none.
    reasons
        Sentences, in the order of the conditions.
    """

    decision: Decision
    spots: int
    findings: Mapping[Finding, int]
    changed: int
    kept: int
    unsure: int
    named: int
    right_of: Mapping[str, int]
    condition_1: Condition1
    condition_2: Condition2
    resolvable: int | None
    reasons: tuple[str, ...]
