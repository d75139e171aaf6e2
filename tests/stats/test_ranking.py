"""Recall, nDCG and RR against their definitions and against ir-measures."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from typing import TYPE_CHECKING

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import statistics as reference

from gnomon.errors import InvalidInputError, UsageError
from gnomon.stats.discounts import log2_discounts
from gnomon.stats.ranking import ndcg_at, recall_at, reciprocal_rank_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Judged = list[list[tuple[int, int]]]  # per query: rank (0: not retrieved) and gain


def csr(judged: Judged) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return ranks, gains and offsets."""
    flat = [pair for query in judged for pair in query]
    offsets = np.cumsum([0] + [len(query) for query in judged])
    return (
        np.array([rank for rank, _ in flat], dtype=np.int64),
        np.array([gain for _, gain in flat], dtype=np.int64),
        offsets.astype(np.int64),
    )


def one(*pairs: tuple[int, int], k: int = 10) -> tuple[float, float, float]:
    """Return recall, nDCG and RR of one query."""
    ranks, gains, offsets = csr([list(pairs)])
    return (
        recall_at(k, ranks, offsets).item(),
        ndcg_at(k, ranks, gains, offsets).item(),
        reciprocal_rank_at(k, ranks, offsets).item(),
    )


@st.composite
def judged_queries(draw: st.DrawFn) -> Judged:
    """Draw queries whose retrieved relevant documents have ranks of their own."""
    queries = []
    for _ in range(draw(st.integers(1, 8))):
        ranks = draw(st.lists(st.integers(1, 30), min_size=1, max_size=12, unique=True))
        queries.append(
            [(rank if draw(st.booleans()) else 0, draw(st.integers(1, 4))) for rank in ranks]
        )
    return queries


@given(judged_queries(), st.integers(1, 25))
def test_metrics_follow_their_definitions(judged: Judged, k: int) -> None:
    """Every query's figure is the one of the plain definition."""
    ranks, gains, offsets = csr(judged)
    own = [[rank for rank, _ in query] for query in judged]
    weights = [[gain for _, gain in query] for query in judged]
    assert recall_at(k, ranks, offsets).tolist() == [reference.recall(q, k) for q in own]
    assert reciprocal_rank_at(k, ranks, offsets).tolist() == [
        reference.reciprocal_rank(q, k) for q in own
    ]
    expected = [reference.ndcg(q, g, k) for q, g in zip(own, weights, strict=True)]
    assert ndcg_at(k, ranks, gains, offsets) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@given(judged_queries(), st.integers(1, 25))
def test_metrics_equal_ir_measures(judged: Judged, k: int) -> None:
    """Recall, graded nDCG and RR@k equal ir-measures on the same run, minus rank as score."""
    ranks, gains, offsets = csr(judged)
    qrels = [
        ir_measures.Qrel(f"q{q}", f"d{q}-{i}", gain)
        for q, query in enumerate(judged)
        for i, (_, gain) in enumerate(query)
    ]
    run = [
        ir_measures.ScoredDoc(f"q{q}", doc, -float(rank))
        for q, query in enumerate(judged)
        for rank, doc in _filled(q, query)
    ]
    measures = [ir_measures.R @ k, ir_measures.nDCG @ k, ir_measures.RR @ k]
    theirs = {
        (str(row.measure), row.query_id): row.value
        for row in ir_measures.iter_calc(measures, qrels, run)
    }
    ours = (
        recall_at(k, ranks, offsets),
        ndcg_at(k, ranks, gains, offsets),
        reciprocal_rank_at(k, ranks, offsets),
    )
    for measure, values in zip(measures, ours, strict=True):
        expected = [theirs.get((str(measure), f"q{q}"), 0.0) for q in range(len(judged))]
        assert values == pytest.approx(expected, abs=1e-9)


def _filled(q: int, query: Sequence[tuple[int, int]]) -> list[tuple[int, str]]:
    """Return a whole ranking of 30: judged documents at their ranks, others in between."""
    taken = {rank: f"d{q}-{i}" for i, (rank, _) in enumerate(query) if rank}
    return [(rank, taken.get(rank, f"other-{rank}")) for rank in range(1, 31)]


@pytest.mark.parametrize(
    ("pairs", "k", "expected"),
    [
        ([(3, 1)], 10, (1.0, 0.5, 1 / 3)),  # a tie broken by list order puts d3 at rank 3
        ([(0, 1)], 10, (0.0, 0.0, 0.0)),  # no results, or absent from the run
        ([(i, 1) for i in range(1, 11)] + [(0, 1)] * 10, 10, (0.5, 1.0, 1.0)),  # 20 relevant
        ([(1, 1), (0, 1), (0, 1)], 10, (1 / 3, 0.46927872602275644, 1.0)),  # ideal from the qrels
        ([(11, 1)], 10, (0.0, 0.0, 0.0)),  # one beyond the cutoff
        ([(10, 1)], 10, (1.0, 1 / math.log2(11), 0.1)),
        ([(2, 3), (1, 1)], 10, (1.0, 0.7967075809905066, 1.0)),  # graded, linear gain
    ],
)
def test_known_values(
    pairs: list[tuple[int, int]], k: int, expected: tuple[float, float, float]
) -> None:
    """Values worked out by hand for inputs on which other tools went wrong."""
    assert one(*pairs, k=k) == pytest.approx(expected, abs=1e-12)


def test_query_absent_from_the_run_stays_in_the_mean() -> None:
    """Two judged queries, one of them without results: mean recall is a half."""
    ranks, _, offsets = csr([[(1, 1)], [(0, 1)]])
    assert recall_at(10, ranks, offsets).tolist() == [1.0, 0.0]


def test_ndcg_is_capped_where_documents_share_a_rank() -> None:
    """Two relevant documents at rank 1, each under its own fold's adapter, make 1 and not more."""
    assert one((1, 1), (1, 1)) == (1.0, 1.0, 1.0)


def test_the_order_of_the_judgements_is_no_matter() -> None:
    """The sums are correctly rounded, so a shuffled qrels file gives the same bits."""
    rng = np.random.default_rng(3)
    query = [
        (int(rank), int(gain))
        for rank, gain in zip(rng.permutation(200)[:150], rng.integers(1, 5, 150), strict=True)
    ]
    figures = {one(*[query[i] for i in rng.permutation(150)], k=200)[1] for _ in range(20)}
    assert len(figures) == 1


def test_discounts_are_rounded_once() -> None:
    """Each discount is the float nearest to 1 / log2(rank + 1), checked with 80 digits."""
    context = Context(prec=80)
    two = Decimal(2).ln(context)
    for rank, discount in enumerate(log2_discounts(300).tolist(), start=1):
        exact = context.divide(two, Decimal(rank + 1).ln(context))
        gap = abs(context.subtract(Decimal(discount), exact))
        for other in (math.nextafter(discount, 0), math.nextafter(discount, 2)):
            assert gap <= abs(context.subtract(Decimal(other), exact))
    assert log2_discounts(7)[6].item() == 1 / 3


@pytest.mark.parametrize("metric", [recall_at, reciprocal_rank_at])
@pytest.mark.parametrize(
    ("k", "ranks", "offsets", "error", "says"),
    [
        (0, [1], [0, 1], UsageError, "k is 0"),
        (-3, [1], [0, 1], UsageError, "k is -3"),
        (10, [], [0], InvalidInputError, "no judged queries"),
        (10, [1, 2], [0, 1, 1, 2], InvalidInputError, "query 1 has no relevant document"),
        (10, [1, -2], [0, 2], InvalidInputError, "rank -2 at position 1"),
        (10, [1, 2], [0, 1], InvalidInputError, "offsets run from 0 to 1"),
    ],
)
def test_broken_input_is_named(
    metric: object, k: int, ranks: list[int], offsets: list[int], error: type, says: str
) -> None:
    """A cutoff under 1, an empty query or a negative rank is refused where it stands."""
    assert callable(metric)
    with pytest.raises(error, match=says):
        metric(k, np.array(ranks, dtype=np.int64), np.array(offsets, dtype=np.int64))


def test_gains_are_checked() -> None:
    """A gain under 1 is no relevant document, and every rank has a gain."""
    ranks, offsets = np.array([1, 2]), np.array([0, 2])
    with pytest.raises(InvalidInputError, match="gain 0 at position 1"):
        ndcg_at(10, ranks, np.array([1, 0]), offsets)
    with pytest.raises(InvalidInputError, match="gains for"):
        ndcg_at(10, ranks, np.array([1]), offsets)
