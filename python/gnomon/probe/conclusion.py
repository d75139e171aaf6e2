"""From measured lists to the result: columns, figures, evidence, the rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.errors import NotMeasuredError
from gnomon.probe.agreement import agreement_of, candidate_reuse, ties_at
from gnomon.probe.calibration import score_shift
from gnomon.probe.clusters import cluster_figures
from gnomon.probe.columns import Measured, columns_of
from gnomon.probe.evidence import evidence_of
from gnomon.probe.figures import figures_of
from gnomon.probe.plan import calibration_third
from gnomon.probe.result import (
    Candidate,
    FoldAdapter,
    MiniIndex,
    PerQuery,
    ProbeResult,
)
from gnomon.rules import upgrade
from gnomon.stats.resampling import ResampledColumns, resample_queries
from gnomon.types import Figure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.adapters.kmeans import Clusters
    from gnomon.probe.bridging import Adapters
    from gnomon.probe.choosing import Chosen
    from gnomon.probe.settings import ProbeSettings
    from gnomon.probe.spaces import Spaces
    from gnomon.probe.truth import Evaluation


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """Everything that was measured, ready to be judged."""

    spaces: Spaces
    settings: ProbeSettings
    evaluation: Evaluation
    measured: Measured
    depth: int
    chosen: Chosen
    adapters: Adapters
    clusters: Clusters
    mini_index: MiniIndex | None
    zero_rows: Mapping[str, int]

    def result(self) -> ProbeResult:
        """Return the result with the decision of the rule."""
        evaluation, k = self.evaluation, self.settings.k
        relevance = evaluation.relevance
        assert relevance is not None
        columns = columns_of(self.measured, relevance, k=k, depth=self.depth)
        resampled = resample_queries(columns, seed=self.settings.seed)
        figures = figures_of(
            resampled,
            tier=evaluation.tier,
            curve=self._curve_reasons(),
            reasons=self._reasons(),
        )
        third = calibration_third(self.settings, evaluation.n_queries)
        shift = score_shift(self.measured.bridged, self.measured.oracle, k=k, third=third)
        clusters = cluster_figures(
            np.bincount(self.clusters.labels, minlength=self.clusters.k),
            self.clusters.assign(evaluation.old, threads=self.settings.threads),
            columns["bridged.recall"],
            columns["oracle.recall"],
        )
        reuse = self._reuse()
        first = self.adapters.deciding[0]
        smaller = min(first.d_new, first.d_old)
        skipped = self._skipped()
        evidence = evidence_of(
            self.spaces,
            self.settings,
            evaluation,
            self.adapters,
            figures=figures,
            shift=shift,
            clusters=clusters,
            reuse=reuse,
            depth=self.depth,
            mini_index=self.mini_index,
            skipped=skipped,
            zero_rows=self.zero_rows,
        )
        return ProbeResult(
            verdict=upgrade.decide(evidence),
            settings=self.settings,
            tier=evaluation.tier,
            candidate_depth=self.depth,
            n_documents=self.spaces.inputs.n_documents,
            n_covered=len(self.spaces.inputs.covered),
            n_queries=evaluation.n_queries,
            skipped=skipped,
            figures=figures,
            agreement=agreement_of(self.measured, tier=evaluation.tier, k=k),
            score_shift=shift,
            clusters=clusters,
            ties_at_k={
                name: ties_at(
                    k,
                    getattr(self.measured, name),
                    n_findable=len(self.spaces.inputs.covered),
                )
                for name in ("status_quo", "naive_swap", "bridged", "oracle")
            },
            candidate_reuse=reuse,
            cascade_embeddings_per_query=None if reuse is None else self.depth * (1.0 - reuse),
            adapter_name=self.adapters.deciding[0].name,
            adapters=[
                FoldAdapter(rank=one.rank, n_pairs=one.n_pairs, sha256=one.sha256)
                for one in self.adapters.deciding
            ],
            curve_few_pairs={
                pairs: pairs <= smaller
                if isinstance(fitted, NotMeasuredError)
                else any(one.few_pairs for one in fitted)
                for pairs, fitted in self.adapters.curve.items()
            },
            candidates=self._candidates(resampled),
            mini_index=self.mini_index,
            old_profile=self.spaces.inputs.old_profile,
            new_profile=self.spaces.inputs.new_profile,
            zero_rows=self.zero_rows,
            per_query=PerQuery(
                ids=evaluation.ids,
                recall={
                    name.removesuffix(".recall"): column
                    for name, column in columns.items()
                    if name.endswith(".recall")
                },
            ),
        )

    def _skipped(self) -> dict[str, int]:
        """Count what was left out; judgements that a tier does not use leave nothing out."""
        relevance, spaces = self.evaluation.relevance, self.spaces
        if self.evaluation.tier != "T1" or relevance is None:
            return {}
        judged = np.unique(relevance.rows)
        new = np.isin(judged, spaces.inputs.covered)
        return {
            **spaces.inputs.skipped,
            "judged_documents_without_new_vectors": int(np.count_nonzero(~new)),
        }

    def _reasons(self) -> dict[str, str]:
        """Say why a figure has no columns to stand on."""
        reasons = {}
        if self.measured.seen is None:
            reasons["arr_seen"] = (
                "--fit-scope seen: arr is the figure with pairs from everywhere"
                if self.settings.fit_scope == "seen"
                else "not measured again: it comes from another fit"
            )
        if self.measured.rivals_bridged is None:
            reasons["arr_unseen_rivals"] = (
                "no folds were needed: the pairs come from documents that no query is judged on"
                if self.settings.fit_scope == "unseen"
                else "--fit-scope seen: the pairs are drawn from all documents"
            )
        if self.measured.ranks["cascade"] is None:
            reasons["cascade_measured"] = (
                "some candidates have no vector of the new model, so they can't be reranked"
            )
        return reasons

    def _curve_reasons(self) -> dict[int, str | None]:
        """Return the points of the pairs curve, each with the reason why it is not measured."""
        return {
            pairs: str(fitted) if isinstance(fitted, NotMeasuredError) else None
            for pairs, fitted in self.adapters.curve.items()
        }

    def _reuse(self) -> float | None:
        """Return the cascade's price, countable only on a real query log."""
        if self.evaluation.tier == "T0":
            return None
        return candidate_reuse(self.measured.bridged.ids)

    def _candidates(self, resampled: ResampledColumns) -> list[Candidate]:
        candidates = list(self.chosen.candidates)
        if "csls.recall" in resampled.names:
            candidates.append(
                Candidate(
                    name="csls",
                    recall=resampled.mean("csls.recall"),
                    difference_to_best=Figure.missing(
                        "a reordering of the bridged candidates on the evaluation queries; an "
                        "untouched index can't apply it, so it is never chosen"
                    ),
                    n_parameters=None,
                    chosen=False,
                    reason="reported only",
                )
            )
        return candidates
