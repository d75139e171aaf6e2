"""The probe's report in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.report.markdown import bullets, code, fenced, plain, table
from gnomon.report.probe_view import probe_view

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gnomon.probe.result import ProbeResult
    from gnomon.report.probe_view import ProbeView, WinsView
    from gnomon.report.reproduction import Place


def probe_markdown(result: ProbeResult, place: Place) -> str:
    """Return the report as Markdown, in the order of the HTML report."""
    return "\n\n".join(_blocks(probe_view(result, place))) + "\n"


def _blocks(view: ProbeView) -> Iterator[str]:
    yield f"# Moving from {code(view.old)} to {code(view.new)}"
    yield f"**{plain(view.to_do[0])}**"
    yield from map(plain, view.to_do[1:])
    yield f"How sure: {plain(view.how_sure)}"
    yield _pairs(view.facts)
    yield "## Why"
    yield bullets([plain(sentence) for sentence in view.rationale])
    yield "## The five rankings"
    if view.ground_truth:
        yield plain(view.ground_truth)
    yield table(view.rankings)
    yield "## Wins and losses, query by query"
    if view.no_wins:
        yield plain(view.no_wins)
    for one in view.wins:
        yield from _wins(one)
    yield "## Seen against unseen"
    yield bullets([plain(mark.spoken) for mark in view.retention_chart.marks])
    yield plain(view.curve_reading)
    if view.curve_table.rows:
        yield table(view.curve_table)
    if view.mini_index:
        yield table(view.mini_index)
    yield from _tail_and_price(view)
    yield from _evidence(view)
    yield from _again(view)
    yield "## What the words mean"
    yield _pairs(view.glossary)


def _wins(one: WinsView) -> Iterator[str]:
    wins = one.wins
    yield f"### {plain(wins.label)}"
    if not wins.compared:
        yield f"Not measured: {plain(one.reason)}."
        return
    yield (
        f"Better {wins.better}, equal {wins.equal}, worse {wins.worse}, of {wins.compared} queries."
    )
    if one.moved:
        yield table(one.moved)


def _tail_and_price(view: ProbeView) -> Iterator[str]:
    yield "## The tail and the clusters"
    yield plain(view.tail)
    if view.clusters.rows:
        yield table(view.clusters)
    yield plain(view.clusters_note)
    yield "## The price of a cascade"
    yield plain(view.price)


def _evidence(view: ProbeView) -> Iterator[str]:
    yield "## Warnings"
    warned = [f"{code(name)}: {plain(message)}" for name, message in view.warnings]
    yield bullets(warned) if warned else "None."
    yield "## The adapters"
    if view.candidates.rows:
        yield table(view.candidates)
    yield plain(view.candidates_note)
    yield "## Every figure"
    yield table(view.figures)
    yield "## What evidence is missing"
    missing = [plain(sentence) for sentence in view.missing]
    if missing:
        yield bullets(missing)
    else:
        yield "None: every figure was measured, and the decision is clear."


def _again(view: ProbeView) -> Iterator[str]:
    yield "## How to reproduce this"
    yield "Run the record again and compare every figure:"
    yield fenced(view.replay)
    yield "Or measure anew:"
    yield fenced(view.command)
    if view.command_note:
        yield plain(view.command_note)
    yield bullets([f"{plain(name)}: {code(value)}" for name, value in view.record])
    yield table(view.models)
    if view.files.rows:
        yield table(view.files)


def _pairs(pairs: Sequence[tuple[str, str]]) -> str:
    return bullets([f"**{plain(name)}**: {plain(value)}" for name, value in pairs])
