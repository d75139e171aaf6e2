"""Recall, graded nDCG and reciprocal rank per query, from the ranks of the relevant documents.

Relevant documents come in CSR form: those of query q are ``ranks[offsets[q]:offsets[q + 1]]``.
Ranks start at 1; 0 means not retrieved. Every query has at least one relevant document.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def recall_at(k: int, ranks: Ints, offsets: Ints) -> Floats:
    """Return the share of each query's relevant documents with a rank of at most k."""
    raise NotImplementedError


def ndcg_at(k: int, ranks: Ints, gains: Ints, offsets: Ints) -> Floats:
    """Return nDCG@k per query: linear gain, log2 discount, ideal from all gains, at most 1."""
    raise NotImplementedError


def reciprocal_rank_at(k: int, ranks: Ints, offsets: Ints) -> Floats:
    """Return 1 / the best rank of a relevant document, 0 where none is in the top k."""
    raise NotImplementedError
