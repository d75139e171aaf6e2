"""The run that an index produces on the queries of a collection, by channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.errors import MismatchError, UsageError
from gnomon.kernels import rrf
from gnomon.retrieval.build import read_source
from gnomon.retrieval.manifest import corpus_hash
from gnomon.retrieval.ranking import fuse
from gnomon.sources.files import shown
from gnomon.sources.runs import make_run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from gnomon.evaluation.collection_result import Channel
    from gnomon.retrieval.index import Index
    from gnomon.sources.runs import Run
    from gnomon.types import Progress

    Ids = NDArray[np.int64]
    Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """Queries to search.

    Attributes
    ----------
    ids, texts
        One a query; a blank text finds nothing.
    vectors
        float32[queries, dim]; None for an index without vectors, or a channel that needs none.
    """

    ids: Sequence[str]
    texts: Sequence[str]
    vectors: Floats | None


def check_corpus(index: Index, place: Path, corpus: Path) -> None:
    """Refuse an index of other documents than those of a collection.

    Raises
    ------
    MismatchError
        When the hash over ids and texts differs.
    """
    expected = corpus_hash(read_source(corpus).chunks)
    if index.manifest.hash != expected:
        raise MismatchError(
            f"{shown(place)} was not built from {shown(corpus)}: its documents have the hash "
            f"{index.manifest.hash[:12]}, those of the collection {expected[:12]}. Name the index "
            f"of this collection, or build it: gnomon index {shown(corpus)}"
        )


def check_channel(index: Index, place: Path, channel: Channel) -> None:
    """Refuse the dense channel of an index that has none.

    Raises
    ------
    UsageError
        When there are no vectors.
    """
    if channel == "dense" and not index.manifest.dense:
        raise UsageError(f"{shown(place)} has no vectors; take --channel bm25 or fused")


def search_collection(
    index: Index,
    asked: Asked,
    channel: Channel,
    depth: int,
    progress: Progress,
    *,
    ignore_identical: bool = False,
) -> Run:
    """Return what a channel of an index retrieves for each query.

    A document counts once, with its best chunk. Scores are those of the channel: boosted BM25,
    cosine, or reciprocal rank fusion of both lists, equal sums the least step apart where fusion
    orders them; ``served`` has no score that its order follows, so it is given the number of
    results from a place to the end.

    Parameters
    ----------
    channel
        ``bm25`` and ``dense`` are the two lists that the index fuses, ``fused`` is their fusion at
        ``depth`` under the levers in force, ``served`` is what `Index.search` returns: at most
        GATE_K documents, whatever ``depth``.
    depth
        Documents a query, at most.
    ignore_identical
        Leave out a document that has the id of the query, so that the next one takes its place.
    """
    search = {"bm25": _bm25, "dense": _dense, "fused": _fused, "served": _served}[channel]
    number_of: dict[str, int] = {}
    numbers = np.array([number_of.setdefault(one.page, len(number_of)) for one in index.chunks])
    # So many chunks always hold enough documents.
    most = depth + 1 if ignore_identical else depth
    chunks = min(len(index), most * int(np.bincount(numbers).max()))
    names = list(number_of)
    documents: list[list[str]] = []
    scores: list[NDArray[np.float64]] = []
    for at, text in enumerate(asked.texts):
        vector = None if asked.vectors is None else asked.vectors[at]
        rows, values = search(index, text, vector, chunks) if text.strip() else _nothing()
        first = np.sort(np.unique(numbers[rows], return_index=True)[1])
        if ignore_identical:
            first = first[numbers[rows[first]] != number_of.get(asked.ids[at], -1)]
        first = first[:depth]
        documents.append([names[number] for number in numbers[rows[first]].tolist()])
        scores.append(values[first].astype(np.float64))
        progress(at + 1, len(asked.texts))
    return make_run(asked.ids, documents, scores, name=f"the {channel} run", tag=channel)


def _bm25(index: Index, text: str, _vector: Floats | None, k: int) -> tuple[Ids, Floats]:
    scores = index.finder.lexical_scores(text)
    found = np.flatnonzero(scores > 0)
    rows = found[np.argsort(-scores[found], kind="stable")][:k]
    return rows, scores[rows]


def _dense(index: Index, _text: str, vector: Floats | None, k: int) -> tuple[Ids, Floats]:
    if index.finder.vectors is None or vector is None:
        return _nothing()
    hits = index.finder.vectors.search(vector, k)
    return hits.ids[0], hits.scores[0]


def _fused(index: Index, text: str, vector: Floats | None, k: int) -> tuple[Ids, Floats]:
    levers = index.levers
    weights = [levers["W_LEXICAL_RRF"], levers["W_DENSE_RRF"]]
    if not any(weights):
        return _nothing()
    lists = [_bm25(index, text, vector, k)[0], _dense(index, text, vector, k)[0]]
    fused = rrf(lists, weights=weights, k=levers["RRF_K"], top=k)[0]
    best: dict[int, int] = {}
    for own, weight in zip(lists, weights, strict=True):
        for place, row in enumerate(own.tolist() if weight else ()):
            best[row] = min(place, best.get(row, place))
    return fused.ids, _set_apart(fused.scores, [best[row] for row in fused.ids.tolist()])


def _set_apart(scores: Floats, best: Sequence[int]) -> Floats:
    """Return falling scores, equal ones the least step apart where a better place decides.

    Fusion orders equal sums by the best place in a single list, and sums of the same places are
    often equal. A run has nothing but scores, so the order has to be in them; those that are
    equal in that too stay equal, and are counted as ties.
    """
    apart = scores.copy()
    for i in range(1, len(apart)):
        if scores[i] == scores[i - 1] and best[i] == best[i - 1]:
            apart[i] = apart[i - 1]
        elif apart[i] >= apart[i - 1]:
            apart[i] = np.nextafter(apart[i - 1], np.float32(-1.0))
    return apart


def _served(index: Index, text: str, vector: Floats | None, _k: int) -> tuple[Ids, Floats]:
    pool = fuse(index.finder.find(text, vector, None), index.levers)
    rows = index.ranked(pool, vector, index.levers.count("GATE_K"))
    return rows, np.arange(len(rows), 0, -1, dtype=np.float32)


def _nothing() -> tuple[Ids, Floats]:
    return np.empty(0, np.int64), np.empty(0, np.float32)
