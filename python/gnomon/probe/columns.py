"""From ranks to one number per query and ranking: the columns that are resampled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gnomon.probe.settings import N_FOLDS
from gnomon.stats.ranking import ndcg_at, recall_at, reciprocal_rank_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.probe.passes import RankedLists
    from gnomon.probe.ranks import Relevance

Column = NDArray[np.float64]
Ranks = NDArray[np.int64]

RANKINGS = ("status_quo", "naive_swap", "bridged", "cascade", "oracle")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one probe measured: the rank of every relevant document in every ranking.

    Ranks are int64[R] from 1, 0 where the list does not hold the document. With folds, a document
    has the rank that the adapter gives it which never saw it.

    Attributes
    ----------
    status_quo, naive_swap
        Lists for every query, one longer than k.
    bridged
        Lists of the (first) deciding adapter at the candidate depth, for every query.
    oracle
        Lists over the documents with new vectors, for every query.
    ranks
        Ranking -> ranks; ``cascade`` is None where a candidate has no new vector.
    seen
        Ranks under the adapter whose pairs come from everywhere; None when it was not fitted.
    rivals_bridged, rivals_oracle
        Ranks among the documents of the own fold; None without folds.
    curve
        Number of pairs -> ranks under the adapters fitted on so many; None where there are none.
    csls
        Ranks of the bridged candidates reordered by CSLS.
    """

    status_quo: RankedLists
    naive_swap: RankedLists
    bridged: RankedLists
    oracle: RankedLists
    ranks: Mapping[str, Ranks | None]
    seen: Ranks | None
    rivals_bridged: Ranks | None
    rivals_oracle: Ranks | None
    curve: Mapping[int, Ranks | None]
    csls: Ranks


def columns_of(
    measured: Measured, relevance: Relevance, *, k: int, depth: int
) -> dict[str, Column]:
    """Return every per-query column by name, each float64[Q].

    Names are ``<ranking>.<recall|ndcg|mrr>`` at k, ``<bridged|oracle>.recall_depth``,
    ``seen.recall``, ``csls.recall``, ``rivals_<bridged|oracle>.recall`` at k / 5 and
    ``curve_<pairs>.recall``. What was not measured has no column.
    """
    offsets, columns = relevance.offsets, dict[str, Column]()
    for name, ranks in measured.ranks.items():
        if ranks is not None:
            columns[f"{name}.recall"] = recall_at(k, ranks, offsets)
            columns[f"{name}.ndcg"] = ndcg_at(k, ranks, relevance.gains, offsets)
            columns[f"{name}.mrr"] = reciprocal_rank_at(k, ranks, offsets)
    more = [
        ("bridged.recall_depth", depth, measured.ranks["bridged"]),
        ("oracle.recall_depth", depth, measured.ranks["oracle"]),
        ("seen.recall", k, measured.seen),
        ("csls.recall", k, measured.csls),
        *((f"curve_{pairs}.recall", k, ranks) for pairs, ranks in measured.curve.items()),
        ("rivals_bridged.recall", rivals_cut(k), measured.rivals_bridged),
        ("rivals_oracle.recall", rivals_cut(k), measured.rivals_oracle),
    ]
    return columns | {
        name: recall_at(cut, ranks, offsets) for name, cut, ranks in more if ranks is not None
    }


def rivals_cut(k: int) -> int:
    """Return the cut-off among the documents of one fold, a fifth of ``k``."""
    return max(1, k // N_FOLDS)
