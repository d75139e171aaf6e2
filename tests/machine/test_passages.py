"""Passages and questions for lexical search: made up by frequency, or read from a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gnomon.machine.peers.passages import Passages, passages


def assert_consistent(corpus: Passages) -> None:
    """Compare numbers and offsets with the texts, and questions with their words."""
    assert len(corpus.offsets) == len(corpus.texts) + 1
    assert [len(text.split()) for text in corpus.texts] == np.diff(corpus.offsets).tolist()
    spelled = dict(zip(corpus.words.tolist(), " ".join(corpus.texts).split(), strict=True))
    assert len(set(spelled.values())) == len(spelled)
    for query, words in zip(corpus.queries, corpus.query_words.tolist(), strict=True):
        assert query.split() == [spelled[word] for word in words]


def test_made_up_passages_have_common_and_rare_words() -> None:
    """The commonest word is common, and most words occur once."""
    corpus = passages(500, 20)
    assert_consistent(corpus)
    assert corpus.raw == corpus.texts
    times = np.sort(np.unique(corpus.words, return_counts=True)[1])[::-1]
    assert times[0] > 0.01 * len(corpus.words)
    assert (times == 1).mean() > 0.4


def test_real_passages_are_read_from_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines are passages, cut as the analyzer cuts them; an empty one keeps its row."""
    path = tmp_path / "passages.txt"
    path.write_text("The cat, the hat.\n\nA cat in Zürich\nbeyond\n", encoding="utf-8")
    monkeypatch.setenv("GNOMON_BENCH_PASSAGES", str(path))
    passages.cache_clear()
    corpus = passages(3, 4)
    passages.cache_clear()
    assert_consistent(corpus)
    assert corpus.raw == ["The cat, the hat.", "", "A cat in Zürich"]
    assert corpus.texts == ["the cat the hat", "", "a cat in zürich"]
