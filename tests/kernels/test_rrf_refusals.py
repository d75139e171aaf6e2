"""What rank fusion refuses, and that the message names the argument and the place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.kernels.rrf_routes import hits_of

from gnomon import kernels
from gnomon.errors import GnomonError

WHERE = r"rankings|every list"


def refused(match: str, *args: Any, kind: Any = (ValueError, TypeError), **given: Any) -> None:
    """Demand gnomon's own error with these words."""
    with pytest.raises(kind, match=match) as caught:
        kernels.rrf(*args, **given)
    assert isinstance(caught.value, GnomonError), repr(caught.value)


def test_no_lists() -> None:
    """There is nothing to fuse without any list."""
    for nothing in ([], (), np.empty((0, 3), np.int64)):
        refused("rankings", nothing)


MIXED = {
    "int list and str list": [[1, 2], ["a"]],
    "within one list": [[1, "a"]],
    "str array": [np.array(["a", "b"]), [1]],
    "hits and names": [hits_of([[1]])[0], ["a"]],
}


@pytest.mark.parametrize("case", sorted(MIXED))
def test_mixed_ids(case: str) -> None:
    """Integers and strings in one call are a TypeError."""
    refused(WHERE, MIXED[case], kind=TypeError)


BAD_IDS = {
    "bool": [[True, False]],
    "bool array": [np.array([True])],
    "numpy bool": [[np.True_]],
    "bool among integers": [[1, 2, True]],
    "float": [[1.0, 2.0]],
    "float array": [np.array([1.0])],
    "float among integers": [[1, 2.0]],
    "bytes": [[b"a"]],
    "object": [[object()]],
    "tuple": [[5, (1, 2)]],
    "dict": [[{}]],
    "complex": [[1j]],
    "datetime": [np.array(["2020"], "M8[s]")],
}


@pytest.mark.parametrize("case", sorted(BAD_IDS))
def test_ids_of_other_types(case: str) -> None:
    """Ids are integers or strings; anything else is a TypeError, never a cast."""
    refused(WHERE, BAD_IDS[case], kind=TypeError)


@pytest.mark.parametrize("lists", [[[5, None, 6]], [["a", None]]])
def test_a_missing_id_is_named(lists: Any) -> None:
    """None is no id; the message tells the list and the place."""
    refused(r"(?s)\b0\b.*\b[12]\b", [lists[0]])
    refused(r"(?s)\b1\b.*\b[12]\b", [[lists[0][0]], lists[0]])


@pytest.mark.parametrize("huge", [2**63, -(2**63) - 1, 2**64 - 1, 2**100])
def test_ids_beyond_int64(huge: int) -> None:
    """An integer that int64 doesn't hold is an error, never another id."""
    refused(WHERE, [[1, huge]])
    if 0 <= huge < 2**64:
        refused(WHERE, [np.array([1, huge], np.uint64)])


@pytest.mark.parametrize("rankings", [None, 3, "ab", b"bytes", {"a": 1}, [3], [None], [[[[1]]]]])
def test_rankings_of_other_shapes(rankings: Any) -> None:
    """One text is no ranking, nor is a number."""
    refused(WHERE, rankings)


def test_a_text_is_not_a_list_of_letters() -> None:
    """A string where a list of ids is expected is an error, not its letters."""
    refused(WHERE, ["abc", "cde"])
    refused(WHERE, [["ab"], "cd"])


def test_lists_of_unlike_batches() -> None:
    """Every list must hold the same number of queries; the message has both."""
    refused(r"(?s)\b2\b.*\b3\b|\b3\b.*\b2\b", [hits_of([[1], [2]]), hits_of([[1], [2], [3]])])
    refused(r"(?s)\b2\b.*\b3\b|\b3\b.*\b2\b", [np.zeros((2, 1), int), np.zeros((3, 1), int)])
    refused(WHERE, [[["a"], ["b"]], [["a"]]])


def test_hits_with_offsets_that_lie() -> None:
    """Offsets that don't fit the ids are refused."""
    ids, scores = np.arange(3), np.zeros(3, np.float32)
    for offsets in ([0, 4], [0, 2, 1, 3], [1, 3], [-1, 3], [0, 2]):
        refused(WHERE, [kernels.Hits(ids, scores, np.array(offsets, np.int64))])


@pytest.mark.parametrize(
    "weights",
    [
        [1],
        [1, 2, 3],
        [],
        [1, -1e-9],
        [1, np.nan],
        [1, np.inf],
        [0, 0],
        [0.0, -0.0],
        ["a", "b"],
        [None, 1],
        [[1, 2]],
        3,
        "12",
        [1j, 1],
    ],
)
def test_bad_weights(weights: Any) -> None:
    """Weights are as many as lists, finite, not negative, and not all zero."""
    refused("weight", [[1, 2], [3]], weights)


def test_weights_beyond_float32() -> None:
    """Weights whose scores float32 can't hold are refused rather than made infinite."""
    refused("weight", [[1, 2], [1]], [1e300, 1], k=0)
    refused("weight", [[1, 2], [1]], [3e38, 3e38], k=0)
    refused("weight", [[1], [1]], [1.7e308, 1.7e308])


@pytest.mark.parametrize("k", [-1, -0.5, -1e-300, np.nan, np.inf, "60", None, [60], 1j, True])
def test_bad_k(k: Any) -> None:
    """K is a finite number of at least 0."""
    refused(r"\bk\b", [[1, 2]], k=k)


@pytest.mark.parametrize("top", [0, -1, 1.5, True, "3"])
def test_bad_top(top: Any) -> None:
    """Top is a whole number of at least 1, or None."""
    refused("top", [[1, 2]], top=top)


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2"])
def test_bad_threads(threads: Any) -> None:
    """Threads is a whole number of at least 1, or None."""
    refused("threads", [[1, 2]], threads=threads)


def test_unknown_keywords_are_refused() -> None:
    """A misspelt option never passes silently."""
    with pytest.raises(TypeError, match="weigths"):
        kernels.rrf([[1]], weigths=[1])
    with pytest.raises(TypeError):
        kernels.rrf([[1]], [1], 60, 5)


def test_lone_surrogates_in_names() -> None:
    """A string that is no text is either refused by gnomon or fused as it is."""
    try:
        found = kernels.rrf([["a", "\ud800"], ["\ud800"]])
    except GnomonError:
        return
    assert list(found.ids) == ["\ud800", "a"]
