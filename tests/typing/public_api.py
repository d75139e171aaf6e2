"""What a type checker sees of the public names; checked by mypy, never run.

Each line states a promise: changing a return type makes ``nox -s typing`` fail here first.
"""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import gnomon as gn
from gnomon import errors, kernels
from gnomon.types import Figure


def search_arrays(queries: NDArray[np.float16], docs: NDArray[np.float32]) -> None:
    """Searching arrays gives matrices of ids and scores."""
    found = gn.topk(queries, docs, 10, threads=1)
    assert_type(found, gn.TopK)
    assert_type(found.ids, NDArray[np.int64])
    assert_type(found.scores, NDArray[np.float32])
    ids, scores = found
    assert_type(ids, NDArray[np.int64])
    assert_type(scores, NDArray[np.float32])


def search_index(docs: NDArray[np.float32]) -> None:
    """A prepared index gives the same types, ragged results their own."""
    index = gn.VectorIndex(docs)
    assert_type(len(index), int)
    assert_type(index.dim, int)
    assert_type(index.search(docs, 3), gn.TopK)
    hits = index.search_hits(docs, 3, exclude=np.arange(len(docs)))
    assert_type(hits, gn.Hits)
    assert_type(hits[0].ids, NDArray[np.int64])
    assert_type(hits.padded(fill=-1), gn.TopK)
    for row in hits:
        assert_type(row.scores, NDArray[np.float32])


def lists_are_taken() -> None:
    """Anything that NumPy makes an array of is accepted."""
    assert_type(gn.topk([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], 1), gn.TopK)


def text(analyzer: gn.Analyzer) -> None:
    """Terms are lists of str; a stopword has none."""
    assert_type(gn.analyze("a b", analyzer=analyzer), list[str])
    assert_type(analyzer.terms_of(["a", "b"]), list[str | None])
    assert_type(analyzer.fingerprint, str)
    assert_type(analyzer.stopwords, tuple[str, ...])
    assert_type(kernels.word_counts(["a b"]), NDArray[np.int64])


def pick_and_fuse(queries: NDArray[np.float32], pools: list[NDArray[np.float32]]) -> None:
    """Picks are hits; a fusion keeps the kind of its ids."""
    found = gn.topk(queries, pools[0], 10)
    assert_type(gn.mmr(queries, pools, 3, lambda_=0.7), gn.Hits)
    assert_type(gn.mmr(queries, pools[0], 3, rows=found), gn.Hits)
    assert_type(gn.mmr_grid(queries, pools[0], 3, [0.3, 0.7], rows=[[1, 2], [3]]), list[gn.Hits])
    assert_type(gn.rrf([found, found], weights=[1, 0.5], top=5), gn.Hits)
    assert_type(gn.rrf([found.ids, found.ids]), gn.Hits)
    assert_type(gn.rrf([[1, 2], [2, 3]]), gn.Hits)
    assert_type(gn.rrf([["a", "b"], ["b"]]), gn.NamedHits)
    assert_type(gn.rrf([["a"], ["b"]])[0].ids, tuple[str, ...])


def small_kernels(x: NDArray[np.float32], labels: NDArray[np.int64]) -> None:
    """The small kernels say which precision they return."""
    assert_type(gn.normalize(x), NDArray[np.float32])
    assert_type(kernels.norms(x), NDArray[np.float64])
    assert_type(kernels.affine_map(x, x, None), NDArray[np.float32])
    assert_type(kernels.draw_keys(0, 1, 10), NDArray[np.uint64])
    assert_type(kernels.draw_rows(0, 1, 10, 5), NDArray[np.int64])
    assert_type(kernels.bootstrap_sums(x.astype(np.float64), seed=0), NDArray[np.float64])
    sums, counts = kernels.group_sums(x, labels, 3)
    assert_type(sums, NDArray[np.float64])
    assert_type(counts, NDArray[np.int64])
    assert_type(kernels.isa(), str)
    assert_type(kernels.runnable_isas(), tuple[str, ...])


def serve_a_bridge(folder: Path, query: NDArray[np.float32], profile: gn.Profile) -> None:
    """A bridge takes vectors and gives vectors."""
    bridge = gn.Bridge.load(folder, query_profile=profile)
    assert_type(bridge, gn.Bridge)
    assert_type(bridge.to_index_space(query), NDArray[np.float32])
    assert_type(profile.fingerprint, str)


def measure_runs(hits: gn.Hits, run: dict[str, dict[str, float]]) -> None:
    """Metrics take rows and dicts; means are numbers, ties may be unknown."""
    judged = gn.metrics.Judgements(np.array([1]), np.array([0, 1]))
    found = gn.metrics.evaluate(hits, judged, ["ndcg@10"], threads=1)
    assert_type(found, gn.metrics.Evaluation)
    assert_type(found["ndcg@10"].values, NDArray[np.float64])
    assert_type(found.means, dict[str, float])
    assert_type(found.n_measured, int)
    assert_type(found["ndcg@10"].tied_share, float | None)
    assert_type(gn.metrics.recall(run, {"q": ["d"]}, 10), gn.metrics.MetricValues)
    gn.metrics.evaluate(run, {"q": {"d": 1}}, "rr", ties="trec")


def errors_are_builtins(error: errors.InvalidInputError) -> ValueError:
    """Code that doesn't know gnomon can catch its errors."""
    return error


def figures_may_be_missing(figure: Figure) -> float:
    """A figure without a value has to be dealt with before it is used as a number."""
    if figure.value is None:
        return 0.0
    return assert_type(figure.value, float)
