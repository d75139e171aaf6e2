"""Lint on real sets: nothing is called an error, and every warning was looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.cli._index_facts import read_facts
from gnomon.cli.main import run
from gnomon.golden.lint import lint_golden, lint_probes
from gnomon.golden.lint_collection import lint_collection
from gnomon.retrieval.function_words import function_words

EXAMPLE = Path(__file__).parents[2] / "docs" / "example"
# What stands in each collection's own page, or was read and found right: queries without judgements
# and empty documents as their pages say, copies, claims in pairs that differ in a word.
WARNINGS = {
    "adi": {},
    "cacm": {
        "duplicate-text": "211 documents have",
        "unjudged-copy": "1 relevant document has",
        "quotes-gold": "1 query quotes",
        "unjudged-query": "12 of 64 queries",
    },
    "cranfield": {
        "empty-text": "2 of 1,400 documents have no text and can't be found by their words: "
        "'471', '995'",
        "quotes-gold": "12 queries quote",
    },
    "fastapi-docs": {},
    "medline": {},
    "mtrag": {
        "duplicate-text": "25 documents have",
        "unjudged-copy": "1 relevant document has",
        "duplicate-question": "4 queries ask",
        "near-duplicate": "2 of 693 queries",
        "quotes-gold": "21 queries quote",
        "unjudged-query": "182 of 693 queries",
    },
    "npl": {"duplicate-text": "16 documents have", "quotes-gold": "1 query quotes"},
    "scifact": {
        "duplicate-question": "4 queries ask",
        "near-duplicate": "135 of 1,109 queries",
        "quotes-gold": "6 queries quote",
    },
    "squad2": {
        "duplicate-question": "1 query asks",
        "near-duplicate": "27 of 1,995 queries",
        "quotes-gold": "38 queries quote",
        "unjudged-query": "1,027 of 1,995 queries",
    },
}


def test_every_collection_is_checked(shared_data: Path) -> None:
    """The table names the folders that are there."""
    assert {path.parent.name for path in shared_data.glob("*/corpus.jsonl*")} == set(WARNINGS)


@pytest.mark.parametrize("name", sorted(WARNINGS))
def test_collections(shared_data: Path, name: str) -> None:
    """No errors, and the warnings that are known, by their counts."""
    result = lint_collection(shared_data / name, function_words(["en"]))
    assert result.n_errors == 0
    found = {one.code: one.message for one in result.findings}
    assert len(found) == len(result.findings)
    assert set(found) == set(WARNINGS[name])
    for code, beginning in WARNINGS[name].items():
        assert found[code].startswith(beginning), found[code]


def test_our_own_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sets of our documentation have no errors against an index of it."""
    monkeypatch.chdir(tmp_path)
    assert run(["index", str(EXAMPLE.parent), "--out", "ix", "--no-embed", "--quiet"]) == 0
    facts = read_facts(Path("ix"))
    for lint, file in ((lint_golden, "golden.jsonl"), (lint_probes, "calibration.jsonl")):
        result = lint(EXAMPLE / file, facts)
        assert [one for one in result.findings if one.is_error] == []
        assert {one.code for one in result.findings} <= {"quotes-gold", "near-duplicate"}
