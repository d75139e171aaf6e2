"""Whatever a file holds, lint says what is wrong with it, and nothing else happens."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gnomon.errors import InvalidInputError
from gnomon.golden.facts import IndexFacts
from gnomon.golden.lint import lint_golden, lint_probes
from gnomon.golden.lint_collection import lint_collection
from gnomon.report.lint_text import lint_lines
from tests.golden.faulty_collections import write_files
from tests.golden.linting import FACTS, GOLDEN, PROBES, write_set

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gnomon.golden.finding import Finding

# Half a surrogate, NUL, controls, bidirectional overrides, other forms, and what ids look like.
TEXT = st.one_of(
    st.text(st.characters(), max_size=12),
    st.sampled_from(["", " ", "guide/keys#", "/", "#", "~2", "\ud800", "\x00", "\u202e", "answer"]),
)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)),
    max_leaves=6,
)
FIELDS = (
    "id", "question", "expect", "level", "gold_chunks", "gold_answer", "identifiers", "scope",
    "prev_questions", "prev_question", "kind", "lang", "stratum", "gold_page", "other",
)  # fmt: skip
CHANGES = st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=3)


def said(lint: Callable[[], Sequence[Finding]], name: str) -> bool:
    """Return whether there are findings, or one error that names the file."""
    try:
        return bool(lint())
    except InvalidInputError as error:
        return name in str(error)


@settings(
    max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(st.lists(st.tuples(st.integers(0, 2), CHANGES), max_size=4))
def test_any_value_in_any_field(tmp_path: Path, changes: list[tuple[int, dict[str, Any]]]) -> None:
    """Lint returns, and its lines and its JSON can be printed."""
    for lint, base in ((lint_golden, GOLDEN), (lint_probes, PROBES)):
        records = [*base, *({**base[row], **change} for row, change in changes)]
        result = lint(write_set(tmp_path / "set.jsonl", records), FACTS)
        assert result.n_errors + result.n_warnings == len(result.findings)
        json.dumps(result.as_dict(), allow_nan=False).encode()
        "\n".join(lint_lines(result)).encode("utf-8")


@settings(
    max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(st.binary(max_size=200))
def test_any_bytes(tmp_path: Path, data: bytes) -> None:
    """A file of anything is findings, or one error that names it."""
    file = tmp_path / "set.jsonl"
    file.write_bytes(data)
    assert said(lambda: lint_golden(file, FACTS).findings, file.name)
    assert said(lambda: lint_probes(file, FACTS).findings, file.name)


@settings(
    max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    st.sampled_from(["corpus.jsonl", "queries.jsonl", "qrels.tsv", "emb/m.corpus.npy"]),
    st.binary(max_size=80),
)
def test_any_bytes_in_a_collection(tmp_path: Path, name: str, data: bytes) -> None:
    """So is a collection of which one file holds anything."""
    write_files(tmp_path, {name: data})
    assert said(lambda: lint_collection(tmp_path).findings, name)


def test_thousands_of_times_the_same(tmp_path: Path) -> None:
    """A set of one question is told once a line, and as quickly as any other."""
    records = [{**GOLDEN[0], "id": f"g-{i}"} for i in range(3000)]
    result = lint_golden(write_set(tmp_path / "set.jsonl", records), FACTS)
    assert sum(one.code == "duplicate-question" for one in result.findings) == 2_999
    lines = lint_lines(result)
    assert sum("[duplicate-question]" in line for line in lines) == 10
    assert "  2,989 more of duplicate-question; --json has all" in lines


def test_an_index_of_one_text(tmp_path: Path) -> None:
    """Thousands of copies are one group, not a list for each."""
    ids = [f"page-{i}#" for i in range(20_000)]
    facts = IndexFacts(ids, [name[:-1] for name in ids], ["To be written."] * len(ids))
    record = {**GOLDEN[0], "gold_chunks": ["page-7", "page-8"]}
    result = lint_golden(write_set(tmp_path / "set.jsonl", [record, GOLDEN[1]]), facts)
    [copy] = [one.message for one in result.findings if one.code == "unjudged-copy"]
    assert "'page-7#' has the text of 'page-0#'" in copy


def test_a_question_as_long_as_a_book(tmp_path: Path) -> None:
    """It is compared with its gold in one pass, however many entries name the same chunk."""
    book = " ".join(f"word{i}" for i in range(20_000))
    asked = f"{book} to rotate a key, call rotate() and hand the new one to all callers {book}"
    record = {**GOLDEN[0], "question": asked, "gold_chunks": ["guide/keys"] * 2000}
    result = lint_golden(write_set(tmp_path / "set.jsonl", [record, GOLDEN[1]]), FACTS)
    quoting = [one.message for one in result.findings if one.code == "quotes-gold"]
    assert "'to rotate a key call rotate and hand the new one to all callers'" in quoting[0]


def test_thousands_of_misses_in_a_large_index(tmp_path: Path) -> None:
    """Each is told what it may have meant; comparing it with every page would take minutes."""
    pages = [f"guide/part-{i % 40}/page-{i}" for i in range(2500)]
    facts = IndexFacts([f"{page}#" for page in pages], pages, [""] * len(pages))
    entries = [f"guide/part-{i % 40}/pgae-{i}" for i in range(2500)]
    record = {**GOLDEN[0], "gold_chunks": entries}
    result = lint_golden(write_set(tmp_path / "set.jsonl", [record, GOLDEN[1]]), facts)
    lost = [one.message for one in result.findings if one.code == "gold-matches-nothing"]
    assert len(lost) == 2500
    assert all("did you mean 'guide/part-" in message for message in lost)


def test_a_record_with_thousands_of_entries(tmp_path: Path) -> None:
    """Long lists are compared in one pass."""
    entries = [f"guide/keys#{i}" for i in range(5000)]
    record = {
        **GOLDEN[0],
        "gold_chunks": [*entries, "guide", "guide/keys"],
        "scope": ["/guide"] * 5000,
    }
    result = lint_golden(write_set(tmp_path / "set.jsonl", [record, GOLDEN[1]]), FACTS)
    assert sum(one.code == "gold-matches-nothing" for one in result.findings) == 5000
