"""McNemar's exact test against SciPy's binomial test and values worked by hand."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

from gnomon.errors import InvalidInputError
from gnomon.stats.mcnemar import least_lead, mcnemar_exact


@pytest.mark.parametrize(
    ("gained", "lost", "p"),
    [(0, 0, 1.0), (1, 1, 1.0), (1, 0, 1.0), (5, 0, 2 / 32), (6, 0, 2 / 64), (8, 1, 20 / 512)],
)
def test_by_hand(gained: int, lost: int, p: float) -> None:
    """Twice the smaller tail of a fair coin, at most 1; the sides may be exchanged."""
    assert mcnemar_exact(gained, lost) == p
    assert mcnemar_exact(lost, gained) == p


def test_against_scipy() -> None:
    """Every table of up to 12 differing items, and one large."""
    for n in (*range(1, 13), 1_000):
        for gained in range(n + 1) if n < 100 else (430,):
            expected = binomtest(gained, n, 0.5).pvalue
            assert mcnemar_exact(gained, n - gained) == pytest.approx(expected, rel=1e-12)


def test_counts_are_counts() -> None:
    """A negative count is refused."""
    with pytest.raises(InvalidInputError, match="counts are 0 or more"):
        mcnemar_exact(-1, 3)


def test_least_lead() -> None:
    """One item less of a lead is not significant any more; under six items nothing is."""
    assert [least_lead(n) for n in range(8)] == [None] * 6 + [6, 7]
    for n in range(6, 60):
        lead = least_lead(n)
        assert lead is not None
        won = (n + lead) // 2
        assert mcnemar_exact(won, n - won) <= 0.05 < mcnemar_exact(won - 1, n - won + 1)
