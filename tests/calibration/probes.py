"""Probes made to order: cosines and coverages by stratum, one turn each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.calibration.sweep import ProbeEvidence
from gnomon.rules.gate_values import STRATA

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gnomon.rules.gate_values import Stratum


def one_turn(
    cosines: Mapping[Stratum, Sequence[float]],
    coverages: Mapping[Stratum, Sequence[float]] | None = None,
) -> ProbeEvidence:
    """Return probes with these best cosines; coverage is 1 for positives, else 0, unless given."""
    stratum, cosine, coverage = [], [], []
    for at, name in enumerate(STRATA):
        values = cosines.get(name, ())
        stratum += [at] * len(values)
        cosine += list(values)
        coverage += list((coverages or {}).get(name, [float(at < 3)] * len(values)))
    n = len(stratum)
    evidence = ProbeEvidence(
        stratum=np.array(stratum, dtype=np.int64),
        cosine=np.full((1, 3, n), np.nan, dtype=np.float32),
        coverage=np.zeros((1, 3, n)),
        admissible=np.zeros((1, 3, n), dtype=bool),
    )
    evidence.cosine[0, 0], evidence.coverage[0, 0] = cosine, coverage
    evidence.admissible[0, 0] = True
    return evidence


def overlapping(seed: int, *, n: int = 100) -> ProbeEvidence:
    """Return probes as real ones are: positives high, foreign ones low, adjacent ones between."""
    random = np.random.default_rng(seed)

    def cosines(mean: float, size: int) -> list[float]:
        return np.clip(random.normal(mean, 0.05, size), 0, 1).tolist()

    def words(mean: float, size: int) -> list[float]:
        return (np.round(np.clip(random.normal(mean, 0.2, size), 0, 1) * 6) / 6).tolist()

    sizes: dict[Stratum, tuple[int, float, float]] = {
        "U": (n, 0.70, 0.8),
        "S": (n, 0.70, 0.8),
        "F": (n, 0.68, 0.7),
        "N1": (n // 2, 0.58, 0.5),
        "N4": (n // 2, 0.35, 0.2),
    }
    return one_turn(
        {s: cosines(mean, size) for s, (size, mean, _) in sizes.items()},
        {s: words(share, size) for s, (size, _, share) in sizes.items()},
    )
