"""The result of a score as JSON: aggregate numbers, no reading, no context, no id."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gnomon.blind.plan import plan_id
from gnomon.blind.rules_file import rules_json
from gnomon.blind.spots import VERDICTS
from gnomon.rules.blind_values import SYSTEMS
from gnomon.stats.kappa import cohen_kappa

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gnomon.blind.sheet import Sheet
    from gnomon.blind.trail import DrawRecord
    from gnomon.rules.blind_values import Outcome, Rules
    from gnomon.types import Figure

SCHEMA: Final = "gnomon.blind.score/1"
PARTIAL_SCHEMA: Final = "gnomon.blind.partial/1"
METRIC_VERSION: Final = 1  # rises when a figure of the same name starts to mean something else


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two judges of one sheet agree.

    Attributes
    ----------
    kappa
        Cohen's, over the verdicts as they were given.
    agreed
        Rows with the same verdict.
    disagreements
        Numbers of the other rows.
    """

    kappa: Figure
    agreed: int
    disagreements: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {
            "rows": self.agreed + len(self.disagreements),
            "agreed": self.agreed,
            "kappa": figure_json(self.kappa),
            "disagreements": list(self.disagreements),
        }


def agreement_of(first: Sheet, second: Sheet) -> Agreement:
    """Return how far two filled sheets of one draw agree."""
    pairs = list(zip(first.spots, second.spots, strict=True))
    differing = tuple(one.number for one, other in pairs if one.verdict != other.verdict)
    kappa = cohen_kappa([one.verdict for one, _ in pairs], [other.verdict for _, other in pairs])
    return Agreement(kappa, len(pairs) - len(differing), differing)


def partial_json(sheet: Sheet) -> dict[str, Any]:
    """Return how many verdicts of each kind a sheet has so far; which side is which stays open."""
    counts = Counter(spot.verdict for spot in sheet.spots)
    return {
        "draw": sheet.draw,
        "plan": plan_id(sheet.plan),
        "rows": len(sheet.spots),
        "filled": len(sheet.spots) - counts[None],
        "unfilled": list(sheet.unfilled),
        "verdicts": {verdict: counts[verdict] for verdict in VERDICTS},
    }


def outcome_json(
    outcome: Outcome, rules: Rules, draw: DrawRecord, *, earlier_draws: Mapping[str, int]
) -> dict[str, Any]:
    """Return the figures and the decision of a score."""
    first, second = outcome.condition_1, outcome.condition_2
    return {
        "decision": outcome.decision,
        "reasons": list(outcome.reasons),
        "on_failure": rules.on_failure if outcome.decision == "switched_off" else None,
        "draw": draw.draw,
        "plan": plan_id(draw.plan),
        "plan_hash": draw.plan,
        "rules": rules_json(rules),
        "blind": draw.key_seed is None,
        "key_seed": draw.key_seed,
        "earlier_draws": dict(earlier_draws),
        "spots": {
            "sampled": outcome.spots,
            "wanted": draw.wanted,
            "changed": outcome.changed,
            "kept": outcome.kept,
            "unsure": outcome.unsure,
            "named": outcome.named,
            "right_of": dict(outcome.right_of),
            "all": draw.all,
        },
        "findings": dict(outcome.findings),
        "condition_1": {
            "holds": first.holds,
            "decided": {**figure_json(first.decided), "holds": first.decided_holds},
            "all": {**figure_json(first.all), "holds": first.all_holds},
        },
        "condition_2": {
            "holds": second.holds,
            "chosen": second.chosen,
            **{name: _single_json(second.singles[name]) for name in SYSTEMS},
            "better": list(second.better),
            "tie_rule_decided": second.tie_rule,
        },
        "resolvable": outcome.resolvable,
    }


def figure_json(figure: Figure) -> dict[str, Any]:
    """Return a figure as a JSON object, null with a reason where it was not measured."""
    return {
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
        "reason": figure.reason,
    }


def _single_json(single: Any) -> dict[str, Any]:
    return {
        "right": single.right,
        "gained": single.gained,
        "lost": single.lost,
        "p_value": single.p_value,
        "least_lead": single.least_lead,
    }


def numbers(found: Sequence[int], *, first: int = 10) -> str:
    """Return the first few of some numbers and how many more there are.

    Examples
    --------
    >>> numbers([1, 2, 3], first=2)
    '1, 2 and 1 more'
    """
    more = len(found) - first
    shown = ", ".join(str(number) for number in found[:first])
    return f"{shown} and {more} more" if more > 0 else shown
