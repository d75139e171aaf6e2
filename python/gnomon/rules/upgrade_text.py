"""The sentences of the upgrade rule. Nothing here decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gnomon.rules.upgrade_warnings import TAIL_QUERIES

if TYPE_CHECKING:
    from gnomon.rules.upgrade_values import (
        Arrangement,
        DecidedBy,
        Decision,
        SecondEstimate,
        UpgradeEvidence,
    )
    from gnomon.types import Figure

MORE_THAN_THAT: Final = "more than 100,000"
MISSING_TEXT: Final = "document text, without which the new model cannot rerank"
MISSING_PRICE: Final = "the price: candidate reuse is countable only on a real query log"

_NAMES: Final = {
    "arr": "Retention (ARR)",
    "upgrade_gain": "The gain of the new model over the old one",
    "bridge_advantage": "Recall of the bridge over staying",
}
_ADVICE: Final[dict[Decision, str]] = {
    "bridge_sufficient": "Use the new model now and leave the index alone.",
    "bridge_and_migrate": "Bridge today and migrate in the background.",
    "caution": "Find out whether the loss sits in one part of the corpus before you choose.",
    "full_reindex": "An adapter does not close this gap: re-embed the corpus.",
}


def why(evidence: UpgradeEvidence, decision: Decision, decided_by: DecidedBy) -> tuple[str, ...]:
    """Say which figure decided, and what follows from it."""
    value = _number(decided_by.value)
    if decided_by.figure == "upgrade_gain":
        return (
            (
                f"A full reindex would reach {value} times the recall of staying; under "
                f"{decided_by.threshold} the new model is not measurably better on this corpus, so "
                "there is nothing to move for."
            ),
        )
    if decided_by.figure == "bridge_advantage":
        return (
            (
                f"As the final ranking, bridging loses to staying: it keeps {value} of today's "
                f"recall, under {decided_by.threshold}. "
                + _what_reindexing_brings(evidence.upgrade_gain)
            ),
        )
    first = f"The bridge retains {value} of the recall of a full reindex."
    if decision != "caution":
        return first, _ADVICE[decision]
    return first, _ADVICE[decision], _tail(evidence)


def _what_reindexing_brings(gain: Figure) -> str:
    if gain.value is None or gain.low is None:
        return "What a full reindex brings was not measured."
    if gain.low <= 1.0:
        return "A full reindex may bring a gain; its interval contains 1."
    return "Only a full reindex brings the whole gain."


def _tail(evidence: UpgradeEvidence) -> str:
    tail = evidence.tail
    if tail is None:
        return "Retention per cluster was not measured."
    if tail.arr is None or tail.n_queries < TAIL_QUERIES:
        return f"The sparsest clusters hold {tail.n_queries} queries: too few to tell."
    return (
        f"Over the sparsest clusters retention is {_number(tail.arr)} "
        f"({tail.n_queries} queries); the report lists every cluster."
    )


def bridging_still_wins(
    evidence: UpgradeEvidence, decision: Decision, wins: bool
) -> tuple[str, ...]:
    """Say that a bridge with low retention can still beat staying."""
    value = evidence.bridge_advantage.value
    if not wins or value is None or decision not in ("full_reindex", "caution"):
        return ()
    return (
        (
            f"Until then bridging is worth it: it reaches {_number(value)} times the recall of "
            "staying, because the new model gains more than the adapter loses."
        ),
    )


def undecided(
    decided_by: DecidedBy,
    neighbours: tuple[Decision, ...],
    *,
    straddles: bool,
    to_settle: int | str | None,
    n_queries: int,
) -> tuple[str, ...]:
    """Name the decisions on both sides of a threshold that is too near to call."""
    if not neighbours:
        return ()
    how = "its interval contains" if straddles else "it lies in the noise band of"
    below, above = neighbours[0], neighbours[-1]
    if len(neighbours) == 1:
        both = f"below it the decision is {below}, above it nothing was measured that decides"
    elif below == above:
        both = f"on both sides of it the decision is {below}"
    else:
        both = f"below it the decision is {below}, from there on {above}"
    sentence = (
        f"{_NAMES[decided_by.figure]} is too near to call: {how} {decided_by.threshold}; {both}."
    )
    if to_settle is None:
        return (sentence,)
    if not straddles:
        return (
            sentence,
            (
                f"The interval from {n_queries:,} queries does not reach it, so more queries "
                "are not what is missing."
            ),
        )
    count = f"{to_settle:,}" if isinstance(to_settle, int) else to_settle
    return (sentence, f"Queries that would settle it: {count} (now {n_queries:,}).")


def serving(
    evidence: UpgradeEvidence,
    arrangement: Arrangement,
    missing: tuple[str, ...],
    *,
    single_stage_wins: bool,
) -> tuple[str, ...]:
    """Say what the cascade would bring, what it costs or what it lacks."""
    formula, measured = evidence.cascade_advantage.value, evidence.cascade_measured.value
    bridge, depth = evidence.bridge_advantage.value, evidence.candidate_depth
    if formula is None:
        return ()
    gain = f"{_number(formula)} times the recall of staying"
    if measured is not None:
        gain += f" (measured: {_number(measured)})"
    if arrangement == "cascade" and evidence.candidate_reuse is not None:
        paid = depth * (1 - evidence.candidate_reuse)
        return (
            (
                f"A cascade pays meanwhile: the bridge fetches {depth} candidates and the new "
                f"model reranks them, for {gain} at no more than {paid:.1f} embeddings per query."
            ),
        )
    if missing:
        return (f"A cascade would reach {gain}, but this is missing: {'; '.join(missing)}.",)
    better = measured if measured is not None else formula
    if single_stage_wins and bridge is not None and better > bridge:
        how = "measures" if measured is not None else "promises"
        return (
            (
                f"Bridging alone already beats staying ({_number(bridge)}); a cascade over {depth} "
                f"candidates {how} {_number(better)}, {_number(better - bridge)} more."
            ),
        )
    return ()


def ground_truth(evidence: UpgradeEvidence) -> tuple[str, ...]:
    """Name what counted as relevant, since retention means nothing without it."""
    if evidence.tier == "T1":
        return ("Tier T1: queries with judgements; the figures are as good as those judgements.",)
    if evidence.tier == "T1u":
        return ("Tier T1u: real queries; the new model's own top results count as relevant.",)
    return (
        (
            "Tier T0: held-out documents stand in for queries and the new model's nearest document "
            "counts as relevant; this assumes that the queries resemble the documents."
        ),
    )


def nothing_measured(evidence: UpgradeEvidence) -> str:
    """Say why no rule could fire."""
    return (
        f"no decision: retention was not measured ({evidence.arr.reason or 'no reason given'}), "
        "and neither the gain nor the bridge advantage decides without it; check that the vectors "
        "belong to these documents and queries and that the qrels use their ids"
    )


def gain_may_be_worthwhile(gain: Figure, threshold: float) -> str:
    """Say that the upper limit of the gain reaches the threshold."""
    if gain.high is None:
        return f"the gain has no interval, so a gain of {threshold} is not excluded"
    return f"the interval of the gain reaches {_number(gain.high)}: {threshold} is not excluded"


def gain_unmeasured(evidence: UpgradeEvidence) -> str:
    """Say that nobody knows whether the new model is better."""
    if evidence.tier == "T1":
        why_not = evidence.upgrade_gain.reason or "no reason given"
    else:
        why_not = f"at tier {evidence.tier} the new model is its own ground truth"
    return f"whether the new model is better here was not measured: {why_not}"


def gain_may_be_nothing(gain: Figure) -> str:
    """Say that the interval of the gain contains 1."""
    if gain.low is None or gain.high is None:
        return "the gain has no interval, so a gain of nothing is not excluded"
    return (
        f"the interval of the gain ({_number(gain.low)} to {_number(gain.high)}) contains 1: "
        "the new model may be no better"
    )


def bridge_may_be_nothing(bridge: Figure) -> str:
    """Say that bridging cannot be told apart from staying."""
    value = bridge.value
    return (
        f"bridging against staying is {'' if value is None else _number(value)}, within noise of 1"
    )


def estimates_differ(
    evidence: UpgradeEvidence, second: SecondEstimate, decision: Decision, other: Decision
) -> str:
    """Say that a second estimate leads elsewhere."""
    says = f"{second.name} leads to {other}, the deciding estimate to {decision}"
    return f"{says}{_embed_more(evidence)}" if second.name == "mini_index" else says


def no_second_view_of_sample(evidence: UpgradeEvidence) -> str:
    """Say that a sampled corpus gave only one of its two estimates."""
    says = "only part of the corpus has new vectors, and mini_index was not measured"
    return f"{says}{_embed_more(evidence)}"


def oracle_lacks_documents(evidence: UpgradeEvidence) -> str:
    """Say that relevant documents are out of the oracle's reach."""
    n = evidence.judged_without_new_vectors
    return (
        f"{n:,} documents that are relevant to a query have no vector of the new model, so that "
        "gain is too low and retention too high; embed those first"
    )


def _embed_more(evidence: UpgradeEvidence) -> str:
    left = evidence.documents_without_new_vectors
    return f"; embed the other {left:,} documents with the new model to settle it" if left else ""


def _number(value: float) -> str:
    return f"{value:.4f}"
