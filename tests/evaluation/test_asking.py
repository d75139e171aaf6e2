"""Asking golden records: what is served is what is measured."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.evaluation.records import record
from tests.retrieval.docs import SubjectEmbedder, build, write_pages

from gnomon.errors import InvalidInputError
from gnomon.evaluation.asking import Asked, ask
from gnomon.evaluation.scoring import RECALL_DEPTH
from gnomon.golden.records import GoldenRecord
from gnomon.retrieval.index import Index
from gnomon.retrieval.levers import resolve_levers
from gnomon.retrieval.ranking import pick
from gnomon.retrieval.turns import wordings_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

REVOKE = "How do I revoke a key?"
RECORDS = (
    record("plain", "How do I rotate a key?", gold=["guide/keys#rotate"]),
    record("follow", "and what about that?", gold=["guide/keys#revoke"], previous=[REVOKE]),
    record("deep", "and for this?", gold=["guide/keys"], previous=[REVOKE, "and what about that?"]),
    record(
        "deeper",
        "and then?",
        gold=["guide/keys"],
        previous=[REVOKE, "and what about that?", "and for this?"],
    ),
    record("scoped", "which calls are listed?", gold=["admin"], scope=["admin"]),
    record("absent", "borscht recipe", expect="refuse:no-evidence"),
    record("outside", "rotate a key", expect="refuse:out-of-scope", scope=["admin"]),
)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Write the pages."""
    return write_pages(tmp_path / "docs")


@pytest.fixture
def index(docs: Path, tmp_path: Path) -> Index:
    """Return an index with vectors."""
    build(docs, tmp_path / "index", SubjectEmbedder())
    return Index.open(tmp_path / "index", embedder=SubjectEmbedder())


@pytest.fixture
def lexical(docs: Path, tmp_path: Path) -> Index:
    """Return an index without vectors."""
    build(docs, tmp_path / "lexical", None)
    return Index.open(tmp_path / "lexical")


def asked(index: Index, records: Sequence[GoldenRecord] = RECORDS) -> tuple[Asked, ...]:
    """Ask records."""
    embed = SubjectEmbedder().embed_questions if index.manifest.dense else None
    return ask(index, records, embed, lambda _done, _total: None)


@pytest.mark.parametrize("kind", ["index", "lexical"])
def test_the_live_index_says_the_same(kind: str, request: pytest.FixtureRequest) -> None:
    """The verdict and the excerpts are those of ``Index.evaluate``, follow-ups and scopes too."""
    index = request.getfixturevalue(kind)
    for found in asked(index):
        one = found.record
        live = index.evaluate(one.question, previous=one.previous, scope=one.scope)
        assert (found.passes, found.refuses, found.channel) == (
            live.passes,
            live.refuses,
            live.channel,
        )
        assert (found.total, found.threshold) == (live.score.total, live.threshold)
        assert found.would_pass_unscoped == live.would_pass_unscoped
        primed = [name for chunk in live.chunks for name in (chunk.id, *chunk.also)]
        assert list(found.primed) == primed
        assert [index.chunks[row].id for group in found.excerpts for row in group] == primed


def test_a_follow_up_is_ranked_on_the_channel_that_won(lexical: Index) -> None:
    """Its text, its pool and its ranking are the winning wording's."""
    by_id = {one.record.id: one for one in asked(lexical)}
    assert by_id["plain"].channel == "raw"
    assert (by_id["follow"].channel, by_id["deep"].channel) == ("with-last", "with-last-two")
    assert by_id["follow"].text == f"{REVOKE}\nand what about that?"
    assert by_id["deep"].text == f"{REVOKE}\nand what about that?\nand for this?"
    alone = lexical.search(by_id["follow"].text, RECALL_DEPTH)
    assert by_id["follow"].ranked == tuple(chunk.id for chunk in alone)


@pytest.mark.parametrize("kind", ["index", "lexical"])
@pytest.mark.parametrize("gate_k", [2, 5, 12])
def test_the_yardstick_is_eight_deep(
    kind: str, gate_k: int, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first eight are those of a search for eight, whatever GATE_K is."""
    monkeypatch.setenv("GNOMON_GATE_K", str(gate_k))
    embedder = SubjectEmbedder() if kind == "index" else None
    build(docs, tmp_path / "other", embedder)
    index = Index.open(tmp_path / "other", embedder=embedder)
    assert index.levers.count("GATE_K") == gate_k
    question = "call key audit backend trail"
    (found,) = asked(index, [record("q", question, gold=["guide"])])
    eight = [chunk.id for chunk in index.search(question, RECALL_DEPTH)]
    assert list(found.ranked[:RECALL_DEPTH]) == eight
    assert len(found.ranked) == len(set(found.ranked))
    assert set(found.ranked) >= {chunk.id for chunk in index.search(question)}


def many_pages(tmp_path: Path) -> Path:
    """Write more chunks than are fused, several of them alike."""
    words = ["key", "call", "audit", "sundial", "key call", "audit trail", "backend call"]
    pages = {
        f"page-{n}.md": f"# Page {n}\n\nA {words[n % 7]}.\n\n## More\n\nThe {words[n % 5]}, key.\n"
        for n in range(14)
    }
    return write_pages(tmp_path / "many", pages)


@pytest.mark.parametrize("dense", [True, False], ids=["vectors", "words alone"])
@pytest.mark.parametrize("lambda_", ["0", "0.3", "0.7", "1"])
@pytest.mark.parametrize("by_cosine", ["0", "1"])
@pytest.mark.parametrize("gate_k", ["1", "5", "8", "11"])
def test_both_depths_are_those_of_a_ranking_of_their_own(
    dense: bool, lambda_: str, by_cosine: str, gate_k: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A record is ranked for the yardstick and for what is served; both as ``ranked`` has it."""
    for name, value in {
        "MMR_LAMBDA": lambda_, "DENSE_RERANK": by_cosine, "GATE_K": gate_k, "PAGE_CAP": "1",
        "EXPAND_BELOW_TOKENS": "0",
    }.items():  # fmt: skip
        monkeypatch.setenv(f"GNOMON_{name}", value)
    embedder = SubjectEmbedder() if dense else None
    build(many_pages(tmp_path), tmp_path / "many-index", embedder)
    index = Index.open(tmp_path / "many-index", embedder=embedder)
    questions = ["audit of a call", "key", "the sundial and its trail", "backend call key"]
    gold = ["page-1"]
    every = asked(index, [record(f"q{i}", q, gold=gold) for i, q in enumerate(questions)])
    assert max(len(found.pool) for found in every) == index.levers.count("FUSED")
    for found in every:
        eight = index.ranked(found.pool, found.vector, RECALL_DEPTH).tolist()
        served = index.ranked(found.pool, found.vector, int(gate_k)).tolist()
        ids = [index.chunks[row].id for row in eight]
        assert list(found.ranked[:RECALL_DEPTH]) == ids
        assert [group[0] for group in found.excerpts] == served


def test_rows_are_picked_once_a_record(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """Picking is nested: what is served is the beginning of the yardstick, or the other way."""
    monkeypatch.setenv("GNOMON_MMR_LAMBDA", "0.7")
    index = index.with_levers(resolve_levers())
    picked: list[int] = []

    def counting(pool: NDArray[np.int64], k: int, **how: object) -> NDArray[np.int64]:
        picked.append(k)
        return pick(pool, k, **how)  # type: ignore[arg-type]

    monkeypatch.setattr("gnomon.retrieval.index.pick", counting)
    asked(index)
    assert picked == [RECALL_DEPTH] * len(RECORDS)


def test_all_wordings_are_embedded_at_once(index: Index) -> None:
    """A service is asked in batches, each text once, and not record by record."""
    calls: list[list[str]] = []

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        calls.append(list(texts))
        return SubjectEmbedder().embed_questions(texts)

    ask(index, RECORDS, embed, lambda _done, _total: None)
    wanted = {text for r in RECORDS for text in wordings_of((*r.previous, r.question))}
    assert len(calls) == 1
    assert sorted(calls[0]) == sorted(wanted)


def test_negatives(index: Index) -> None:
    """Refusals of both kinds, and a scoped record with all its gold outside its scope."""
    lost = record("lost", "rotate a key", gold=["guide/keys#rotate"], scope=["admin"])
    split = record("split", "rotate a key", gold=["guide/keys", "admin"], scope=["admin"])
    bare = record("bare", "rotate a key", gold=["guide/keys"])
    found = {one.record.id: one.negative for one in asked(index, [*RECORDS, lost, split, bare])}
    assert {name for name, negative in found.items() if negative} == {"absent", "outside", "lost"}


def test_containment(index: Index) -> None:
    """Nothing out of scope leaves retrieval; without a scope there is nothing to contain."""
    found = {one.record.id: one.contained for one in asked(index)}
    assert (found["scoped"], found["outside"], found["plain"]) == (True, True, None)


def test_a_leak_is_seen(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ranking that ignores the scope is not called contained."""
    everything = np.arange(len(index))
    monkeypatch.setattr("gnomon.evaluation.asking.fuse", lambda _findings, _levers: everything)
    (found,) = asked(index, [RECORDS[4]])
    assert found.contained is False


def test_a_scope_without_pages_names_the_record(index: Index) -> None:
    """So that it can be mended."""
    lost = replace(record("s-1", "what?", gold=["guide"], scope=["nope"]), line=7)
    with pytest.raises(InvalidInputError, match=r"record 's-1' \(line 7\): no page"):
        asked(index, [lost])
