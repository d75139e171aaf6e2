"""What the upgrade rule is told about one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.rules import upgrade

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.probe.bridging import Adapters
    from gnomon.probe.clusters import ClusterFigures
    from gnomon.probe.figures import Figures
    from gnomon.probe.result import MiniIndex, ScoreShift
    from gnomon.probe.settings import ProbeSettings
    from gnomon.probe.spaces import Spaces
    from gnomon.probe.truth import Evaluation


def evidence_of(
    spaces: Spaces,
    settings: ProbeSettings,
    evaluation: Evaluation,
    adapters: Adapters,
    *,
    figures: Figures,
    shift: ScoreShift,
    clusters: ClusterFigures,
    reuse: float | None,
    depth: int,
    mini_index: MiniIndex | None,
    zero_rows: Mapping[str, int],
    skipped: Mapping[str, int],
) -> upgrade.UpgradeEvidence:
    """Return the evidence of a run in the words of the rule."""
    inputs, first = spaces.inputs, adapters.deciding[0]
    covered = len(inputs.covered)
    return upgrade.UpgradeEvidence(
        tier=evaluation.tier,
        n_queries=evaluation.n_queries,
        arr=figures.arr,
        upgrade_gain=figures.upgrade_gain,
        bridge_advantage=figures.bridge_advantage,
        cascade_arr=figures.cascade_arr,
        cascade_advantage=figures.cascade_advantage,
        cascade_measured=figures.cascade_measured,
        candidate_depth=depth,
        candidate_reuse=reuse,
        has_text=inputs.has_text,
        second_estimates=_second_estimates(figures, mini_index),
        tail=upgrade.TailEvidence(arr=clusters.tail_arr, n_queries=clusters.tail_queries),
        sides=(
            _sides("arr", figures.arr.value, figures.arr_ndcg.value),
            _sides("upgrade_gain", figures.upgrade_gain.value, figures.gain_ndcg.value),
        ),
        score_shift=upgrade.ScoreShift(after=shift.after, p=shift.p),
        fit_scope=settings.fit_scope,
        folds=adapters.folded,
        n_pairs=min(one.fewest_pairs for one in adapters.deciding) if first.learns else None,
        smaller_dimension=min(first.d_new, first.d_old) if first.learns else None,
        sampled_fraction=covered / inputs.n_documents if spaces.partial else None,
        documents_without_new_vectors=inputs.n_documents - covered,
        judged_without_new_vectors=skipped.get("judged_documents_without_new_vectors", 0),
        zero_vectors=tuple((name, number) for name, number in zero_rows.items() if number),
        n_unjudged_queries=skipped.get("unjudged_queries", 0)
        + skipped.get("queries_without_relevant_document", 0),
        n_missing_judged_documents=skipped.get("missing_judged_documents", 0),
    )


def _sides(figure: str, recall: float | None, ndcg: float | None) -> upgrade.MetricSides:
    return upgrade.MetricSides(figure=figure, recall=recall, ndcg=ndcg)


def _second_estimates(
    figures: Figures, mini_index: MiniIndex | None
) -> tuple[upgrade.SecondEstimate, ...]:
    seconds = []
    if figures.arr_unseen_rivals.value is not None:
        seconds.append(
            upgrade.SecondEstimate(name="arr_unseen_rivals", arr=figures.arr_unseen_rivals)
        )
    if mini_index is not None:
        seconds.append(
            upgrade.SecondEstimate(
                name="mini_index",
                arr=mini_index.arr,
                upgrade_gain=mini_index.upgrade_gain,
                bridge_advantage=mini_index.bridge_advantage,
            )
        )
    return tuple(seconds)
