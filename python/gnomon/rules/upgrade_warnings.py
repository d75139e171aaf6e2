"""The warnings that travel with an upgrade decision: when each fires, and what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gnomon.types import Caveat

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.rules.upgrade_values import UpgradeEvidence

TAIL_LOSS: Final = 0.10  # retention that the tail may lack against the whole corpus
TAIL_QUERIES: Final = 30  # under this many queries a tail figure is noise
SHIFT_DISTANCE: Final = 0.1  # Kolmogorov-Smirnov distance that breaks fixed thresholds
SHIFT_P: Final = 0.05
FEW_QUERIES: Final = 100
WIDE_ARR: Final = 0.05  # half-width of the ARR interval


def caveats(evidence: UpgradeEvidence, *, bridge_within_noise: bool) -> tuple[Caveat, ...]:
    """Return every warning that applies, in a fixed order."""
    return (
        *_heterogeneous_drift(evidence),
        *_score_shift(evidence),
        *_disagreements(evidence),
        *_noise(evidence, bridge_within_noise=bridge_within_noise),
        *_fit(evidence),
        *_coverage(evidence),
    )


def _heterogeneous_drift(evidence: UpgradeEvidence) -> Iterator[Caveat]:
    tail, arr = evidence.tail, evidence.arr.value
    if tail is None or tail.arr is None or arr is None or tail.n_queries < TAIL_QUERIES:
        return
    if arr - tail.arr > TAIL_LOSS:
        yield Caveat(
            "heterogeneous_drift",
            f"over the sparsest clusters retention is {tail.arr:.3f} ({tail.n_queries} queries), "
            f"{arr - tail.arr:.3f} under the whole corpus: one global adapter leaves quality on "
            "the table in part of the corpus; per-cluster adapters are the fix",
        )


def _score_shift(evidence: UpgradeEvidence) -> Iterator[Caveat]:
    shift = evidence.score_shift
    if shift is None or shift.after is None or shift.p is None:
        return
    if shift.after > SHIFT_DISTANCE and shift.p < SHIFT_P:
        yield Caveat(
            "score_shift",
            f"top scores of the bridge differ from those of the new model (distance "
            f"{shift.after:.3f}, p {shift.p:.2g}, after calibration): fixed similarity thresholds "
            "need retuning",
        )


def _disagreements(evidence: UpgradeEvidence) -> Iterator[Caveat]:
    split = [
        f"{side.figure} is {side.recall:.4f} on recall and {side.ndcg:.4f} on nDCG"
        for side in evidence.sides
        if side.recall is not None
        and side.ndcg is not None
        and _on_different_sides(side.recall, side.ndcg)
    ]
    if split:
        yield Caveat(
            "metrics_disagree",
            f"{'; '.join(split)}: which matters depends on who reads the list, a model that reads "
            "all of it or a person who starts at the top",
        )
    formula, measured = evidence.cascade_advantage.value, evidence.cascade_measured.value
    if formula is not None and measured is not None and _on_different_sides(formula, measured):
        yield Caveat(
            "cascade_disagrees",
            f"cascade_advantage is {formula:.4f} by the formula and {measured:.4f} as measured, on "
            "different sides of 1: trust the measurement",
        )


def _noise(evidence: UpgradeEvidence, *, bridge_within_noise: bool) -> Iterator[Caveat]:
    if bridge_within_noise and evidence.bridge_advantage.value is not None:
        yield Caveat(
            "bridge_within_noise",
            f"bridging reaches {evidence.bridge_advantage.value:.3f} times the recall of staying: "
            "the two cannot be told apart",
        )
    half_width = evidence.arr.half_width
    if evidence.n_queries < FEW_QUERIES:
        yield Caveat(
            "few_queries",
            f"{evidence.n_queries} evaluation queries, under {FEW_QUERIES}: intervals are wide",
        )
    elif half_width is not None and half_width > WIDE_ARR:
        yield Caveat(
            "few_queries",
            f"retention is known to +-{half_width:.3f} only, from {evidence.n_queries} queries: "
            "more queries would narrow it",
        )


def _fit(evidence: UpgradeEvidence) -> Iterator[Caveat]:
    pairs, dimension = evidence.n_pairs, evidence.smaller_dimension
    if pairs is not None and dimension is not None and pairs <= dimension:
        yield Caveat(
            "few_pairs",
            f"{pairs} pairs for {dimension} dimensions: the fit cannot determine every direction",
        )
    if evidence.fit_scope == "seen":
        yield Caveat(
            "seen_fit",
            "the adapter was fitted on documents that it is judged on: retention is flattered, and "
            "documents added later will not reach it",
        )
    elif evidence.folds:
        yield Caveat(
            "folds_lean_low",
            "unseen retention comes from five folds, in which a document competes with rivals that "
            "its adapter has seen: the figure leans low; see arr_unseen_rivals",
        )


def _coverage(evidence: UpgradeEvidence) -> Iterator[Caveat]:
    if evidence.sampled_fraction is not None:
        yield Caveat(
            "sampled_corpus",
            f"new vectors cover {evidence.sampled_fraction:.2%} of the corpus: recall on a sample "
            "is easier than on the index",
        )
    if evidence.zero_vectors:
        counts = ", ".join(f"{number:,} of the {name}" for name, number in evidence.zero_vectors)
        yield Caveat(
            "zero_vectors",
            f"zero vectors: {counts}; they have no direction, score 0 against everything and come "
            "after every document with a positive score: look for empty texts",
        )
    if evidence.n_unjudged_queries:
        yield Caveat(
            "unjudged_queries",
            f"{evidence.n_unjudged_queries} queries without a relevant document in the corpus were "
            "skipped",
        )
    if evidence.n_missing_judged_documents:
        yield Caveat(
            "missing_judged_documents",
            f"{evidence.n_missing_judged_documents} judged documents are not in the corpus",
        )


def _on_different_sides(a: float, b: float) -> bool:
    return a < 1.0 < b or b < 1.0 < a
