"""Two sides: the figures of an evaluation, and how much a second run would change."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.evaluation.bench_sides import GOLD, RECORDS, answered, emit, index_of, noisy

from gnomon.errors import InvalidInputError, MismatchError
from gnomon.evaluation.bench_runs import compare_runs
from gnomon.evaluation.bench_score import check_sides, score_json, score_side
from gnomon.evaluation.bench_tasks import TaskFile
from gnomon.retrieval.index import Index


@pytest.fixture
def index(tmp_path: Path) -> Index:
    """Return an index."""
    return index_of(tmp_path)


@pytest.fixture
def tasks(index: Index) -> TaskFile:
    """Return the tasks of an index."""
    return emit(index)


def by_name(body: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the measures of several runs by name."""
    return {one["name"]: one for one in body["measures"]}


def test_the_figures_of_one_side(tasks: TaskFile) -> None:
    """By hand: six gold answers given back, one of them without its identifier."""
    found = answered(
        tasks,
        lambda task: (
            "NOT-ANSWERABLE"
            if task.negative
            else f"{GOLD.replace('once', '') if task.record.id == 'plain' else GOLD} [cite:x#]"
        ),
    )
    figures = score_side(tasks, found, seed=0).figures()
    short = 2 * 8 / (8 + 9)  # "a" is an article: nine tokens of ten
    assert figures["token_f1"]["mean"] == pytest.approx((5 + short) / 6)
    assert figures["identifier_recall"]["mean"] == 0.0
    assert figures["hallucinated_citation_rate"]["mean"] == 1.0
    assert figures["unanswered"]["mean"] == 0.0
    assert figures["negatives_unanswered"]["mean"] == 1.0
    assert figures["recall@8"]["n_measured"] == 6


def test_a_side_against_itself(tasks: TaskFile) -> None:
    """Every difference is exactly 0, with p = 1, and nothing has moved."""
    answers = [answered(tasks, noisy(str(run), 0.6)) for run in range(3)]
    body = score_json([tasks] * 2, [score_side(tasks, answers[0], seed=0)] * 2)
    assert {one["difference"] for one in body["differences"].values()} <= {0.0, None}
    assert {one["p"] for one in body["differences"].values()} <= {1.0, None}
    assert body["same_words"] == 7
    runs = compare_runs([tasks] * 2, [answers, answers], seed=0)
    for one in runs["measures"]:
        assert one["difference"] in (0.0, None)
        assert one["p"] in (1.0, None)
        assert one["verdict"] in ("not moved", "not measured")
    assert by_name(runs)["token_f1"]["spread"] > 0.0


def test_a_difference_that_counts(tasks: TaskFile) -> None:
    """Far outside the spread of runs, it moved."""
    first = [answered(tasks, noisy(f"a{run}", 0.3)) for run in range(3)]
    second = [answered(tasks, noisy(f"b{run}", 0.95)) for run in range(3)]
    found = by_name(compare_runs([tasks] * 2, [first, second], seed=0))["token_f1"]
    assert found["verdict"] == "moved"
    assert found["difference"] > found["spread"] > 0.0
    assert found["p"] <= 2 / 2**6
    assert found["difference"] == pytest.approx(found["second"] - found["first"])


def test_a_difference_inside_the_spread(tasks: TaskFile) -> None:
    """Answerers of one quality, unsteady: two points or more, and still called what it is."""
    first = [answered(tasks, noisy(f"a{run}", share)) for run, share in enumerate((0.2, 0.5, 0.9))]
    second = [answered(tasks, noisy(f"b{run}", share)) for run, share in enumerate((0.4, 0.6, 0.9))]
    found = by_name(compare_runs([tasks] * 2, [first, second], seed=0))["token_f1"]
    assert abs(found["difference"]) >= 0.02
    assert (found["verdict"], found["verdict_reason"]) == (
        "not moved",
        "inside the run-to-run spread",
    )


def test_the_spread_is_that_of_the_unsteadier_side(tasks: TaskFile) -> None:
    """A steady side doesn't make the other one's runs alike."""
    steady = [answered(tasks, noisy("a", 0.5))] * 3
    unsteady = [answered(tasks, noisy(str(share), share)) for share in (0.2, 0.5, 0.9)]
    for runs in ([steady, unsteady], [unsteady, steady]):
        found = by_name(compare_runs([tasks] * 2, runs, seed=0))["token_f1"]
        spreads = {found["first_spread"], found["second_spread"]}
        assert min(spreads) == 0.0
        assert found["spread"] == max(spreads) > 0.2


def test_without_a_true_difference_little_moves(tasks: TaskFile) -> None:
    """Of 40 comparisons of one answerer with itself, few are said to have moved."""
    wrong = 0
    for draw in range(40):
        sides = [
            [answered(tasks, noisy(f"{draw}-{side}-{run}", 0.6)) for run in range(3)]
            for side in "ab"
        ]
        body = compare_runs([tasks] * 2, sides, seed=draw)
        wrong += by_name(body)["token_f1"]["verdict"] == "moved"
    assert wrong <= 5


def test_a_measure_that_one_run_lacks(tasks: TaskFile) -> None:
    """A run without citations has no precision; the others speak, and nothing is made up."""
    silent = answered(tasks, lambda _: "So.")
    runs = [[silent, silent, answered(tasks, noisy("1", 0.5))], [silent] * 3]
    found = by_name(compare_runs([tasks] * 2, runs, seed=0))["citation_precision"]
    assert (found["difference"], found["verdict"]) == (None, "not measured")
    assert found["reason"] == "no record has a citation_precision on both sides"


def test_sides_that_cannot_be_compared(tasks: TaskFile, index: Index) -> None:
    """Another golden set, pool or prompt: every reason is told."""
    other = emit(index, RECORDS[:3], config="two", level="low")
    with pytest.raises(MismatchError, match=r"golden set differs; the pool differs"):
        check_sides([tasks, other])
    moved = replace(tasks, setup={**tasks.setup, "prompt_hash": "0"})
    with pytest.raises(MismatchError, match="the prompt differs"):
        check_sides([tasks, moved])
    check_sides([tasks, replace(tasks, config="two")])


def test_earlier_turns_are_not_scored(index: Index) -> None:
    """Tasks of stage 1 are seeds; the message says what to do with their answers."""
    with pytest.raises(InvalidInputError, match="emit --history"):
        check_sides([emit(index, stage=1)])
