"""What evidence is missing: everything that would make a probe's decision firmer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.probe.clusters import MIN_TAIL_QUERIES
from gnomon.report.numbers import count
from gnomon.report.words import FIGURE_LABELS
from gnomon.rules.upgrade_text import MISSING_PRICE
from gnomon.sources.escape import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.probe.result import ProbeResult


def gaps(result: ProbeResult) -> list[str]:
    """Return one sentence for each piece of evidence that is missing, most important first."""
    return [*_undecided(result), *_unmeasured(result), *_left_out(result)]


def _undecided(result: ProbeResult) -> Iterator[str]:
    verdict = result.verdict
    yield from (f"Provisional: {reason}." for reason in verdict.provisional_reasons)
    settle = verdict.queries_to_settle
    # An interval that does not reach the threshold leaves nothing for more queries to settle.
    if settle is not None and verdict.interval_straddles_threshold:
        needed = count(settle) if isinstance(settle, int) else settle
        yield f"Queries that would settle the decision: {needed} (now {count(result.n_queries)})."
    yield from (f"For a cascade: {piece}." for piece in verdict.arrangement_missing)
    left = result.n_documents - result.n_covered
    if left:
        yield (
            f"{counted(left, 'document')} of {count(result.n_documents)} without a vector of the "
            "new model: embed them to measure the corpus instead of a sample."
        )


def _unmeasured(result: ProbeResult) -> Iterator[str]:
    """Yield the reasons of missing figures, each reason once with all its figures."""
    by_reason: dict[str, list[str]] = {}
    for name, label in FIGURE_LABELS.items():
        figure = getattr(result.figures, name)
        if figure.value is None:
            reason = (figure.reason or "no reason given").removeprefix(f"{name} ")
            by_reason.setdefault(reason, []).append(label)
    for reason, labels in by_reason.items():
        yield f"Not measured: {'; '.join(labels)}. Reason: {reason}."
    if result.score_shift.after is None and result.score_shift.reason:
        yield f"Not measured: score shift. Reason: {result.score_shift.reason}."
    if result.candidate_reuse is None and MISSING_PRICE not in result.verdict.arrangement_missing:
        yield f"Not measured: {MISSING_PRICE}."
    if result.clusters.tail_arr is None:
        yield f"Not measured: retention over the sparsest clusters. Reason: {no_tail(result)}."


def no_tail(result: ProbeResult) -> str:
    """Return why there is no retention over the sparsest clusters."""
    n_queries = result.clusters.tail_queries
    if n_queries >= MIN_TAIL_QUERIES:
        return "re-embedding everything finds nothing for the queries near them"
    near = f"{counted(n_queries, 'query', 'queries')} near them, fewer than {MIN_TAIL_QUERIES}"
    return f"{near}: too few to tell"


def _left_out(result: ProbeResult) -> Iterator[str]:
    yield from (
        f"Left out: {count(number)} {name.replace('_', ' ')}."
        for name, number in result.skipped.items()
        if number
    )
    yield from (
        f"Zero vectors in {name.replace('_', ' ')}: {count(number)}; they match nothing."
        for name, number in result.zero_rows.items()
        if number
    )
