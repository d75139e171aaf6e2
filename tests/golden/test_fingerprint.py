"""The hash of a golden set: what moves it and what does not."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from gnomon.golden.fingerprint import golden_hash
from gnomon.golden.records import GoldenRecord
from gnomon.sources.scope import Scope

RECORD = GoldenRecord(
    "g-1",
    "How?",
    "answer",
    level="low",
    gold_chunks=("a#x", "b"),
    gold_answer="So.",
    identifiers=("one", "two"),
    scope=Scope.of(["a", "b"]),
    previous=("What?", "Why?"),
    kind="how-to",
    lang="en",
    line=1,
)
OTHER = GoldenRecord("g-0", "Whether?", "refuse:no-evidence", line=2)


@pytest.mark.parametrize(
    "changes",
    [
        {"level": "ultra"},
        {"level": None},
        {"kind": None},
        {"lang": "de"},
        {"line": 9},
        {"gold_chunks": ("b", "a#x")},
        {"identifiers": ("two", "one")},
        {"scope": Scope.of(["/b/", "a"])},
    ],
)
def test_what_does_not_count(changes: dict[str, Any]) -> None:
    """Labels and the order of what is a set leave the hash as it is."""
    assert golden_hash([replace(RECORD, **changes)]) == golden_hash([RECORD])


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "g-2"},
        {"question": "How? "},
        {"expect": "refuse:no-evidence"},
        {"gold_chunks": ("a#x",)},
        {"gold_answer": "So, "},
        {"gold_answer": None},
        {"identifiers": ("one",)},
        {"scope": Scope.of(["a"])},
        {"scope": None},
        {"previous": ("Why?", "What?")},
        {"previous": ()},
    ],
)
def test_what_counts(changes: dict[str, Any]) -> None:
    """Every scored field moves the hash."""
    assert golden_hash([replace(RECORD, **changes)]) != golden_hash([RECORD])


def test_records_count_and_their_order_does_not() -> None:
    """The set is hashed, not the file."""
    assert golden_hash([RECORD, OTHER]) == golden_hash([OTHER, RECORD])
    assert golden_hash([RECORD, OTHER]) != golden_hash([RECORD])


def test_an_answer_beside_a_refusal_is_never_scored() -> None:
    """It may come and go."""
    assert golden_hash([replace(OTHER, gold_answer="None.")]) == golden_hash([OTHER])


def test_the_hash_is_known() -> None:
    """It stays the same over versions: SHA-256 of this very text."""
    text = (
        '[{"expect":"answer","gold_answer":"So.","gold_chunks":["a#x","b"],"id":"g-1",'
        '"identifiers":["one","two"],"previous":["What?","Why?"],"question":"How?",'
        '"scope":["a","b"]}]'
    )
    assert golden_hash([RECORD]) == hashlib.sha256(text.encode()).hexdigest()
