"""The words of the probe's views: labels, the decision in plain sentences, a glossary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gnomon.report.numbers import decimal, interval

if TYPE_CHECKING:
    from gnomon.probe.result import ProbeResult
    from gnomon.rules.upgrade import Decision, UpgradeDecision
    from gnomon.types import Figure

RANKING_LABELS: Final = {
    "status_quo": "Stay (status quo)",
    "naive_swap": "Swap the model, keep the index",
    "bridged": "Bridge",
    "cascade": "Bridge, then rerank (cascade)",
    "oracle": "Re-embed everything (oracle)",
}
FIGURE_LABELS: Final = {
    "arr": "Retention of the bridge (ARR)",
    "arr_seen": "Retention, judged documents in the fit",
    "arr_unseen_rivals": "Retention among unseen rivals",
    "arr_mrr": "Retention on MRR",
    "arr_ndcg": "Retention on nDCG",
    "upgrade_gain": "Gain of the new model over staying",
    "gain_ndcg": "Gain on nDCG",
    "bridge_advantage": "Bridge over staying",
    "cascade_arr": "Retention of the cascade's candidates",
    "cascade_advantage": "Cascade over staying, by formula",
    "cascade_measured": "Cascade over staying, measured",
}

_TO_DO: Final[dict[Decision, str]] = {
    "bridge_sufficient": "Move to the new model through a bridge and leave the index as it is.",
    "bridge_and_migrate": (
        "Move to the new model through a bridge now, and re-embed the corpus in the background."
    ),
    "caution": (
        "Do not choose yet: find out first whether the bridge loses in one part of the corpus only."
    ),
    "full_reindex": "Re-embed the whole corpus with the new model.",
    "no_upgrade_needed": (
        "Stay with the old model: the new one is not measurably better on this corpus."
    ),
}

GLOSSARY: Final = (
    ("Recall at k", "The share of a query's relevant documents among its first k results."),
    ("Old index", "The document vectors of the model that is in use today."),
    (
        "Bridge",
        (
            "A small map, fitted on documents embedded by both models, that turns the new model's "
            "query vector into one that the old index understands. The documents stay as they are."
        ),
    ),
    (
        "Cascade",
        (
            "Two steps: the bridge fetches candidates from the old index, then the new model "
            "embeds those few documents and puts them into its own order."
        ),
    ),
    (
        "Oracle",
        "The new model with every document re-embedded: the most that the upgrade can bring.",
    ),
    (
        "ARR",
        (
            "Adapted recall retention: the bridge's recall divided by the oracle's. 1 means that "
            "re-embedding would add nothing."
        ),
    ),
    ("Gain", "The oracle's recall divided by today's. 1 means that the new model brings nothing."),
    (
        "Seen and unseen",
        (
            "Unseen: no document is judged by a bridge that was fitted on it, as documents added "
            "later will fare. Seen: it may be, which flatters."
        ),
    ),
    (
        "95% interval",
        "The range that is in line with the measurement, given how few queries there are.",
    ),
    (
        "Tier",
        (
            "What counts as right. T1: real queries with people's judgements. T1u: real queries, "
            "the new model's own results. T0: documents stand in for queries."
        ),
    ),
    ("Provisional", "Evidence is missing that could change the decision."),
    ("Borderline", "The deciding figure lies within 0.025 of its threshold."),
)


def what_to_do(verdict: UpgradeDecision, candidate_depth: int) -> tuple[str, ...]:
    """Return the decision as one plain sentence, and what to run meanwhile as another."""
    first = _TO_DO[verdict.decision]
    if verdict.decision == "no_upgrade_needed":
        return (first,)
    return first, *_meanwhile(verdict, candidate_depth)


def _meanwhile(verdict: UpgradeDecision, candidate_depth: int) -> tuple[str, ...]:
    bridges = verdict.decision in ("bridge_sufficient", "bridge_and_migrate")
    until = "Meanwhile" if verdict.decision == "caution" else "Until that is done"
    if verdict.arrangement == "cascade":
        how = "For more than staying brings" if bridges else f"{until}, leave the index alone"
        return (
            (
                f"{how}: let the bridge fetch {candidate_depth} candidates for each query and the "
                "new model rerank them."
            ),
        )
    if verdict.interim is None:
        return ("Whether bridging is better than staying was not measured.",)
    if bridges:
        stays = "Measured here, the bridge is not better than staying."
        return (stays,) if verdict.interim == "stay" else ()
    if verdict.interim == "bridge":
        return (f"{until}, searching through the bridge is better than staying.",)
    return (f"{until}, stay with the old model: bridging is not better.",)


def sureness(verdict: UpgradeDecision) -> str:
    """Return in a few words how far the decision can be trusted."""
    near = bool(verdict.neighbours) and verdict.neighbours != (verdict.decision,) * 2
    if near and verdict.provisional:
        return "Too near to call, and provisional"
    if near:
        return "Too near to call"
    return "Provisional" if verdict.provisional else "Clear"


def how_sure(result: ProbeResult) -> str:
    """Return the sentence that says how sure the decision is, and by which figure."""
    verdict, figure = result.verdict, deciding_figure(result)
    decided = verdict.decided_by
    measured = f"{FIGURE_LABELS[decided.figure]} is {decimal(decided.value)}"
    if figure.low is not None:
        measured += f" (95% interval {interval(figure)})"
    sentence = f"{sureness(verdict)}. {measured}; the threshold is {decided.threshold}."
    others = [one for one in verdict.neighbours if one != verdict.decision]
    if others:
        sentence += f" On the other side of it the decision would be {others[0]}."
    elif len(verdict.neighbours) == 1:
        sentence += " What the decision would be on the other side of it was not measured."
    elif verdict.neighbours:
        near = "The interval reaches it" if verdict.interval_straddles_threshold else "It is near"
        sentence += f" {near}, but on the other side of it the decision is the same."
    return sentence


def flags(verdict: UpgradeDecision) -> tuple[str, ...]:
    """Return the qualities that weaken the decision."""
    held = (
        ("provisional", verdict.provisional),
        ("borderline", verdict.borderline),
        ("interval straddles the threshold", verdict.interval_straddles_threshold),
    )
    return tuple(word for word, holds in held if holds)


def deciding_figure(result: ProbeResult) -> Figure:
    """Return the figure that decided, with its interval."""
    figure: Figure = getattr(result.figures, result.verdict.decided_by.figure)
    return figure
