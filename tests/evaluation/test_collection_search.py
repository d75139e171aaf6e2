"""The run of an index by channel: documents, each once, with the scores of the channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.retrieval.docs import write_pages

from gnomon.embedding.lsa import LsaEmbedder
from gnomon.evaluation.collection_search import Asked, _set_apart, search_collection
from gnomon.kernels import Analyzer
from gnomon.retrieval.build import Plan, build_index, read_source
from gnomon.retrieval.index import Index
from gnomon.retrieval.levers import Lever, Levers
from gnomon.retrieval.ranking import fuse

if TYPE_CHECKING:
    from gnomon.evaluation.collection_result import Channel
    from gnomon.sources.runs import Run

QUESTIONS = ("how do I rotate a key", "a revoked key opens nothing", " ")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Return an index of pages of several sections each, with vectors."""
    folder = tmp_path_factory.mktemp("pages")
    source = read_source(write_pages(folder / "docs"))
    model = LsaEmbedder.fit([chunk.passage for chunk in source.chunks], 3, analyzer=Analyzer())
    build_index(
        source,
        folder / "index",
        Plan(Analyzer(), ("en",), "cosine", "off", None, None, {}),
        uri="lsa:3",
        embedder=model,
        cache=None,
        progress=lambda _done, _total: None,
    )
    return Index.open(folder / "index", embedder=model)


def run_of(index: Index, channel: Channel, depth: int = 10) -> Run:
    """Return the run of a channel."""
    assert index.embedder is not None
    vectors = index.embedder.embed_questions([text or "x" for text in QUESTIONS])
    asked = Asked(["q1", "q2", "blank"], QUESTIONS, vectors)
    return search_collection(index, asked, channel, depth, lambda _done, _total: None)


def moved(levers: Levers, **values: float) -> Levers:
    """Return levers with other values."""
    return Levers({**levers.values, **{n: Lever(v, "environment") for n, v in values.items()}})


def listed(run: Run, query: int) -> list[str]:
    """Return the documents of a query."""
    return run.document_ids(np.arange(run.offsets[query], run.offsets[query + 1]))


@pytest.mark.parametrize("channel", ["bm25", "dense", "fused", "served"])
def test_a_document_counts_once(index: Index, channel: Channel) -> None:
    """Pages have several chunks; each page is listed once, and a blank finds nothing."""
    run = run_of(index, channel)
    for query in (0, 1):
        documents = listed(run, query)
        assert documents
        assert len(set(documents)) == len(documents)
        own = run.scores[run.offsets[query] : run.offsets[query + 1]]
        assert (np.diff(own) <= 0).all()
    assert listed(run, 2) == []
    assert (run.tag, run.n_out_of_order) == (channel, 0)


def test_a_document_has_the_score_of_its_best_chunk(index: Index) -> None:
    """That of BM25 is the greatest among the chunks of the page."""
    run = run_of(index, "bm25")
    scores = index.finder.lexical_scores(QUESTIONS[0])
    best: dict[str, float] = {}
    for chunk, score in zip(index.chunks, scores.tolist(), strict=True):
        if score > 0:
            best[chunk.page] = max(score, best.get(chunk.page, 0.0))
    assert dict(zip(listed(run, 0), run.scores[: len(best)].tolist(), strict=True)) == best


@pytest.mark.parametrize("depth", [1, 2])
def test_depth_counts_documents(index: Index, depth: int) -> None:
    """Not chunks: as many pages as asked for, however many chunks the first of them has."""
    assert max(len(listed(run_of(index, "bm25"), q)) for q in (0, 1)) >= 2
    for query in (0, 1):
        assert (
            listed(run_of(index, "bm25", depth), query)
            == listed(run_of(index, "bm25"), query)[:depth]
        )


def test_fused_scores_hold_the_order_of_fusion() -> None:
    """Equal sums stand in the order of their best place, and stay equal where that is equal."""
    step = np.float32(0.5)
    scores = np.array([0.75, 0.5, 0.5, 0.5, 0.5, np.nextafter(step, np.float32(0)), 0.25], "f4")
    apart = _set_apart(scores, [0, 0, 1, 1, 2, 0, 5])
    assert apart[[0, 1, 6]].tolist() == [0.75, 0.5, 0.25]
    assert apart[2] == apart[3]
    assert (np.diff(apart)[[0, 1, 3, 4, 5]] < 0).all()
    assert (np.abs(apart - scores) < 1e-6).all()


def test_fused_is_the_order_of_fusion(index: Index) -> None:
    """Whatever ties, the run has the pages in the order in which the index fuses their chunks."""
    run = run_of(index, "fused", 100)
    assert index.embedder is not None
    for query, text in enumerate(QUESTIONS[:2]):
        vector = index.embedder.embed_questions([text])[0]
        wide = index.with_levers(moved(index.levers, CANDIDATES=100, FUSED=100))
        rows = fuse(wide.finder.find(text, vector, None), wide.levers)
        pages = [index.chunks[row].page for row in rows.tolist()]
        assert listed(run, query) == list(dict.fromkeys(pages))


def test_served_is_what_search_returns(index: Index) -> None:
    """The pages of the excerpts, in their order, MMR and page cap included."""
    run = run_of(index, "served")
    for query, text in enumerate(QUESTIONS[:2]):
        pages = [excerpt.page for excerpt in index.search(text)]
        assert listed(run, query) == list(dict.fromkeys(pages))


def test_identical_ids_make_room(index: Index) -> None:
    """A document with the id of its query is left out, and the next one takes its place."""
    first, second = listed(run_of(index, "bm25"), 0)[:2]
    asked = Asked([first], QUESTIONS[:1], None)
    run = search_collection(
        index, asked, "bm25", 1, lambda _done, _total: None, ignore_identical=True
    )
    assert listed(run, 0) == [second]
