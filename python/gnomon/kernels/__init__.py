"""The compiled kernels on NumPy arrays: exact, deterministic, threaded.

Every function checks its arguments and names what is wrong with them; the numeric contract is in
``cpp/README.md``.
"""

from __future__ import annotations

try:
    from gnomon import _core  # noqa: F401
except ImportError as error:
    error.add_note("The compiled core of gnomon is missing; build it with: pip install .")
    raise

from gnomon.kernels.affine import AffineMap
from gnomon.kernels.analyzer import Analyzer, analyze
from gnomon.kernels.bm25_index import BM25Index
from gnomon.kernels.cosine import PassReport, SearchRequest, topk, topk_hits, topk_pass
from gnomon.kernels.hits import Hits, NamedHits, NamedRow, NamedTopK, TopK, TopKRow
from gnomon.kernels.isa import default_threads, isa, runnable_isas
from gnomon.kernels.linear import affine_map, group_sums, nearest, normalize, norms, pair_scores
from gnomon.kernels.mmr import mmr, mmr_grid
from gnomon.kernels.ranking import (
    Metric,
    RankingMetrics,
    decided_by_ties,
    exact_mean,
    exact_sum,
    ranking_metrics,
    ranks_in_lists,
    tied_ranks_by_score,
    tied_ranks_in_lists,
)
from gnomon.kernels.resample import Purpose, bootstrap_sums, draw_keys, draw_rows
from gnomon.kernels.rrf import rrf
from gnomon.kernels.text import nfkc_casefold, unicode_version, word_counts
from gnomon.kernels.vector_index import VectorIndex

__all__ = [
    "AffineMap",
    "Analyzer",
    "BM25Index",
    "Hits",
    "Metric",
    "NamedHits",
    "NamedRow",
    "NamedTopK",
    "PassReport",
    "Purpose",
    "RankingMetrics",
    "SearchRequest",
    "TopK",
    "TopKRow",
    "VectorIndex",
    "affine_map",
    "analyze",
    "bootstrap_sums",
    "decided_by_ties",
    "default_threads",
    "draw_keys",
    "draw_rows",
    "exact_mean",
    "exact_sum",
    "group_sums",
    "isa",
    "mmr",
    "mmr_grid",
    "nearest",
    "nfkc_casefold",
    "normalize",
    "norms",
    "pair_scores",
    "ranking_metrics",
    "ranks_in_lists",
    "rrf",
    "runnable_isas",
    "tied_ranks_by_score",
    "tied_ranks_in_lists",
    "topk",
    "topk_hits",
    "topk_pass",
    "unicode_version",
    "word_counts",
]
