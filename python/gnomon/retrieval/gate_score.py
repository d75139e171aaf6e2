"""The score of the gate, in one place: live verdicts and the sweeps of calibration call this.

Everything here is elementwise and works on single numbers and arrays alike, in float64 and in one
order of operations, so that a threshold measured on arrays means the same when one question comes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gnomon.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

W_DENSE: Final = 0.75
W_LEXICAL: Final = 0.25
# Until a corpus is calibrated.
PROVISIONAL_TAU: Final = 0.30
PROVISIONAL_TAU_LEXICAL: Final = 0.30
PROVISIONAL_WINDOW: Final = (0.44, 0.64)
# A median absolute deviation of normal data is 1 / 1.4826 of its standard deviation; under 0.01 the
# cosines of a corpus are all alike and their spread is rounding.
MAD_TO_SIGMA: Final = 1.4826
LEAST_SIGMA: Final = 0.01
Z_RAMP: Final = 3.0

RAW, WITH_LAST, WITH_LAST_TWO = 0, 1, 2
NO_CHANNEL: Final = -math.inf


def dense_evidence(cosine: ArrayLike, floor: ArrayLike, ceiling: ArrayLike) -> NDArray[np.float64]:
    """Return D = clip((cosine - floor) / (ceiling - floor), 0, 1)."""
    low = np.asarray(floor, dtype=np.float64)
    rise = (np.asarray(cosine, dtype=np.float64) - low) / (np.asarray(ceiling) - low)
    return np.clip(rise, 0.0, 1.0)


def standard_score(cosines: NDArray[np.float32], best: float) -> float:
    """Return z of the best cosine in scope among a question's cosines with all chunks.

    z = (best - median) / max(1.4826 MAD, 0.01).
    """
    values = cosines.astype(np.float64)
    median = float(np.median(values))
    mad = float(np.median(np.abs(values - median)))
    return (best - median) / max(MAD_TO_SIGMA * mad, LEAST_SIGMA)


def expected_best(n: int, ladder: Mapping[int, float] | None = None) -> float:
    """Return the z that the best of n chunks has by chance.

    Parameters
    ----------
    n
        Chunks in scope, 1 or more.
    ladder
        Measured z by number of chunks, interpolated in ln n and held flat beyond its ends; without
        one, sqrt(2 ln n), the growth of the largest of n independent normal values.
    """
    if not ladder:
        return math.sqrt(2.0 * math.log(n))
    sizes = sorted(ladder)
    heights = [ladder[size] for size in sizes]
    return float(np.interp(math.log(n), [math.log(size) for size in sizes], heights))


def dense_evidence_of_z(z: ArrayLike, expected: ArrayLike) -> NDArray[np.float64]:
    """Return D = clip((z - z_exp) / 3, 0, 1)."""
    above = np.asarray(z, dtype=np.float64) - np.asarray(expected, dtype=np.float64)
    return np.clip(above / Z_RAMP, 0.0, 1.0)


def gate_score(
    dense: ArrayLike, lexical: ArrayLike, *, w_dense: float, w_lexical: float
) -> NDArray[np.float64]:
    """Return G = w_dense D + w_lexical L."""
    return np.asarray(
        w_dense * np.asarray(dense, dtype=np.float64)
        + w_lexical * np.asarray(lexical, dtype=np.float64)
    )


@dataclass(frozen=True, slots=True)
class TurnScores:
    """The scores of one turn of a conversation, single numbers or arrays of one shape.

    Attributes
    ----------
    raw
        Of the question as it was asked.
    with_last, with_last_two
        Of the question behind the one before it, and behind the two before it; ``NO_CHANNEL`` where
        there is none or where the composed question is not admissible.
    """

    raw: Any
    with_last: Any = NO_CHANNEL
    with_last_two: Any = NO_CHANNEL


def win_channels(turns: Sequence[TurnScores]) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
    """Return the score of the last turn and the channel that gave it, all turns gated in order.

    A question's antecedent is the one before it, with the one before that when the former was
    itself understood only behind its antecedent. A composed question counts when it scores higher,
    so it can lower the number of refusals and never raise it.
    """
    score: NDArray[np.float64] = np.zeros((), dtype=np.float64)
    channel: NDArray[np.int8] = np.full((), RAW, dtype=np.int8)
    for turn in turns:
        chained = channel != RAW
        composed = np.where(chained, turn.with_last_two, turn.with_last)
        wins = composed > turn.raw
        score = np.where(wins, composed, turn.raw)
        behind = np.where(chained, np.int8(WITH_LAST_TWO), np.int8(WITH_LAST))
        channel = np.where(wins, behind, np.int8(RAW))
    return score, channel


def check_weights(*, tau: float, w_dense: float, w_lexical: float) -> None:
    """Refuse settings under which words alone would open a gate that has a dense channel.

    Raises
    ------
    UsageError
        Unless ``w_lexical < tau``, both weights are shares, and together they make 1.
    """
    if not (0.0 <= w_lexical <= 1.0 and 0.0 <= w_dense <= 1.0):
        raise UsageError(f"the gate's weights are {w_dense} and {w_lexical}; expected 0 to 1")
    if abs(w_dense + w_lexical - 1.0) > 1e-9:
        raise UsageError(f"the gate's weights {w_dense} and {w_lexical} do not add up to 1")
    if not w_lexical < tau <= 1.0:
        raise UsageError(
            f"tau is {tau} and the lexical weight {w_lexical}; expected weight < tau <= 1, "
            "else rare words alone would open the gate"
        )
