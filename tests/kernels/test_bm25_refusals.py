"""What a BM25 index refuses, and that the message names the argument and the place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gnomon import kernels
from gnomon.errors import GnomonError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

INDEX = kernels.BM25Index(["red fish", "blue fish", "red car", ""])
BOTH = (ValueError, TypeError)


def refused(ask: Callable[[], object], match: str, kind: Any = BOTH) -> None:
    """Demand gnomon's own error with these words."""
    with pytest.raises(kind, match=match) as caught:
        ask()
    assert isinstance(caught.value, GnomonError), repr(caught.value)


def test_texts_or_tokens() -> None:
    """Exactly one of texts and tokens makes an index."""
    refused(kernels.BM25Index, "tokens")
    refused(lambda: kernels.BM25Index(["a"], tokens=[["a"]]), "tokens")
    refused(lambda: INDEX.search(k=3), "tokens")
    refused(lambda: INDEX.search("a", 3, tokens=[["a"]]), "tokens")


@pytest.mark.parametrize("texts", ["red fish", b"bytes", 3, [3], ["a", None], [b"a"], [["a"]]])
def test_texts_are_an_iterable_of_text(texts: Any) -> None:
    """One string is no corpus, and a document is a string; the message names the row."""
    refused(lambda: kernels.BM25Index(texts), "text|row|document")


def test_the_row_that_is_no_text_is_named() -> None:
    """Among many texts the first that is none is named by its row."""
    texts: list[Any] = ["a"] * 20_000
    texts[12_345] = None
    texts[17_000] = 3
    for threads in (1, 7):
        refused(lambda threads=threads: kernels.BM25Index(texts, threads=threads), r"12,?345")


@pytest.mark.parametrize("tokens", ["ab", 3, ["ab", "cd"], [["a"], None], [[1]], [["a"], [b"b"]]])
def test_tokens_are_lists_of_text(tokens: Any) -> None:
    """A string is no list of tokens, and a token is a string; the message names the row."""
    refused(lambda: kernels.BM25Index(tokens=tokens), "token|row|document")
    refused(lambda: INDEX.search(k=2, tokens=tokens), "token|quer")


def test_lone_surrogates_name_the_row(isa: str) -> None:
    """Text that is no Unicode is an error with its row, for documents, tokens and queries."""
    bad = "ok \ud800 no"
    refused(lambda: kernels.BM25Index(["fine", "fine", bad]), r"\b2\b")
    refused(lambda: kernels.BM25Index(tokens=[["fine"], ["fine", bad]]), r"\b1\b")
    refused(lambda: INDEX.search(["fish", bad], 2), r"\b1\b")
    refused(lambda: INDEX.search(k=2, tokens=[["fish"], [], [bad]]), r"\b2\b")
    refused(lambda: INDEX.scores(bad), "surrogate")
    refused(lambda: kernels.BM25Index(["a"] * 9000 + ["\udfff"] + ["b"] * 9000), r"\b9,?000\b")


@pytest.mark.parametrize(
    "settings",
    [
        {"variant": "lucen"},
        {"variant": "BM25"},
        {"variant": None},
        {"variant": 3},
        {"k1": -0.1},
        {"k1": np.nan},
        {"k1": np.inf},
        {"k1": "1.2"},
        {"k1": None},
        {"k1": True},
        {"b": -0.1},
        {"b": 1.1},
        {"b": np.nan},
        {"b": "0.75"},
        {"delta": -1, "variant": "bm25+"},
        {"delta": np.nan, "variant": "bm25l"},
        {"delta": "1", "variant": "bm25+"},
        {"threads": 0},
        {"threads": 1.5},
        {"threads": True},
    ],
)
def test_bad_settings_are_named(settings: dict[str, Any]) -> None:
    """A setting out of range or of another type is an error that names it."""
    name = next(iter(settings))
    refused(lambda: kernels.BM25Index(["a"], **settings), rf"\b{name}\b")


def test_unknown_variants_list_the_right_ones() -> None:
    """A misspelt variant gets the list of names."""
    with pytest.raises(ValueError, match="lucene") as caught:
        kernels.BM25Index(["a"], variant="okapi")
    for name in ("robertson", "atire", "bm25+", "bm25l"):
        assert name in str(caught.value)


def test_delta_of_a_variant_without_one() -> None:
    """A delta that would have no effect is refused rather than ignored."""
    for variant in ("lucene", "robertson", "atire"):
        refused(
            lambda variant=variant: kernels.BM25Index(["a"], variant=variant, delta=1.0), "delta"
        )


@pytest.mark.parametrize("k", [0, -1, 2**63, 2.5, 1.0, True, "3", None, np.float32(2)])
def test_k_must_be_a_positive_whole_number(k: Any) -> None:
    """K below 1 or not an integer is an error that mentions k."""
    refused(lambda: INDEX.search("red", k), r"\bk\b")


@pytest.mark.parametrize("queries", [3, None, b"red", [3], ["a", None], [["a"]]])
def test_queries_are_texts(queries: Any) -> None:
    """A query is a string; the message names the first that is none."""
    refused(lambda: INDEX.search(queries, 2), "quer|tokens")


BAD_LIMITS = {
    "subset beyond the end": {"subset": [0, 4]},
    "subset below zero": {"subset": [-1]},
    "subset of halves": {"subset": [0.5]},
    "subset mask of wrong length": {"subset": np.ones(5, np.bool_)},
    "subset matrix": {"subset": np.zeros((2, 2), np.int64)},
    "exclude beyond the end": {"exclude": [[0], [4]]},
    "exclude below zero": {"exclude": [[0], [-1]]},
    "exclude too short": {"exclude": [[0]]},
    "exclude too long": {"exclude": [[0], [1], [2]]},
    "exclude flat": {"exclude": 3},
    "exclude text": {"exclude": ["a", "b"]},
}


@pytest.mark.parametrize("case", sorted(BAD_LIMITS))
def test_bad_limits_are_refused(case: str) -> None:
    """Rows out of range, wrong lengths and rows that are no integers name the argument."""
    (name,) = BAD_LIMITS[case]
    refused(lambda: INDEX.search(["red", "fish"], 2, **BAD_LIMITS[case]), name)


def test_unknown_keywords_are_refused() -> None:
    """A misspelt option never passes silently."""
    with pytest.raises(TypeError, match="variants"):
        kernels.BM25Index(["a"], variants="lucene")
    with pytest.raises(TypeError, match="sub_set"):
        INDEX.search("red", 2, sub_set=[0])


def test_paths_that_hold_no_index(tmp_path: Path) -> None:
    """A missing folder, an empty one, an empty file and a file are errors that name the path."""
    missing = tmp_path / "no" / "index"
    with pytest.raises(FileNotFoundError, match="index") as caught:
        kernels.BM25Index.open(missing)
    assert isinstance(caught.value, GnomonError)
    refused(lambda: kernels.BM25Index.open(tmp_path), tmp_path.name, FileNotFoundError)
    INDEX.save(tmp_path / "index")
    (file,) = (tmp_path / "index").iterdir()
    refused(lambda: kernels.BM25Index.open(file), file.name, (OSError, ValueError))
    file.write_bytes(b"")
    refused(lambda: kernels.BM25Index.open(tmp_path / "index"), file.name)


def test_an_index_of_vectors_is_no_index_of_words(tmp_path: Path) -> None:
    """The two kinds of index files refuse each other."""
    kernels.VectorIndex(np.ones((3, 4), np.float32)).save(tmp_path / "vectors")
    INDEX.save(tmp_path / "words")
    (file,) = (tmp_path / "words").iterdir()
    refused(lambda: kernels.VectorIndex.open(file), file.name)
    file.write_bytes((tmp_path / "vectors").read_bytes())
    refused(lambda: kernels.BM25Index.open(tmp_path / "words"), file.name)


def test_a_failed_save_leaves_the_old_file(tmp_path: Path) -> None:
    """Saving where a file stands fails by name; an index that exists is replaced whole."""
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "index"):
        refused(lambda path=path: INDEX.save(path), "file", OSError)
    folder = tmp_path / "folder" / "index"
    INDEX.save(folder)
    opened = kernels.BM25Index.open(folder)
    kernels.BM25Index(["other", "words"]).save(folder)
    assert opened.search("red", 3).ids.tolist() == INDEX.search("red", 3).ids.tolist()
    assert len(kernels.BM25Index.open(folder)) == 2
    assert len(list(folder.iterdir())) == 1


def test_a_full_disk_leaves_the_old_file(small_disk: Path) -> None:
    """When the disk is full the error says so, and the index that was there still opens."""
    INDEX.save(small_disk / "index")
    large = kernels.BM25Index(tokens=[[f"w{i}" for i in range(50_000)]])
    refused(lambda: large.save(small_disk / "index"), "index", OSError)
    assert len(kernels.BM25Index.open(small_disk / "index")) == 4
    assert len(list((small_disk / "index").iterdir())) == 1
