"""Every metric against its definition in rational numbers, in every form of input."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import metrics as reference

from gnomon import kernels
from gnomon.metrics import Judgements, evaluate

CUTOFFS = (1, 2, 5, 100, None)
MEASURES = [
    (name, k)
    for name in reference.NAMES
    for k in CUTOFFS
    if k is not None or name not in ("precision", "capped_recall")
]


def spelt(name: str, k: int | None) -> str:
    """Return the name of a measure."""
    return name if k is None else f"{name}@{k}"


@st.composite
def runs(
    draw: st.DrawFn, scores: st.SearchStrategy[float]
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """Draw a run with scores and judgements, at least one of them relevant."""
    docs = [f"d{i}" for i in range(draw(st.integers(1, 14)))]
    some = st.lists(st.sampled_from(docs), unique=True)
    run, qrels = {}, {"q0": {docs[0]: 1}}
    for query in ("q0", "q1", "q2"):
        run[query] = {doc: draw(scores) for doc in draw(some)}
        own = {doc: draw(st.integers(-1, 3)) for doc in draw(some)}
        qrels[query] = {**own, **qrels.get(query, {})}
    return run, qrels


def check(found: Any, rankings: dict[Any, list[Any]], qrels: dict[Any, dict[Any, float]]) -> None:
    """Compare every measured query's values with the definition."""
    for name, k in MEASURES:
        values = found.per_query(spelt(name, k))
        measured = [q for q, gains in qrels.items() if any(gain > 0 for gain in gains.values())]
        assert sorted(values) == sorted(measured)
        for query in measured:
            expected = reference.value(name, rankings.get(query, []), qrels[query], k)
            if isinstance(expected, Fraction):
                assert abs(Fraction(values[query]) - expected) <= expected / 2**51, (name, k)
            else:
                assert values[query] == pytest.approx(expected, abs=1e-14), (name, k)
                assert values[query] <= 1


ALL = [spelt(name, k) for name, k in MEASURES]


@given(drawn=runs(st.floats(-10, 10, width=32)))
def test_scores(drawn: tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]) -> None:
    """A dict of scores is ordered by score, then id, whatever the order of the dict."""
    run, qrels = drawn
    rankings = {query: reference.ordered(scores) for query, scores in run.items()}
    check(evaluate(run, qrels, ALL), rankings, qrels)
    backwards = {query: dict(reversed(scores.items())) for query, scores in run.items()}
    check(evaluate(backwards, qrels, ALL), rankings, qrels)


@given(drawn=runs(st.sampled_from([0.0, -0.0, 0.5])))
def test_ties_are_counted(
    drawn: tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]],
) -> None:
    """A query counts as tied exactly when another order of equal scores gives another value."""
    run, qrels = drawn
    found = evaluate(run, qrels, ALL)
    for name, k in MEASURES:
        tied = [
            query
            for query, gains in qrels.items()
            if any(gain > 0 for gain in gains.values())
            and reference.decided_by_ties(name, run.get(query, {}), gains, k)
        ]
        said = found[spelt(name, k)].n_tied
        assert said == (len(tied) if any(run.values()) else None), (name, k)


@given(seed=st.integers(0, 2**32 - 1), queries=st.integers(1, 9), width=st.integers(0, 12))
def test_rows_in_every_form(seed: int, queries: int, width: int) -> None:
    """Arrays, TopK, Hits and lists of rows, and judgements in each form, give the same values."""
    rng = np.random.default_rng(seed)
    ids = np.array([rng.permutation(20)[:width] for _ in range(queries)], np.int64).reshape(
        queries, width
    )
    qrels = {
        q: dict(zip(rng.permutation(20)[:6].tolist(), rng.integers(0, 4, 6).tolist(), strict=True))
        for q in range(queries)
    }
    qrels[0][int(rng.integers(20))] = 2
    flat = Judgements(
        np.array([doc for own in qrels.values() for doc in own], np.int64),
        np.cumsum([0, *map(len, qrels.values())]),
        np.array([gain for own in qrels.values() for gain in own.values()]),
    )
    scores = np.zeros(ids.shape, np.float32)
    hits = kernels.Hits(ids.ravel(), scores.ravel(), np.arange(queries + 1) * width)
    rankings = {q: ids[q].tolist() for q in range(queries)}
    for run in (ids, hits, kernels.TopK(ids, scores), ids.tolist(), ids.astype(np.int32)):
        for judged in (qrels, list(qrels.values()), flat):
            for threads in (1, 7):
                found = evaluate(run, judged, ALL, threads=threads)
                check(found, rankings, qrels)


def test_many_queries_on_any_number_of_threads() -> None:
    """Ten thousand queries have the same bits on 1, 2 and 7 threads, means included."""
    rng = np.random.default_rng(0)
    ids = np.argsort(rng.random((10_000, 30)), axis=1)[:, :20]
    relevant = rng.integers(0, 30, (10_000, 1))
    one = evaluate(ids, relevant, ALL, threads=1)
    for threads in (2, 7):
        more = evaluate(ids, relevant, ALL, threads=threads)
        for name in ALL:
            assert more[name].values.tolist() == one[name].values.tolist()
            assert more[name].mean == one[name].mean


def test_the_order_of_queries_does_not_reach_a_mean() -> None:
    """Means are correctly rounded sums: any order of the queries gives the same bits."""
    rng = np.random.default_rng(1)
    ids = np.argsort(rng.random((999, 15)), axis=1)
    relevant = np.argsort(rng.random((999, 15)), axis=1)[:, :3]
    means = evaluate(ids, relevant, ALL).means
    order = rng.permutation(999)
    assert evaluate(ids[order], relevant[order], ALL).means == means


@pytest.mark.parametrize("k", [1, 2**31, 10**17])
def test_cutoffs_of_any_size(k: int) -> None:
    """A cutoff far beyond the list takes no memory and no time."""
    found = evaluate(np.array([[3, 1]]), [[1]], [f"ndcg@{k}", f"precision@{k}", f"recall@{k}"])
    assert found[f"recall@{k}"].mean == (0 if k == 1 else 1)
    assert found[f"precision@{k}"].mean == (0 if k == 1 else 1 / k)


@pytest.mark.parametrize("base", [-(2**63), 2**63 - 3, -2])
def test_ids_at_the_limits(base: int) -> None:
    """Every int64 is a document."""
    ids = np.array([[base, base + 1, base + 2]], np.int64)
    assert evaluate(ids, [[base + 2]], ["rr"])["rr"].mean == 1 / 3
