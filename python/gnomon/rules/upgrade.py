"""Must this index be re-embedded for the new model? The rule, in the order in which it decides.

Every threshold is a decimal literal and every comparison takes the unrounded figure. A value on an
edge belongs to the upper side, and both ends of a noise band lie inside it. The evidence for each
number is in ``docs/decision-rule.md``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from gnomon.errors import NotMeasuredError
from gnomon.rules import upgrade_text as text
from gnomon.rules.upgrade_values import (
    Arrangement,
    DecidedBy,
    Decision,
    FitScope,
    Interim,
    MetricSides,
    ScoreShift,
    SecondEstimate,
    TailEvidence,
    Tier,
    UpgradeDecision,
    UpgradeEvidence,
)
from gnomon.rules.upgrade_warnings import caveats

if TYPE_CHECKING:
    from gnomon.types import Figure

__all__ = [
    "ARR_BANDS",
    "BREAK_EVEN_NOISE",
    "BRIDGE_LOSES",
    "GAIN_WORTHWHILE",
    "NOISE_BANDS",
    "Arrangement",
    "DecidedBy",
    "Decision",
    "FitScope",
    "Interim",
    "MetricSides",
    "ScoreShift",
    "SecondEstimate",
    "TailEvidence",
    "Tier",
    "UpgradeDecision",
    "UpgradeEvidence",
    "decide",
]

# Lower edge of each retention band, highest first; under the last edge: full_reindex.
ARR_BANDS: Final[tuple[tuple[float, Decision], ...]] = (
    (0.95, "bridge_sufficient"),
    (0.85, "bridge_and_migrate"),
    (0.70, "caution"),
)
# Recall of the new model over that of the old one from which an upgrade is worth its trouble.
GAIN_WORTHWHILE: Final = 1.02
# Recall of the bridge over staying, under which bridging loses beyond the noise.
BRIDGE_LOSES: Final = 0.975
# Sampling noise of a ratio is about +-0.024 (document proxies) to +-0.042 (real queries).
NOISE_BANDS: Final[dict[float, tuple[float, float]]] = {
    0.95: (0.925, 0.975),
    0.85: (0.825, 0.875),
    0.70: (0.675, 0.725),
    # Down to the noise of break-even: a gain that can't be told from 1 is a near thing as well.
    GAIN_WORTHWHILE: (0.975, 1.045),
    BRIDGE_LOSES: (0.95, 1.0),
}
BREAK_EVEN_NOISE: Final = (0.975, 1.025)
# Above this many queries a number of queries is no longer advice.
MOST_QUERIES_TO_SETTLE: Final = 100_000


def decide(evidence: UpgradeEvidence) -> UpgradeDecision:
    """Return the decision that the evidence supports, with everything that qualifies it.

    Raises
    ------
    NotMeasuredError
        When retention is unmeasured and neither gain nor bridge advantage decides.
    """
    arr, gain, bridge = evidence.arr, evidence.upgrade_gain, evidence.bridge_advantage
    verdict = _verdict(arr.value, gain.value, bridge.value)
    if verdict is None:
        raise NotMeasuredError(text.nothing_measured(evidence))
    decision, figure_name = verdict
    figure = {"arr": arr, "upgrade_gain": gain, "bridge_advantage": bridge}[figure_name]
    decided_by, straddles = _compared(figure_name, figure)
    low, high = NOISE_BANDS[decided_by.threshold]
    borderline = low <= decided_by.value <= high
    neighbours: tuple[Decision, ...] = ()
    to_settle: int | str | None = None
    if borderline or straddles:
        neighbours = _neighbours(decided_by, arr.value, bridge.value)
        to_settle = _queries_to_settle(evidence.n_queries, figure, decided_by.distance)
    reasons = _provisional_reasons(evidence, decision)
    arrangement, missing = _arrangement(evidence, decision)
    return UpgradeDecision(
        decision=decision,
        arrangement=arrangement,
        arrangement_missing=missing,
        interim=_interim(bridge),
        provisional=bool(reasons),
        provisional_reasons=reasons,
        borderline=borderline,
        interval_straddles_threshold=straddles,
        decided_by=decided_by,
        neighbours=neighbours,
        queries_to_settle=to_settle,
        rationale=(
            *text.why(evidence, decision, decided_by),
            *text.bridging_still_wins(evidence, decision, _beats_break_even(bridge)),
            *text.undecided(
                decided_by,
                neighbours,
                straddles=straddles,
                to_settle=to_settle,
                n_queries=evidence.n_queries,
            ),
            *text.serving(
                evidence, arrangement, missing, single_stage_wins=_beats_break_even(bridge)
            ),
            *text.ground_truth(evidence),
        ),
        warnings=caveats(evidence, bridge_within_noise=_within_noise(bridge.value)),
    )


def _verdict(
    arr: float | None, gain: float | None, bridge: float | None
) -> tuple[Decision, str] | None:
    """Return the decision and the figure that made it, or None when no rule can fire."""
    if gain is not None and gain < GAIN_WORTHWHILE:
        return "no_upgrade_needed", "upgrade_gain"
    if bridge is not None and bridge < BRIDGE_LOSES:
        return "full_reindex", "bridge_advantage"
    if arr is not None:
        return _band(arr), "arr"
    return None


def _band(arr: float) -> Decision:
    for edge, decision in ARR_BANDS:
        if arr >= edge:
            return decision
    return "full_reindex"


def _compared(name: str, figure: Figure) -> tuple[DecidedBy, bool]:
    """Return what the figure was compared with, and whether its interval leaves that open.

    Retention has three edges: the threshold is the nearest, unless the value is clear of it and
    only the interval reaches an edge, which is then the one in question.
    """
    value = figure.value
    assert value is not None  # a figure without a value decides nothing
    edges = {
        "arr": tuple(edge for edge, _ in ARR_BANDS),
        "upgrade_gain": (GAIN_WORTHWHILE,),
        "bridge_advantage": (BRIDGE_LOSES,),
    }[name]
    low, high = figure.low, figure.high
    reached = (
        () if low is None or high is None else tuple(edge for edge in edges if low <= edge <= high)
    )
    noisy = tuple(edge for edge in edges if NOISE_BANDS[edge][0] <= value <= NOISE_BANDS[edge][1])
    threshold = min(noisy or reached or edges, key=lambda edge: abs(value - edge))
    compared = DecidedBy(
        figure=name, value=value, threshold=threshold, distance=abs(value - threshold)
    )
    return compared, bool(reached)


def _neighbours(
    decided_by: DecidedBy, arr: float | None, bridge: float | None
) -> tuple[Decision, ...]:
    """Return the decisions just below and just above the threshold, as far as they are known."""
    threshold = decided_by.threshold
    if decided_by.figure == "arr":
        position = [edge for edge, _ in ARR_BANDS].index(threshold)
        below = ARR_BANDS[position + 1][1] if position + 1 < len(ARR_BANDS) else "full_reindex"
        return below, ARR_BANDS[position][1]
    if decided_by.figure == "upgrade_gain":
        above = _verdict(arr, GAIN_WORTHWHILE, bridge)
        return ("no_upgrade_needed", above[0]) if above else ("no_upgrade_needed",)
    above = _verdict(arr, None, None)
    return ("full_reindex", above[0]) if above else ("full_reindex",)


def _queries_to_settle(n_queries: int, figure: Figure, distance: float) -> int | str | None:
    """Return n (half-width / distance)^2, rounded up to two significant digits."""
    if figure.half_width is None:
        return None
    if distance == 0.0:
        return text.MORE_THAN_THAT
    exact = n_queries * (Fraction(figure.half_width) / Fraction(distance)) ** 2
    whole = -(-exact.numerator // exact.denominator)
    unit = 10 ** max(0, len(str(min(whole, 10 * MOST_QUERIES_TO_SETTLE))) - 2)
    rounded = -(-whole // unit) * unit
    return rounded if rounded <= MOST_QUERIES_TO_SETTLE else text.MORE_THAN_THAT


def _provisional_reasons(evidence: UpgradeEvidence, decision: Decision) -> tuple[str, ...]:
    gain, bridge = evidence.upgrade_gain, evidence.bridge_advantage
    reasons = []
    if decision == "no_upgrade_needed":
        if gain.high is None or gain.high >= GAIN_WORTHWHILE:
            reasons.append(text.gain_may_be_worthwhile(gain, GAIN_WORTHWHILE))
    else:
        if gain.value is None:
            reasons.append(text.gain_unmeasured(evidence))
        elif gain.low is None or gain.high is None or gain.low <= 1.0 <= gain.high:
            reasons.append(text.gain_may_be_nothing(gain))
        if _within_noise(bridge.value):
            reasons.append(text.bridge_may_be_nothing(bridge))
    for second in evidence.second_estimates:
        other = _second_verdict(evidence, second)
        if other is not None and other != decision:
            reasons.append(text.estimates_differ(evidence, second, decision, other))
    if evidence.sampled_fraction is not None and not any(
        second.name == "mini_index" and _second_verdict(evidence, second)
        for second in evidence.second_estimates
    ):
        reasons.append(text.no_second_view_of_sample(evidence))
    if evidence.judged_without_new_vectors:
        reasons.append(text.oracle_lacks_documents(evidence))
    return tuple(reasons)


def _second_verdict(evidence: UpgradeEvidence, second: SecondEstimate) -> Decision | None:
    arr = second.arr.value
    gain = (second.upgrade_gain or evidence.upgrade_gain).value
    if second.bridge_advantage is not None:
        bridge = second.bridge_advantage.value
    else:
        bridge = None if arr is None or gain is None else arr * gain
    verdict = _verdict(arr, gain, bridge)
    return None if verdict is None else verdict[0]


def _interim(bridge: Figure) -> Interim | None:
    if bridge.value is None:
        return None
    return "bridge" if _beats_break_even(bridge) else "stay"


def _arrangement(
    evidence: UpgradeEvidence, decision: Decision
) -> tuple[Arrangement, tuple[str, ...]]:
    """Return the arrangement, and what is missing where the cascade would pay."""
    pays = _beats_break_even(evidence.cascade_advantage)
    needed = evidence.bridge_advantage.value is not None and not _beats_break_even(
        evidence.bridge_advantage
    )
    if decision == "no_upgrade_needed" or not (pays and needed):
        return "single_stage", ()
    missing = []
    if not evidence.has_text:
        missing.append(text.MISSING_TEXT)
    if evidence.candidate_reuse is None:
        missing.append(text.MISSING_PRICE)
    return ("single_stage", tuple(missing)) if missing else ("cascade", ())


def _beats_break_even(figure: Figure) -> bool:
    return figure.value is not None and figure.value > BREAK_EVEN_NOISE[1]


def _within_noise(value: float | None) -> bool:
    return value is not None and BREAK_EVEN_NOISE[0] <= value <= BREAK_EVEN_NOISE[1]
