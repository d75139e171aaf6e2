"""The gate of an index: its threshold, and the score of what a conversation finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.retrieval.gate_score import (
    NO_CHANNEL,
    TurnScores,
    dense_evidence,
    dense_evidence_of_z,
    expected_best,
    gate_score,
    win_channels,
)
from gnomon.retrieval.guard import is_enforced
from gnomon.retrieval.verdict import Score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.retrieval.evidence import Findings
    from gnomon.retrieval.manifest import Manifest
    from gnomon.retrieval.turns import Turn, Wording


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The verdict on the last of some questions, before any excerpt is chosen.

    Attributes
    ----------
    total
        The winning channel's score.
    channel
        Its number, a position in ``CHANNELS``.
    won
        The wording that won: what retrieval ranks for.
    last
        All wordings of the last turn.
    would_pass_unscoped
        Whether it would pass over all pages.
    refuses
        What the guard does: the verdict under the mode.
    """

    total: float
    channel: int
    won: Wording
    last: Turn
    threshold: float
    passes: bool
    would_pass_unscoped: bool
    refuses: bool


@dataclass(frozen=True, slots=True, eq=False)
class Gate:
    """The guard in force over an index."""

    manifest: Manifest

    @property
    def threshold(self) -> float:
        """What a score has to reach."""
        guard = self.manifest.guard
        if self.manifest.dense:
            assert guard.tau is not None  # an index with vectors has one, provisional or measured
            return guard.tau
        return guard.tau_lexical

    @property
    def enforced(self) -> bool:
        """Whether the mode acts upon verdicts."""
        return is_enforced(self.manifest.guard_mode, dense=self.manifest.dense)

    def score(self, found: Findings) -> Score:
        """Return the score of what one wording found."""
        guard = self.manifest.guard
        if not self.manifest.dense:
            return Score(found.coverage, None, found.coverage, None)
        if found.cosine is None:  # nothing in scope, or a question without a vector
            dense = 0.0
        elif self.manifest.dense_mode == "zscore":
            expected = expected_best(found.n_scope, guard.ladder)
            dense = float(dense_evidence_of_z(found.z or 0.0, expected))
        else:
            dense = float(dense_evidence(found.cosine, guard.cos_floor, guard.cos_ceil))
        total = gate_score(dense, found.coverage, w_dense=guard.w_dense, w_lexical=guard.w_lexical)
        return Score(float(total), dense, found.coverage, found.cosine, found.z)

    def score_turns(self, turns: Sequence[Turn]) -> tuple[float, int]:
        """Return the score of the last turn and the number of the channel that gave it."""

        def of(turn: Turn, channel: int) -> float:
            wording = turn.wording(channel)
            if wording is None or not turn.counts(channel):
                return NO_CHANNEL
            return self.score(wording.findings).total

        scores = [TurnScores(of(turn, 0), of(turn, 1), of(turn, 2)) for turn in turns]
        total, channel = win_channels(scores)
        return float(total), int(channel)
