"""The tables of the probe's report, every cell a text that is safe to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.probe.clusters import MIN_TAIL_QUERIES
from gnomon.probe.columns import RANKINGS
from gnomon.report.numbers import count, decimal, interval, signed
from gnomon.report.tables import Table, safe
from gnomon.report.words import FIGURE_LABELS, RANKING_LABELS
from gnomon.sources.escape import printable

if TYPE_CHECKING:
    from gnomon.probe.result import Candidate, ProbeResult
    from gnomon.types import Figure

MOST_SMALL_CLUSTERS = 40
REORDERING = "csls"  # reported beside the adapters, not one of them


def rankings_table(result: ProbeResult) -> Table:
    """Return the means of the five rankings."""
    k = result.settings.k
    rows = []
    for name in RANKINGS:
        means = result.figures.rankings[name]
        recall, ndcg, mrr = means["recall"], means["ndcg"], means["mrr"]
        rows.append(
            (RANKING_LABELS[name], decimal(recall.value), interval(recall),
             decimal(ndcg.value), decimal(mrr.value))
        )  # fmt: skip
    return Table(
        caption="The five rankings, mean over the queries",
        header=("Ranking", f"Recall@{k}", "95% interval", f"nDCG@{k}", f"MRR@{k}"),
        rows=rows,
    )


def figures_table(result: ProbeResult) -> Table:
    """Return every figure with its interval or the reason why there is none."""
    figures = [(label, getattr(result.figures, name)) for name, label in FIGURE_LABELS.items()]
    return Table(
        caption="Figures with their 95% intervals",
        header=("Figure", "Value", "95% interval, or why there is none"),
        rows=[
            *(
                (label, decimal(figure.value), _interval_or_reason(figure))
                for label, figure in figures
            ),
            *_plain_figures(result),
        ],
    )


def _plain_figures(result: ProbeResult) -> list[tuple[str, str, str]]:
    """Return the figures without an interval."""
    k, agreement, shift = result.settings.k, result.agreement, result.score_shift
    whose = "by the first fold's adapter" if len(result.adapters) > 1 else ""
    unshifted = printable(shift.reason) if shift.reason else whose
    after = whose if shift.p is None else ", ".join(filter(None, (f"p = {shift.p:.2g}", whose)))
    return [
        (f"Overlap of bridge and oracle at {k}", decimal(agreement.overlap), whose),
        (f"Rank correlation (Spearman) at {k}", decimal(agreement.spearman), whose),
        ("Score shift before calibration", decimal(shift.before), unshifted),
        (
            "Score shift after calibration",
            decimal(shift.after),
            unshifted if shift.reason else after,
        ),
    ]


def _interval_or_reason(figure: Figure) -> str:
    if figure.low is not None and figure.high is not None:
        return interval(figure)
    return printable(figure.reason) if figure.reason else "no interval"


def curve_table(result: ProbeResult) -> Table:
    """Return unseen retention by number of pairs."""
    few = result.curve_few_pairs
    rows = [
        (
            count(pairs),
            decimal(figure.value),
            _interval_or_reason(figure),
            "no more pairs than dimensions" if few[pairs] else "",
        )
        for pairs, figure in result.figures.curve.items()
    ]
    width = 4 if any(few[pairs] for pairs in result.figures.curve) else 3
    return Table(
        caption="Unseen retention by number of pairs",
        header=("Pairs", "Retention", "95% interval", "Note")[:width],
        rows=[row[:width] for row in rows],
    )


def mini_index_table(result: ProbeResult) -> Table | None:
    """Return the two estimates on a sampled corpus; None when all of it has new vectors."""
    mini = result.mini_index
    if mini is None:
        return None
    names = ("arr", "upgrade_gain", "bridge_advantage")
    return Table(
        caption="Two estimates on a part of the corpus",
        header=("Figure", "Mixed (decides)", "95% interval", "Mini index", "95% interval"),
        rows=[
            (FIGURE_LABELS[name], decimal(mixed.value), _interval_or_reason(mixed),
             decimal(small.value), _interval_or_reason(small))
            for name in names
            for mixed, small in ((getattr(result.figures, name), getattr(mini, name)),)
        ],
    )  # fmt: skip


def clusters_table(result: ProbeResult) -> Table:
    """Return retention by cluster, with no figure where the queries are too few."""
    large = [one for one in result.clusters.clusters if one.n_queries >= MIN_TAIL_QUERIES]
    small = [one for one in result.clusters.clusters if one.n_queries < MIN_TAIL_QUERIES]
    kept = {one.cluster for one in (*large, *small[:MOST_SMALL_CLUSTERS])}
    return Table(
        caption="Retention by cluster, sparsest first",
        header=("Cluster", "Documents", "Queries", "Retention"),
        rows=[
            (
                str(one.cluster),
                count(one.n_documents),
                count(one.n_queries),
                decimal(one.arr) if one.n_queries >= MIN_TAIL_QUERIES else "too few to tell",
            )
            for one in result.clusters.clusters
            if one.cluster in kept
        ],
    )


def candidates_table(result: ProbeResult) -> Table:
    """Return the adapters as they were compared."""
    return Table(
        caption="Adapters compared on held-out documents",
        header=("Adapter", "Recall", "Difference to the best", "Parameters", "Note"),
        # CSLS has its figure from the evaluation queries and cannot stand in one column with these.
        rows=[_candidate(one) for one in result.candidates if one.name != REORDERING],
    )


def _candidate(one: Candidate) -> tuple[str, ...]:
    difference = one.difference_to_best
    shown = decimal(difference.value) if difference.value is None else signed(difference.value)
    if difference.low is not None and difference.value != 0.0:
        shown += f" ({interval(difference)})"
    return (
        printable(one.name),
        decimal(one.recall),
        shown,
        "" if one.n_parameters is None else count(one.n_parameters),
        ": ".join(filter(None, ("chosen" if one.chosen else "", printable(one.reason or "")))),
    )


def models_table(result: ProbeResult) -> Table:
    """Return the two models with their fingerprints."""
    return Table(
        caption="The two models",
        header=("", "Model", "Dimensions", "Query prefix", "Document prefix", "Fingerprint"),
        rows=[
            (side, safe(profile.id), str(profile.dim), safe(profile.query_prefix) or "none",
             safe(profile.document_prefix) or "none", profile.fingerprint)
            for side, profile in (("Old", result.old_profile), ("New", result.new_profile))
        ],
        codes=frozenset({1, 3, 4, 5}),
    )  # fmt: skip
