"""Faults that rank fusions had in the field, each with the right value."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from tests.kernels.rrf_routes import check_one, fused

from gnomon import kernels
from gnomon.errors import GnomonError


def answer(rankings: list[list[str]], **given: float) -> list[tuple[str, float]]:
    """Return the fused (id, score) pairs of one query."""
    (found,) = fused(kernels.rrf(rankings, **given))
    return [(str(i), float(s)) for i, s in zip(found.ids, found.scores, strict=True)]


def close(*pairs: tuple[str, float]) -> list[tuple[str, object]]:
    """Return pairs that compare with the six decimals of the report."""
    return [(name, pytest.approx(score, abs=5e-7)) for name, score in pairs]


def test_f01_ranks_count_from_one(isa: str) -> None:
    """F01: absent documents get no rank, and agreement wins: r, p, s, q, t."""
    assert answer([["p", "q", "r"], ["s", "t", "r"]]) == close(
        ("r", 0.031746), ("p", 0.016393), ("s", 0.016393), ("q", 0.016129), ("t", 0.016129)
    )


def test_f02_k_is_a_parameter_of_60(isa: str) -> None:
    """F02: with 60, agreement at rank 4 beats one first place; with 1 it doesn't."""
    lists = [["y", "p", "q", "x"], ["r", "s", "t", "x"]]
    assert answer(lists)[0] == ("x", 0.03125)
    assert answer(lists, k=1)[:3] == close(("r", 0.5), ("y", 0.5), ("x", 0.4))
    assert inspect.signature(kernels.rrf).parameters["k"].default == 60


def test_f03_a_list_votes_once_for_a_document(isa: str) -> None:
    """F03: a document repeated in a list gets one share, and those behind it move up."""
    assert answer([["u", "u", "u", "v"], ["v", "w"]]) == close(
        ("v", 0.032522), ("u", 0.016393), ("w", 0.016129)
    )


def test_f05_identity_is_the_id(isa: str) -> None:
    """F05: two ids are two results, whatever they stand for; so are look-alike names."""
    assert [name for name, _ in answer([["a-1", "a-2"]])] == ["a-1", "a-2"]
    for pair in (["é", "e\u0301"], ["a", "A"], ["a", "a "], ["1", "01"]):
        assert [name for name, _ in answer([pair])] == pair


def test_f07_ties_do_not_follow_the_order_of_the_lists(isa: str) -> None:
    """F07: swapped lists give the same output."""
    one, two = ["p", "q", "r"], ["s", "t", "r"]
    assert answer([one, two]) == answer([two, one])


def test_f09_an_empty_list_is_fine(isa: str) -> None:
    """F09: an empty list changes no field; two empty lists give an empty result."""
    assert answer([["p", "q"], []]) == close(("p", 0.016393), ("q", 0.016129))
    assert answer([[], ["p", "q"]]) == close(("p", 0.016393), ("q", 0.016129))
    for nothing in ([[], []], [np.empty(0, np.int64)] * 2):
        found = kernels.rrf(nothing)
        assert len(found.ids) == 0
        assert found.offsets.tolist() == [0, 0]
        assert found.scores.dtype == np.float32


def test_f10_scores_play_no_part(isa: str) -> None:
    """F10: equal and missing scores divide nothing: ranks alone decide."""
    ids = np.array([[4, 2]])
    scores = np.array([[0.7, 0.7]], np.float32), np.array([[np.nan, 0.2]], np.float32)
    lists = [kernels.TopK(ids, scores[0]), kernels.TopK(ids[:, ::-1], scores[1])]
    found = kernels.rrf(lists)
    assert found.ids.tolist() == [2, 4]
    assert found.scores.tolist() == [np.float32(1 / 61 + 1 / 62)] * 2
    with pytest.raises((TypeError, ValueError)) as caught:
        kernels.rrf([[None, 2], [2]])
    assert isinstance(caught.value, GnomonError)


def test_f12_the_best_place_of_a_duplicate_counts(isa: str) -> None:
    """F12: the last occurrence never replaces the first."""
    check_one([[8, 1, 8]], isa)
    assert answer([["x", "y", "x"]])[0] == ("x", float(np.float32(1 / 61)))
