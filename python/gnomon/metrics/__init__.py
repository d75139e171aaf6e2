"""Ranking metrics with their denominators: what was measured, and on how many queries.

`evaluate` takes a run and judgements, as arrays of rows or as TREC-style dicts, and returns recall,
capped recall, precision, reciprocal rank, average precision and nDCG per query and as means. The
values equal those of ir-measures; ties have one stated rule, and what can't be measured is counted
instead of averaged away. The page is ``docs/metrics.md``.
"""

from __future__ import annotations

from gnomon.metrics.evaluation import Evaluation, MetricValues
from gnomon.metrics.measuring import (
    average_precision,
    capped_recall,
    evaluate,
    ndcg,
    precision,
    recall,
    reciprocal_rank,
)
from gnomon.metrics.rows import Judgements

__all__ = [
    "Evaluation",
    "Judgements",
    "MetricValues",
    "average_precision",
    "capped_recall",
    "evaluate",
    "ndcg",
    "precision",
    "recall",
    "reciprocal_rank",
]
