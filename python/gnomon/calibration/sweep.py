"""Every window by every threshold over every probe, from cached evidence: nothing is embedded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from gnomon.retrieval.gate_score import (
    NO_CHANNEL,
    RAW,
    WITH_LAST,
    WITH_LAST_TWO,
    TurnScores,
    dense_evidence,
    gate_score,
    win_channels,
)
from gnomon.rules.gate import THRESHOLDS
from gnomon.rules.gate_values import POSITIVES, STRATA, Cell, Stratum, Window, WindowOutcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_TAUS = np.array([tau / 100 for tau in THRESHOLDS])
_CHANNELS = (RAW, WITH_LAST, WITH_LAST_TWO)
_IS_POSITIVE = np.array([stratum in POSITIVES for stratum in STRATA])


@dataclass(frozen=True, slots=True, eq=False)
class ProbeEvidence:
    """What retrieval found for every probe, before any window or threshold.

    Attributes
    ----------
    stratum
        int[P], positions in ``STRATA``.
    cosine
        float[T, 3, P]: the best cosine in scope of every turn, asked alone, behind the question
        before it and behind the two before it. Conversations end at turn T - 1. NaN without a
        dense channel.
    coverage
        float64[T, 3, P]: the share of content terms found, likewise.
    admissible
        bool[T, 3, P]: whether a channel counts; false where there is none.
    """

    stratum: NDArray[np.int64]
    cosine: NDArray[np.floating[Any]]
    coverage: NDArray[np.float64]
    admissible: NDArray[np.bool_]

    def counts(self) -> dict[Stratum, int]:
        """Return the number of probes of every stratum."""
        numbers = np.bincount(self.stratum, minlength=len(STRATA)).tolist()
        return dict(zip(STRATA, numbers, strict=True))

    def part(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> ProbeEvidence:
        """Return the evidence of some of the probes."""
        return ProbeEvidence(
            self.stratum[chosen],
            self.cosine[:, :, chosen],
            self.coverage[:, :, chosen],
            self.admissible[:, :, chosen],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """Refusals of every stratum at every threshold, in one or more windows.

    Attributes
    ----------
    refused
        int64[W, S, 101].
    on_ramp
        int64[W]: positives whose cosine lies strictly inside the window.
    """

    refused: NDArray[np.int64]
    on_ramp: NDArray[np.int64]

    def cell(self, window: int, tau: int) -> Cell:
        """Return what one threshold refuses in one window."""
        numbers = self.refused[window, :, tau].tolist()
        return Cell(tau, dict(zip(STRATA, numbers, strict=True)))

    def outcomes(
        self, windows: Sequence[Window], choose: Callable[[WindowCells], Cell | None]
    ) -> list[WindowOutcome]:
        """Return what each window gives at the threshold that is chosen among its cells."""
        return [
            WindowOutcome(window, choose(self.cells(at)), int(self.on_ramp[at]))
            for at, window in enumerate(windows)
        ]

    def cells(self, window: int = 0) -> WindowCells:
        """Return what every threshold refuses in one window, lowest threshold first."""
        return WindowCells(self, window)


class WindowCells(Sequence[Cell]):
    """The cells of one window, each made when it is looked at: few of the 61,812 ever are."""

    def __init__(self, sweep: Sweep, window: int) -> None:
        self._sweep, self._window = sweep, window

    def __len__(self) -> int:
        return len(THRESHOLDS)

    @overload
    def __getitem__(self, tau: int) -> Cell: ...
    @overload
    def __getitem__(self, tau: slice) -> list[Cell]: ...
    def __getitem__(self, tau: int | slice) -> Cell | list[Cell]:
        if isinstance(tau, slice):
            return [self[one] for one in range(*tau.indices(len(self)))]
        return self._sweep.cell(self._window, THRESHOLDS[tau])


def sweep_windows(
    probes: ProbeEvidence, windows: Sequence[Window], *, w_dense: float, w_lexical: float
) -> Sweep:
    """Return the refusals of every threshold in every window, the winning channels found anew."""
    floors = np.array([window.floor / 100 for window in windows])[:, None]
    ceilings = np.array([window.ceiling / 100 for window in windows])[:, None]

    def score_of(turn: int, channel: int) -> NDArray[np.float64]:
        dense = dense_evidence(probes.cosine[turn, channel], floors, ceilings)
        return gate_score(
            dense, probes.coverage[turn, channel], w_dense=w_dense, w_lexical=w_lexical
        )

    scores, channels = _won(probes, score_of)
    cosine = np.choose(channels, list(probes.cosine[-1]))
    inside = (cosine > floors) & (cosine < ceilings) & _IS_POSITIVE[probes.stratum]
    return Sweep(_refusals(scores, probes.stratum), inside.sum(axis=1))


def sweep_lexical(probes: ProbeEvidence) -> Sweep:
    """Return the refusals of every threshold on coverage alone, as without vectors."""
    scores, _ = _won(probes, lambda turn, channel: probes.coverage[turn, channel][None, :])
    return Sweep(_refusals(scores, probes.stratum), np.zeros(1, dtype=np.int64))


def probe_scores(
    probes: ProbeEvidence, window: Window | None, *, w_dense: float, w_lexical: float
) -> NDArray[np.float64]:
    """Return float64[P]: the score of every probe in a window, or on coverage alone without one."""

    def score_of(turn: int, channel: int) -> NDArray[np.float64]:
        lexical: NDArray[np.float64] = probes.coverage[turn, channel][None, :]
        if window is None:
            return lexical
        cosine = probes.cosine[turn, channel][None, :]
        dense = dense_evidence(cosine, window.floor / 100, window.ceiling / 100)
        return gate_score(dense, lexical, w_dense=w_dense, w_lexical=w_lexical)

    scores, _ = _won(probes, score_of)
    return np.asarray(scores[0])


def _won(
    probes: ProbeEvidence, score_of: Callable[[int, int], NDArray[np.float64]]
) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
    turns = []
    for turn in range(probes.cosine.shape[0]):
        raw, last, last_two = (
            _score_or_none(probes.admissible[turn, channel], turn, channel, score_of)
            for channel in _CHANNELS
        )
        turns.append(TurnScores(raw, last, last_two))
    return win_channels(turns)


def _score_or_none(
    admissible: NDArray[np.bool_],
    turn: int,
    channel: int,
    score_of: Callable[[int, int], NDArray[np.float64]],
) -> NDArray[np.float64] | float:
    if channel != RAW and not admissible.any():
        return NO_CHANNEL
    return np.where(admissible, score_of(turn, channel), NO_CHANNEL)


def _refusals(scores: NDArray[np.float64], stratum: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return int64[W, S, 101] from scores [W, P]: how many are under each threshold."""
    n_windows = len(scores)
    reached = np.searchsorted(_TAUS, scores, side="right")  # thresholds that the score reaches
    group = np.arange(n_windows)[:, None] * len(STRATA) + stratum
    width = len(_TAUS) + 1
    per_level = np.bincount(
        (group * width + reached).ravel(), minlength=n_windows * len(STRATA) * width
    ).reshape(n_windows, len(STRATA), width)
    return per_level.cumsum(axis=2)[:, :, :-1]
