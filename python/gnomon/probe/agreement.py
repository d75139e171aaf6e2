"""How far the bridged lists repeat the oracle's, and how far queries share candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.probe.result import Agreement
from gnomon.stats.agreement import overlap_at, spearman_at
from gnomon.stats.means import mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.probe.columns import Measured
    from gnomon.probe.passes import RankedLists
    from gnomon.probe.settings import Tier


def agreement_of(measured: Measured, *, tier: Tier, k: int) -> Agreement:
    """Return overlap and rank correlation of the bridged and the oracle's top k.

    With folds the bridged lists are those of fold 0's adapter. ``strict_overlap`` stands beside
    the recall of one nearest neighbour at T0: there the whole top k is what should come back.
    """
    bridged, oracle = measured.bridged.cut(k), measured.oracle.cut(k)
    overlap = mean(overlap_at(k, bridged, oracle))
    return Agreement(
        overlap=overlap,
        strict_overlap=overlap if tier == "T0" else None,
        spearman=mean(spearman_at(k, bridged, oracle)),
    )


def ties_at(k: int, lists: RankedLists, *, n_findable: int) -> float | None:
    """Return the share of queries whose list is cut at ``k`` between documents of equal score.

    There the order of the rows decides which of them counts as found (a constant scorer has 1.0).
    0 where all documents fit into ``k``; None where the lists end there and nothing can be seen.
    """
    if n_findable <= k:
        return 0.0
    if lists.scores.shape[1] <= k:
        return None
    cut = (lists.scores[:, k - 1] == lists.scores[:, k]) & (lists.ids[:, k] >= 0)
    return int(np.count_nonzero(cut)) / len(cut)


def candidate_reuse(candidates: NDArray[np.int64]) -> float:
    """Return the share of candidates that another query fetched too.

    1 - |union of the candidate sets| / (sum of their sizes): a lower bound on the hit rate of a
    cache that holds the working set (probe.md).
    """
    return 1.0 - len(np.unique(candidates)) / candidates.size
