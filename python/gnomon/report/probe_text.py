"""The probe's result as lines for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gnomon.probe.columns import RANKINGS

if TYPE_CHECKING:
    from gnomon.probe.result import ProbeResult
    from gnomon.types import Figure

_LABELS = {
    "status_quo": "stay (status quo)",
    "naive_swap": "swap the model, keep the index",
    "bridged": "bridge",
    "cascade": "bridge, then rerank",
    "oracle": "re-embed everything",
}
_FIGURES = (
    ("arr", "retention of the bridge (ARR)"),
    ("arr_seen", "  with judged documents in the fit"),
    ("arr_unseen_rivals", "  among unseen rivals"),
    ("upgrade_gain", "gain of the new model"),
    ("bridge_advantage", "bridge over staying"),
    ("cascade_advantage", "cascade over staying, formula"),
    ("cascade_measured", "cascade over staying, measured"),
)


class Place(Protocol):
    """Where in the trail a decision stands."""

    @property
    def seq(self) -> int:
        """Number of the record."""

    @property
    def hash(self) -> str:
        """Hash of the record."""


def probe_lines(result: ProbeResult, place: Place) -> list[str]:
    """Return the result, most important line first."""
    verdict = result.verdict
    qualities = [
        word
        for word, holds in (
            ("provisional", verdict.provisional),
            ("borderline", verdict.borderline),
            ("interval straddles the threshold", verdict.interval_straddles_threshold),
        )
        if holds
    ]
    lines = [
        f"decision:    {verdict.decision}" + (f"  ({', '.join(qualities)})" if qualities else ""),
        f"arrangement: {verdict.arrangement}",
        f"interim:     {verdict.interim or 'not measured'}",
        "",
        *verdict.rationale,
    ]
    if verdict.provisional_reasons:
        lines += ["", *(f"provisional: {reason}" for reason in verdict.provisional_reasons)]
    return [
        *lines,
        "",
        *_ranking_table(result),
        "",
        *_figure_table(result),
        "",
        *_facts(result, place),
        *(f"warning {one.code}: {one.message}" for one in verdict.warnings),
    ]


def _ranking_table(result: ProbeResult) -> list[str]:
    k = result.settings.k
    rows = [f"{'':32}{'recall@' + str(k):>10}{'95% interval':>20}{'nDCG':>9}{'MRR':>9}"]
    for ranking in RANKINGS:
        means = result.figures.rankings[ranking]
        rows.append(
            f"{_LABELS[ranking]:32}{_number(means['recall']):>10}{_interval(means['recall']):>20}"
            f"{_number(means['ndcg']):>9}{_number(means['mrr']):>9}"
        )
    return rows


def _figure_table(result: ProbeResult) -> list[str]:
    rows = []
    for name, label in _FIGURES:
        figure = getattr(result.figures, name)
        if figure.value is None:
            rows.append(f"{label:38}{'-':>8}  {figure.reason}")
        else:
            rows.append(f"{label:38}{_number(figure):>8}  {_interval(figure)}")
    reuse, price = result.candidate_reuse, result.cascade_embeddings_per_query
    if reuse is not None and price is not None:
        rows.append(
            f"{'price of the cascade':38}{price:8.1f}  embeddings per query at most "
            f"(candidate reuse {reuse:.4f})"
        )
    return rows


def _facts(result: ProbeResult, place: Place) -> list[str]:
    adapters = len(result.adapters)
    how = f"{adapters} folds" if adapters > 1 else f"{result.adapters[0].n_pairs} pairs"
    return [
        (
            f"models:  {result.old_profile.id} ({result.old_profile.dim}) -> "
            f"{result.new_profile.id} ({result.new_profile.dim})"
        ),
        f"adapter: {result.adapter_name}, {how}, fit scope {result.settings.fit_scope}",
        (
            f"corpus:  {result.n_documents:,} documents, {result.n_queries:,} queries, tier "
            f"{result.tier}, candidate depth {result.candidate_depth}, seed {result.settings.seed}"
        ),
        f"record:  {place.seq} {place.hash}",
    ]


def _number(figure: Figure) -> str:
    return "-" if figure.value is None else f"{figure.value:.4f}"


def _interval(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return "-"
    return f"{figure.low:.4f} to {figure.high:.4f}"
