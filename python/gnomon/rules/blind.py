"""Whether a choice between two readings is right often enough, and beats either system alone.

Both conditions compare whole numbers with thresholds that were fixed before anybody looked. The
intervals and p-values beside them inform and decide nothing.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, get_args

from gnomon.rules.blind_values import (
    SYSTEMS,
    Condition1,
    Condition2,
    Decision,
    Finding,
    Judged,
    Outcome,
    Single,
    System,
)
from gnomon.stats.intervals import wilson
from gnomon.stats.mcnemar import least_lead, mcnemar_exact

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from gnomon.rules.blind_values import Rules

FIXED_RULES: Final[Mapping[str, str]] = {
    "verdicts": "x, y, neither, cannot_tell",
    "drawn from": "all judged spots, changed and kept alike; fewer available: all of them. An "
    "insertion or deletion with neither time nor left context is listed and not drawn",
    "seed": "sha256 of the plan's hash and the hash of the contested file",
    "order": "x and y by 32 secret random bytes in the key, whose sha256 stands on the sheet",
    "condition 1": "cannot_tell is left out of the decided spots; neither counts as not right",
    "condition 2": "over the same spots the choice is right strictly more often than the better "
    "single system; ties favour the single system",
    "both orders": "where the two verdicts on a spot do not agree, it counts as a tie: nobody is "
    "right, and it is left out of the decided spots",
}
"""What every plan holds and no planner can set; part of the plan's hash."""


def decide(judged: Sequence[Judged], rules: Rules) -> Outcome:
    """Return whether the choice is kept or switched off, with both conditions.

    Parameters
    ----------
    judged
        Every sampled spot.
    rules
        The rules of the plan.

    Returns
    -------
    Outcome
        ``not_measurable`` when no spot is decided, which is never a pass.
    """
    findings: dict[Finding, int] = dict.fromkeys(get_args(Finding), 0)
    findings.update(Counter(spot.finding for spot in judged))
    first = _condition_1(judged, findings, rules)
    second = _condition_2(judged, measurable=first.holds is not None)
    decision: Decision = "switched_off"
    if first.holds is None:
        decision = "not_measurable"
    elif first.holds and second.holds:
        decision = "kept"
    groups = {
        "changed": [spot for spot in judged if spot.used == "alt"],
        "kept": [spot for spot in judged if spot.used == "base"],
        "unsure": [spot for spot in judged if spot.unsure],
        "named": [spot for spot in judged if spot.named],
    }
    return Outcome(
        decision=decision,
        spots=len(judged),
        findings=findings,
        **{name: len(spots) for name, spots in groups.items()},
        right_of={name: sum(spot.right for spot in spots) for name, spots in groups.items()},
        condition_1=first,
        condition_2=second,
        resolvable=resolvable(len(judged)),
        reasons=_reasons(first, second, judged, rules),
    )


def resolvable(spots: int) -> int | None:
    """Return the smallest difference, in spots, that so many spots can resolve.

    It is the least lead that McNemar's exact test calls at 5%, and reached only when the two
    differ on no other spot; None when not even a lead on all spots would do.

    Examples
    --------
    >>> resolvable(30), resolvable(5)
    (6, None)
    """
    leads = [least_lead(differing) for differing in range(min(spots, 10) + 1)]
    return min((lead for lead in leads if lead is not None), default=None)


def combined(first: Finding, second: Finding) -> Finding:
    """Return what two verdicts on one spot, shown in both orders, say together.

    Examples
    --------
    >>> combined("base", "base"), combined("base", "alt"), combined("neither", "cannot_tell")
    ('base', 'tie', 'tie')
    """
    return first if first == second else "tie"


def _condition_1(
    judged: Sequence[Judged], findings: Mapping[Finding, int], rules: Rules
) -> Condition1:
    right, spots = sum(spot.right for spot in judged), len(judged)
    decided = findings["base"] + findings["alt"] + findings["neither"]
    if decided == 0:
        return Condition1(wilson(right, decided), wilson(right, spots), None, None)
    return Condition1(
        wilson(right, decided),
        wilson(right, spots),
        decided_holds=right >= rules.decided_at_least * decided,
        all_holds=right > rules.all_above * spots,
    )


def _condition_2(judged: Sequence[Judged], *, measurable: bool) -> Condition2:
    chosen = sum(spot.right for spot in judged)
    singles = {system: _single(system, judged) for system in SYSTEMS}
    most = max(single.right for single in singles.values())
    return Condition2(
        chosen,
        singles,
        better=tuple(system for system in SYSTEMS if singles[system].right == most),
        holds=chosen > most if measurable else None,
        tie_rule=measurable and chosen == most,
    )


def _single(system: System, judged: Sequence[Judged]) -> Single:
    gained = sum(spot.right and spot.finding != system for spot in judged)
    lost = sum(not spot.right and spot.finding == system for spot in judged)
    return Single(
        right=sum(spot.finding == system for spot in judged),
        gained=gained,
        lost=lost,
        p_value=mcnemar_exact(gained, lost),
        least_lead=least_lead(gained + lost),
    )


def _reasons(
    first: Condition1, second: Condition2, judged: Sequence[Judged], rules: Rules
) -> tuple[str, ...]:
    if first.holds is None:
        return (_about_nothing_decided(judged),)
    decided, everything = _percent(rules.decided_at_least), _percent(rules.all_above)
    one = (
        f"Condition 1 {_verb(first.holds)}: right on {_share(first.decided.value)} of the decided "
        f"spots (at least {decided} is needed: {_met(first.decided_holds)}) and on "
        f"{_share(first.all.value)} of all spots (more than {everything} is needed: "
        f"{_met(first.all_holds)})."
    )
    two = (
        f"Condition 2 {_verb(second.holds)}: the choice is right on {second.chosen} "
        f"{'spot' if second.chosen == 1 else 'spots'}, base "
        f"alone on {second.singles['base'].right}, alt alone on {second.singles['alt'].right}."
    )
    reasons = [one, two]
    if second.tie_rule:
        reasons.append(_about_the_tie(first, second))
    used = {spot.used for spot in judged}
    if len(used) == 1:
        only = used.pop()
        reasons.append(
            f"The choice is {only} on every spot, so it is never right more often than {only} "
            "alone: condition 2 cannot hold, whatever the verdicts."
        )
    return tuple(reasons)


def _about_nothing_decided(judged: Sequence[Judged]) -> str:
    ties = sum(spot.finding == "tie" for spot in judged)
    if ties == 0:
        return "The judge could not tell on any spot: nothing is measured, which is no pass."
    return (
        f"No spot is decided: on {ties} of {len(judged)} the verdicts of both orders do not agree, "
        "on the others the judge could not tell. Nothing is measured, which is no pass."
    )


def _about_the_tie(first: Condition1, second: Condition2) -> str:
    better = " and ".join(second.better)
    tie = f"The choice and {better} alone are right equally often; ties favour the single system"
    if first.holds:
        return f"{tie}. The outcome hangs on that rule alone."
    return f"{tie}: that rule decided condition 2, but not the outcome, since condition 1 fails."


def _verb(holds: bool | None) -> str:  # a word for a value
    return "holds" if holds else "does not hold"


def _met(holds: bool | None) -> str:
    return "met" if holds else "missed"


def _share(value: float | None) -> str:
    return "none" if value is None else f"{100 * value:.1f}%"


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):g}%"
