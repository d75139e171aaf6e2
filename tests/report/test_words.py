"""The decision in plain sentences."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from tests.report.builders import T0, T1_FOLDS, VERDICT

from gnomon.report.words import how_sure, sureness, what_to_do
from gnomon.rules.upgrade import Decision, UpgradeDecision


def verdict(**changes: object) -> UpgradeDecision:
    """Return the clear verdict with some of it changed."""
    return replace(VERDICT, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("decision", get_args(Decision))
@pytest.mark.parametrize("arrangement", ["single_stage", "cascade"])
@pytest.mark.parametrize("interim", ["stay", "bridge", None])
def test_every_verdict_has_its_sentences(
    decision: Decision, arrangement: str, interim: str | None
) -> None:
    """What to do is one or two whole sentences, whatever the rule answers."""
    said = what_to_do(verdict(decision=decision, arrangement=arrangement, interim=interim), 200)
    assert 1 <= len(said) <= 2
    assert all(sentence.endswith(".") for sentence in said)


@pytest.mark.parametrize(
    ("decision", "interim", "second"),
    [
        ("full_reindex", "bridge", "searching through the bridge is better than staying"),
        ("full_reindex", "stay", "stay with the old model"),
        ("full_reindex", None, "was not measured"),
        ("bridge_and_migrate", "stay", "the bridge is not better than staying"),
        ("bridge_sufficient", "bridge", None),
        ("no_upgrade_needed", "stay", None),
    ],
)
def test_second_sentence_says_what_to_run(
    decision: Decision, interim: str | None, second: str | None
) -> None:
    """A migration takes time, so the second sentence says what runs until it is done."""
    said = what_to_do(verdict(decision=decision, arrangement="single_stage", interim=interim), 200)
    assert len(said) == (1 if second is None else 2)
    assert second is None or second in said[1]


def test_clear_is_said_only_without_a_flag() -> None:
    """Borderline, straddling and provisional each take the word away."""
    near = {"neighbours": ("full_reindex", "caution"), "borderline": True}
    assert sureness(VERDICT) == "Clear"
    assert sureness(verdict(provisional=True)) == "Provisional"
    assert sureness(verdict(**near)) == "Too near to call"
    assert sureness(verdict(**near, provisional=True)) == "Too near to call, and provisional"
    assert sureness(verdict(borderline=True, neighbours=("full_reindex",))) == "Too near to call"


def test_same_decision_on_both_sides_is_clear() -> None:
    """A threshold that changes nothing leaves the decision as it is, and the sentence says so."""
    both = verdict(neighbours=("full_reindex", "full_reindex"), interval_straddles_threshold=True)
    assert sureness(both) == "Clear"
    assert "on the other side of it the decision is the same" in how_sure(
        replace(T1_FOLDS, verdict=both)
    )


def test_how_sure_names_figure_interval_and_threshold() -> None:
    """The sentence holds what a reader needs to disagree with it."""
    assert how_sure(T1_FOLDS) == (
        "Clear. Bridge over staying is 0.8900 (95% interval 0.8600 to 0.9200); the threshold is "
        "0.975."
    )
    assert how_sure(T0).endswith("On the other side of it the decision would be caution.")
