"""The figures of the result, each a ratio or mean of columns with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.probe.columns import RANKINGS
from gnomon.types import Figure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.probe.settings import Tier
    from gnomon.stats.resampling import ResampledColumns

METRICS = ("recall", "ndcg", "mrr")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Everything that is measured on the evaluation queries.

    Attributes
    ----------
    arr, arr_seen, arr_unseen_rivals
        Retention: deciding, with pairs from all documents, among the documents of the own fold.
    upgrade_gain, bridge_advantage, cascade_arr, cascade_advantage, cascade_measured
        The break-even figures of probe.md.
    arr_mrr, arr_ndcg
        Retention on MRR@k and nDCG@k.
    gain_ndcg, cascade_ndcg
        Gain and measured cascade advantage on nDCG@k.
    dropped_draws
        Column -> bootstrap draws in which it was 0, so that ratios over it left them out.
    rankings
        Ranking -> metric -> mean with interval.
    curve
        Number of pairs -> ARR.
    csls_recall
        Recall of the bridged list reordered by CSLS, or None.
    """

    arr: Figure
    arr_seen: Figure
    arr_unseen_rivals: Figure
    upgrade_gain: Figure
    bridge_advantage: Figure
    cascade_arr: Figure
    cascade_advantage: Figure
    cascade_measured: Figure
    arr_mrr: Figure
    arr_ndcg: Figure
    gain_ndcg: Figure
    cascade_ndcg: Figure
    dropped_draws: Mapping[str, int]
    rankings: Mapping[str, Mapping[str, Figure]]
    curve: Mapping[int, Figure]
    csls_recall: float | None


def figures_of(
    resampled: ResampledColumns,
    *,
    tier: Tier,
    curve: Mapping[int, str | None],
    reasons: Mapping[str, str],
) -> Figures:
    """Return the figures of one run.

    Parameters
    ----------
    resampled
        The columns of :func:`gnomon.probe.columns.columns_of` and their draws.
    tier
        Below T1 the new model is its own ground truth and nothing compares with staying.
    curve
        Numbers of pairs, each with the reason why it was not measured, or None.
    reasons
        Why a column is absent, by the name of the figure that would need it.
    """

    def ratio(name: str, numerator: str, denominator: str) -> Figure:
        if name in reasons:
            return Figure.missing(reasons[name])
        return resampled.ratio_figure(numerator, denominator)

    def judged(name: str, figure: Figure) -> Figure:
        if tier == "T1":
            return figure
        return Figure.missing(
            f"{name} compares with the old model, and at tier {tier} the new model is its own "
            "ground truth; it takes queries with judgements (T1)"
        )

    advantage = resampled.product_figure(
        [
            ("bridged.recall_depth", "oracle.recall_depth"),
            ("oracle.recall", "status_quo.recall"),
        ]
    )
    return Figures(
        arr=ratio("arr", "bridged.recall", "oracle.recall"),
        arr_seen=ratio("arr_seen", "seen.recall", "oracle.recall"),
        arr_unseen_rivals=ratio(
            "arr_unseen_rivals", "rivals_bridged.recall", "rivals_oracle.recall"
        ),
        upgrade_gain=judged(
            "upgrade_gain", ratio("upgrade_gain", "oracle.recall", "status_quo.recall")
        ),
        bridge_advantage=judged(
            "bridge_advantage", ratio("bridge_advantage", "bridged.recall", "status_quo.recall")
        ),
        cascade_arr=ratio("cascade_arr", "bridged.recall_depth", "oracle.recall_depth"),
        cascade_advantage=judged("cascade_advantage", advantage),
        cascade_measured=judged(
            "cascade_measured", ratio("cascade_measured", "cascade.recall", "status_quo.recall")
        ),
        arr_mrr=ratio("arr_mrr", "bridged.mrr", "oracle.mrr"),
        arr_ndcg=ratio("arr_ndcg", "bridged.ndcg", "oracle.ndcg"),
        gain_ndcg=judged("gain_ndcg", ratio("gain_ndcg", "oracle.ndcg", "status_quo.ndcg")),
        cascade_ndcg=judged(
            "cascade_ndcg", ratio("cascade_measured", "cascade.ndcg", "status_quo.ndcg")
        ),
        dropped_draws=_dropped_draws(resampled),
        rankings=_ranking_means(resampled, reasons),
        curve={
            pairs: resampled.ratio_figure(f"curve_{pairs}.recall", "oracle.recall")
            if reason is None
            else Figure.missing(reason)
            for pairs, reason in curve.items()
        },
        csls_recall=resampled.mean("csls.recall") if "csls.recall" in resampled.names else None,
    )


def _dropped_draws(resampled: ResampledColumns) -> dict[str, int]:
    """Count the draws without a denominator, by the column that was 0 in them."""
    denominators = (
        "oracle.recall", "oracle.recall_depth", "status_quo.recall", "rivals_oracle.recall",
    )  # fmt: skip
    counts = {
        name: resampled.dropped_draws(name) for name in denominators if name in resampled.names
    }
    return {name: count for name, count in counts.items() if count > 0}


def _ranking_means(
    resampled: ResampledColumns, reasons: Mapping[str, str]
) -> dict[str, dict[str, Figure]]:
    means: dict[str, dict[str, Figure]] = {}
    for ranking in RANKINGS:
        if f"{ranking}.recall" in resampled.names:
            means[ranking] = {
                metric: resampled.mean_figure(f"{ranking}.{metric}") for metric in METRICS
            }
        else:
            missing = Figure.missing(reasons.get("cascade_measured", "not measured"))
            means[ranking] = dict.fromkeys(METRICS, missing)
    return means
