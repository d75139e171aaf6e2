"""Where relevant documents stand, and which adapter judges which of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.probe.ranks import (
    Relevance,
    ranks_by_score,
    ranks_in,
    ranks_of_relevant,
    shares_of,
)

RELEVANCE = Relevance(
    offsets=np.array([0, 2, 3, 6]),
    rows=np.array([7, 5, 11, 2, 5, 12]),
    gains=np.ones(6, dtype=np.int64),
)


def test_a_rank_is_the_place_in_the_own_list() -> None:
    """Ranks start at 1; 0 stands for a document that the list does not hold."""
    ids = np.array([[5, 1, 7], [3, 11, -1], [12, 2, 9]])
    assert ranks_of_relevant(ids, RELEVANCE).tolist() == [3, 1, 2, 2, 0, 1]
    assert ranks_of_relevant(ids[:, :0], RELEVANCE).tolist() == [0] * 6


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 12))
def test_ranks_by_score_are_those_of_a_sort(seed: int, n_lists: int, width: int) -> None:
    """Counting who stands ahead gives the ranks of sorting by score, ties by row."""
    rng = np.random.default_rng(seed)
    ids = np.stack([rng.permutation(20)[:width] for _ in range(n_lists)])
    scores = rng.integers(0, 4, (n_lists, width)).astype(np.float32)
    lists, rows = rng.integers(0, n_lists, 15), rng.integers(0, 20, 15)
    ordered = np.take_along_axis(ids, np.lexsort((ids, -scores), axis=1), axis=1)
    expected = ranks_in(ordered, lists, rows)
    assert ranks_by_score(ids, scores, lists, rows).tolist() == expected.tolist()


@pytest.mark.parametrize("folded", [False, True])
def test_shares_hold_every_relevant_document_once(folded: bool) -> None:
    """With folds a document belongs to row modulo 5; each share names just the queries it needs."""
    shares = shares_of(RELEVANCE, folded=folded)
    assert len(shares) == (5 if folded else 1)
    assert sorted(np.concatenate([one.entries for one in shares]).tolist()) == list(range(6))
    for fold, share in enumerate(shares):
        assert share.rows.tolist() == RELEVANCE.rows[share.entries].tolist()
        assert share.query_of.tolist() == RELEVANCE.query_of[share.entries].tolist()
        if folded:
            assert set(share.rows % 5) <= {fold}
            assert share.queries.tolist() == sorted(set(share.query_of.tolist()))
