"""Do bridged scores mean what the new model's scores mean? Probe.md, "Score calibration"."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.probe.result import ScoreShift
from gnomon.stats.isotonic import fit_isotonic
from gnomon.stats.ks import ks_distance, ks_p_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.probe.passes import RankedLists

_FEWEST = 10  # a curve through fewer queries, or a distance between fewer scores, says nothing


def score_shift(
    bridged: RankedLists, oracle: RankedLists, *, k: int, third: NDArray[np.int64]
) -> ScoreShift:
    """Return the distance between bridged and oracle top-1 scores before and after calibration.

    The i-th bridged score of a query is paired with its i-th oracle score, i up to ``k``; isotonic
    regression is fitted on the queries ``third`` and judged on the rest.
    """
    n_queries = len(bridged.scores)
    judged = np.setdiff1d(np.arange(n_queries), third, assume_unique=True)
    if min(len(third), len(judged)) < _FEWEST:
        return ScoreShift(
            before=None, after=None, p=None, reason=f"too few queries ({n_queries}) to calibrate on"
        )
    width = min(k, bridged.scores.shape[1], oracle.scores.shape[1])
    ours = bridged.scores[:, :width].astype(np.float64)
    theirs = oracle.scores[:, :width].astype(np.float64)
    curve = fit_isotonic(ours[third].reshape(-1), theirs[third].reshape(-1))
    top, target = ours[judged, 0], theirs[judged, 0]
    after = ks_distance(curve.predict(top), target)
    return ScoreShift(
        before=ks_distance(top, target),
        after=after,
        p=ks_p_value(after, len(judged), len(judged)),
    )
