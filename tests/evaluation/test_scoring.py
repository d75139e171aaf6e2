"""What a ranking is worth: hand-worked cases, every boundary of an entry, single-chunk golds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon import metrics
from gnomon.errors import UsageError
from gnomon.evaluation.scoring import (
    RECALL_DEPTH,
    RetrievalF1,
    recall_at,
    reciprocal_rank,
    retrieval_f1,
)

NINE = tuple(f"p{i}#" for i in range(1, 10))


class TestRetrievalF1:
    """Worked out by hand."""

    @pytest.mark.parametrize(
        ("chunks", "entries", "precision", "recall", "f1"),
        [
            # One page, three of its chunks and a stranger: 3 of 4 right, the one entry covered.
            (("a#", "a#x", "a#y", "b#"), ("a",), 3 / 4, 1.0, 6 / 7),
            # Two entries, one covered, by one chunk of two.
            (("a#x", "c#"), ("a#x", "b#x"), 1 / 2, 1 / 2, 1 / 2),
            # One chunk covers two entries that overlap.
            (("a#x",), ("a", "a#x"), 1.0, 1.0, 1.0),
            # A continuation part covers its section.
            (("a#x~2", "z#"), ("a#x",), 1 / 2, 1.0, 2 / 3),
            # Nothing of it.
            (("b#", "c#"), ("a",), 0.0, 0.0, 0.0),
            # Nothing was retrieved: a miss, not an unmeasured record.
            ((), ("a",), 0.0, 0.0, 0.0),
        ],
    )
    def test_by_hand(
        self,
        chunks: tuple[str, ...],
        entries: tuple[str, ...],
        precision: float,
        recall: float,
        f1: float,
    ) -> None:
        """Precision counts chunks, recall counts entries."""
        found = retrieval_f1(chunks, entries)
        assert found is not None
        assert (found.precision, found.recall) == (precision, recall)
        assert found.f1 == pytest.approx(f1, abs=1e-15)

    @pytest.mark.parametrize(
        ("entry", "chunk", "counts"),
        [
            ("guide/scope", "guide/scope#", True),
            ("guide/scope", "guide/scope/why#", True),
            ("guide/scope", "guide/scoped-page#", False),
            ("guide/auth#", "guide/auth#request", True),
            ("guide/auth#", "guide/auth/keys#", False),
            ("guide/auth#request", "guide/auth#request", True),
            ("guide/auth#request", "guide/auth#request~2", True),
            ("guide/auth#request", "guide/auth#request-1", False),
            ("guide/auth#request", "guide/auth#", False),
            ("/guide/auth/", "guide/auth#request", True),
        ],
    )
    def test_boundaries(self, entry: str, chunk: str, counts: bool) -> None:
        """All three measures read an entry in the same way."""
        value = 1.0 if counts else 0.0
        assert retrieval_f1([chunk], [entry]) == RetrievalF1(value, value, value)
        assert recall_at([chunk], [entry]) == value
        assert reciprocal_rank([chunk], [entry]) == value


class TestRecall:
    """The share of entries that the first k chunks cover."""

    def test_its_own_depth(self) -> None:
        """Eight, so the ninth chunk does not count."""
        assert RECALL_DEPTH == 8
        assert recall_at(NINE, ["p8#", "p9#"]) == 0.5
        assert recall_at(NINE, ["p8#", "p9#"], k=9) == 1.0

    def test_the_denominator_is_all_entries(self) -> None:
        """Neither k nor what was retrieved."""
        twenty = [f"p{i}#" for i in range(1, 21)]
        assert recall_at(NINE, twenty) == 8 / 20

    def test_no_depth(self) -> None:
        """Recall at 0 is no recall of everything."""
        with pytest.raises(UsageError, match="recall at 0"):
            recall_at(NINE, ["p1#"], k=0)


def test_the_rank_of_the_first_match() -> None:
    """Later matches add nothing; none is 0."""
    assert reciprocal_rank(NINE, ["p5#", "p3#"]) == 1 / 3
    assert reciprocal_rank(NINE, ["q"]) == 0.0
    assert reciprocal_rank((), ["q"]) == 0.0


def test_without_gold_nothing_is_measured() -> None:
    """Null, never 0."""
    assert recall_at(NINE, ()) is None
    assert reciprocal_rank(NINE, ()) is None
    assert retrieval_f1(NINE, ()) is None


IDS = [f"p{i}#s" for i in range(12)]


@given(
    ranked=st.lists(st.sampled_from(IDS), unique=True, min_size=1),
    gold=st.lists(st.sampled_from(IDS), unique=True, min_size=1),
)
def test_single_chunk_golds_are_the_measures_of_the_metrics(
    ranked: list[str], gold: list[str]
) -> None:
    """Where every entry names one chunk, these are the measures of gnomon.metrics."""
    measured = metrics.evaluate(
        {"q": ranked}, {"q": dict.fromkeys(gold, 1)}, ["recall@8", "rr", f"precision@{len(ranked)}"]
    ).means
    assert recall_at(ranked, gold) == pytest.approx(measured["recall@8"], abs=1e-15)
    assert reciprocal_rank(ranked, gold) == pytest.approx(measured["rr"], abs=1e-15)
    found = retrieval_f1(ranked, gold)
    assert found is not None
    assert found.precision == pytest.approx(measured[f"precision@{len(ranked)}"], abs=1e-15)
