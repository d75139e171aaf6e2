"""BM25: the rules of the answer, each with a case worked by hand."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.kernels.bm25_routes import bytes_of, hits, indexes
from tests.kernels.routes import assert_same, rows_of
from tests.reference import bm25 as reference

from gnomon import kernels

if TYPE_CHECKING:
    from pathlib import Path

DOCS = [["a", "b", "b"], ["b", "c"], [], ["c", "c", "c", "d"], ["a"]]


def one(index: kernels.BM25Index, query: list[str], k: int = 10) -> list[tuple[int, float]]:
    """Return (row, score) of the hits of one query of tokens."""
    (row,) = hits(index, [query], k)
    return [(int(i), float(s)) for i, s in zip(row.ids, row.scores, strict=True)]


def test_lucene_by_hand(isa: str) -> None:
    """ln(1 + (N - df + .5) / (df + .5)) x tf / (tf + k1 (1 - b + b dl / avgdl)), worked out."""
    index = kernels.BM25Index(tokens=DOCS)
    idf = math.log(1 + (5 - 2 + 0.5) / (2 + 0.5))
    norms = [0.25 + 0.75 * length / 2 for length in (3, 1)]
    first, second = idf * 1 / (1 + 1.2 * norms[0]), idf * 1 / (1 + 1.2 * norms[1])
    assert one(index, ["a"]) == [(4, pytest.approx(second)), (0, pytest.approx(first))]


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        ("lucene", math.log(1 + 3.5 / 1.5) * 2 / 3.2),
        ("robertson", math.log(3.5 / 1.5) * 2 / 3.2),
        ("atire", math.log(4 / 1) * 2.2 * 2 / 3.2),
        ("bm25+", math.log(5 / 1) * (2.2 * 2 / 3.2 + 1)),
        ("bm25l", math.log(5 / 1.5) * 2.2 * 2.5 / (1.2 + 2.5)),
    ],
)
def test_variants_by_hand(variant: str, expected: float, isa: str) -> None:
    """With all lengths equal, two occurrences of a word that one of four documents holds."""
    index = kernels.BM25Index(
        tokens=[["x", "x"], ["a", "b"], ["a", "c"], ["b", "c"]], variant=variant
    )
    assert one(index, ["x"]) == [(0, pytest.approx(expected, rel=1e-6))]


@pytest.mark.parametrize("variant", reference.VARIANTS)
def test_every_variant_is_the_definition(variant: str, isa: str, tmp_path: Path) -> None:
    """Scores and hits have the bits of the definition, however the index was come by."""
    wanted = reference.Definition(DOCS, variant=variant)
    queries = [["a"], ["b", "c"], ["c", "b"], ["d", "d", "a"], ["zzz"], []]
    for route, index in indexes(DOCS, variant=variant, saved_at=tmp_path / "index"):
        for k in (1, 2, 10):
            for threads in (1, 2, 7):
                found = hits(index, queries, k, threads=threads)
                assert_same(found, [wanted.search(query, k) for query in queries], (route, variant))
        for query in queries:
            scores = index.scores(tokens=query)
            assert scores.dtype == np.float32
            assert scores.tolist() == wanted.scores(query).tolist(), (route, query)


@pytest.mark.parametrize(
    ("k1", "b", "delta"),
    [(0, 0, 0), (0, 0.75, None), (1.2, 0, None), (1.2, 1, None), (2, 0.5, 3), (1e6, 1, 1e6)],
)
@pytest.mark.parametrize("variant", reference.VARIANTS)
def test_settings_are_used(variant: str, k1: float, b: float, delta: Any, isa: str) -> None:
    """k1, b and delta enter as the formula says, at the ends of their ranges too."""
    if delta is not None and variant not in reference.DELTAS:
        delta = None
    settings = {"variant": variant, "k1": k1, "b": b, "delta": delta}
    wanted = reference.Definition(DOCS, **settings)
    index = kernels.BM25Index(tokens=DOCS, **settings)
    for query in (["a", "b"], ["c"], ["b", "b", "d"]):
        assert index.scores(tokens=query).tolist() == wanted.scores(query).tolist()
        assert_same(hits(index, [query], 9), [wanted.search(query, 9)], (settings, query))


def test_scores_of_0_are_no_hits(isa: str) -> None:
    """Only documents with a score above 0 are hits: not those whose words all weigh nothing."""
    everywhere = [["x"], ["x"], ["x", "y"]]
    for variant in ("robertson", "atire"):
        index = kernels.BM25Index(tokens=everywhere, variant=variant)
        assert one(index, ["x"]) == []
        assert index.scores(tokens=["x"]).tolist() == [0, 0, 0]
        assert [row for row, _ in one(index, ["x", "y"])] == [2]
    for variant in ("bm25+", "bm25l"):
        index = kernels.BM25Index(tokens=[["x"], [], ["y"]], variant=variant)
        assert [row for row, _ in one(index, ["x"])] == [0]
        assert index.scores(tokens=["x"])[1:].tolist() == [0, 0]


def test_ties_go_to_the_lowest_row(isa: str) -> None:
    """Equal scores come in row order, at the k-th place too."""
    docs = [["x", "y"], ["y", "x"], ["z", "x"], ["x", "x"], ["x", "y"]]
    index = kernels.BM25Index(tokens=docs)
    assert [row for row, _ in one(index, ["x"])] == [3, 0, 1, 2, 4]
    for k in range(1, 6):
        assert [row for row, _ in one(index, ["x"], k)] == [3, 0, 1, 2, 4][:k]


def test_the_order_of_the_query_changes_nothing(isa: str) -> None:
    """Words are added in one order whatever the query's: the same bits."""
    rng = np.random.default_rng(0)
    docs = [[f"w{i}" for i in rng.integers(0, 60, 30)] for _ in range(40)]
    index = kernels.BM25Index(tokens=docs)
    query = [f"w{i}" for i in range(50)]
    wanted = index.scores(tokens=query)
    for _ in range(5):
        shuffled = [query[i] for i in rng.permutation(50)]
        assert index.scores(tokens=shuffled).tolist() == wanted.tolist()


def test_words_of_a_query_count_as_often_as_they_stand(isa: str) -> None:
    """A word twice in the query counts double."""
    index = kernels.BM25Index(tokens=DOCS)
    once, thrice = index.scores(tokens=["a"]), index.scores(tokens=["a", "a", "a"])
    assert thrice.tolist() == pytest.approx((3 * once).tolist())
    wanted = reference.Definition(DOCS)
    for times in (2, 3, 255, 256, 65_537):
        query = ["a"] * times + ["b"]
        assert index.scores(tokens=query).tolist() == wanted.scores(query).tolist()
        assert_same(hits(index, [query], 3), [wanted.search(query, 3)])


def test_lengths_count_every_token(isa: str) -> None:
    """A document is as long as its list, and empty documents pull the average down."""
    crowd = [["x"], ["x", "y", "y"], ["z"]]
    with_empty = [*crowd, [], []]
    plain, padded = kernels.BM25Index(tokens=crowd), kernels.BM25Index(tokens=with_empty)
    assert plain.scores(tokens=["x"]).tolist() == reference.Definition(crowd).scores(["x"]).tolist()
    assert padded.scores(tokens=["x"])[:3].tolist() != plain.scores(tokens=["x"]).tolist()
    assert len(padded) == 5


def test_rows_never_shift(isa: str) -> None:
    """Empty documents keep their rows at the start, in the middle and at the end."""
    docs = [[], ["x"], [], [], ["x"], []]
    index = kernels.BM25Index(tokens=docs)
    assert [row for row, _ in one(index, ["x"])] == [1, 4]
    assert len(index) == 6


def test_nothing_to_find(isa: str, tmp_path: Path) -> None:
    """No documents, only empty ones, empty queries, unknown words: no hits, no error."""
    for docs in ([], [[]], [[], [], []], [["x"]]):
        for route, index in indexes(docs, saved_at=tmp_path / str(len(docs))):
            assert len(index) == len(docs), route
            found = index.search(k=3, tokens=[["unknown"], [], ["unknown", "words"]])
            assert found.counts().tolist() == [0, 0, 0], route
            assert index.scores(tokens=["unknown"]).tolist() == [0.0] * len(docs), route
            assert len(index.search(k=3, tokens=[])) == 0, route


def test_texts_are_analysed_alike_on_both_sides(isa: str) -> None:
    """An index of texts is the index of their words, and a query goes the same way."""
    texts = ["The quick brown FOX", "", "fox-trot; Straße", "东京塔很高", "ﬁsh & STRASSE"]
    index = kernels.BM25Index(texts)
    by_words = kernels.BM25Index(tokens=[kernels.analyze(text) for text in texts])
    for query in ("fox", "FOX trot", "strasse", "东京", "fish"):
        found = index.search(query, 5)
        assert len(found) == 1
        assert_same(rows_of(found), hits(by_words, [kernels.analyze(query)], 5), query)
        assert len(found.ids) > 0
        assert (
            index.scores(query).tolist() == by_words.scores(tokens=kernels.analyze(query)).tolist()
        )


def test_one_text_is_one_query(isa: str) -> None:
    """A string is one query, a list of strings as many; a generator of texts is read once."""
    index = kernels.BM25Index(text for text in ["red fish", "blue fish", "red car"])
    assert len(index) == 3
    assert len(index.search("red fish", 2)) == 1
    both = index.search(["red fish", "blue"], 2)
    assert len(both) == 2
    assert_same(rows_of(both)[:1], rows_of(index.search("red fish", 2)))
    assert len(index.search([], 2)) == 0


def test_limits(isa: str) -> None:
    """Excluded rows and rows outside the subset are no hits, and change no score."""
    docs = [["x"] * (i % 3 + 1) + ["y"] * (i % 5) for i in range(60)]
    index, wanted = kernels.BM25Index(tokens=docs), reference.Definition(docs)
    subset = [3, 59, 7, 7, 20, 21, 22, 40]
    exclude = [[0, 1, 2, 3], [], list(range(59))]
    queries = [["x"], ["y"], ["x", "y"]]
    for k in (1, 4, 60):
        found = hits(index, queries, k, exclude=exclude, subset=subset)
        for row, query, out in zip(found, queries, exclude, strict=True):
            assert_same([row], [wanted.search(query, k, exclude=out, subset=subset)], query)
        only = hits(index, queries, k, exclude=exclude)
        for row, query, out in zip(only, queries, exclude, strict=True):
            assert_same([row], [wanted.search(query, k, exclude=out)], query)
    assert hits(index, [["x"]], 3, subset=[])[0].ids.tolist() == []
    mask = np.zeros(60, np.bool_)
    mask[subset] = True
    assert_same(hits(index, queries, 5, subset=mask), hits(index, queries, 5, subset=subset))


def test_k_beyond_the_hits(isa: str) -> None:
    """There are as many hits as documents with a score, never a filler."""
    index = kernels.BM25Index(tokens=DOCS)
    for k in (2, 3, 1000, 2**62):
        assert len(one(index, ["a"], k)) == 2


def test_figures_of_an_index(tmp_path: Path) -> None:
    """Size, vocabulary and settings are told, and survive the file."""
    settings = {"variant": "bm25+", "k1": 0.9, "b": 0.4, "delta": 0.7}
    for route, index in indexes(DOCS, saved_at=tmp_path / "index", **settings):
        assert len(index) == 5, route
        assert index.vocabulary_size == 4, route
        assert index.variant == "bm25+", route
        assert {name: index.settings[name] for name in settings} == settings, route


def test_the_analyzer_survives_the_file(tmp_path: Path) -> None:
    """An index that is opened analyses queries as the one that was saved did."""
    analyzer = kernels.Analyzer(stopwords=["the", "of"])
    index = kernels.BM25Index(["the cat of", "the dog"], analyzer=analyzer)
    index.save(tmp_path / "index")
    opened = kernels.BM25Index.open(tmp_path / "index")
    assert opened.analyzer == analyzer
    assert opened.analyzer.fingerprint == analyzer.fingerprint
    assert opened.fingerprint == index.fingerprint
    assert opened.scores("the").tolist() == [0, 0]
    assert opened.search("the cat", 3).ids.tolist() == [0]


def test_fingerprints_tell_settings_apart() -> None:
    """Any other setting, analyzer included, is another fingerprint; the same are the same."""
    built = [
        kernels.BM25Index(["a b"]),
        kernels.BM25Index(["a b"], k1=1.3),
        kernels.BM25Index(["a b"], b=0.7),
        kernels.BM25Index(["a b"], variant="atire"),
        kernels.BM25Index(["a b"], variant="bm25+"),
        kernels.BM25Index(["a b"], variant="bm25+", delta=0.9),
        kernels.BM25Index(["a b"], analyzer=kernels.Analyzer(stopwords=["a"])),
    ]
    assert len({index.fingerprint for index in built}) == len(built)
    assert kernels.BM25Index(["a b"]).fingerprint == built[0].fingerprint


def test_identical_input_gives_identical_bytes(tmp_path: Path, isa: str) -> None:
    """The file doesn't depend on threads, on how documents arrive, or on the instruction set."""
    rng = np.random.default_rng(1)
    docs = [[f"w{i}" for i in rng.zipf(1.4, rng.integers(0, 40)) % 500] for _ in range(3000)]
    files = []
    for threads in (1, 2, 7):
        for turn, (_, index) in enumerate(indexes(docs, threads=threads)):
            files.append(tmp_path / f"{threads}-{turn}")
            index.save(files[-1])
    assert len({bytes_of(file) for file in files}) == 1
    again = kernels.BM25Index.open(files[0])
    again.save(tmp_path / "again")
    assert bytes_of(tmp_path / "again") == bytes_of(files[0])


def test_bytes_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    """Python's random string hashes have no say in the file."""
    code = """
import sys
from gnomon import kernels
docs = [f"w{i % 91} x{i % 7} über 东京" for i in range(2000)]
kernels.BM25Index(docs, threads=int(sys.argv[2])).save(sys.argv[1])
"""
    for seed, threads in (("0", "1"), ("1", "2"), ("2", "7")):
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / seed), threads],
            check=True,
            timeout=60,
            env={
                **os.environ,
                "PYTHONHASHSEED": seed,
                "GNOMON_ISA": "scalar" if threads == "1" else "",
            },
        )
    assert len({bytes_of(tmp_path / seed) for seed in "012"}) == 1


def test_one_thread_and_many_answer_alike(isa: str) -> None:
    """Batches give each query what it gets alone, on any number of threads."""
    rng = np.random.default_rng(2)
    docs = [[f"w{i}" for i in rng.integers(0, 30, 8)] for _ in range(500)]
    index = kernels.BM25Index(tokens=docs)
    queries = [[f"w{i}" for i in rng.integers(0, 35, rng.integers(0, 6))] for _ in range(50)]
    alone = [hits(index, [query], 7, threads=1)[0] for query in queries]
    for threads in (1, 2, 7):
        assert_same(hits(index, queries, 7, threads=threads), alone)


def test_answers_are_the_callers_own(isa: str) -> None:
    """Scores and hits can be written to without changing the index."""
    index = kernels.BM25Index(tokens=DOCS)
    before = index.scores(tokens=["a"]).copy()
    scores = index.scores(tokens=["a"])
    scores[:] = 9
    found = index.search(k=5, tokens=[["a"]])
    found.ids[:] = 77
    assert index.scores(tokens=["a"]).tolist() == before.tolist()
    assert [row for row, _ in one(index, ["a"])] == [4, 0]
