"""Wins and losses against staying."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.report.builders import SAMPLED, T0, T1_FOLDS

from gnomon.probe.result import PerQuery
from gnomon.report.per_query import wins_and_losses


def test_every_query_is_counted_once() -> None:
    """Better, equal and worse add up to the queries."""
    for one in wins_and_losses(T1_FOLDS):
        assert one.compared == 200


def test_most_moved_are_largest_first_and_ties_in_order() -> None:
    """The five largest gains, then the five largest losses; equal changes keep their order."""
    staying = np.zeros(7)
    bridged = np.array([0.1, 0.5, 0.5, 0.2, 0.3, 0.4, 0.0])
    queries = PerQuery(ids=list("abcdefg"), recall={"status_quo": staying, "bridged": bridged})
    bridge = wins_and_losses(replace(T1_FOLDS, per_query=queries))[0]
    assert [moved.id for moved in bridge.most_gained] == ["b", "c", "f", "e", "d"]
    assert bridge.most_lost == []
    assert (bridge.better, bridge.equal, bridge.worse) == (6, 1, 0)


def test_unmeasured_ranking_says_why() -> None:
    """Without reranked lists there is nothing to count, and the reason stands in its place."""
    cascade = wins_and_losses(SAMPLED)[1]
    assert cascade.compared == 0
    assert cascade.reason == "some candidates have no vector"


def test_nothing_is_compared_below_t1() -> None:
    """Where the new model is its own ground truth, the old one would lose by definition."""
    assert wins_and_losses(T0) == []
