"""What is checked of every probe against the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.golden.finding import about, about_set
from gnomon.golden.lint_scope import idle_paths, unknown_scope
from gnomon.rules.gate_values import NEGATIVES, POSITIVES
from gnomon.sources.escape import listed, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gnomon.golden.facts import IndexFacts
    from gnomon.golden.finding import Finding
    from gnomon.golden.probes import Probe


def probe_errors(probes: Sequence[Probe], facts: IndexFacts | None) -> Iterator[Finding]:
    """Yield what keeps probes from measuring anything; None leaves out what needs an index."""
    for probe in probes if facts is not None else ():
        assert facts is not None
        yield from unknown_scope(probe, facts)
        if probe.gold_page is not None and probe.gold_page not in facts.page_set:
            yield about(
                probe,
                "gold-matches-nothing",
                f"gold_page {quoted(probe.gold_page)} is no page of the index"
                f"{facts.hint(probe.gold_page.partition('#')[0])}",
            )
        if probe.stratum == "X" and _gold_in_scope(probe):
            yield about(
                probe,
                "gold-in-scope",
                f"stratum X asks for what its scope does not hold, and gold_page "
                f"{quoted(str(probe.gold_page))} lies in it; narrow the scope",
            )


def probe_warnings(probes: Sequence[Probe], facts: IndexFacts | None) -> Iterator[Finding]:
    """Yield what skews one measure."""
    for probe in probes:
        if facts is not None:
            yield from idle_paths(probe, facts)
        if probe.gold_page is None:
            continue
        if probe.stratum in POSITIVES and not _gold_in_scope(probe):
            yield about(
                probe,
                "gold-outside-scope",
                f"must be answered within its scope, and gold_page {quoted(probe.gold_page)} lies "
                "outside; widen the scope, or make it an X",
            )
        if probe.stratum in NEGATIVES and probe.stratum != "X":
            yield about(
                probe,
                "gold-on-negative",
                f"stratum {probe.stratum} must be refused, and gold_page names a page that answers "
                "it; drop it",
            )


def probe_set_warnings(probes: Sequence[Probe]) -> Iterator[Finding]:
    """Yield which half of the question a set can't answer."""
    strata = {probe.stratum for probe in probes}
    for code, wanted, fate in (
        ("no-answers", POSITIVES, "answered"),
        ("no-refusals", NEGATIVES, "refused"),
    ):
        if probes and not strata & set(wanted):
            yield about_set(
                code,
                f"no probe must be {fate} (strata {listed(list(wanted), first=len(wanted))}), so "
                "no threshold can be chosen; add some",
            )


def _gold_in_scope(probe: Probe) -> bool:
    return probe.gold_page is not None and (
        probe.scope is None or probe.scope.covers(probe.gold_page)
    )
