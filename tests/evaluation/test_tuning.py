"""Tuning: every cell is what the live index would give under its levers, and the winner follows."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.evaluation.records import record
from tests.evaluation.tuning_docs import HashedWords, pages, records
from tests.retrieval.docs import build, write_pages

from gnomon.errors import NotMeasuredError, UsageError
from gnomon.evaluation import tuning_refusals
from gnomon.evaluation.asking import ask
from gnomon.evaluation.scoring import recall_at, reciprocal_rank, retrieval_f1
from gnomon.evaluation.tuning import Options, tune
from gnomon.evaluation.tuning_refusals import levers_of
from gnomon.retrieval.evidence import Finder, Findings
from gnomon.retrieval.index import Index

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gnomon.evaluation.tuning_result import TuningResult
    from gnomon.golden.records import GoldenRecord

RECORDS = records()
EMBED = HashedWords().embed_questions


def nothing(_done: int, _total: int) -> None:
    """Show no progress."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write pages and two indexes of them, with and without vectors."""
    folder = tmp_path_factory.mktemp("tuning")
    docs = write_pages(folder / "docs", pages())
    build(docs, folder / "index", HashedWords())
    build(docs, folder / "lexical", None)
    return folder


@pytest.fixture
def index(folder: Path) -> Index:
    """Return the index with vectors."""
    return Index.open(folder / "index", embedder=HashedWords())


@pytest.fixture
def lexical(folder: Path) -> Index:
    """Return the index without vectors."""
    return Index.open(folder / "lexical")


def tuned(
    index: Index, records: Sequence[GoldenRecord] = RECORDS, **options: object
) -> TuningResult:
    """Tune on some records."""
    embed = EMBED if index.manifest.dense else None
    return tune(index, records, embed, Options(**options), nothing)  # type: ignore[arg-type]


def live_means(index: Index, lambda_: Fraction, k: int) -> tuple[float, float, float]:
    """Return F1, recall@8 and MRR of the live index under the levers of a cell."""
    moved = index.with_levers(levers_of(index, (lambda_, k)))
    asked = ask(moved, RECORDS, EMBED if index.manifest.dense else None, nothing)
    counted = [one for one in asked if one.record.gold_chunks and not one.negative]
    figures = []
    for one in counted:
        gold = one.record.gold_chunks
        f1 = retrieval_f1(one.primed, gold)
        assert f1 is not None
        figures.append((f1.f1, recall_at(one.ranked, gold), reciprocal_rank(one.ranked, gold)))
    means = np.mean(np.array(figures, dtype=np.float64), axis=0)
    return float(means[0]), float(means[1]), float(means[2])


@pytest.mark.parametrize("kind", ["index", "lexical"])
def test_every_cell_is_what_the_live_index_gives(kind: str, request: pytest.FixtureRequest) -> None:
    """Prefixes of one run per lambda equal a separate run for every lambda and k."""
    index: Index = request.getfixturevalue(kind)
    result = tuned(index, lambdas="0:1:0.25" if kind == "index" else None, counts="1:12:1")
    assert len(result.cells) == (60 if kind == "index" else 12)
    assert len({(cell.f1, cell.recall, cell.mrr) for cell in result.cells}) > 11
    for cell in result.cells:
        expected = live_means(index, cell.lambda_, cell.k)
        assert (cell.f1, cell.recall, cell.mrr) == pytest.approx(expected, abs=1e-12)


def test_the_winner_is_the_best_cell(index: Index) -> None:
    """99 cells by default, and none has a higher mean F1."""
    result = tuned(index)
    assert len(result.cells) == 99
    assert result.winner.f1 == max(cell.f1 for cell in result.cells)
    assert result.winner in result.cells
    assert result.writable


def test_what_is_compared_with_need_not_be_swept(index: Index) -> None:
    """Lambda 1 and the levers in force are measured beside a pinned axis, and add no cell to it."""
    result = tuned(index, lambdas="0.3", counts="7")
    (only,) = result.cells
    assert (only.lambda_, only.k) == (Fraction(3, 10), 7)
    assert (result.compared.reference.lambda_, result.compared.reference.k) == (1, 7)
    assert (result.in_force.lambda_, result.in_force.k) == (1, 5)
    at_one = next(c for c in tuned(index, counts="7").cells if c.lambda_ == 1)
    assert result.compared.reference == at_one


def test_refusals_are_the_same_in_every_cell(index: Index) -> None:
    """Neither lever can change one; negatives are counted apart."""
    result = tuned(index)
    assert len(result.refusals) == 99
    assert not result.refusals_differ
    asked = ask(index, RECORDS, EMBED, nothing)
    (found,) = set(result.refusals.values())
    assert found.over == sum(not a.passes for a in asked if not a.negative)
    assert found.caught == sum(not a.passes for a in asked if a.negative)


def test_a_lever_that_changes_a_refusal_is_noticed(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were the evidence of the gate to depend on GATE_K, no tuning.json would be written."""
    honest = Finder.find

    def find(self: Finder, *args: object, **more: object) -> Findings:
        found = honest(self, *args, **more)  # type: ignore[arg-type]
        if self.levers.count("GATE_K") == 12:
            object.__setattr__(found, "cosine", -1.0)
            object.__setattr__(found, "coverage", 0.0)
        return found

    monkeypatch.setattr(Finder, "find", find)
    result = tuned(index)
    assert result.refusals_differ
    assert not result.writable
    assert result.to_json()["verdict"] == "refusals-differ"
    by_k = {k: found.over for (_, k), found in result.refusals.items()}
    assert by_k[12] == by_k[4] + 1


def test_the_records_nearest_the_threshold_are_judged_again(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One in every cell, so with fewer records than cells all of them are."""
    seen = []
    honest = Index.judge

    def judge(self: Index, questions: Sequence[str], *args: object) -> object:
        seen.append((questions[-1], self.levers["MMR_LAMBDA"], self.levers.count("GATE_K")))
        return honest(self, questions, *args)  # type: ignore[arg-type]

    asked = ask(index, RECORDS, EMBED, nothing)
    alone = [a for a in asked if not a.record.previous and a.record.scope is None]
    vectors = {a.text: a.vector for a in alone if a.vector is not None}
    monkeypatch.setattr(Index, "judge", judge)
    nearest = min(alone, key=lambda one: abs(one.total - one.threshold))
    cells = [(Fraction(1, 2), 4), (Fraction(1), 9)]
    tuning_refusals.refusals_by_cell(index, alone, vectors, cells)
    assert [one[1:] for one in seen] == [(0.5, 4), (1.0, 9)]
    assert seen[0][0] == nearest.record.question


def test_negatives_and_records_without_gold_are_not_averaged(index: Index) -> None:
    """A scoped record with all its gold elsewhere counts as a negative."""
    result = tuned(index)
    assert (result.pool.records, result.pool.with_gold) == (35, 32)


def test_a_pool_without_gold_in_scope_fails(index: Index) -> None:
    """No setting can be better than another."""
    negatives = [one for one in RECORDS if one.id in ("absent", "elsewhere", "outside")]
    with pytest.raises(NotMeasuredError, match="none of the 3 records is answered by gold inside"):
        tuned(index, negatives)


def test_a_pool_that_is_empty_fails(index: Index) -> None:
    """A level at which no record enters leaves nothing to ask."""
    with pytest.raises(NotMeasuredError, match="the only record is not in the pool of level low"):
        tuned(index, [record("one", "the key", gold=["key"], level="max")], level="low")


def test_without_vectors_only_k_is_swept(lexical: Index) -> None:
    """Lambda stays as it is, the reference is the k in force, and cosines are not measured."""
    result = tuned(lexical)
    assert [(cell.lambda_, cell.k) for cell in result.cells] == [(1, k) for k in range(4, 13)]
    assert result.compared.reference.k == 5
    assert result.compared.redundancy_after.cosine is None
    assert result.compared.redundancy_after.pages > 1
    assert result.footing.embed_model is None
    assert any("no vectors: what is swept is GATE_K" in note for note in result.notes)


def test_lambdas_without_vectors_are_refused(lexical: Index) -> None:
    """There is nothing that they could do."""
    with pytest.raises(UsageError, match="no vectors, so there is no lambda to sweep"):
        tuned(lexical, lambdas="1")


@pytest.mark.parametrize(
    ("narrowing", "suffix"),
    [
        ({"level": "low"}, "-lvl-low"),
        ({"limit": 20}, "-n20"),
        ({"level": "low", "limit": 5}, "-lvl-low-n5"),
        ({"limit": 1000}, "-n1000"),
    ],
)
def test_a_narrowed_pool_is_not_written(
    index: Index, narrowing: dict[str, object], suffix: str
) -> None:
    """Even where the narrowing leaves every record in."""
    result = tuned(index, **narrowing)
    assert result.narrowed
    assert not result.writable
    assert result.pool.suffix == suffix


def test_the_whole_set_is_not_narrowed(index: Index) -> None:
    """``ultra`` is every record."""
    result = tuned(index, level="ultra")
    assert not result.narrowed
    assert result.file_body()["level"] == "ultra"


def test_other_levers_of_the_environment_are_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything is measured under them."""
    monkeypatch.setenv("GNOMON_RRF_K", "60")
    monkeypatch.setenv("GNOMON_FUSED", "9")
    result = tuned(Index.open(folder / "index"))
    assert "measured under GNOMON_RRF_K=60, GNOMON_FUSED=9 of the environment" in result.notes[0]
    assert "k is capped at FUSED, 9" in result.notes[1]
    assert result.counts.numbers == (4, 5, 6, 7, 8, 9)
    assert result.footing.levers["RRF_K"] == 60


def test_tuning_again_gives_the_same(index: Index) -> None:
    """Same inputs, same figures, to the bit; the seed is recorded."""
    first, second = tuned(index, seed=5).to_json(), tuned(index, seed=5).to_json()
    assert first == second
    assert first["seed"] == 5


def test_the_file_holds_two_levers(index: Index) -> None:
    """And what they were measured on."""
    result = tuned(index)
    assert set(result.file_body()) == {
        "index_hash", "embed_model", "fingerprint", "level", "records", "MMR_LAMBDA", "GATE_K",
    }  # fmt: skip
    assert result.file_body()["GATE_K"] == result.winner.k


def test_texts_are_embedded_once(index: Index) -> None:
    """All in one call, and none twice."""
    calls: list[list[str]] = []

    def embed(texts: Sequence[str]) -> object:
        calls.append(list(texts))
        return EMBED(texts)

    tune(index, RECORDS, embed, Options(), nothing)  # type: ignore[arg-type]
    assert len(calls) == 1
    assert len(calls[0]) == len(set(calls[0]))


def test_what_moved_adds_up(index: Index) -> None:
    """Every record with gold moved up, down or not at all; the furthest come first."""
    compared = tuned(index, lambdas="0.3", counts="5").compared
    assert compared.n_up + compared.n_down + compared.n_same == 32
    assert compared.n_up + compared.n_down > 0
    gains = [one.after - one.before for one in compared.up]
    assert gains == sorted(gains, reverse=True)
    assert all(gain > 0 for gain in gains)
    losses = [one.after - one.before for one in compared.down]
    assert losses == sorted(losses)
    assert all(loss < 0 for loss in losses)


def test_less_redundant_at_a_lower_lambda(index: Index) -> None:
    """Mean pairwise cosine falls; the same k is compared."""
    compared = tuned(index, lambdas="0.3", counts="6").compared
    before, after = compared.redundancy_before, compared.redundancy_after
    assert before.cosine is not None
    assert after.cosine is not None
    assert after.cosine < before.cosine
