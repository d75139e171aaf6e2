"""Which adapter to take: the best one, or a cheaper one that cannot be told apart from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.types import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterCandidate:
    """One fitted adapter, judged on documents that were in no fit pair.

    Attributes
    ----------
    name
        Name in the adapter table.
    mean
        Mean of the judged metric over the selection documents.
    difference_to_best
        Its mean minus that of the best candidate, with the paired 95% interval.
    n_parameters
        Numbers stored by the adapter.
    """

    name: str
    mean: float
    difference_to_best: Figure
    n_parameters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterChoice:
    """The adapter that was chosen, the one with the highest mean, and why they may differ."""

    name: str
    best: str
    within_noise: tuple[str, ...]
    reasons: tuple[str, ...]


def choose_adapter(candidates: Sequence[AdapterCandidate]) -> AdapterChoice:
    """Return the cheapest candidate that is not measurably worse than the best.

    Candidates stand in the order of the adapter table, which breaks ties of mean and of cost.

    Raises
    ------
    NotMeasuredError
        When there is no candidate.
    """
    raise NotImplementedError
