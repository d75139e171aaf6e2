"""What the upgrade rule is told, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from gnomon.errors import InvalidInputError

if TYPE_CHECKING:
    from gnomon.types import Caveat, Figure

Tier = Literal["T1", "T1u", "T0"]
FitScope = Literal["unseen", "seen"]
Decision = Literal[
    "full_reindex", "caution", "bridge_and_migrate", "bridge_sufficient", "no_upgrade_needed"
]
Arrangement = Literal["single_stage", "cascade"]
Interim = Literal["bridge", "stay"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondEstimate:
    """Another way to measure the same corpus; when it decides otherwise, the result is provisional.

    Attributes
    ----------
    name
        ``arr_unseen_rivals`` or ``mini_index``.
    arr
        Retention by this estimate.
    upgrade_gain, bridge_advantage
        None where the estimate has none of its own: the gain is then the deciding one, and the
        advantage is ``arr`` times the gain, as it is defined.
    """

    name: str
    arr: Figure
    upgrade_gain: Figure | None = None
    bridge_advantage: Figure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TailEvidence:
    """Retention over the sparsest clusters, and how many queries that stands on."""

    arr: float | None
    n_queries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSides:
    """One ratio to the status quo, on recall and on nDCG."""

    figure: str
    recall: float | None
    ndcg: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreShift:
    """Kolmogorov-Smirnov distance of the top-1 scores after calibration, and its p-value."""

    after: float | None
    p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UpgradeEvidence:
    """Everything that the rule looks at. Ratios that were not measured are missing figures.

    Attributes
    ----------
    tier
        Ground truth: T1 judgements, T1u a query log without judgements, T0 held-out documents.
    n_queries
        Evaluation queries behind every figure.
    arr, upgrade_gain, bridge_advantage, cascade_arr, cascade_advantage, cascade_measured
        Ratios with their 95% intervals. Gain and advantages exist at tier T1 only.
    candidate_depth
        N, the documents that the cascade reranks per query.
    candidate_reuse
        Lower bound on the cache hit rate of the cascade; None when there is no real query log.
    has_text
        Whether the source returns the text of a document, without which nothing can be reranked.
    second_estimates
        Other estimates of the same ratios.
    tail
        Retention over the sparsest clusters, or None.
    sides
        Ratios on recall and on nDCG, for the warning that they disagree.
    score_shift
        How far calibrated bridged scores still are from the oracle's, or None.
    fit_scope
        Whether relevant documents were kept out of the fit.
    folds
        Whether the unseen figures come from five folds.
    n_pairs, smaller_dimension
        Pairs behind the adapter and min(d_old, d_new); None for an adapter without a fit.
    sampled_fraction
        Part of the corpus that has new vectors; None when all of it has.
    documents_without_new_vectors
        How many documents are left to embed when the corpus is sampled.
    judged_without_new_vectors
        How many of them are relevant to an evaluation query; a full reindex would find them, but
        the measured oracle can't.
    zero_vectors
        Names of the matrices that hold zero vectors, and how many.
    n_unjudged_queries, n_missing_judged_documents
        Queries skipped for want of a relevant document; judged ids that the corpus lacks.
    """

    tier: Tier
    n_queries: int
    arr: Figure
    upgrade_gain: Figure
    bridge_advantage: Figure
    cascade_arr: Figure
    cascade_advantage: Figure
    cascade_measured: Figure
    candidate_depth: int
    candidate_reuse: float | None
    has_text: bool
    second_estimates: tuple[SecondEstimate, ...] = ()
    tail: TailEvidence | None = None
    sides: tuple[MetricSides, ...] = ()
    score_shift: ScoreShift | None = None
    fit_scope: FitScope = "unseen"
    folds: bool = False
    n_pairs: int | None = None
    smaller_dimension: int | None = None
    sampled_fraction: float | None = None
    documents_without_new_vectors: int = 0
    judged_without_new_vectors: int = 0
    zero_vectors: tuple[tuple[str, int], ...] = ()
    n_unjudged_queries: int = 0
    n_missing_judged_documents: int = 0

    def __post_init__(self) -> None:
        """Refuse a gain at a tier where the new model is its own ground truth."""
        if self.n_queries < 1:
            raise InvalidInputError(f"n_queries is {self.n_queries}; at least one is needed")
        if self.tier == "T1":
            return
        for name in ("upgrade_gain", "bridge_advantage", "cascade_advantage", "cascade_measured"):
            if getattr(self, name).value is not None:
                raise InvalidInputError(
                    f"{name} is given at tier {self.tier}, where the new model is its own ground "
                    "truth; pass Figure.missing with the reason"
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedBy:
    """The figure that decided, the threshold it was compared with, and how far apart they are."""

    figure: str
    value: float
    threshold: float
    distance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UpgradeDecision:
    """The answer of the rule, with everything that qualifies it.

    Attributes
    ----------
    decision, arrangement
        What to do, and how to serve; two separate answers.
    arrangement_missing
        What would have to be there for the cascade to be recommended; empty unless it pays.
    interim
        What to run until a recommended migration is done; None when not measured.
    provisional, provisional_reasons
        Whether the evidence leaves the decision open, and why; reasons exist iff provisional.
    borderline
        The deciding figure lies within 0.025 of its threshold.
    interval_straddles_threshold
        Its interval contains the threshold (for ARR: any band edge).
    decided_by
        Figure, value, threshold and distance.
    neighbours
        The decisions below and above the threshold; empty when it is neither borderline nor
        straddled.
    queries_to_settle
        Evaluation queries that would settle it, rounded up to two digits, or the words
        ``more than 100,000``; None when nothing needs settling or no interval was measured.
    rationale
        Sentences, most important first.
    warnings
        Codes and sentences that travel with the decision.
    """

    decision: Decision
    arrangement: Arrangement
    arrangement_missing: tuple[str, ...]
    interim: Interim | None
    provisional: bool
    provisional_reasons: tuple[str, ...]
    borderline: bool
    interval_straddles_threshold: bool
    decided_by: DecidedBy
    neighbours: tuple[Decision, ...]
    queries_to_settle: int | str | None
    rationale: tuple[str, ...]
    warnings: tuple[Caveat, ...]
