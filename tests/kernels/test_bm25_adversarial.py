"""BM25 against its definition, and pruned against complete scoring, on corpora made to be hard."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kernels.bm25_routes import (
    CORPORA,
    Docs,
    best_of_all_scores,
    hits,
    indexes,
    queries_for,
)
from tests.kernels.routes import THREADS, assert_same
from tests.reference import bm25 as reference

from gnomon import kernels

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KS = (1, 2, 10, 100, 10_000)


@functools.cache
def corpus(name: str, n: int, vocabulary: int) -> Docs:
    """Return one of the hard corpora, always the same."""
    return CORPORA[name](np.random.default_rng([len(name), n]), n, vocabulary)


@pytest.mark.parametrize("name", sorted(CORPORA))
@pytest.mark.parametrize("variant", reference.VARIANTS)
def test_small_corpora_are_the_definition(name: str, variant: str, isa: str) -> None:
    """Ids and score bits are those of the definition, whatever the corpus does to bounds."""
    docs = corpus(name, 90, 40)
    wanted = reference.Definition(docs, variant=variant)
    index = kernels.BM25Index(tokens=docs, variant=variant, threads=2)
    queries = queries_for(docs, np.random.default_rng(3), 12)
    for query in queries:
        assert index.scores(tokens=query).tolist() == wanted.scores(query).tolist(), query
    for k in (1, 3, 90):
        expected = [wanted.search(query, k) for query in queries]
        assert_same(hits(index, queries, k), expected, (name, variant, isa, k))


@pytest.mark.parametrize("name", sorted(CORPORA))
def test_searches_find_the_best_of_all_scores(name: str, isa: str, tmp_path: Path) -> None:
    """Skipping documents changes nothing: hits are the best of the scores of every document."""
    docs = corpus(name, 4000, 900)
    queries = queries_for(docs, np.random.default_rng(4), 30)
    for variant in ("lucene", "bm25+"):
        index = kernels.BM25Index(tokens=docs, variant=variant, threads=2)
        index.save(tmp_path / variant)
        for k in KS:
            expected = [best_of_all_scores(index, query, k) for query in queries]
            for threads in (1, 7):
                found = hits(index, queries, k, threads=threads)
                assert_same(found, expected, (name, variant, isa, k, threads))
            opened = kernels.BM25Index.open(tmp_path / variant)
            assert_same(hits(opened, queries, k), expected, (name, variant, isa, k, "opened"))
            single = hits(index, queries[7:8], k, threads=1)
            assert_same(single, expected[7:8], (name, variant, isa, k, "alone"))


@pytest.mark.parametrize("name", ["zipf", "few lengths", "blocks"])
def test_limits_of_large_corpora(name: str, isa: str) -> None:
    """The best documents excluded, and subsets of every share, are found around."""
    docs = corpus(name, 4000, 900)
    rng = np.random.default_rng(5)
    queries = queries_for(docs, rng, 16)
    index = kernels.BM25Index(tokens=docs)
    best = [row.ids[::2].tolist() for row in hits(index, queries, 40)]
    for share in (0.001, 0.1, 0.9, 1.0):
        subset = np.flatnonzero(rng.random(4000) < share)
        for k in (1, 10):
            expected = [
                best_of_all_scores(index, query, k, exclude=out, subset=subset)
                for query, out in zip(queries, best, strict=True)
            ]
            for threads in (1, 7):
                found = hits(index, queries, k, exclude=best, subset=subset, threads=threads)
                assert_same(found, expected, (name, isa, share, k))


@pytest.mark.parametrize("words", [1, 2, 16, 17, 64, 65, 300, 2000])
def test_queries_of_many_words(words: int, isa: str) -> None:
    """Long queries are added up in the order of the words' bytes, like short ones."""
    docs = corpus("zipf", 1500, 3000)
    vocabulary = sorted({word for doc in docs for word in doc})
    rng = np.random.default_rng(words)
    query = [vocabulary[i] for i in rng.integers(len(vocabulary), size=words)]
    index, wanted = kernels.BM25Index(tokens=docs), reference.Definition(docs)
    if words <= 65:
        assert index.scores(tokens=query).tolist() == wanted.scores(query).tolist()
    for k in (1, 10, 2000):
        assert_same(hits(index, [query], k), [best_of_all_scores(index, query, k)], (isa, k))


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1023, 1025, 4097])
def test_every_number_of_documents(n: int, isa: str) -> None:
    """Lists of postings that end on and beside every block limit are whole."""
    docs = [["all"] + ["odd"] * (i % 2) + [f"w{i}"] + ["last"] * (i == n - 1) for i in range(n)]
    index = kernels.BM25Index(tokens=docs)
    for query in (["all"], ["odd", "all"], [f"w{n - 1}"], ["last", "all"], ["w0", "last"]):
        for k in (1, n, n + 1):
            assert_same(hits(index, [query], k), [best_of_all_scores(index, query, k)], (isa, k))
    whole = hits(index, [["all"]], n)[0]
    assert sorted(whole.ids.tolist()) == list(range(n))


@pytest.mark.parametrize("n", [8191, 8192, 8193, 16_385, 33_000])
def test_many_windows(n: int, isa: str) -> None:
    """Corpora on both sides of every window of rows, with common, rare and clustered words."""
    rng = np.random.default_rng(n)
    docs = CORPORA["zipf"](rng, n, 5000)
    docs[n - 1] = ["w1", "last", *["w2"] * 9]
    docs[0] = ["w1"] * 300
    index = kernels.BM25Index(tokens=docs, threads=2)
    queries = [["w1"], ["w2", "w1"], ["last", "w3"], *queries_for(docs, rng, 20)]
    for k in (1, 10, 101, 1001):
        expected = [best_of_all_scores(index, query, k) for query in queries]
        for threads in (1, 7):
            assert_same(hits(index, queries, k, threads=threads), expected, (isa, k, threads))


def test_gaps_between_documents(isa: str) -> None:
    """Neighbouring documents with a word may be one or a hundred thousand rows apart."""
    n = 150_000
    places = sorted({0, 1, 2, 127, 255, 256, 65_535, 65_536, 65_537, 140_000, n - 1})
    docs: Docs = [[]] * n
    for place in places:
        docs[place] = ["x"]
    index = kernels.BM25Index(tokens=docs, threads=2)
    found = hits(index, [["x"]], 99)[0]
    assert found.ids.tolist() == places
    assert len(set(found.scores.tolist())) == 1


@pytest.mark.parametrize("length", [254, 255, 256, 65_535, 65_536, 65_537, 100_000])
def test_counts_and_lengths_of_every_size(length: int, isa: str, tmp_path: Path) -> None:
    """A word that stands tens of thousands of times, in documents as long, is counted right."""
    docs = [["x"] * length, ["x"] + ["y"] * (length - 1), ["x", "y"], [], ["z"] * (length // 2)]
    wanted = reference.Definition(docs)
    for route, index in indexes(docs, saved_at=tmp_path / "index"):
        for query in (["x"], ["y", "x"], ["z"]):
            assert index.scores(tokens=query).tolist() == wanted.scores(query).tolist(), route
            assert_same(hits(index, [query], 3), [wanted.search(query, 3)], route)


def test_a_document_of_as_many_different_words(isa: str) -> None:
    """A document may hold more distinct words than any 16-bit number tells."""
    many = [f"w{i}" for i in range(70_000)]
    index = kernels.BM25Index(tokens=[many, ["w5"], ["w69999", "w5"]], threads=2)
    assert index.vocabulary_size == 70_000
    assert hits(index, [["w69999"]], 5)[0].ids.tolist() == [2, 0]
    query = many[::1000]
    assert_same(hits(index, [query], 3), [best_of_all_scores(index, query, 3)])


STRANGE_WORDS = [
    "",
    " ",
    "\0",
    "a\0b",
    "a\0c",
    "a",
    "a" * 100_000,
    "a" * 100_000 + "b",
    "é",
    "e\u0301",
    "\U0001f600",
    "\uffff",
    "\U0010ffff",
    "ÿ",
    "../../etc/passwd",
    "\n",
]


def test_any_string_is_a_token(isa: str, tmp_path: Path) -> None:
    """Tokens are taken as they are: empty, with zeros, huge, look-alike, astral."""
    docs = [[word] for word in STRANGE_WORDS]
    for route, index in indexes(docs, saved_at=tmp_path / "index"):
        assert index.vocabulary_size == len(STRANGE_WORDS), route
        for row, word in enumerate(STRANGE_WORDS):
            assert hits(index, [[word]], 9)[0].ids.tolist() == [row], (route, word[:9])
    everything = kernels.BM25Index(tokens=[STRANGE_WORDS, STRANGE_WORDS[:9]])
    wanted = reference.Definition([STRANGE_WORDS, STRANGE_WORDS[:9]])
    query = STRANGE_WORDS[::-1]
    assert everything.scores(tokens=query).tolist() == wanted.scores(query).tolist()


def test_a_million_empty_documents() -> None:
    """Empty documents cost little, keep their rows and give no hits."""
    docs: Docs = [[]] * 1_000_000
    docs[123_456] = ["x", "y"]
    index = kernels.BM25Index(tokens=docs, threads=2)
    assert len(index) == 1_000_000
    assert hits(index, [["x"], ["z"]], 5)[0].ids.tolist() == [123_456]
    assert kernels.BM25Index(tokens=[[]] * 1_000_000).vocabulary_size == 0


TOKENS = st.sampled_from(["a", "b", "c", "d", "e", "", "ab", "é", "東京"]) | st.text(max_size=3)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Docs, list[list[str]], int, dict[str, Any]]:
    """Draw documents and queries from few words, and settings."""
    token = st.sampled_from(draw(st.lists(TOKENS.filter(_is_text), min_size=1, max_size=8)))
    docs = draw(st.lists(st.lists(token, max_size=9), max_size=30))
    queries = draw(st.lists(st.lists(token | st.just("zz"), max_size=6), min_size=1, max_size=5))
    settings: dict[str, Any] = {"variant": draw(st.sampled_from(reference.VARIANTS))}
    if draw(st.booleans()):
        settings |= {"k1": draw(st.floats(0, 1e6)), "b": draw(st.floats(0, 1))}
    if settings["variant"] in reference.DELTAS and draw(st.booleans()):
        settings["delta"] = draw(st.floats(0, 1e6))
    return docs, queries, draw(st.integers(1, 32)), settings


def _is_text(word: str) -> bool:
    return not any(0xD800 <= ord(char) < 0xE000 for char in word)


@given(problem=problems())
def test_any_small_corpus(
    problem: tuple[Docs, list[list[str]], int, dict[str, Any]], force_isa: Callable[[str], None]
) -> None:
    """Any documents, queries and settings: all routes agree with the definition."""
    docs, queries, k, settings = problem
    wanted = reference.Definition(docs, **settings)
    expected = [wanted.search(query, k) for query in queries]
    for turn, isa in enumerate(kernels.runnable_isas()):
        force_isa(isa)
        for route, index in indexes(docs, threads=THREADS[turn % 3], **settings):
            assert_same(hits(index, queries, k, threads=THREADS[turn % 3]), expected, (route, isa))
            for query in queries:
                assert index.scores(tokens=query).tolist() == wanted.scores(query).tolist()


@given(
    seed=st.integers(0, 2**32 - 1),
    name=st.sampled_from(sorted(CORPORA)),
    n=st.integers(1, 700),
    k=st.integers(1, 50),
    variant=st.sampled_from(reference.VARIANTS),
)
def test_any_built_corpus(
    seed: int, name: str, n: int, k: int, variant: str, force_isa: Callable[[str], None]
) -> None:
    """Hard corpora of any size: hits are the best of the scores of every document."""
    rng = np.random.default_rng(seed)
    docs = CORPORA[name](rng, n, 60)
    queries = queries_for(docs, rng, 10)
    for turn, isa in enumerate(kernels.runnable_isas()):
        force_isa(isa)
        index = kernels.BM25Index(tokens=docs, variant=variant)
        expected = [best_of_all_scores(index, query, k) for query in queries]
        found = hits(index, queries, k, threads=THREADS[turn % 3])
        assert_same(found, expected, (name, n, variant, isa))
