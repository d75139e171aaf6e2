"""Which adapter to take: the best one, or a cheaper one that cannot be told apart from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.errors import NotMeasuredError

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    if not candidates:
        raise NotMeasuredError("no adapter could be fitted, so there is none to choose")
    best = max(candidates, key=lambda candidate: candidate.mean)
    equal = tuple(c for c in candidates if c is best or _contains_zero(c.difference_to_best))
    chosen = min(equal, key=lambda candidate: candidate.n_parameters)
    return AdapterChoice(
        name=chosen.name,
        best=best.name,
        within_noise=tuple(candidate.name for candidate in equal),
        reasons=_reasons(chosen, best, equal),
    )


def _contains_zero(difference: Figure) -> bool:
    low, high = difference.low, difference.high
    return low is not None and high is not None and low <= 0.0 <= high


def _reasons(
    chosen: AdapterCandidate, best: AdapterCandidate, equal: tuple[AdapterCandidate, ...]
) -> tuple[str, ...]:
    first = f"{best.name} has the highest mean, {best.mean:.4f}"
    if len(equal) == 1:
        return (first, "every other adapter is measurably worse")
    if chosen is best:
        return (first, "none that cannot be told apart from it is cheaper")
    return (
        first,
        f"{chosen.name} ({chosen.mean:.4f}) cannot be told apart from it",
        f"{chosen.name} stores {chosen.n_parameters:,} numbers instead of {best.n_parameters:,}"
        if chosen.n_parameters < best.n_parameters
        else f"{chosen.name} stands before {best.name} in the adapter table",
    )
