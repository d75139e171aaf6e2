"""Check whether the advice of the rule comes true on questions that it has not seen.

    python bench/decision_outcomes.py PATH/TO/COLLECTIONS [--fewest-queries 100]

For every collection (BEIR layout with ``emb/``) and every ordered pair of its models: the probe
decides on every second judged query, and what it advised is measured on the others. Printed are
the share of won bets of the cascade rule beside "always cascade", and what bridging was worth
under each decision. The two halves share no query, so nothing here holds by arithmetic.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gnomon.probe.files import collection_files
from gnomon.probe.gather import gather
from gnomon.probe.settings import ProbeSettings
from gnomon.probe.workflow import run_probe
from gnomon.sources import resolve_collection

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gnomon.probe.inputs import ProbeInputs
    from gnomon.probe.result import ProbeResult


@dataclass(frozen=True)
class Bet:
    """What was advised on one half of the queries, and what came out on the other."""

    collection: str
    old: str
    new: str
    advised: ProbeResult
    outcome: ProbeResult


def bets(folder: Path, fewest: int) -> Iterator[Bet]:
    """Yield one bet for every ordered pair of models of a collection."""
    models = resolve_collection(folder).models
    for old in models:
        for new in models:
            if old == new:
                continue
            inputs = gather(collection_files(folder, old, new)).inputs
            if inputs.log is None or len(inputs.log.rows) < fewest:
                return
            advised, outcome = (
                run_probe(half(inputs, part), ProbeSettings(k=min(10, inputs.n_documents // 4)))
                for part in (0, 1)
            )
            yield Bet(folder.name, old, new, advised.result, outcome.result)


def half(inputs: ProbeInputs, part: int) -> ProbeInputs:
    """Return the inputs with every second judged query."""
    log = inputs.log
    assert log is not None
    assert log.relevance is not None
    keep = np.arange(part, len(log.rows), 2)
    return replace(
        inputs, log=replace(log, rows=log.rows[keep], relevance=log.relevance.queries(keep))
    )


def won(values: Sequence[float | None]) -> str:
    """Return how many ratios beat staying, of how many, with their median."""
    known = sorted(value for value in values if value is not None)
    if not known:
        return "0 of 0"
    above = sum(value > 1.0 for value in known)
    return f"{above} of {len(known)}, median {known[len(known) // 2]:.3f}"


def report(made: Sequence[Bet]) -> None:
    """Print the tables."""
    for bet in made:
        advised, outcome = bet.advised, bet.outcome
        print(
            f"{bet.collection:13}{bet.old:22}{bet.new:22}{advised.verdict.decision:19}"
            f"{advised.verdict.arrangement:13}{_cell(outcome.figures.upgrade_gain.value)}"
            f"{_cell(outcome.figures.bridge_advantage.value)}"
            f"{_cell(outcome.figures.cascade_measured.value)}"
        )
    print("\nbridge over staying on the other half, by decision")
    groups: dict[str, list[float | None]] = defaultdict(list)
    for bet in made:
        groups[bet.advised.verdict.decision].append(bet.outcome.figures.bridge_advantage.value)
    for decision, values in sorted(groups.items()):
        print(f"  {decision:20}{won(values)}")
    print("\nrecall of a full reindex over staying on the other half, by decision")
    gains: dict[str, list[float | None]] = defaultdict(list)
    for bet in made:
        gains[bet.advised.verdict.decision].append(bet.outcome.figures.upgrade_gain.value)
    for decision, values in sorted(gains.items()):
        print(f"  {decision:20}{won(values)}")
    named = [bet for bet in made if bet.advised.verdict.arrangement == "cascade"]
    outcomes = [bet.outcome.figures.cascade_measured.value for bet in named]
    always = [bet.outcome.figures.cascade_measured.value for bet in made]
    print(f"\ncascade, where the rule named it: {won(outcomes)}")
    print(f"cascade, always:                  {won(always)}")


def _cell(value: float | None) -> str:
    return f"{'-':>8}" if value is None else f"{value:8.3f}"


def main() -> None:
    """Run every pair and print the outcome."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--fewest-queries", type=int, default=100)
    args = parser.parse_args()
    made = [
        bet
        for folder in sorted(args.folder.iterdir())
        if (folder / "emb").is_dir()
        for bet in bets(folder, args.fewest_queries)
    ]
    report(made)


if __name__ == "__main__":
    main()
