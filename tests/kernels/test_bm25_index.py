"""BM25Index: values by hand, the one answer of all ways, emptiness, text."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import numpy as np
import pytest
from tests.kernels.bm25_documents import (
    AUTOMATIC,
    EXHAUSTIVE,
    PRUNED,
    VARIANTS,
    answers,
    by_hand,
    ranked,
    zipf_documents,
)

import gnomon
from gnomon import Analyzer, BM25Index


class TestValues:
    """Scores by the formulas."""

    def test_term_in_half_of_the_documents_counts(self) -> None:
        """B01: the idf of a term in two of four documents is ln 2, and it ranks both first."""
        index = BM25Index(tokens=[["a", "x"], ["b", "x"], ["c"], ["d"]])
        scores = index.scores(tokens=["x"])
        expected = np.float32(math.log(2) / (1 + 1.2 * (0.25 + 0.75 * 2 / 1.5)))
        assert scores.tolist() == [expected, expected, 0, 0]
        assert index.search(tokens=[["x"]], k=4)[0].ids.tolist() == [0, 1]

    def test_scores_are_never_negative(self) -> None:
        """B02: a term in every document still adds ln(1 + 0.5 / (n + 0.5))."""
        index = BM25Index(tokens=[["x"]] * 3)
        expected = np.float32(math.log(1 + 0.5 / 3.5) / 2.2)
        assert index.scores(tokens=["x"]).tolist() == [expected] * 3

    def test_document_frequency_counts_documents(self) -> None:
        """B13: df counts documents, not occurrences; lengths count occurrences."""
        scores = BM25Index(tokens=[["x", "x", "x"], ["y"]]).scores(tokens=["x"])
        tf, length = 3, 3 / 2
        part = tf / (tf + 1.2 * (0.25 + 0.75 * length))
        assert scores[0] == np.float32(math.log(1 + 1.5 / 1.5) * part)

    @pytest.mark.parametrize("variant", VARIANTS)
    def test_every_variant_follows_its_formula(self, variant: str) -> None:
        """Each variant gives the values of its formula, with other k1, b and delta too."""
        docs = zipf_documents(300, 1)
        for k1, b, delta in ((1.2, 0.75, None), (0.0, 0.0, None), (2.0, 1.0, 0.3)):
            given = delta if variant in ("bm25+", "bm25l") else None
            index = BM25Index(tokens=docs, variant=variant, k1=k1, b=b, delta=given)
            used = {"bm25+": 1.0, "bm25l": 0.5}.get(variant, 0.0) if given is None else given
            for query in (["w0"], ["w1", "w5", "w40"], ["w3", "w3", "w200", "nowhere"]):
                expected = by_hand(docs, query, variant, k1, b, used)
                np.testing.assert_allclose(index.scores(tokens=query), expected, rtol=2e-7)

    def test_repeated_query_words_count_linearly(self) -> None:
        """A word that stands twice in the query adds twice as much."""
        index = BM25Index(tokens=zipf_documents(50, 2))
        once = index.scores(tokens=["w2"])
        assert index.scores(tokens=["w2", "w2"]).tolist() == (2 * once).tolist()

    def test_order_of_the_query_does_not_matter(self) -> None:
        """The same words in any order give the same bits."""
        index = BM25Index(tokens=zipf_documents(500, 3))
        words = [f"w{i}" for i in range(30)]
        expected = index.scores(tokens=words).tobytes()
        for seed in range(5):
            random.Random(seed).shuffle(words)
            assert index.scores(tokens=words).tobytes() == expected

    def test_document_without_a_term_is_no_hit_with_a_floor(self) -> None:
        """The floor of bm25+ and bm25l lifts matches only."""
        for variant in ("bm25+", "bm25l"):
            index = BM25Index(tokens=[["x"], ["y"], []], variant=variant)
            assert index.scores(tokens=["x"])[1:].tolist() == [0, 0]
            assert index.search(tokens=[["x"]], k=3)[0].ids.tolist() == [0]

    def test_weightless_terms_are_no_hits(self) -> None:
        """A term that robertson floors at 0, or that atire finds everywhere, makes no hit."""
        for variant in ("robertson", "atire"):
            index = BM25Index(tokens=[["x"], ["x", "y"]], variant=variant)
            assert index.search(tokens=[["x"]], k=2)[0].ids.tolist() == []


class TestOneAnswer:
    """One answer, however it is found."""

    @pytest.mark.parametrize("variant", VARIANTS)
    @pytest.mark.parametrize("n", [1, 130, 9000, 20000])
    def test_pruned_is_exhaustive(self, variant: str, n: int) -> None:
        """Pruned and exhaustive search give the same bits, and those of a full sort."""
        docs = zipf_documents(n, n, longest=30)
        index = BM25Index(tokens=docs, variant=variant)
        rng = random.Random(n)
        queries = [[f"w{int(rng.paretovariate(0.5)) % 450}" for _ in range(i)] for i in range(12)]
        for k in (1, 10, 100, n + 5):
            expected = answers(index, queries, k, EXHAUSTIVE)
            assert answers(index, queries, k, PRUNED) == expected
            assert answers(index, queries, k, AUTOMATIC, threads=3) == expected
            hits = index.search(tokens=queries, k=k)
            for query, row in zip(queries, hits, strict=True):
                scores = index.scores(tokens=query)
                assert row.ids.tolist() == ranked(scores.tolist(), k)
                assert row.scores.tolist() == scores[row.ids].tolist()

    def test_ties_go_by_row(self) -> None:
        """B11: equal documents come in the order of their rows, at the k boundary too."""
        index = BM25Index(tokens=[["x"]] * 20000)
        for strategy in (PRUNED, EXHAUSTIVE):
            ids, _, _ = index._core.search_tokens([["x"]], 3, None, None, 1, strategy)
            assert ids.tolist() == [0, 1, 2]

    def test_subset_and_exclude_are_applied_before_the_cut(self) -> None:
        """Excluded rows and rows outside of the subset are no hits, and change no score."""
        docs = zipf_documents(20000, 5)
        index = BM25Index(tokens=docs)
        queries = [["w1", "w50"], ["w3"], ["w7", "w100", "w2"]]
        subset = np.arange(0, 20000, 3)
        best = index.search(tokens=queries, k=40, subset=subset)
        exclude = [row.ids[::2].tolist() for row in best]
        hits = index.search(tokens=queries, k=10, subset=subset, exclude=exclude)
        for query, found, gone in zip(queries, hits, exclude, strict=True):
            scores = index.scores(tokens=query)
            allowed = np.zeros(20000, bool)
            allowed[subset] = True
            allowed[gone] = False
            assert found.ids.tolist() == ranked(np.where(allowed, scores, 0).tolist(), 10)
            assert found.scores.tolist() == scores[found.ids].tolist()

    def test_empty_subset_gives_no_hits(self) -> None:
        """No rows to search, no hits."""
        assert BM25Index(["x"]).search(["x", "y"], k=3, subset=[]).counts().tolist() == [0, 0]

    def test_many_terms(self) -> None:
        """Queries of thousands of distinct terms give the exhaustive answer."""
        docs = [[f"t{i}", f"t{i + 1}", f"t{i % 97}"] for i in range(6000)]
        index = BM25Index(tokens=docs)
        for n in (1000, 4096, 5000):
            query = [[f"t{i}" for i in range(n)]]
            expected = answers(index, query, 50, EXHAUSTIVE)
            assert answers(index, query, 50, PRUNED) == expected

    def test_counts_beyond_a_byte(self) -> None:
        """Terms that stand 7, 8, 255, 256 and 70,000 times in a document keep their counts."""
        docs = [["x"] * n + ["y"] for n in (7, 8, 255, 256, 70000, 1)] + [["z"]]
        many = docs + [["x"] * (i % 12) + ["y"] for i in range(300)]
        for corpus in (docs, many):
            index = BM25Index(tokens=corpus)
            expected = by_hand(corpus, ["x"])
            np.testing.assert_allclose(index.scores(tokens=["x"]), expected, rtol=2e-7)
            assert answers(index, [["x"]], 4, PRUNED) == answers(index, [["x"]], 4, EXHAUSTIVE)


class TestEmptiness:
    """Nothing in, nothing out."""

    def test_empty_corpus(self) -> None:
        """B03: an index of no documents builds, and every query has 0 hits."""
        for index in (BM25Index([]), BM25Index(tokens=[]), BM25Index(iter(()))):
            assert (len(index), index.vocabulary_size) == (0, 0)
            assert index.search(tokens=[["x"], ["y", "z"]], k=5).counts().tolist() == [0, 0]
            assert index.scores(tokens=["x"]).shape == (0,)

    def test_empty_documents_keep_their_rows(self) -> None:
        """B05: empty and blank documents are documents; rows never shift."""
        hits = BM25Index(["x y", "", "x", " \t"]).search("x", k=9)
        assert hits[0].ids.tolist() == [2, 0]

    def test_only_empty_documents(self) -> None:
        """Documents without any token give an index without terms."""
        index = BM25Index(["", "  "])
        assert (len(index), index.search("x", k=1).ids.tolist()) == (2, [])

    @pytest.mark.parametrize("query", ["", "  \t", "...", "\u200b"])
    def test_blank_query_warns_and_finds_nothing(self, query: str) -> None:
        """B06: a query without words has 0 hits and is told of."""
        with pytest.warns(UserWarning, match="query 1 has no terms"):
            hits = BM25Index(["x", "y"]).search(["x", query], k=2)
        assert hits.counts().tolist() == [1, 0]

    def test_unknown_words_find_nothing(self) -> None:
        """B08: words outside of the vocabulary have 0 hits, not the last rows with score 0."""
        hits = BM25Index(["foo", "bar"]).search("zzz", k=2)
        assert (hits.ids.tolist(), hits.scores.tolist()) == ([], [])

    def test_every_word_has_its_own_number(self) -> None:
        """B10: no number is reserved for the empty word; both matches are found, equal."""
        index = BM25Index(["foo", "bar", "baz", "fast cat", "fast dog"])
        hits = index.search("fast", k=5)[0]
        assert hits.ids.tolist() == [3, 4]
        assert hits.scores[0] == hits.scores[1] > 0

    def test_the_empty_token_is_a_term(self) -> None:
        """Tokens are taken as they are, the empty one and NUL too."""
        index = BM25Index(tokens=[["", "a"], ["\0"], ["a\0b"]])
        assert index.search(tokens=[[""], ["\0"], ["a\0b"]], k=3).ids.tolist() == [0, 1, 2]

    def test_more_hits_than_documents(self) -> None:
        """A k above the number of hits gives the hits there are: no sentinel."""
        assert BM25Index(["x", "y"]).search("x", k=10**15)[0].ids.tolist() == [0]


class TestText:
    """From text to hits."""

    def test_one_character_words_are_kept(self) -> None:
        """B15: words of one character are words."""
        index = BM25Index(["C R x 5", "other"])
        assert index.search(["C", "r", "5"], k=2).ids.tolist() == [0, 0, 0]

    def test_chinese_is_found_by_its_parts(self) -> None:
        """B16: CJK runs are cut into bigrams in documents and queries alike."""
        index = BM25Index(["东京塔很高", "北京很大"])
        assert index.search("东京", k=2)[0].ids.tolist() == [0]

    def test_composed_and_decomposed_match(self) -> None:
        """B18: both normal forms of a word are one word."""
        index = BM25Index(["Zürich", "Bern"])
        both = index.search(["Zu\u0308rich", "Zürich"], k=1)
        assert both.ids.tolist() == [0, 0]
        assert both.scores[0] == both.scores[1]

    @pytest.mark.parametrize("query", ["fish days:", '36"', "(", "-x", "a OR", "fish^2", "*"])
    def test_text_is_never_syntax(self, query: str) -> None:
        """B22: any text is a query."""
        index = BM25Index(["fish days are 36 x a or"])
        words = gnomon.analyze(query)
        if words:
            assert index.search(query, k=1).ids.tolist() == [0]
        else:
            with pytest.warns(UserWarning, match="no terms"):
                index.search(query, k=1)

    def test_stopwords_and_folding(self) -> None:
        """B14, B24: nothing is dropped by default; stopwords are compared after folding."""
        plain = BM25Index(["The cat"])
        assert plain.search("the", k=1).ids.tolist() == [0]
        dropping = BM25Index(["The cat", "cat cat"], analyzer=Analyzer(stopwords=["the"]))
        assert dropping.vocabulary_size == 1
        with pytest.warns(UserWarning, match="no terms"):
            assert dropping.search("The", k=1).ids.tolist() == []
        lengths = BM25Index(tokens=[["cat"], ["cat", "cat"]])
        assert dropping.scores("cat").tolist() == lengths.scores(tokens=["cat"]).tolist()

    def test_stemming_joins_words(self) -> None:
        """Words with one stem are one term, and count together in a document."""
        pytest.importorskip("Stemmer")
        index = BM25Index(["run running runs", "walked"], analyzer=Analyzer(stemmer="english"))
        same = BM25Index(tokens=[["run"] * 3, ["walk"]])
        assert index.scores("runs").tolist() == same.scores(tokens=["run"]).tolist()
        assert index.search("walking", k=2)[0].ids.tolist() == [1]

    def test_texts_are_the_tokens_of_their_analysis(self) -> None:
        """An index of texts is the index of what `analyze` makes of them."""
        texts = ["The café, the bar", "東京タワー 333m", "", "naïve NAÏVE"]
        a = BM25Index(texts)
        b = BM25Index(tokens=[gnomon.analyze(text) for text in texts], analyzer=Analyzer())
        assert a.vocabulary_size == b.vocabulary_size
        queries = ["café bar", "東京", "naive naïve"]
        for one, two in zip(a.search(queries, k=4), b.search(queries, k=4), strict=True):
            assert one.ids.tolist() == two.ids.tolist()
            assert one.scores.tolist() == two.scores.tolist()


def test_scores_decrease_along_the_hits() -> None:
    """Hits are in ranking order: score descending, row ascending among equals."""
    index = BM25Index(tokens=zipf_documents(2000, 22))
    for row in index.search(tokens=[["w1", "w2"], ["w9"]], k=500):
        pairs = list(zip((-row.scores).tolist(), row.ids.tolist(), strict=True))
        assert all(a < b for a, b in pairwise(pairs))
