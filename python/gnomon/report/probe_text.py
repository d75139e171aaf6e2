"""The probe's result as lines for a terminal of 80 to 100 columns."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from gnomon.probe.columns import RANKINGS
from gnomon.report.gaps import gaps
from gnomon.report.numbers import NOT_MEASURED, count, decimal, interval
from gnomon.report.words import FIGURE_LABELS, RANKING_LABELS, flags, how_sure, what_to_do
from gnomon.sources.escape import counted, printable

if TYPE_CHECKING:
    from gnomon.probe.result import ProbeResult
    from gnomon.report.reproduction import Place
    from gnomon.types import Figure

WIDTH = 88
_LABEL_WIDTH = 40
_SHOWN = (
    "arr", "arr_seen", "arr_unseen_rivals",
    "upgrade_gain", "bridge_advantage", "cascade_advantage", "cascade_measured",
)  # fmt: skip


def probe_lines(result: ProbeResult, place: Place) -> list[str]:
    """Return the result, most important line first, no line wider than 88 where words allow."""
    verdict = result.verdict
    qualities = ", ".join(flags(verdict))
    named = f"decision:    {verdict.decision}" + (f"  ({qualities})" if qualities else "")
    return [
        *_wrapped(named, " " * 13),
        f"arrangement: {verdict.arrangement}",
        f"interim:     {verdict.interim or NOT_MEASURED}",
        "",
        *(
            line
            for sentence in what_to_do(verdict, result.candidate_depth)
            for line in _wrapped(sentence)
        ),
        *_wrapped(f"How sure: {how_sure(result)}"),
        *_list("Why", verdict.rationale),
        "",
        *_ranking_table(result),
        "",
        *_figure_table(result),
        *_list("Warnings", [f"{one.code}: {one.message}" for one in result.warnings]),
        *_list("Missing evidence", gaps(result)),
        "",
        *_facts(result, place),
    ]


def _ranking_table(result: ProbeResult) -> list[str]:
    k = result.settings.k
    rows = [f"{'':32}{f'recall@{k}':>12}{'95% interval':>20}{'nDCG':>9}{'MRR':>9}"]
    for ranking in RANKINGS:
        means = result.figures.rankings[ranking]
        recall = means["recall"]
        shown = NOT_MEASURED if recall.value is None else interval(recall)
        rows.append(
            f"{RANKING_LABELS[ranking]:32}{_cell(recall):>12}{shown:>20}{_cell(means['ndcg']):>9}{_cell(means['mrr']):>9}"
        )
    return rows


def _figure_table(result: ProbeResult) -> list[str]:
    rows = []
    for name in _SHOWN:
        figure = getattr(result.figures, name)
        shown = NOT_MEASURED if figure.value is None else interval(figure)
        rows.append(f"{FIGURE_LABELS[name]:{_LABEL_WIDTH}}{_cell(figure):>8}  {shown}")
    price, reuse = result.cascade_embeddings_per_query, result.candidate_reuse
    if price is not None and reuse is not None:
        rows.append(
            f"{'Price of the cascade, at most':{_LABEL_WIDTH}}{price:8.1f}  embeddings a query "
            f"(reuse {decimal(reuse)})"
        )
    return rows


def _facts(result: ProbeResult, place: Place) -> list[str]:
    adapters = result.adapters
    how = f"{len(adapters)} folds" if len(adapters) > 1 else counted(adapters[0].n_pairs, "pair")
    old, new = result.old_profile, result.new_profile
    facts = (
        ("models", f"{old.id} ({old.dim}) -> {new.id} ({new.dim})"),
        ("adapter", f"{result.adapter_name}, {how}, fit scope {result.settings.fit_scope}"),
        (
            "corpus",
            (
                f"{counted(result.n_documents, 'document')}, "
                f"{counted(result.n_queries, 'query', 'queries')}, tier {result.tier}, "
                f"candidate depth {count(result.candidate_depth)}, seed {result.settings.seed}"
            ),
        ),
        ("record", f"{place.seq} {place.hash}"),
    )
    return [line for name, fact in facts for line in _wrapped(f"{name + ':':9}{fact}", " " * 9)]


def _list(title: str, sentences: tuple[str, ...] | list[str]) -> list[str]:
    if not sentences:
        return []
    return ["", f"{title}:", *(line for one in sentences for line in _wrapped(f"- {one}", "  "))]


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        printable(text),
        WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _cell(figure: Figure) -> str:
    return "-" if figure.value is None else decimal(figure.value)
