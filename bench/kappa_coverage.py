"""How often the interval of Cohen's kappa holds the true value, beside the usual one.

Run ``python bench/kappa_coverage.py``. Two judges see the truth with a chance ``sight`` and draw
from the shares of the verdicts otherwise. The usual interval is that of Fleiss, Cohen and Everitt
(1969).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gnomon.stats.kappa import cohen_kappa
from gnomon.stats.quantiles import Z_975

Floats = NDArray[np.float64]
RUNS = 1_500
SHARES = ((0.45, 0.45, 0.05, 0.05), (0.5, 0.5, 0.0, 0.0), (0.7, 0.2, 0.05, 0.05))


def kappa_of(table: Floats) -> float:
    """Return the kappa of a table of shares."""
    chance = float((table.sum(1) * table.sum(0)).sum())
    return (float(np.trace(table)) - chance) / (1 - chance)


def usual(table: Floats, rows: int) -> tuple[float, float]:
    """Return the limits of the usual interval of a table of shares."""
    own, other = table.sum(1), table.sum(0)
    chance, kappa, k = float((own * other).sum()), kappa_of(table), len(table)
    agreed = sum(table[i, i] * (1 - (own[i] + other[i]) * (1 - kappa)) ** 2 for i in range(k))
    differ = sum(
        table[i, j] * (other[i] + own[j]) ** 2 for i in range(k) for j in range(k) if i != j
    )
    variance = agreed + (1 - kappa) ** 2 * differ - (kappa - chance * (1 - kappa)) ** 2
    reach = Z_975 * math.sqrt(max(0.0, variance) / rows) / (1 - chance)
    return kappa - reach, kappa + reach


def judged(shares: Floats, sight: float) -> Floats:
    """Return the shares of every pair of verdicts."""
    table = np.zeros((len(shares), len(shares)))
    for truth, share in enumerate(shares):
        one = (1 - sight) * shares
        one[truth] += sight
        table += share * np.outer(one, one)
    return table


def covered(rows: int, sight: float, shares: Floats, rng: np.random.Generator) -> list[float]:
    """Return how often our interval and the usual one hold the true kappa, and that kappa."""
    table = judged(shares, sight)
    true, k = kappa_of(table), len(shares)
    held, measured = np.zeros(2), 0
    for _ in range(RUNS):
        pairs = rng.choice(k * k, size=rows, p=table.ravel() / table.sum())
        ours = cohen_kappa((pairs // k).tolist(), (pairs % k).tolist())
        if ours.low is None or ours.high is None:
            continue
        measured += 1
        found = np.bincount(pairs, minlength=k * k).reshape(k, k) / rows
        low, high = usual(found, rows)
        held += [ours.low <= true <= ours.high, low <= true <= high]
    return [*(held / measured).tolist(), true]


def main() -> None:
    """Print a line for each setting."""
    rng = np.random.default_rng(1)
    print("rows  true kappa  shares                    mapped Wilson  standard error")
    for rows in (15, 30, 60):
        for sight in (0.6, 0.8, 0.9, 0.97):
            for shares in SHARES:
                ours, theirs, true = covered(rows, sight, np.array(shares), rng)
                print(f"{rows:4}  {true:10.2f}  {shares!s:24}  {ours:13.1%}  {theirs:14.1%}")


if __name__ == "__main__":
    main()
