"""Reading the curve of retention over pairs."""

from __future__ import annotations

import pytest

from gnomon.rules.pairs_curve import PairsPoint, read_pairs_curve


@pytest.mark.parametrize(
    ("curve", "enough", "more"),
    [
        ([], None, None),
        ([(500, None)], None, None),
        ([(500, 0.4)], 500, None),
        ([(500, 0.45), (1000, 0.55), (2000, 0.62), (4000, 0.67)], 4000, True),
        ([(500, 0.60), (1000, 0.66), (2000, 0.67), (4000, 0.675)], 1000, False),
        ([(4000, 0.67), (500, 0.60), (2000, 0.66)], 2000, False),
        ([(500, 0.70), (1000, 0.50)], 500, False),
        ([(500, 0.0), (1000, 0.025)], 500, False),
        ([(500, 0.0), (1000, 0.0251)], 1000, True),
        ([(500, 0.3), (1000, None), (2000, 0.5)], 2000, True),
    ],
)
def test_a_step_within_noise_is_no_step(
    curve: list[tuple[int, float | None]], enough: int | None, more: bool | None
) -> None:
    """Enough is the fewest pairs within 0.025 of the best; more help if the last step beat that."""
    reading = read_pairs_curve([PairsPoint(n_pairs=pairs, arr=arr) for pairs, arr in curve])
    assert (reading.enough, reading.more_would_help) == (enough, more)
    assert reading.sentence.endswith(".")
