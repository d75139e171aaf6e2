"""Judgements meet the documents and queries that exist; what is left out is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.errors import InvalidInputError
from gnomon.sources import JudgedQueries, read_qrels, restrict

if TYPE_CHECKING:
    from pathlib import Path

DOCS = ["d0", "d1", "d2", "d3"]
QUERIES = ["q0", "q1", "q2", "q3"]


def judged_of(
    folder: Path, lines: list[str], docs: list[str] = DOCS, queries: list[str] = QUERIES
) -> JudgedQueries:
    """Write TREC judgements and join them."""
    path = folder / "qrels.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    return restrict(read_qrels(path), docs, queries)


def test_rows_rise_and_gains_follow(tmp_path: Path) -> None:
    """Queries and, within one, documents are in row order; only relevant ones are kept."""
    judged = judged_of(
        tmp_path,
        ["q3 0 d1 1", "q1 0 d3 2", "q3 0 d0 4", "q1 0 d2 0", "q1 0 d0 1", "q3 0 d2 -1"],
    )
    assert judged.query_rows.tolist() == [1, 3]
    assert judged.offsets.tolist() == [0, 2, 4]
    assert judged.doc_rows.tolist() == [0, 3, 0, 1]
    assert judged.gains.tolist() == [1, 2, 4, 1]
    assert {array.dtype for array in (judged.query_rows, judged.offsets, judged.doc_rows)} == {
        np.dtype(np.int64)
    }
    assert [part.tolist() for part in judged.relevant(1)] == [[0, 1], [4, 1]]
    assert (len(judged), judged.n_unjudged, judged.n_without_relevant) == (2, 2, 0)


def test_everything_left_out_is_counted(tmp_path: Path) -> None:
    """Unknown documents, unknown queries and skipped queries are counted, with examples."""
    judged = judged_of(
        tmp_path,
        ["q0 0 d0 1", "q0 0 gone2 1", "q1 0 gone1 1", "q1 0 d1 0", "q9 0 d0 1", "q9 0 gone3 1"],
    )
    assert judged.query_rows.tolist() == [0]
    assert judged.n_without_relevant == 1
    assert judged.n_unjudged == 2
    assert judged.n_skipped == 3
    assert (judged.n_unknown_documents, judged.n_unknown_judgements) == (3, 2)
    assert judged.unknown_documents == ("gone1", "gone2", "gone3")
    assert (judged.n_unknown_queries, judged.unknown_queries) == (1, ("q9",))


def test_absent_ids_are_told_apart(tmp_path: Path) -> None:
    """`None` and its like are counted as what they are, unless a document is called so."""
    lines = ["q0 0 d0 1", "q0 0 None 1", "q1 0 nan 1", "null 0 d1 1"]
    judged = judged_of(tmp_path, lines)
    assert (judged.n_absent_ids, judged.n_unknown_documents, judged.n_unknown_queries) == (3, 2, 1)
    judged = judged_of(tmp_path, lines, docs=[*DOCS, "None"])
    assert judged.n_absent_ids == 2
    assert judged.relevant(0)[0].tolist() == [0, 4]


def test_no_known_document(tmp_path: Path) -> None:
    """When the corpus was cut anew and no judged id is left, that is said before any figure."""
    with pytest.raises(InvalidInputError) as caught:
        judged_of(tmp_path, ["q0 0 x1 1", "q1 0 x0 1"])
    message = str(caught.value)
    assert "none of the 2 judged documents is in the corpus" in message
    assert "judged are 'x0', 'x1'; known are 'd0', 'd1', 'd2', 'd3'" in message


def test_no_known_query(tmp_path: Path) -> None:
    """Judgements of other queries are refused."""
    with pytest.raises(InvalidInputError, match="the only judged query is not among the queries"):
        judged_of(tmp_path, ["x 0 d0 1"])


def test_hints(tmp_path: Path) -> None:
    """Exchanged columns and other spellings are recognised."""
    with pytest.raises(InvalidInputError, match="documents seem to be exchanged"):
        judged_of(tmp_path, ["d0 0 q0 1"])
    with pytest.raises(InvalidInputError, match="'D0' is 'd0' but for upper and lower case"):
        judged_of(tmp_path, ["q0 0 D0 1"])


def test_no_judged_query(tmp_path: Path) -> None:
    """When nothing is relevant, the error says that no query is judged."""
    with pytest.raises(InvalidInputError, match="no judged query: 2 queries have judgements"):
        judged_of(tmp_path, ["q0 0 d0 0", "q1 0 gone 1"])


@given(
    gains=st.dictionaries(
        st.tuples(st.integers(0, 5), st.integers(0, 5)), st.integers(-1, 3), min_size=1
    )
)
def test_agrees_with_a_plain_definition(
    tmp_path_factory: pytest.TempPathFactory, gains: dict[tuple[int, int], int]
) -> None:
    """The arrays hold what two nested loops find."""
    expected = {
        query: [(doc, gains[query, doc]) for doc in range(4) if gains.get((query, doc), 0) >= 1]
        for query in range(4)
    }
    lines = [f"q{query} 0 d{doc} {gain}" for (query, doc), gain in gains.items()]
    try:
        judged = judged_of(tmp_path_factory.mktemp("j"), lines)
    except InvalidInputError:
        assert not any(expected.values())
        return
    found = {
        int(row): [(int(d), int(g)) for d, g in zip(*judged.relevant(at), strict=True)]
        for at, row in enumerate(judged.query_rows)
    }
    assert found == {query: docs for query, docs in expected.items() if docs}
    assert len(judged) + judged.n_skipped == len(QUERIES)
