"""From ranked lists to one number per query and ranking: the columns that are resampled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gnomon.probe.ranks import Relevance, ranks_of_relevant
from gnomon.probe.settings import N_FOLDS
from gnomon.stats.ranking import ndcg_at, recall_at, reciprocal_rank_at

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gnomon.probe.passes import RankedLists

Column = NDArray[np.float64]
Ids = NDArray[np.int64]

RANKINGS = ("status_quo", "naive_swap", "bridged", "cascade", "oracle")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The ranked lists of one probe.

    Attributes
    ----------
    status_quo, naive_swap, seen, oracle
        Lists over the whole index (``oracle``: over the documents with new vectors).
    bridged
        One list, or one for each fold's adapter.
    cascade
        int64[Q, N] for each of ``bridged``: its candidates in the new model's order; empty when
        a candidate has no new vector.
    rivals_bridged, rivals_oracle
        Lists among the documents of one fold, for each fold; empty without folds.
    curve
        Number of pairs -> bridged lists fitted on so many.
    csls
        int64[Q, N] for each of ``bridged``: its candidates reordered by CSLS.
    """

    status_quo: RankedLists
    naive_swap: RankedLists
    bridged: Sequence[RankedLists]
    oracle: RankedLists
    cascade: Sequence[Ids]
    seen: RankedLists | None
    rivals_bridged: Sequence[RankedLists] = ()
    rivals_oracle: Sequence[RankedLists] = ()
    curve: Mapping[int, Sequence[RankedLists]]
    csls: Sequence[Ids] = ()


def columns_of(
    measured: Measured, relevance: Relevance, *, k: int, depth: int
) -> dict[str, Column]:
    """Return every per-query column by name, each float64[Q].

    Names are ``<ranking>.<recall|ndcg|mrr>`` at k, ``<bridged|oracle>.recall_depth``,
    ``seen.recall``, ``csls.recall``, ``rivals_<bridged|oracle>.recall`` at k / 5 and
    ``curve_<pairs>.recall``.
    """
    bridged = fold_ranks([lists.ids for lists in measured.bridged], relevance)
    oracle = ranks_of_relevant(measured.oracle.ids, relevance)
    ranks = {
        "status_quo": ranks_of_relevant(measured.status_quo.ids, relevance),
        "naive_swap": ranks_of_relevant(measured.naive_swap.ids, relevance),
        "bridged": bridged,
        "oracle": oracle,
    }
    if measured.cascade:
        ranks["cascade"] = fold_ranks(measured.cascade, relevance)
    columns: dict[str, Column] = {}
    for name, found in ranks.items():
        columns[f"{name}.recall"] = recall_at(k, found, relevance.offsets)
        columns[f"{name}.ndcg"] = ndcg_at(k, found, relevance.gains, relevance.offsets)
        columns[f"{name}.mrr"] = reciprocal_rank_at(k, found, relevance.offsets)
    columns["bridged.recall_depth"] = recall_at(depth, bridged, relevance.offsets)
    columns["oracle.recall_depth"] = recall_at(depth, oracle, relevance.offsets)

    more: dict[str, Ids] = {}
    if measured.seen is not None:
        more["seen"] = ranks_of_relevant(measured.seen.ids, relevance)
    if measured.csls:
        more["csls"] = fold_ranks(measured.csls, relevance)
    for pairs, lists in measured.curve.items():
        more[f"curve_{pairs}"] = fold_ranks([one.ids for one in lists], relevance)
    columns |= {f"{name}.recall": recall_at(k, it, relevance.offsets) for name, it in more.items()}

    for name in ("rivals_bridged", "rivals_oracle"):
        lists = getattr(measured, name)
        if lists:
            found = fold_ranks([one.ids for one in lists], relevance)
            columns[f"{name}.recall"] = recall_at(rivals_cut(k), found, relevance.offsets)
    return columns


def fold_ranks(lists: Sequence[Ids], relevance: Relevance) -> Ids:
    """Return the rank of every relevant document under the adapter that never saw it.

    With one list that is the list; with five, a document's rank is looked up in the list of its
    own fold, row modulo 5.
    """
    if len(lists) == 1:
        return ranks_of_relevant(lists[0], relevance)
    ranks = np.zeros(len(relevance.rows), dtype=np.int64)
    for fold, ids in enumerate(lists):
        own = relevance.rows % N_FOLDS == fold
        ranks[own] = ranks_of_relevant(ids, relevance.where(own))
    return ranks


def rivals_cut(k: int) -> int:
    """Return the cut-off among the documents of one fold, a fifth of ``k``."""
    return max(1, k // N_FOLDS)
