"""The result of a probe and its JSON form, schema ``gnomon.probe/1``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon.embedding import missing_prefix_warnings
from gnomon.probe.columns import RANKINGS
from gnomon.probe.figures import METRICS, Figures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from gnomon.embedding.profile import Profile
    from gnomon.probe.clusters import ClusterFigures
    from gnomon.probe.settings import ProbeSettings, Tier
    from gnomon.rules.upgrade import UpgradeDecision
    from gnomon.types import Caveat, Figure

SCHEMA = "gnomon.probe/1"
# Figures behind which stands a fit that a replay makes again with another BLAS; they do not count
# when a replay compares to the bit (audit.md).
REFIT_FIELDS = ("candidates", "metrics.arr_seen", "pairs_curve")
_NO_LOG = "there is no query log, so how often queries share candidates can't be counted"

_SHORT_LISTS = "the lists end at k; a greater candidate depth shows whether scores tie there"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One adapter as it was compared on the held-out documents, or one reported reordering."""

    name: str
    recall: float | None
    difference_to_best: Figure
    n_parameters: int | None
    chosen: bool
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldAdapter:
    """The identity of one fitted adapter behind the deciding figures."""

    rank: int
    n_pairs: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreShift:
    """Kolmogorov-Smirnov distance of bridged and oracle top-1 scores, and the p-value after."""

    before: float | None
    after: float | None
    p: float | None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How much of the oracle's list the bridged list repeats."""

    overlap: float
    strict_overlap: float | None
    spearman: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MiniIndex:
    """The second estimate on a sampled corpus: every ranking on the part with new vectors."""

    arr: Figure
    upgrade_gain: Figure
    bridge_advantage: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class PerQuery:
    """One number per evaluation query, for the report; never in the record.

    Attributes
    ----------
    ids
        Q query ids.
    recall
        Ranking -> float64[Q].
    """

    ids: Sequence[str]
    recall: Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeResult:
    """What a probe found and what it advises.

    Attributes
    ----------
    verdict
        The decision with its reasons.
    settings, tier, candidate_depth
        What was measured; ``candidate_depth`` is cut to the size of the corpus.
    n_documents, n_covered, n_queries, skipped
        Sizes and counts of what was left out.
    figures, agreement, score_shift, clusters
        The measurements.
    ties_at_k
        Ranking -> share of queries whose list is cut at k between documents of equal score.
    candidate_reuse, cascade_embeddings_per_query
        The price of the cascade; None without a real query log.
    adapter_name, adapters, few_pairs
        The adapters behind the deciding figures: one, or one for each fold.
    candidates
        The comparison on held-out documents.
    mini_index
        The second estimate when the new model covers a part of the corpus.
    old_profile, new_profile
        The two models.
    zero_rows
        Count of zero vectors by matrix.
    per_query
        For the report only.
    """

    verdict: UpgradeDecision
    settings: ProbeSettings
    tier: Tier
    candidate_depth: int
    n_documents: int
    n_covered: int
    n_queries: int
    skipped: Mapping[str, int]
    figures: Figures
    agreement: Agreement
    score_shift: ScoreShift
    clusters: ClusterFigures
    ties_at_k: Mapping[str, float | None]
    candidate_reuse: float | None
    cascade_embeddings_per_query: float | None
    adapter_name: str
    adapters: Sequence[FoldAdapter]
    curve_few_pairs: Mapping[int, bool]
    candidates: Sequence[Candidate]
    mini_index: MiniIndex | None
    old_profile: Profile
    new_profile: Profile
    zero_rows: Mapping[str, int]
    per_query: PerQuery

    @property
    def warnings(self) -> tuple[Caveat, ...]:
        """What travels with the decision: of the rule, and of what is known about the models."""
        models = (self.old_profile, self.new_profile)
        return (
            *self.verdict.warnings,
            *(caveat for model in models for caveat in missing_prefix_warnings(model)),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the result object without ``audit``; every figure is a number or null."""
        verdict, decided = self.verdict, self.verdict.decided_by
        return {
            "schema": SCHEMA,
            "decision": verdict.decision,
            "arrangement": verdict.arrangement,
            "arrangement_missing": list(verdict.arrangement_missing),
            "interim": verdict.interim,
            "provisional": verdict.provisional,
            "provisional_reasons": list(verdict.provisional_reasons),
            "borderline": verdict.borderline,
            "interval_straddles_threshold": verdict.interval_straddles_threshold,
            "decided_by": {
                "figure": decided.figure,
                "value": decided.value,
                "threshold": decided.threshold,
                "distance": decided.distance,
            },
            "neighbours": list(verdict.neighbours),
            "queries_to_settle": verdict.queries_to_settle,
            "tier": self.tier,
            "fit_scope": self.settings.fit_scope,
            "folds": len(self.adapters),
            "k": self.settings.k,
            "candidate_depth": self.candidate_depth,
            "seed": self.settings.seed,
            "pairs": self.settings.pairs,
            "n_documents": self.n_documents,
            "n_documents_with_new_vectors": self.n_covered,
            "n_queries": self.n_queries,
            "skipped": dict(self.skipped),
            "zero_rows": dict(self.zero_rows),
            "models": {"old": _profile(self.old_profile), "new": _profile(self.new_profile)},
            "metrics": self._metrics(),
            "also": self._also(),
            "dropped_draws": dict(self.figures.dropped_draws),
            "rankings": {name: self._ranking(name) for name in RANKINGS},
            "ties_at_k": dict(self.ties_at_k),
            "clusters": self.clusters.to_json(),
            "pairs_curve": self._pairs_curve(),
            "mini_index": self._mini_index(),
            "adapter": self._adapter(),
            "candidates": [_candidate(one) for one in self.candidates],
            "reasons": self._reasons(),
            "warnings": [{"code": one.code, "message": one.message} for one in self.warnings],
            "rationale": list(verdict.rationale),
        }

    def _metrics(self) -> dict[str, Any]:
        names = (
            "arr", "arr_seen", "arr_unseen_rivals", "upgrade_gain", "bridge_advantage",
            "cascade_arr", "cascade_advantage", "cascade_measured",
        )  # fmt: skip
        shift = self.score_shift
        return {name: _figure(getattr(self.figures, name)) for name in names} | {
            "candidate_reuse": self.candidate_reuse,
            "cascade_embeddings_per_query": self.cascade_embeddings_per_query,
            "tail_arr": self.clusters.tail_arr,
            "score_shift": {"before": shift.before, "after": shift.after, "p": shift.p},
        }

    def _also(self) -> dict[str, Any]:
        return {
            "arr_mrr": self.figures.arr_mrr.value,
            "arr_ndcg": self.figures.arr_ndcg.value,
            "gain_ndcg": _figure(self.figures.gain_ndcg),
            "cascade_measured_ndcg": _figure(self.figures.cascade_ndcg),
            "overlap": self.agreement.overlap,
            "strict_overlap": self.agreement.strict_overlap,
            "spearman": self.agreement.spearman,
        }

    def _ranking(self, name: str) -> dict[str, Any]:
        means = self.figures.rankings[name]
        values: dict[str, Any] = {metric: means[metric].value for metric in METRICS}
        return values | {"ci": {metric: _interval(means[metric]) for metric in METRICS}}

    def _reasons(self) -> dict[str, str]:
        """Say of every null that has no place for a reason beside it why it was not measured."""
        tail, shift = self.clusters, self.score_shift
        found = {
            "interim": (self.verdict.interim, "bridge_advantage is not measured"),
            "also.arr_mrr": (self.figures.arr_mrr.value, self.figures.arr_mrr.reason),
            "also.arr_ndcg": (self.figures.arr_ndcg.value, self.figures.arr_ndcg.reason),
            "also.strict_overlap": (
                self.agreement.strict_overlap,
                "tier T0 only, where recall looks for one neighbour; else it is the overlap",
            ),
            "metrics.candidate_reuse": (self.candidate_reuse, _NO_LOG),
            "metrics.cascade_embeddings_per_query": (self.cascade_embeddings_per_query, _NO_LOG),
            "metrics.tail_arr": (tail.tail_arr, tail.tail_reason),
            "metrics.score_shift": (shift.after, shift.reason),
        }
        for name, share in self.ties_at_k.items():
            found[f"ties_at_k.{name}"] = (share, _SHORT_LISTS)
        for name in RANKINGS:
            for metric, mean in self.figures.rankings[name].items():
                found[f"rankings.{name}.{metric}"] = (mean.value, mean.reason)
                found[f"rankings.{name}.ci.{metric}"] = (mean.low, mean.reason)
        return {
            place: why for place, (value, why) in found.items() if value is None and why is not None
        }

    def _pairs_curve(self) -> list[dict[str, Any]]:
        return [
            {"pairs": pairs, "arr": figure.value, "ci": _interval(figure),
             "reason": figure.reason, "few_pairs": self.curve_few_pairs[pairs]}
            for pairs, figure in self.figures.curve.items()
        ]  # fmt: skip

    def _mini_index(self) -> dict[str, Any] | None:
        if self.mini_index is None:
            return None
        names = ("arr", "upgrade_gain", "bridge_advantage")
        return {name: _figure(getattr(self.mini_index, name)) for name in names}

    def _adapter(self) -> dict[str, Any]:
        first = self.adapters[0]
        return {
            "name": self.adapter_name,
            "rank": first.rank,
            "n_pairs": first.n_pairs,
            "sha256": first.sha256,
            "folds": [
                {"rank": one.rank, "n_pairs": one.n_pairs, "sha256": one.sha256}
                for one in self.adapters
            ],
        }


def _figure(figure: Figure) -> dict[str, Any]:
    return {"value": figure.value, "ci": _interval(figure), "reason": figure.reason}


def _interval(figure: Figure) -> list[float] | None:
    if figure.low is None or figure.high is None:
        return None
    return [figure.low, figure.high]


def _candidate(one: Candidate) -> dict[str, Any]:
    return {
        "name": one.name,
        "recall": one.recall,
        "difference_to_best": _figure(one.difference_to_best),
        "n_parameters": one.n_parameters,
        "chosen": one.chosen,
        "reason": one.reason,
    }


def _profile(profile: Profile) -> dict[str, Any]:
    return {"id": profile.id, "dim": profile.dim, "fingerprint": profile.fingerprint}
