"""Gold entries: the three shapes and every boundary."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.golden.gold import (
    GoldIndex,
    are_gold,
    first_gold_rank,
    gold_covered,
    in_scope_gold,
    matches,
    page_of,
)
from gnomon.golden.records import GoldenRecord
from gnomon.sources.scope import Scope

CHUNKS = [
    "guide/auth#",
    "guide/auth#request",
    "guide/auth#request~2",
    "guide/auth#request-1",
    "guide/auth/keys#",
    "guide/scope#",
    "guide/scope/why#",
    "guide/scoped-page#",
]


@pytest.mark.parametrize(
    ("entry", "chunk", "right"),
    [
        # A page and everything nested under it, with a boundary.
        ("guide/auth", "guide/auth#", True),
        ("guide/auth", "guide/auth#request", True),
        ("guide/auth", "guide/auth#request~2", True),
        ("guide/auth", "guide/auth/keys#rotate", True),
        ("guide/auth", "guide/auth/keys/old#", True),
        ("guide/scope", "guide/scoped-page#", False),
        ("guide/scope", "guide/scope-page#", False),
        ("guide/scope", "guide/scope0#", False),
        ("guide/scope", "guide/scope.md#", False),
        ("guide/auth", "guide#auth", False),
        ("guide/auth", "other/guide/auth#", False),
        ("guide/auth", "Guide/auth#", False),
        # Every anchor of one page and nothing else.
        ("guide/auth#", "guide/auth#", True),
        ("guide/auth#", "guide/auth#request", True),
        ("guide/auth#", "guide/auth#request-1", True),
        ("guide/auth#", "guide/auth#~2", True),
        ("guide/auth#", "guide/auth/keys#", False),
        ("guide/auth#", "guide/auth/keys#request", False),
        ("guide/auth#", "guide/authors#", False),
        ("guide/auth#", "guide#auth", False),
        # One section and its continuation parts.
        ("guide/auth#request", "guide/auth#request", True),
        ("guide/auth#request", "guide/auth#request~2", True),
        ("guide/auth#request", "guide/auth#request~10", True),
        ("guide/auth#request", "guide/auth#request-1", False),
        ("guide/auth#request", "guide/auth#request-1~2", False),
        ("guide/auth#request", "guide/auth#requests", False),
        ("guide/auth#request", "guide/auth#request~1", False),
        ("guide/auth#request", "guide/auth#request~02", False),
        ("guide/auth#request", "guide/auth#request~2a", False),
        ("guide/auth#request", "guide/auth#request~", False),
        ("guide/auth#request", "guide/auth#request~\u0662", False),
        ("guide/auth#request", "guide/auth#", False),
        ("guide/auth#request", "guide/auth/keys#request", False),
        ("guide/auth#request-1", "guide/auth#request-1~2", True),
        ("guide/auth#request-1", "guide/auth#request", False),
        ("guide/auth#request-1", "guide/auth#request-10", False),
        ("guide/auth#request~2", "guide/auth#request~2", True),
        ("guide/auth#request~2", "guide/auth#request", False),
        ("guide/auth#request~2", "guide/auth#request~20", False),
        # Slashes around the page.
        ("/guide/auth", "guide/auth#request", True),
        ("guide/auth/", "guide/auth#request", True),
        ("guide/auth/", "guide/auth/keys#", True),
        ("/guide/auth/", "guide/authors#", False),
        ("/guide/auth#request", "guide/auth#request~2", True),
        ("guide/auth/#request", "guide/auth#request", True),
        ("/guide/auth/#", "guide/auth#request", True),
        ("/guide/auth/#", "guide/auth/keys#", False),
        # Documents of a corpus: pages without anchors, ids of any spelling.
        ("d1", "d1", True),
        ("d1", "d10", False),
        ("d1#", "d1", True),
        ("d1#a", "d1", False),
        ("doc#3", "doc#3", True),
        ("doc#3", "doc#30", False),
        ("doc", "doc#3", True),
        ("/wiki/A", "/wiki/A", True),
        ("https://x.org/a/", "https://x.org/a/", True),
        ("https://x.org/a", "https://x.org/a/", True),
        ("https://x.org/a", "https://x.org/ab", False),
        # A page whose name ends in the mark.
        ("c##intro", "c##intro", True),
        ("c##", "c##intro", True),
        ("c#", "c##intro", False),
        # Nothing named, nothing matched.
        ("", "guide/auth#", False),
        ("", "", False),
        ("/", "guide/auth#", False),
        ("#", "guide/auth#", False),
        ("#request", "guide/auth#request", False),
    ],
)
def test_the_three_shapes(entry: str, chunk: str, right: bool) -> None:
    """An entry matches what its shape says, up to its boundary; an index answers likewise."""
    assert matches(entry, chunk) is right
    assert GoldIndex([chunk]).rows(entry) == ((0,) if right else ())


ENTRIES = st.one_of(
    st.sampled_from(CHUNKS),
    st.text(alphabet="ab/#~-012", max_size=8),
)


@given(ENTRIES, st.lists(ENTRIES, max_size=12, unique=True))
def test_an_index_answers_as_the_definition_does(entry: str, chunks: list[str]) -> None:
    """Whatever the ids look like, looking up is comparing with every chunk."""
    expected = tuple(row for row, chunk in enumerate(chunks) if matches(entry, chunk))
    assert GoldIndex(chunks).rows(entry) == expected


def test_covered_entries_and_gold_chunks_are_counted_apart() -> None:
    """Recall counts entries, precision counts chunks."""
    entries = ["guide/auth", "guide/scope#", "guide/none"]
    assert gold_covered(entries, CHUNKS) == (True, True, False)
    assert are_gold(entries, CHUNKS) == (True, True, True, True, True, True, False, False)
    assert gold_covered(entries, []) == (False, False, False)
    assert are_gold([], CHUNKS[:2]) == (False, False)


def test_first_rank_starts_at_one() -> None:
    """The rank is that of the first chunk of any entry, and None when there is none."""
    assert first_gold_rank(["guide/scope", "guide/auth/keys"], CHUNKS) == 5
    assert first_gold_rank(["guide/auth"], CHUNKS) == 1
    assert first_gold_rank(["guide/none"], CHUNKS) is None
    assert first_gold_rank([], CHUNKS) is None


def test_a_page_is_there_only_by_its_own_name() -> None:
    """A folder of pages matches what is nested in it, and is no page itself."""
    index = GoldIndex(CHUNKS)
    assert index.rows("guide") == tuple(range(len(CHUNKS)))
    assert not index.is_there("guide")
    assert index.is_there("/guide/auth/")
    assert index.is_there("guide/auth#request")
    assert index.is_there("guide/auth#")
    assert not index.is_there("guide#")
    assert not index.is_there("")


def test_gold_in_scope() -> None:
    """Of a record's gold, the entries that match a chunk within its scope."""
    index = GoldIndex(CHUNKS)
    gold = ("guide/auth", "guide/scope#", "guide/none")

    def within(*paths: str) -> tuple[str, ...]:
        scope = Scope.of(paths) if paths else None
        return in_scope_gold(GoldenRecord("g", "?", "answer", gold_chunks=gold, scope=scope), index)

    assert within() == ("guide/auth", "guide/scope#")
    assert within("guide/auth/keys") == ("guide/auth",)
    assert within("guide/scope/why") == ()
    assert within("guide/scoped-page") == ()


def test_pages_that_ids_do_not_tell() -> None:
    """A document whose id holds the mark lies in the scope of its own id."""
    record = GoldenRecord("g", "?", "answer", gold_chunks=("a#1",), scope=Scope.of(["a#1"]))
    assert in_scope_gold(record, GoldIndex(["a#1", "a#2"], ["a#1", "a#2"])) == ("a#1",)


def test_page_of() -> None:
    """The page of a chunk stands before its last mark."""
    assert [page_of(chunk) for chunk in ("a/b#c~2", "a/b#", "d1", "c##x")] == [
        "a/b",
        "a/b",
        "d1",
        "c#",
    ]
