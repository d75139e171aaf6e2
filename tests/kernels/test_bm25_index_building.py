"""BM25Index: building, settings, and what a search refuses."""

from __future__ import annotations

import math
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.kernels.bm25_documents import (
    AUTOMATIC,
    answers,
    saved_bytes,
    zipf_documents,
)

from gnomon import Analyzer, BM25Index
from gnomon.errors import (
    InvalidInputError,
    InvalidTypeError,
    UsageError,
)


class TestBuilding:
    """From documents to an index."""

    def test_bytes_do_not_depend_on_threads_or_batches(self, tmp_path: Path) -> None:
        """The same documents give the same file with 1, 2, 7 threads, listed or generated."""
        docs = zipf_documents(20000, 7)
        expected = saved_bytes(BM25Index(tokens=docs, threads=1), tmp_path)
        for threads in (2, 7):
            assert saved_bytes(BM25Index(tokens=docs, threads=threads), tmp_path) == expected
        assert saved_bytes(BM25Index(tokens=(tuple(d) for d in docs)), tmp_path) == expected

    def test_renamed_terms_are_as_if_they_had_come_so(self, tmp_path: Path) -> None:
        """Dropping words after the fact gives the index of documents without them."""
        docs = zipf_documents(3000, 8)
        dropped = {"w0", "w3", "w4"}
        texts = [" ".join(doc) for doc in docs]
        a = BM25Index(texts, analyzer=Analyzer(stopwords=dropped), threads=2)
        kept = [[w for w in doc if w not in dropped] for doc in docs]
        b = BM25Index(tokens=kept, analyzer=Analyzer(stopwords=dropped))
        assert saved_bytes(a, tmp_path) == saved_bytes(b, tmp_path)

    def test_settings_and_fingerprint(self) -> None:
        """The fingerprint changes with every setting and the analyzer, and nothing else."""
        prints = [
            BM25Index(["x"]).fingerprint,
            BM25Index(["x"], k1=1.3).fingerprint,
            BM25Index(["x"], b=0.7).fingerprint,
            BM25Index(["x"], variant="bm25+").fingerprint,
            BM25Index(["x"], variant="bm25+", delta=0.9).fingerprint,
            BM25Index(["x"], analyzer=Analyzer(stopwords=["y"])).fingerprint,
            BM25Index(tokens=[["x"]]).fingerprint,
        ]
        assert len(set(prints)) == len(prints)
        assert BM25Index(["other"]).fingerprint == prints[0]

    @pytest.mark.parametrize(
        "kwargs",
        [
            {"variant": "BM25"},
            {"k1": -0.1},
            {"k1": math.nan},
            {"k1": math.inf},
            {"b": 1.01},
            {"b": "0.5"},
            {"delta": 1.0},
            {"variant": "bm25l", "delta": -1},
            {"threads": 0},
        ],
    )
    def test_settings_out_of_range_are_refused(self, kwargs: dict[str, Any]) -> None:
        """A setting that no formula has is refused by name."""
        name = "delta" if "delta" in kwargs else next(iter(kwargs))
        with pytest.raises(UsageError, match=name):
            BM25Index(["x"], **kwargs)

    def test_exactly_one_source(self) -> None:
        """Texts or tokens, not both and not neither."""
        with pytest.raises(UsageError, match="exactly one"):
            BM25Index()
        with pytest.raises(UsageError, match="exactly one"):
            BM25Index(["x"], tokens=[["x"]])

    @pytest.mark.parametrize(
        ("kwargs", "error", "match"),
        [
            ({"texts": "one text"}, InvalidTypeError, "one str"),
            ({"texts": ["a", "b", 3]}, InvalidTypeError, "row 2"),
            ({"texts": ["a", "b\ud800"]}, InvalidInputError, "row 1"),
            ({"tokens": [["a"], "b"]}, InvalidTypeError, "row 1"),
            ({"tokens": [["a"], ["b", None]]}, InvalidTypeError, "row 1"),
            ({"tokens": [["a"], 5]}, InvalidTypeError, "row 1"),
            ({"tokens": [["a"], ["\udfff"]]}, InvalidInputError, "row 1"),
        ],
    )
    def test_wrong_documents_are_named(
        self, kwargs: dict[str, Any], error: type[Exception], match: str
    ) -> None:
        """A document that isn't one is refused with its row, also beyond the first batch."""
        with pytest.raises(error, match=match):
            BM25Index(**kwargs)
        key, value = next(iter(kwargs.items()))
        if not isinstance(value, str):
            fill: list[Any] = ["x"] * 40000 if key == "texts" else [["x"]] * 40000
            with pytest.raises(error, match=str(40000 + int(match.split()[1]))):
                BM25Index(**{key: fill + value})

    def test_an_error_of_the_source_comes_through(self) -> None:
        """What a generator raises is what the caller sees."""

        def texts() -> Any:
            yield "a"
            raise KeyError("mine")

        with pytest.raises(KeyError, match="mine"):
            BM25Index(texts())


class TestSearching:
    """What a search takes and refuses."""

    def test_text_needs_an_analyzer(self) -> None:
        """An index of tokens takes text only when it was told what made the tokens."""
        with pytest.raises(UsageError, match="analyzer"):
            BM25Index(tokens=[["x"]]).search("x", k=1)
        told = BM25Index(tokens=[["x"]], analyzer=Analyzer())
        assert told.search("X!", k=1).ids.tolist() == [0]

    @pytest.mark.parametrize("k", [0, -1, 1.5, None, True])
    def test_k_must_be_a_positive_whole_number(self, k: Any) -> None:
        """A k below 1, fractions and no k at all are refused."""
        with pytest.raises(UsageError, match="k"):
            BM25Index(["x"]).search("x", k)

    @pytest.mark.parametrize(
        ("kwargs", "error", "match"),
        [
            ({"queries": ["a", 3]}, InvalidTypeError, "row 1"),
            ({"queries": 3}, InvalidTypeError, "int"),
            ({"queries": ["a", "\ud800"]}, InvalidInputError, "row 1"),
            ({"tokens": "abc"}, InvalidTypeError, "str"),
            ({"tokens": ["abc"]}, InvalidTypeError, "row 0"),
            ({"queries": "a", "exclude": [[0], [1]]}, InvalidInputError, "2 lists for 1"),
            ({"queries": "a", "subset": [7]}, InvalidInputError, "7"),
        ],
    )
    def test_wrong_queries_are_named(
        self, kwargs: dict[str, Any], error: type[Exception], match: str
    ) -> None:
        """What isn't a query, and rows that aren't there, are refused by name."""
        with pytest.raises(error, match=match):
            BM25Index(["a", "b"]).search(k=1, **kwargs)

    def test_queries_may_be_an_iterator(self) -> None:
        """Queries are read once."""
        assert BM25Index(["x", "y"]).search(iter(["y", "x"]), k=1).ids.tolist() == [1, 0]

    def test_threads_share_an_index(self) -> None:
        """Searches from several threads at once give the answers of one."""
        index = BM25Index(tokens=zipf_documents(5000, 11))
        queries = [[f"w{i}", f"w{2 * i}"] for i in range(60)]
        expected = answers(index, queries, 20, AUTOMATIC)
        found: list[bytes] = []
        workers = [
            threading.Thread(target=lambda: found.append(answers(index, queries, 20, AUTOMATIC)))
            for _ in range(4)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert found == [expected] * 4
