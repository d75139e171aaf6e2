"""The queries that are evaluated and what counts as relevant to them, by tier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.errors import NotMeasuredError
from gnomon.probe.plan import Rows, t0_query_rows
from gnomon.probe.ranks import Relevance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gnomon.probe.inputs import ProbeInputs
    from gnomon.probe.settings import ProbeSettings, Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The evaluation queries.

    Attributes
    ----------
    tier
        Where the ground truth comes from.
    old, new
        [Q, d_old] and [Q, d_new] query vectors.
    ids
        Q names: query ids, or the row numbers of the documents that stand in for queries.
    masked
        int64[Q]: the document that each query is and must not find (T0), else None.
    relevance
        What counts as relevant; None until the oracle was asked (T0, T1u).
    """

    tier: Tier
    old: NDArray[Any]
    new: NDArray[Any]
    ids: Sequence[str]
    masked: Rows | None
    relevance: Relevance | None

    @property
    def n_queries(self) -> int:
        """The number of evaluation queries."""
        return len(self.new)


def available_tier(inputs: ProbeInputs, settings: ProbeSettings) -> Tier:
    """Return the tier to measure: the one that was asked for, else the best there is."""
    best: Tier = "T0"
    if inputs.log is not None:
        best = "T1u" if inputs.log.relevance is None else "T1"
    if settings.tier is None:
        return best
    if settings.tier == "T1" and best != "T1":
        raise NotMeasuredError(
            "tier T1 needs queries with judgements; give --queries vectors and --qrels, or use "
            f"--tier {best}"
        )
    if settings.tier == "T1u" and best == "T0":
        raise NotMeasuredError(
            "tier T1u needs the vectors of a query log; give --old-queries and --new-queries, or "
            "use --tier T0"
        )
    return settings.tier


def evaluation_of(inputs: ProbeInputs, settings: ProbeSettings) -> Evaluation:
    """Return the evaluation queries of the tier that is measured."""
    tier = available_tier(inputs, settings)
    if tier == "T0":
        rows = t0_query_rows(settings, inputs.covered)
        return Evaluation(
            tier=tier,
            old=inputs.old_docs[rows],
            new=inputs.new_vectors(rows),
            ids=[str(row) for row in rows],
            masked=rows,
            relevance=None,
        )
    log = inputs.log
    assert log is not None
    rows = log.rows if tier == "T1" else np.arange(len(log.new), dtype=np.int64)
    if len(rows) == 0:
        raise NotMeasuredError(
            "no query is left to evaluate: none has a relevant document in the corpus; "
            "check that the ids of the qrels are those of the corpus and the queries"
        )
    return Evaluation(
        tier=tier,
        old=log.old[rows],
        new=log.new[rows],
        ids=[log.ids[row] for row in rows],
        masked=None,
        relevance=log.relevance if tier == "T1" else None,
    )


def relevance_by_oracle(tier: Tier, oracle: NDArray[np.int64], k: int) -> Relevance:
    """Return what the oracle counts as relevant: its nearest at T0, its top k at T1u.

    One nearest neighbour at T0 matches the sparsity of real judgements (about 1.1 relevant
    documents per query); the overlap with the whole top k is reported beside it.
    """
    top = oracle[:, : 1 if tier == "T0" else k]
    n_queries, width = top.shape
    return Relevance(
        offsets=np.arange(n_queries + 1, dtype=np.int64) * width,
        rows=top.reshape(-1).copy(),
        gains=np.ones(n_queries * width, dtype=np.int64),
    )
