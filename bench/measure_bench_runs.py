"""How often `gnomon bench runs` calls a difference moved where there is none, and where there is.

Run: python bench/measure_bench_runs.py. Draws made values; no index, no model.
"""

from __future__ import annotations

import numpy as np

from gnomon.evaluation.bench_runs import measured
from gnomon.evaluation.result import Measure

F1 = Measure("token_f1", "higher", counted=False, means="")
COMPARISONS = 1000


def main() -> None:
    """Print the share of each verdict by records, runs and true difference."""
    generator = np.random.default_rng(0)
    print(
        "records  runs  true difference  moved  within the noise  not moved  moved by spread alone"
    )
    for records in (20, 50, 200):
        for runs in (3, 5):
            for shift in (0.0, 0.05):
                verdicts = [compare(generator, records, runs, shift) for _ in range(COMPARISONS)]
                shares = [
                    sum(one == name for one in verdicts) / COMPARISONS
                    for name in ("moved", "within the noise", "not moved")
                ]
                alone = shares[0] + shares[1]
                print(
                    f"{records:7d}  {runs:4d}  {shift:15.2f}  {shares[0]:5.3f}  {shares[1]:16.3f}  "
                    f"{shares[2]:9.3f}  {alone:15.3f}"
                )


def compare(generator: np.random.Generator, records: int, runs: int, shift: float) -> str:
    """Return the verdict on two made sides: records differ much, runs of one record less."""
    quality = generator.uniform(0.3, 0.8, records)
    sides = [
        [
            {
                str(record): float(value)
                for record, value in enumerate(
                    np.clip(quality + move + generator.normal(0, 0.12, records), 0, 1)
                )
            }
            for _ in range(runs)
        ]
        for move in (0.0, shift)
    ]
    verdict: str = measured(F1, sides[0], sides[1], seed=0)["verdict"]
    return verdict


if __name__ == "__main__":
    main()
