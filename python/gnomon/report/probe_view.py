"""The probe's report in parts, every text safe to show; the HTML and Markdown views arrange it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.probe.clusters import MIN_TAIL_QUERIES
from gnomon.probe.columns import RANKINGS
from gnomon.report import words
from gnomon.report.charts import Curve, RowChart, curve_chart, row_chart
from gnomon.report.gaps import gaps, no_tail
from gnomon.report.numbers import count, decimal, signed
from gnomon.report.per_query import WinsAndLosses, wins_and_losses
from gnomon.report.probe_tables import (
    MOST_SMALL_CLUSTERS,
    candidates_table,
    clusters_table,
    curve_table,
    figures_table,
    mini_index_table,
    models_table,
    rankings_table,
)
from gnomon.report.reproduction import (
    command_line,
    has_withheld_paths,
    input_files,
    origins,
    replay_line,
)
from gnomon.report.tables import Table, safe
from gnomon.rules.pairs_curve import PairsPoint, read_pairs_curve
from gnomon.rules.upgrade import ARR_BANDS
from gnomon.rules.upgrade_text import MISSING_PRICE
from gnomon.sources.escape import counted, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.probe.result import ProbeResult
    from gnomon.report.reproduction import Place

_AGAINST_STAYING = (
    "upgrade_gain", "bridge_advantage", "cascade_advantage", "cascade_measured",
)  # fmt: skip
_WITHHELD = (
    "A name with # and digits stands for a file whose path would have named a user; put the file's "
    "own path in its place."
)
_RETENTION = ("arr", "arr_seen", "arr_unseen_rivals")


@dataclass(frozen=True, slots=True, kw_only=True)
class WinsView:
    """One ranking against staying: counts, and the queries that moved most."""

    wins: WinsAndLosses
    reason: str
    moved: Table | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeView:
    """A report in the order in which it is read."""

    old: str
    new: str
    k: int
    to_do: Sequence[str]
    sureness: str
    how_sure: str
    facts: Sequence[tuple[str, str]]
    rationale: Sequence[str]
    ground_truth: str | None
    rankings_chart: RowChart
    rankings: Table
    staying_chart: RowChart | None
    wins: Sequence[WinsView]
    no_wins: str | None
    retention_chart: RowChart
    figures: Table
    curve: Curve | None
    curve_table: Table
    curve_reading: str
    mini_index: Table | None
    tail: str
    clusters: Table
    clusters_note: str
    price: str
    warnings: Sequence[tuple[str, str]]
    candidates: Table
    candidates_note: str
    missing: Sequence[str]
    command: str
    command_note: str | None
    replay: str
    record: Sequence[tuple[str, str]]
    models: Table
    files: Table
    glossary: Sequence[tuple[str, str]]


def probe_view(result: ProbeResult, place: Place) -> ProbeView:
    """Return the parts of the report of one probe."""
    figures, verdict = result.figures, result.verdict
    against = [(words.FIGURE_LABELS[name], getattr(figures, name)) for name in _AGAINST_STAYING]
    means = [(words.RANKING_LABELS[name], figures.rankings[name]["recall"]) for name in RANKINGS]
    retention = [(words.FIGURE_LABELS[name], getattr(figures, name)) for name in _RETENTION]
    return ProbeView(
        old=safe(result.old_profile.id),
        new=safe(result.new_profile.id),
        k=result.settings.k,
        to_do=words.what_to_do(verdict, result.candidate_depth),
        sureness=words.sureness(verdict),
        how_sure=words.how_sure(result),
        facts=_facts(result),
        rationale=[printable(sentence) for sentence in verdict.rationale],
        ground_truth=_ground_truth(result),
        rankings_chart=row_chart(means, lines=_staying_line(result)),
        rankings=rankings_table(result),
        staying_chart=(
            row_chart(against, lines=((1.0, "as today"),))
            if any(figure.value is not None for _, figure in against)
            else None
        ),
        wins=[_wins_view(one) for one in wins_and_losses(result)],
        no_wins=_no_wins(result),
        retention_chart=row_chart(
            retention, lines=[(edge, f"{edge:.2f}") for edge, _ in ARR_BANDS]
        ),
        figures=figures_table(result),
        curve=_curve(result),
        curve_table=curve_table(result),
        curve_reading=_curve_reading(result),
        mini_index=mini_index_table(result),
        tail=_tail(result),
        clusters=clusters_table(result),
        clusters_note=_clusters_note(result),
        price=_price(result),
        warnings=[(one.code, printable(one.message)) for one in result.warnings],
        candidates=candidates_table(result),
        candidates_note=_candidates_note(result),
        missing=[printable(sentence) for sentence in gaps(result)],
        command=command_line(result.settings, place),
        command_note=_WITHHELD if has_withheld_paths(place) else None,
        replay=replay_line(place),
        record=[
            ("Record", str(place.seq)),
            ("Hash", printable(place.hash)),
            ("Seed", str(result.settings.seed)),
            *origins(place),
        ],
        models=models_table(result),
        files=Table(
            caption="Files that were read",
            header=("Role", "File", "SHA-256"),
            rows=input_files(place),
            codes=frozenset({1, 2}),
        ),
        glossary=words.GLOSSARY,
    )


def _staying_line(result: ProbeResult) -> tuple[tuple[float, str], ...]:
    """Return the recall of staying to compare the bars with, where they can be compared."""
    staying = result.figures.rankings["status_quo"]["recall"].value
    return () if staying is None or result.tier != "T1" else ((staying, "staying"),)


def _facts(result: ProbeResult) -> list[tuple[str, str]]:
    verdict = result.verdict
    documents = counted(result.n_documents, "document")
    if result.n_covered != result.n_documents:
        documents += f", {count(result.n_covered)} with a vector of the new model"
    qualities = ", ".join(words.flags(verdict))
    return [
        ("Decision", verdict.decision + (f" ({qualities})" if qualities else "")),
        ("Arrangement", verdict.arrangement),
        ("Interim, without a cascade", verdict.interim or "not measured"),
        ("Corpus", documents),
        ("Queries", f"{count(result.n_queries)}, tier {result.tier}"),
        ("Adapter", _adapter(result)),
    ]


def _adapter(result: ProbeResult) -> str:
    adapters = result.adapters
    fewest = counted(min(one.n_pairs for one in adapters), "pair")
    how = f"{len(adapters)} folds of at least {fewest}" if len(adapters) > 1 else fewest
    return f"{result.adapter_name}, {how}, fit scope {result.settings.fit_scope}"


def _ground_truth(result: ProbeResult) -> str | None:
    if result.tier == "T1":
        return None
    return (
        f"At tier {result.tier} the new model's own results count as relevant. Re-embedding "
        "everything is therefore perfect by definition, and staying shows only how far the old "
        "model agrees: these bars cannot say which model is better."
    )


def _wins_view(one: WinsAndLosses) -> WinsView:
    moved = [
        (safe(query.id), decimal(query.staying), decimal(query.other), signed(query.change))
        for query in (*one.most_gained, *one.most_lost)
    ]
    return WinsView(
        wins=one,
        reason=printable(one.reason or ""),
        moved=Table(
            caption=f"{one.label}: the queries that moved most",
            header=("Query", "Staying", "Instead", "Change"),
            rows=moved,
            codes=frozenset({0}),
        )
        if moved
        else None,
    )


def _no_wins(result: ProbeResult) -> str | None:
    if result.tier == "T1":
        return None
    return (
        f"Not measured: at tier {result.tier} the new model is its own ground truth, so no query "
        "can tell which of the two answers it better. It takes queries with judgements (T1)."
    )


def _curve(result: ProbeResult) -> Curve | None:
    if len(result.figures.curve) < 2:
        return None
    return curve_chart(
        [
            (count(pairs), figure, result.curve_few_pairs[pairs])
            for pairs, figure in result.figures.curve.items()
        ]
    )


def _curve_reading(result: ProbeResult) -> str:
    if not result.figures.curve:
        if result.settings.fit_scope == "seen":
            return "Not measured: the curve shows unseen retention, and the fit scope is seen."
        return "Not measured: the corpus holds too few documents for the smallest point."
    points = [
        PairsPoint(n_pairs=pairs, arr=figure.value)
        for pairs, figure in result.figures.curve.items()
    ]
    return read_pairs_curve(points).sentence


def _tail(result: ProbeResult) -> str:
    clusters = result.clusters
    if clusters.tail_arr is None:
        return f"Over the sparsest clusters: not measured ({no_tail(result)})."
    return (
        f"Over the sparsest tenth of the clusters retention is {decimal(clusters.tail_arr)} "
        f"({counted(clusters.tail_queries, 'query', 'queries')}); over the whole corpus it is "
        f"{decimal(result.figures.arr.value)}."
    )


def _clusters_note(result: ProbeResult) -> str:
    clusters = result.clusters
    made = (
        f"{counted(clusters.n_clusters, 'cluster')} of {counted(clusters.n_clustered, 'document')} "
        "by their old vectors; a query belongs to the nearest."
    )
    small = [one for one in clusters.clusters if one.n_queries < MIN_TAIL_QUERIES]
    hidden = len(small) - MOST_SMALL_CLUSTERS
    if hidden > 0:
        made += f" {counted(hidden, 'more cluster')} with too few queries to tell not shown."
    return made


def _price(result: ProbeResult) -> str:
    price, reuse = result.cascade_embeddings_per_query, result.candidate_reuse
    if price is None or reuse is None:
        return f"Not measured: {MISSING_PRICE}."
    counted_on = " Counted with the first fold's adapter." if len(result.adapters) > 1 else ""
    return (
        f"At most {price:.1f} document embeddings per query: the bridge fetches "
        f"{count(result.candidate_depth)} candidates, and at least {decimal(reuse)} of them were "
        "candidates of an earlier query, so that a cache holds them already. Multiply by your "
        f"traffic and your price per embedding.{counted_on}"
    )


def _candidates_note(result: ProbeResult) -> str:
    note = ""
    if not candidates_table(result).rows:
        note = (
            f"Nothing was compared: {printable(result.adapter_name)} was asked for, so no document "
            "was held out for choosing. "
        )
    csls = result.figures.csls_recall
    if csls is None:
        return f"{note}CSLS reordering: not measured."
    note += (
        f"CSLS, a reordering of the bridge's candidates, reaches recall@{result.settings.k} "
        f"{decimal(csls)} on the evaluation queries. It is reported and never chosen, since an "
        "index that stays as it is cannot apply it."
    )
    return note
