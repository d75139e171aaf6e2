"""Cohen's kappa on tables worked by hand."""

from __future__ import annotations

import pytest

from gnomon.errors import InvalidInputError
from gnomon.stats.kappa import cohen_kappa


def test_by_hand() -> None:
    """20 and 15 of 50 agreed, 5 and 10 not: observed 0.7, by chance 0.5, kappa 0.4.

    The Wilson limits of 35 of 50 are 0.5623 and 0.8090; mapped, 0.1246 and 0.6179.
    """
    first = ["x"] * 25 + ["y"] * 25
    second = ["x"] * 20 + ["y"] * 5 + ["x"] * 10 + ["y"] * 15
    figure = cohen_kappa(first, second)
    assert figure.value == pytest.approx(0.4)
    assert (figure.low, figure.high) == (
        pytest.approx(0.1249, abs=5e-4),
        pytest.approx(0.6175, abs=5e-4),
    )


def test_the_interval_does_not_collapse() -> None:
    """30 of 30 agreed is kappa 1, and not for certain."""
    figure = cohen_kappa(["x", "y"] * 15, ["x", "y"] * 15)
    assert (figure.value, figure.high) == (1.0, 1.0)
    assert figure.low == pytest.approx(2 * 0.8865 - 1, abs=5e-4)


def test_worse_than_chance() -> None:
    """Judges who never agree have kappa -1; the interval stays within -1 and 1."""
    figure = cohen_kappa(["x", "y"] * 5, ["y", "x"] * 5)
    assert (figure.value, figure.low) == (-1.0, -1.0)


def test_what_cannot_be_measured() -> None:
    """No items, and one category throughout, are told apart and neither is a number."""
    assert cohen_kappa([], []).reason == "no data: no item was judged by both"
    assert "one and the same verdict" in (cohen_kappa(["x"] * 4, ["x"] * 4).reason or "")
    assert cohen_kappa(["x"] * 4, ["x", "x", "x", "y"]).value == 0.0
    with pytest.raises(InvalidInputError, match="2 items of one judge and 1 of the other"):
        cohen_kappa(["x", "y"], ["x"])
