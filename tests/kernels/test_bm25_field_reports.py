"""Faults that BM25 libraries had in the field, each with its right value."""

from __future__ import annotations

import inspect
import math
from contextlib import nullcontext

import pytest
from tests.kernels.bm25_routes import hits

from gnomon import kernels
from gnomon.errors import GnomonError


def rows(index: kernels.BM25Index, query: str, k: int = 10) -> list[int]:
    """Return the rows that one text finds."""
    found: list[int] = index.search(query, k).ids.tolist()
    return found


def test_b01_a_word_in_half_of_the_documents_counts(isa: str) -> None:
    """B01: idf is ln(1 + (4 - 2 + .5) / 2.5) = ln 2, so documents 0 and 1 tie above the rest."""
    index = kernels.BM25Index(["a x", "b x", "c", "d"])
    found = index.search("x", 9)
    assert found.ids.tolist() == [0, 1]
    norm = 1.2 * (0.25 + 0.75 * 2 / 1.5)
    assert found.scores.tolist() == [pytest.approx(math.log(2) / (1 + norm))] * 2


def test_b02_no_score_is_negative(isa: str) -> None:
    """B02: a word in all documents weighs ln(1 + .5 / 3.5) = .1335; no match lowers a score."""
    index = kernels.BM25Index(["x", "x", "x"])
    found = index.search("x", 9)
    assert found.ids.tolist() == [0, 1, 2]
    assert found.scores.tolist() == [pytest.approx(0.1335 / 2.2, abs=1e-4)] * 3
    for variant in ("lucene", "robertson", "atire", "bm25+", "bm25l"):
        docs = [["x"] * (i % 4) + ["y"] * (i % 3) + ["z"] for i in range(40)]
        index = kernels.BM25Index(tokens=docs, variant=variant)
        alone, both = index.scores(tokens=["x"]), index.scores(tokens=["x", "z"])
        assert (alone >= 0).all()
        assert (both >= alone).all()


def test_b03_an_empty_corpus_is_an_index(isa: str) -> None:
    """B03: no documents: every query has 0 hits."""
    index = kernels.BM25Index([])
    assert len(index) == 0
    assert index.search(["x", "a b"], 3).counts().tolist() == [0, 0]
    assert kernels.BM25Index(tokens=[]).search(tokens=[["x"]], k=3).counts().tolist() == [0]


def test_b05_blank_documents_keep_the_numbering(isa: str) -> None:
    """B05: hits are rows 0 and 2; row 1 keeps its number."""
    assert sorted(rows(kernels.BM25Index(["x y", "", "x"]), "x")) == [0, 2]
    assert sorted(rows(kernels.BM25Index(["", " \t\n", "x", "...", "x"]), "x")) == [2, 4]


def test_b06_blank_queries_find_nothing(isa: str) -> None:
    """B06: an empty or blank query has 0 hits and a warning, alone and in a batch."""
    index = kernels.BM25Index(["x", "y", "x"])
    for blank in ("", "  \t"):
        with pytest.warns(UserWarning, match="no terms"):
            assert rows(index, blank) == []
    with pytest.warns(UserWarning, match="no terms"):
        assert index.search(["", "x", "  \t"], 5).counts().tolist() == [0, 2, 0]


def test_b08_unknown_words_find_nothing(isa: str) -> None:
    """B08: score 0 is no match: words outside the vocabulary give 0 hits, and spoil no others."""
    index = kernels.BM25Index(["foo", "bar", "baz"])
    assert rows(index, "zzz") == []
    assert rows(index, "zzz bar aaa") == [1]


def test_b10_no_document_loses_its_match(isa: str) -> None:
    """B10: the first and the last word of a vocabulary are found like any."""
    index = kernels.BM25Index(["foo", "bar", "baz", "fast cat", "fast dog"])
    found = index.search("fast", 9)
    assert found.ids.tolist() == [3, 4]
    assert found.scores[0] == found.scores[1] > 0
    for row, word in enumerate(("foo", "bar", "baz", "cat", "dog")):
        assert rows(index, word) == [row]


def test_b11_ties_come_in_row_order(isa: str) -> None:
    """B11: of four equal documents the first three win, in order."""
    assert rows(kernels.BM25Index(["same words"] * 4), "words", 3) == [0, 1, 2]


def test_b13_frequency_counts_documents(isa: str) -> None:
    """B13: df of x is 1 though it stands three times; lengths are 3 and 1."""
    found = kernels.BM25Index(["x x x", "y"]).search("x", 9)
    idf = math.log(1 + (2 - 1 + 0.5) / 1.5)
    norm = 0.25 + 0.75 * 3 / 2
    assert found.scores.tolist() == [pytest.approx(idf * 3 / (3 + 1.2 * norm))]


def test_b14_stopwords_are_compared_after_folding(isa: str) -> None:
    """B14: "The cat" with "the" as a stopword leaves "cat"."""
    analyzer = kernels.Analyzer(stopwords=["the"])
    assert kernels.analyze("The cat THE", analyzer=analyzer) == ["cat"]
    index = kernels.BM25Index(["The cat", "THE dog", "lathe"], analyzer=analyzer)
    assert index.vocabulary_size == 3
    assert rows(index, "tHe Cat") == [0]


def test_b15_words_of_one_character_are_kept(isa: str) -> None:
    """B15: C, R, x and 5 are words."""
    index = kernels.BM25Index(["C R x 5", "other"])
    for word in ("C", "R", "x", "5"):
        assert rows(index, word) == [0]


def test_b16_chinese_and_japanese_are_searchable(isa: str) -> None:
    """B16: part of an unspaced sentence finds it, by character pairs; and only it."""
    docs = ["东京塔很高", "北京烤鸭", "東京タワーは高い", "서울은 한국의 수도이다"]
    index = kernels.BM25Index(docs)
    assert rows(index, "东京") == [0]
    assert rows(index, "烤鸭") == [1]
    assert rows(index, "タワー") == [2]
    assert rows(index, "한국") == [3]


def test_b18_composed_and_decomposed_match(isa: str) -> None:
    """B18: Zürich in both normal forms gives the same hit with the same score."""
    index = kernels.BM25Index(["Zürich", "Bern", "Zu\u0308rich ZÜRICH"])
    composed, decomposed = index.search("Z\u00fcrich", 9), index.search("Zu\u0308rich", 9)
    assert composed.ids.tolist() == decomposed.ids.tolist() == [2, 0]
    assert composed.scores.tolist() == decomposed.scores.tolist()


def test_b21_compounds_are_whole_words(isa: str) -> None:
    """B21: a German compound is one word; its parts don't find it (a stated limit)."""
    index = kernels.BM25Index(["Die Wandhalterung", "Halterung"])
    assert rows(index, "halterung") == [1]
    assert rows(index, "WANDHALTERUNG") == [0]


@pytest.mark.parametrize(
    "text", ["fish days:", '36"', "(", "-x", "a OR", "a AND (b", "title:[* TO"]
)
def test_b22_text_is_never_syntax(text: str, isa: str) -> None:
    """B22: what users type is plain text, whatever it would mean to a query parser."""
    index = kernels.BM25Index(["fish days", "36 x", "a or b and title to", ""])
    words = kernels.analyze(text)
    with nullcontext() if words else pytest.warns(UserWarning, match="no terms"):
        found = index.search(text, 9)
    assert found.ids.tolist() == hits(index, [words], 9)[0].ids.tolist()
    assert (len(found.ids) > 0) == bool(words)


def test_b23_lengths_are_compared_at_the_call(isa: str) -> None:
    """B23: limits for another number of queries or rows are an error with both numbers."""
    index = kernels.BM25Index(["a", "b", "c", "d"])
    with pytest.raises(ValueError, match=r"(?s)\b1\b.*\b2\b|\b2\b.*\b1\b") as caught:
        index.search(["a", "b"], 3, exclude=[[0]])
    assert isinstance(caught.value, GnomonError)


def test_b24_nothing_is_english_by_default(isa: str) -> None:
    """B24: the default removes and stems nothing of any language, and says what it does."""
    text = "Die Katze und the running och att"
    assert kernels.analyze(text) == text.lower().split()
    index = kernels.BM25Index([text])
    assert rows(index, "the") == rows(index, "och") == rows(index, "und") == [0]
    assert rows(index, "run") == []
    assert inspect.signature(kernels.BM25Index).parameters["analyzer"].default is None
    assert isinstance(index.analyzer.describe(), dict)
