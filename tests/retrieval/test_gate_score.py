"""The gate's score: the window, the standard score, the weights and the two channels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.errors import UsageError
from gnomon.retrieval.gate_score import (
    NO_CHANNEL,
    RAW,
    WITH_LAST,
    WITH_LAST_TWO,
    TurnScores,
    check_weights,
    dense_evidence,
    dense_evidence_of_z,
    expected_best,
    gate_score,
    standard_score,
    win_channels,
)

scores = st.one_of(st.just(NO_CHANNEL), st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]))


@pytest.mark.parametrize(
    ("cosine", "dense"), [(0.2, 0.0), (0.44, 0.0), (0.54, 0.5), (0.64, 1.0), (0.9, 1.0)]
)
def test_window(cosine: float, dense: float) -> None:
    """Nothing up to the floor, everything from the ceiling, straight between."""
    assert float(dense_evidence(cosine, 0.44, 0.64)) == pytest.approx(dense)


def test_standard_score() -> None:
    """(best - median) / (1.4826 MAD), the spread never under 0.01."""
    cosines = np.array([0.1, 0.2, 0.3, 0.4, 0.8], dtype=np.float32)
    mad = float(np.float32(0.3)) - float(np.float32(0.2))
    expected = (0.8 - float(np.float32(0.3))) / (1.4826 * mad)
    assert standard_score(cosines, 0.8) == pytest.approx(expected, rel=1e-6)
    alike = np.full(9, 0.5, dtype=np.float32)
    assert standard_score(alike, 0.6) == pytest.approx(10.0)


def test_expected_best() -> None:
    """sqrt(2 ln n) until measured; then the ladder in ln n, flat beyond its ends."""
    assert expected_best(1) == 0.0
    assert expected_best(2000) == math.sqrt(2 * math.log(2000))
    ladder = {2: 1.0, 200: 3.0}
    assert expected_best(20, ladder) == pytest.approx(2.0)
    assert (expected_best(1, ladder), expected_best(5000, ladder)) == (1.0, 3.0)
    assert float(dense_evidence_of_z(3.5, 2.0)) == 0.5


def test_score_is_a_weighted_sum() -> None:
    """G = 0.75 D + 0.25 L."""
    assert float(gate_score(0.4, 0.8, w_dense=0.75, w_lexical=0.25)) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("turns", "score", "channel"),
    [
        ([TurnScores(0.5)], 0.5, RAW),
        ([TurnScores(0.9), TurnScores(0.2, 0.6)], 0.6, WITH_LAST),
        ([TurnScores(0.9), TurnScores(0.6, 0.6)], 0.6, RAW),
        ([TurnScores(0.9), TurnScores(0.2, NO_CHANNEL)], 0.2, RAW),
        ([TurnScores(0.9), TurnScores(0.2, 0.6), TurnScores(0.1, 0.9, 0.4)], 0.4, WITH_LAST_TWO),
        ([TurnScores(0.9), TurnScores(0.6, 0.2), TurnScores(0.1, 0.9, 0.4)], 0.9, WITH_LAST),
        (
            [TurnScores(0.9), TurnScores(0.1, 0.3), TurnScores(0.1, 0.9, 0), TurnScores(0, 0.7, 1)],
            0.7,
            WITH_LAST,
        ),
    ],
    ids=["alone", "follow-up", "a tie stays raw", "not admissible", "chain", "no chain", "broken"],
)
def test_channels(turns: list[TurnScores], score: float, channel: int) -> None:
    """The antecedent reaches back two turns only when the turn before was itself composed."""
    won, by = win_channels(turns)
    assert (float(won), int(by)) == (score, channel)


@given(st.lists(st.tuples(scores, scores, scores), min_size=1, max_size=4))
def test_composing_never_adds_a_refusal(turns: list[tuple[float, float, float]]) -> None:
    """The winning score is never under that of the question alone."""
    won, _ = win_channels([TurnScores(*turn) for turn in turns])
    assert float(won) >= turns[-1][0]


@given(st.lists(st.lists(st.tuples(scores, scores, scores), min_size=3, max_size=3), min_size=1))
def test_arrays_and_single_questions_agree(probes: list[list[tuple[float, float, float]]]) -> None:
    """A threshold measured on arrays means the same when one question comes."""
    stacked = np.array(probes).transpose(1, 2, 0)
    together, channels = win_channels([TurnScores(*turn) for turn in stacked])
    for at, turns in enumerate(probes):
        alone, channel = win_channels([TurnScores(*turn) for turn in turns])
        assert (together[at], channels[at]) == (alone, channel)


@pytest.mark.parametrize(
    ("tau", "w_dense", "w_lexical"),
    [(0.25, 0.75, 0.25), (0.1, 0.75, 0.25), (0.5, 0.75, 0.5), (1.1, 0.75, 0.25), (0.5, -0.5, 1.5)],
)
def test_weights_that_open_the_gate(tau: float, w_dense: float, w_lexical: float) -> None:
    """w_lexical must lie under tau, and the weights must be shares of one."""
    with pytest.raises(UsageError):
        check_weights(tau=tau, w_dense=w_dense, w_lexical=w_lexical)
    check_weights(tau=0.26, w_dense=0.75, w_lexical=0.25)
