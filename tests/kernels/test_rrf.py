"""Reciprocal rank fusion against its sentence, and its refusals."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import gnomon as gn
from gnomon import kernels
from gnomon.errors import InvalidInputError, InvalidTypeError, UsageError


def fused_by_definition(
    lists: list[list[Any]], weights: list[float], k: float
) -> tuple[list[Any], list[float]]:
    """Return ids and scores: terms sorted before they are added, hits sorted at the end."""
    terms: dict[Any, list[float]] = defaultdict(list)
    best_rank: dict[Any, int] = {}
    for ids, weight in zip(lists, weights, strict=True):
        for rank, one in enumerate(dict.fromkeys(ids), start=1):
            if weight > 0:
                terms[one].append(weight / (k + rank))
                best_rank[one] = min(best_rank.get(one, rank), rank)
    score = {}
    for one, parts in terms.items():
        total = 0.0
        for part in sorted(parts, reverse=True):
            total += part
        score[one] = float(np.float32(total))
    order = sorted(score, key=lambda one: (-score[one], best_rank[one], one))
    return order, [score[one] for one in order]


@pytest.mark.parametrize("k", [0.0, 1.0, 60.0, 1e6])
def test_fusion_is_the_definition(k: float) -> None:
    """Ids, order and bits are the definition's, for numbers and strings, in any order of lists."""
    rng = np.random.default_rng(3)
    for n_lists in (1, 2, 3, 7, 70):
        lists = [rng.integers(-40, 40, rng.integers(0, 60)).tolist() for _ in range(n_lists)]
        weights = rng.choice([0.0, 0.3, 1.0, 1.0, 7.0], n_lists).tolist()
        weights[0] = 1.0
        ids, scores = fused_by_definition(lists, weights, k)
        fused = gn.rrf(lists, weights, k)
        assert fused.ids.tolist() == ids
        assert fused.scores.tolist() == scores
        swapped = gn.rrf(lists[::-1], weights[::-1], k)
        assert swapped.ids.tolist() == ids
        assert swapped.scores.tobytes() == fused.scores.tobytes()
        assert gn.rrf(lists, weights, k, top=5).ids.tolist() == ids[:5]
        names = [[str(one) for one in ids] for ids in lists]
        ids, scores = fused_by_definition(names, weights, k)
        named = gn.rrf(names, weights, k)
        assert list(named.ids) == ids
        assert named.scores.tolist() == scores


def test_many_queries_are_fused_one_by_one() -> None:
    """Any number of threads gives what each query gives alone, whatever holds the rankings."""
    rng = np.random.default_rng(4)
    first = rng.integers(0, 500, (300, 40))
    second = kernels.TopK(rng.integers(0, 500, (300, 30)), np.zeros((300, 30), np.float32))
    third = kernels.Hits(second.ids.ravel()[:300], np.zeros(300, np.float32), np.arange(301))
    alone = [gn.rrf([first[q], second.ids[q], third[q]]) for q in range(300)]
    for threads in (1, 2, 7):
        fused = gn.rrf([first, second, third], threads=threads)
        assert fused.ids.tobytes() == np.concatenate([hits.ids for hits in alone]).tobytes()
        assert fused.scores.tobytes() == np.concatenate([hits.scores for hits in alone]).tobytes()
        assert fused.counts().tolist() == [len(hits.ids) for hits in alone]
    nested = gn.rrf([first.tolist(), list(second.ids), [row.ids for row in third]])
    assert nested.ids.tobytes() == fused.ids.tobytes()


def test_ranks_start_at_one_and_absence_adds_nothing() -> None:
    """Field report F01: agreement wins, and swapping the lists changes nothing (F07)."""
    lists = [["p", "q", "r"], ["s", "t", "r"]]
    for given in (lists, lists[::-1]):
        fused = gn.rrf(given)[0]
        assert fused.ids == ("r", "p", "s", "q", "t")
        assert (
            fused.scores.tolist() == np.float32([2 / 63, 1 / 61, 1 / 61, 1 / 62, 1 / 62]).tolist()
        )


def test_k_is_a_parameter() -> None:
    """With k = 60 agreement wins, with k = 1 the first places do (F02)."""
    lists = [["y", "p", "q", "x"], ["r", "s", "t", "x"]]
    assert gn.rrf(lists)[0].ids[0] == "x"
    assert gn.rrf(lists, k=1)[0].ids[:3] == ("r", "y", "x")


def test_a_repeated_id_counts_once() -> None:
    """A list is made distinct before it is ranked (F03)."""
    fused = gn.rrf([["u", "u", "u", "v"], ["v", "w"]])[0]
    assert fused.ids == ("v", "u", "w")
    assert fused.scores.tolist() == np.float32([1 / 62 + 1 / 61, 1 / 61, 1 / 62]).tolist()


def test_empty_lists_are_fine() -> None:
    """An empty list adds nothing, and nothing but empty lists gives no hits (F09)."""
    assert gn.rrf([["p", "q"], []])[0].ids == ("p", "q")
    assert gn.rrf([[], []]).offsets.tolist() == [0, 0]
    assert len(gn.rrf([np.empty((0, 5), np.int64), np.empty((0, 2), np.int64)])) == 0


def test_a_list_of_weight_zero_takes_no_part() -> None:
    """Its ids don't enter, and its ranks break no ties."""
    fused = gn.rrf([[1, 2], [2, 9], [8, 2]], weights=[1, 0, 1])
    assert fused.ids.tolist() == [2, 1, 8]


def test_fused_names_can_be_fused_again() -> None:
    """NamedHits of several queries are lists like any other, and pad with a name."""
    once = gn.rrf([[["a", "b"], ["c"]], [["b"], []]])
    assert isinstance(once, gn.NamedHits)
    assert [row.ids for row in gn.rrf([once, once])] == [("b", "a"), ("c",)]
    assert once.padded(fill="-").ids.tolist() == [["b", "a"], ["c", "-"]]


@pytest.mark.parametrize(
    ("rankings", "error", "message"),
    [
        ([], InvalidInputError, "no lists"),
        ([[1, 2], [3, None]], InvalidInputError, r"rankings\[1\] at rank 2: the id is missing"),
        ([["a", None]], InvalidInputError, r"rankings\[0\] at rank 2"),
        ([[1, "a"]], InvalidTypeError, r"rankings\[0\] at rank 2: 'a' is str"),
        ([["a"], [1]], InvalidTypeError, r"rankings\[0\] holds strings and rankings\[1\] integers"),
        ([[True, False]], InvalidTypeError, r"rankings\[0\] at rank 1: True is bool"),
        ([[1.5]], InvalidTypeError, r"1.5 is float"),
        ([np.array([1.0, 2.0])], InvalidTypeError, "float64"),
        ([np.array([True])], InvalidTypeError, "bool"),
        ([[2**63]], InvalidInputError, "beyond int64"),
        ([np.array([2**63], np.uint64)], InvalidInputError, "beyond int64"),
        (["ab", "cd"], InvalidTypeError, r"rankings\[0\] is str"),
        ([[[1], [2]], [3]], InvalidInputError, r"rankings\[0\] holds the ranking of 2 queries"),
        ([[["a"], [2]]], InvalidTypeError, "strings, and integers"),
    ],
)
def test_rankings_that_are_refused(rankings: Any, error: type[Exception], message: str) -> None:
    """A refusal names the list and the rank."""
    with pytest.raises(error, match=message):
        gn.rrf(rankings)


def test_one_result_is_no_list_of_lists() -> None:
    """A search's result alone is a forgotten bracket, not a batch of lists."""
    hits = gn.topk_hits(np.eye(2, dtype=np.float32), np.eye(2, dtype=np.float32), 1)
    with pytest.raises(InvalidTypeError, match="one Hits"):
        gn.rrf(hits)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    "settings",
    [
        {"weights": [1.0]},
        {"weights": [0.0, 0.0]},
        {"weights": [-1.0, 1.0]},
        {"weights": [float("nan"), 1.0]},
        {"weights": [float("inf"), 1.0]},
        {"weights": [3e38, 3e40]},
        {"weights": 2.0},
        {"k": -1},
        {"k": float("nan")},
        {"k": float("inf")},
        {"top": 0},
        {"threads": 0},
    ],
)
def test_settings_that_are_refused(settings: dict[str, Any]) -> None:
    """Weights, k, top and threads outside their ranges are usage errors, whatever the lists."""
    with pytest.raises(UsageError):
        gn.rrf([[1], [2]], **settings)
