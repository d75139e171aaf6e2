"""The whole probe against the plain definition, and what each tier may say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gnomon.errors import InvalidInputError, NotMeasuredError
from gnomon.probe.result import ProbeResult
from gnomon.probe.settings import ProbeSettings
from gnomon.probe.workflow import run_probe
from tests.probe.collections import Collection, inputs_of, make_collection
from tests.reference import probe as reference

MADE = make_collection()


def forced(**settings: Any) -> ProbeSettings:
    """Return settings with a forced Procrustes and a depth that fits the collection."""
    return ProbeSettings(**{"adapter": "procrustes", "candidate_depth": 40, **settings})


def defined(made: Collection, **settings: Any) -> reference.Reference:
    """Return the figures by definition."""
    wide = [getattr(made, name).astype(np.float64) for name in (
        "old_docs", "new_docs", "old_queries", "new_queries")]  # fmt: skip
    return reference.probe(*wide, made.judged, depth=40, **settings)


def recalls(result: ProbeResult) -> dict[str, float | None]:
    """Return the recall of every ranking."""
    return {name: one["recall"].value for name, one in result.figures.rankings.items()}


@pytest.mark.parametrize("scope", ["unseen", "seen"])
@pytest.mark.parametrize("pairs", [60, 4000])
def test_figures_are_those_of_the_definition(scope: Any, pairs: int) -> None:
    """Every ranking and ratio equals the float64 definition, folds or not, seen or not."""
    expected = defined(MADE, scope=scope, pairs=pairs)
    result = run_probe(inputs_of(MADE), forced(fit_scope=scope, pairs=pairs)).result
    assert recalls(result) == {
        name: pytest.approx(getattr(expected, name), abs=1e-9)
        for name in ("status_quo", "naive_swap", "bridged", "cascade", "oracle")
    }
    assert result.figures.cascade_arr.value == pytest.approx(
        expected.recall_depth_bridged / expected.recall_depth_oracle, abs=1e-9
    )
    assert result.candidate_reuse == pytest.approx(expected.reuse, abs=1e-12)
    rivals = result.figures.arr_unseen_rivals.value
    assert rivals == (None if expected.rivals is None else pytest.approx(expected.rivals, abs=1e-9))


def test_folds_are_used_only_where_unjudged_documents_are_too_few() -> None:
    """With as many unjudged documents as pairs there is one adapter, else one for each fold."""
    judged = {row for one in MADE.judged for row in one}
    unjudged = len(MADE.old_docs) - len(judged)
    assert len(run_probe(inputs_of(MADE), forced(pairs=unjudged)).adapters) == 1
    assert len(run_probe(inputs_of(MADE), forced(pairs=unjudged + 1)).adapters) == 5


def test_products_of_ratios_hold() -> None:
    """bridge_advantage is ARR x gain, cascade_advantage is cascade_arr x gain."""
    figures = run_probe(inputs_of(MADE), forced()).result.figures
    assert figures.arr.value
    assert figures.upgrade_gain.value
    assert figures.cascade_arr.value
    gain = figures.upgrade_gain.value
    assert figures.bridge_advantage.value == pytest.approx(figures.arr.value * gain)
    assert figures.cascade_advantage.value == pytest.approx(figures.cascade_arr.value * gain)


@pytest.mark.parametrize("tier", ["T0", "T1u"])
def test_without_judgements_nothing_is_compared_with_staying(tier: Any) -> None:
    """At T0 and T1u gain and advantages are missing with a reason and the result is provisional."""
    result = run_probe(inputs_of(MADE), forced(tier=tier)).result
    for name in ("upgrade_gain", "bridge_advantage", "cascade_advantage", "cascade_measured"):
        figure = getattr(result.figures, name)
        assert figure.value is None
        assert tier in (figure.reason or "")
    assert result.figures.arr.value is not None
    assert result.verdict.provisional
    assert result.verdict.interim is None
    assert (result.candidate_reuse is None) == (tier == "T0")


def test_t0_queries_never_find_themselves_and_are_never_pairs() -> None:
    """A document that stands in for a query is masked from its results and from every fit."""
    same = replace(MADE, new_docs=MADE.old_docs, new_queries=MADE.old_queries)
    result = run_probe(inputs_of(same, log=None), forced(pairs=4000)).result
    assert result.tier == "T0"
    assert result.n_queries == len(MADE.old_docs) // 4
    # The oracle's nearest neighbour of a document would be the document itself if it were not
    # masked, and status quo would find it at rank 1 in every case either way.
    assert result.figures.rankings["oracle"]["mrr"].value == 1.0
    assert result.figures.rankings["status_quo"]["recall"].value == 1.0
    assert all(one.n_pairs <= 300 for one in result.adapters)


def test_the_same_model_twice_is_no_upgrade() -> None:
    """Old and new identical: the gain is exactly 1 and the decision says so."""
    same = replace(MADE, new_docs=MADE.old_docs, new_queries=MADE.old_queries)
    result = run_probe(inputs_of(same), forced()).result
    assert result.figures.upgrade_gain.value == 1.0
    assert result.verdict.decision == "no_upgrade_needed"


def test_choosing_holds_documents_out_and_a_forced_adapter_does_not() -> None:
    """Comparison documents are in no pair; with --adapter all documents may be."""
    chosen = run_probe(inputs_of(MADE), ProbeSettings(candidate_depth=40, fit_scope="seen")).result
    alone = run_probe(inputs_of(MADE), forced(fit_scope="seen")).result
    assert chosen.adapters[0].n_pairs <= 360
    assert alone.adapters[0].n_pairs == 400
    names = [one.name for one in chosen.candidates]
    assert names[:2] == ["identity", "procrustes"]
    assert sum(one.chosen for one in chosen.candidates) == 1
    assert [one.name for one in alone.candidates] == ["csls"]


def test_results_do_not_depend_on_threads_or_instruction_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the adapters of one run, every figure has the same bits on every path."""
    settings = ProbeSettings(candidate_depth=40)
    first = run_probe(inputs_of(MADE), settings)
    expected = first.result.to_json()
    for name in ("candidates", "pairs_curve"):  # of other fits, which are not made again
        expected.pop(name)
    expected["metrics"].pop("arr_seen")
    for isa in ("scalar", "avx2"):
        monkeypatch.setenv("GNOMON_ISA", isa)
        for threads in (1, 2, 7):
            again = run_probe(
                inputs_of(MADE), replace(settings, threads=threads), stored=first.adapters
            )
            found = again.result.to_json()
            assert found.pop("pairs_curve") == []
            assert [one["name"] for one in found.pop("candidates")] == ["csls"]
            assert found["metrics"].pop("arr_seen")["reason"].startswith("not measured again")
            assert found == expected


def test_a_whole_probe_has_the_same_bits_on_any_number_of_threads() -> None:
    """Fits beside searches or one after the other: every figure, those of other fits included."""
    settings = ProbeSettings(candidate_depth=40)
    alone = run_probe(inputs_of(MADE), replace(settings, threads=1)).result.to_json()
    for threads in (2, 7):
        assert (
            run_probe(inputs_of(MADE), replace(settings, threads=threads)).result.to_json() == alone
        )


def test_a_part_of_the_corpus_gives_two_estimates() -> None:
    """With --sample the mixed view decides, mini_index stands beside it, the fraction is told."""
    result = run_probe(inputs_of(MADE), forced(sample=150, pairs=100)).result
    whole = run_probe(inputs_of(MADE), forced(pairs=100)).result
    assert result.n_covered < result.n_documents == 400
    assert recalls(result)["status_quo"] == recalls(whole)["status_quo"]
    assert result.mini_index is not None
    assert result.mini_index.arr.value is not None
    assert "sampled_corpus" in {one.code for one in result.verdict.warnings}
    # The oracle has fewer rivals on the part: the gain leans high and retention low.
    assert result.figures.upgrade_gain.value >= whole.figures.upgrade_gain.value  # type: ignore[operator]


def test_a_part_given_by_ids_equals_the_same_sample() -> None:
    """--new-ids with the sampled documents gives what --sample gives."""
    sampled = run_probe(inputs_of(MADE), forced(sample=150, pairs=100)).result
    rows = np.arange(0, 400, 2)
    part = inputs_of(MADE, new_docs=MADE.new_docs[rows], new_rows=rows)
    given = run_probe(part, forced(pairs=100)).result
    assert given.n_covered == 200
    assert given.mini_index is not None
    assert sampled.settings.sample == 150


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"new_docs": MADE.new_docs[:-1]}, InvalidInputError, "400 old rows, 399 new rows"),
        (
            {"old_docs": MADE.old_docs[:0], "new_docs": MADE.new_docs[:0]},
            InvalidInputError,
            "empty",
        ),
        ({"old_docs": MADE.old_docs[:, :5]}, InvalidInputError, "width 24"),
    ],
)
def test_parts_that_do_not_fit_are_refused(change: Any, error: type[Exception], words: str) -> None:
    """Counts and widths are compared before any work."""
    with pytest.raises(error, match=words):
        inputs_of(MADE, **change)


@pytest.mark.parametrize("matrix", ["old_docs", "new_docs"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_row_that_is_not_finite_is_named(matrix: str, bad: float) -> None:
    """NaN and infinity stop the probe with the name of the matrix and the row."""
    values = getattr(MADE, matrix).copy()
    values[17, 3] = bad
    names = {"old documents": "a/old.npy", "new documents": "a/new.npy"}
    with pytest.raises(InvalidInputError, match=f"{matrix[:3]}.npy.*row 17"):
        run_probe(inputs_of(MADE, **{matrix: values}, names=names), forced())


def test_k_above_the_corpus_is_refused() -> None:
    """A list can't be longer than the corpus."""
    with pytest.raises(NotMeasuredError, match="k is 401"):
        run_probe(inputs_of(MADE), forced(k=401, candidate_depth=500))


@pytest.mark.parametrize(
    "settings", [{}, {"pairs": 60}, {"sample": 150}, {"adapter": None}, {"tier": "T0"}], ids=str
)
def test_progress_rises_once_from_start_to_end(settings: Any) -> None:
    """However many walks there are: hundredths that never fall, and the last one is 100."""
    told: list[tuple[int, int]] = []
    run_probe(inputs_of(MADE), forced(**settings), progress=lambda *step: told.append(step))
    done = [step for step, _ in told]
    assert done == sorted(done)
    assert told[-1] == (100, 100)
    assert 0 < done[0] <= 25
    assert {total for _, total in told} == {100}


def test_zero_vectors_are_counted_and_warned_of() -> None:
    """Zero rows of every matrix are counted by name, and the warning names them."""
    old_docs, new_queries = MADE.old_docs.copy(), MADE.new_queries.copy()
    old_docs[[3, 8]] = 0.0
    new_queries[5] = 0.0
    hollow = replace(MADE, old_docs=old_docs, new_queries=new_queries)
    result = run_probe(inputs_of(hollow), forced()).result
    assert result.zero_rows == {
        "old documents": 2, "new documents": 0, "old queries": 0, "new queries": 1,
    }  # fmt: skip
    (warning,) = [one for one in result.verdict.warnings if one.code == "zero_vectors"]
    assert "2 of the old documents, 1 of the new queries" in warning.message


def test_a_point_of_the_curve_where_the_adapter_is_not_offered_says_why() -> None:
    """per_cluster needs 2 x 160 pairs for each of two maps: 500 don't give that, 2,000 do."""
    wide = make_collection(n=2600, d_old=160, d_new=160)
    result = run_probe(inputs_of(wide), forced(adapter="per_cluster", pairs=2000)).result
    points = {point["pairs"]: point for point in result.to_json()["pairs_curve"]}
    assert list(points) == [500, 1000, 2000]
    assert points[500]["arr"] is None
    assert points[500]["reason"].startswith("per_cluster needs 320 pairs")
    assert points[500]["few_pairs"] is False
    assert points[2000]["arr"] is not None
    assert points[2000]["arr"] == result.figures.arr.value


def test_a_constant_scorer_is_said_to_be_decided_by_ties() -> None:
    """E02: all old scores are equal, so every list is cut between equals, by the order of rows."""
    constant = replace(
        MADE, old_docs=np.ones_like(MADE.old_docs), old_queries=np.ones_like(MADE.old_queries)
    )
    result = run_probe(inputs_of(constant), forced()).result
    assert result.ties_at_k["status_quo"] == 1.0
    assert result.ties_at_k["oracle"] == 0.0
    first_rows = np.mean([len(one.keys() & set(range(10))) / 3 for one in MADE.judged])
    assert recalls(result)["status_quo"] == pytest.approx(first_rows)


def test_ties_are_not_seen_where_the_lists_end() -> None:
    """With the candidate depth at k, nobody knows what the next document scores; it says so."""
    result = run_probe(inputs_of(MADE), forced(candidate_depth=10)).result
    assert result.ties_at_k["oracle"] is None
    assert result.ties_at_k["status_quo"] == 0.0
    assert "candidate depth" in result.to_json()["reasons"]["ties_at_k.oracle"]
    tiny = make_collection(n=40, q=8)
    everything = run_probe(inputs_of(tiny), forced(k=40, candidate_depth=40)).result
    assert set(everything.ties_at_k.values()) == {0.0}
