"""Choosing an adapter: within noise the cheaper one wins."""

from __future__ import annotations

import pytest

from gnomon.errors import NotMeasuredError
from gnomon.rules.adapter_choice import AdapterCandidate, choose_adapter
from gnomon.types import Figure


def candidate(
    name: str, mean: float, low: float | None, high: float | None, parameters: int
) -> AdapterCandidate:
    """Return a candidate whose difference to the best has the given interval."""
    return AdapterCandidate(
        name=name,
        mean=mean,
        difference_to_best=Figure(0.0, low, high),
        n_parameters=parameters,
    )


BEST = candidate("ridge", 0.80, 0.0, 0.0, 1000)


@pytest.mark.parametrize(
    ("candidates", "chosen", "equal"),
    [
        ([BEST], "ridge", ("ridge",)),
        ([candidate("procrustes", 0.79, -0.02, 0.001, 900), BEST], "procrustes", None),
        ([candidate("procrustes", 0.79, -0.02, 0.0, 900), BEST], "procrustes", None),
        ([candidate("procrustes", 0.79, -0.02, -0.001, 900), BEST], "ridge", ("ridge",)),
        ([candidate("procrustes", 0.79, None, None, 900), BEST], "ridge", ("ridge",)),
        ([candidate("per_cluster", 0.79, -0.02, 0.01, 9000), BEST], "ridge", None),
        # equal cost: the order of the table
        ([candidate("procrustes", 0.79, -0.02, 0.01, 1000), BEST], "procrustes", None),
        ([BEST, candidate("low_rank", 0.79, -0.02, 0.01, 1000)], "ridge", None),
        # equal means: the first is called the best
        ([BEST, candidate("low_rank", 0.80, 0.0, 0.0, 10)], "low_rank", None),
        (
            [
                candidate("identity", 0.10, -0.8, -0.6, 0),
                candidate("procrustes", 0.79, -0.03, 0.01, 900),
                candidate("procrustes_scaled", 0.795, -0.02, 0.01, 950),
                BEST,
            ],
            "procrustes",
            ("procrustes", "procrustes_scaled", "ridge"),
        ),
    ],
)
def test_the_cheapest_of_those_not_measurably_worse_wins(
    candidates: list[AdapterCandidate], chosen: str, equal: tuple[str, ...] | None
) -> None:
    """Fewer parameters first, then the order of the table, among those whose interval holds 0."""
    choice = choose_adapter(candidates)
    assert choice.name == chosen
    assert choice.best == "ridge"
    assert choice.reasons
    if equal is not None:
        assert choice.within_noise == equal


def test_no_candidate_is_refused() -> None:
    """Without a fitted adapter there is nothing to choose."""
    with pytest.raises(NotMeasuredError, match="no adapter"):
        choose_adapter([])
