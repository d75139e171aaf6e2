"""Queries in JSON Lines follow the rules of the corpus."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from gnomon.errors import InvalidInputError
from gnomon.sources import read_queries

if TYPE_CHECKING:
    from pathlib import Path


def test_order_and_texts(tmp_path: Path) -> None:
    """Ids and texts keep the file's order; a query without text is counted."""
    path = tmp_path / "queries.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"_id":"q2","text":"two"}\r\n\n{"_id":"q1"}'))
    queries = read_queries(path)
    assert (queries.ids, queries.texts) == (("q2", "q1"), ("two", ""))
    assert (len(queries), queries.n_empty) == (2, 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no query"),
        ('{"_id":"a"}\n{"_id":"a"}', "1 id occurs more than once: 'a'"),
        ('{"_id":"a"}\n{"query":"x"}', "line 2: has no '_id'"),
        ('{"_id":"a","text":["x"]}', "line 1: 'text' is a JSON array"),
    ],
)
def test_refused(tmp_path: Path, content: str, message: str) -> None:
    """Empty files, duplicates and other shapes are refused by line."""
    path = tmp_path / "queries.jsonl"
    path.write_text(content)
    with pytest.raises(InvalidInputError, match=message):
        read_queries(path)
