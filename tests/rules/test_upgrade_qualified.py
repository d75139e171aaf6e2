"""What qualifies an upgrade decision: provisional, interim, arrangement, rationale."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.rules.evidence import CLEAR, UNKNOWN, above, below, codes, tight, told

from gnomon.errors import InvalidInputError
from gnomon.rules.upgrade import SecondEstimate, TailEvidence
from gnomon.types import Figure


@pytest.mark.parametrize(
    ("bridge", "interim"),
    [
        (Figure(above(1.025), 1.0, 1.1), "bridge"),
        (tight(1.025), "stay"),
        (tight(0.2), "stay"),
        (UNKNOWN, None),
    ],
)
def test_interim_needs_a_win_beyond_the_noise(bridge: Figure, interim: str | None) -> None:
    """Run the bridge meanwhile only when it beats staying by more than 0.025."""
    assert told(bridge_advantage=bridge).interim == interim


@pytest.mark.parametrize(
    ("changes", "provisional"),
    [
        ({}, False),
        ({"upgrade_gain": Figure(1.01, 1.0, below(1.02))}, False),
        ({"upgrade_gain": Figure(1.01, 1.0, 1.02)}, True),
        ({"upgrade_gain": Figure(1.01, reason="one query")}, True),
        ({"upgrade_gain": UNKNOWN}, True),
        ({"upgrade_gain": Figure(1.2, 1.0, 1.3)}, True),
        ({"upgrade_gain": Figure(1.2, above(1.0), 1.3)}, False),
        ({"upgrade_gain": Figure(1.2, reason="one query")}, True),
        ({"bridge_advantage": tight(0.975)}, True),
        ({"bridge_advantage": tight(below(0.975))}, False),
        ({"bridge_advantage": tight(1.025)}, True),
        ({"bridge_advantage": tight(above(1.025))}, False),
        ({"upgrade_gain": tight(1.0), "bridge_advantage": tight(1.0)}, False),
    ],
)
def test_provisional_exactly_when_the_evidence_is_open(
    changes: dict[str, Figure], provisional: bool
) -> None:
    """No upgrade: the gain may reach 1.02. Else: gain unknown or maybe 1, or the bridge near 1."""
    result = told(**changes)
    assert result.provisional is provisional
    assert bool(result.provisional_reasons) is provisional


@pytest.mark.parametrize("tier", ["T0", "T1u"])
def test_without_judgements_the_decision_is_provisional(tier: str) -> None:
    """The new model as its own ground truth gives no gain, no interim and no cascade."""
    nothing = dict.fromkeys(
        ("upgrade_gain", "bridge_advantage", "cascade_advantage", "cascade_measured"), UNKNOWN
    )
    result = told(tier=tier, **nothing)
    assert result.decision == "bridge_sufficient"
    assert result.provisional
    assert any(tier in reason for reason in result.provisional_reasons)
    assert (result.interim, result.arrangement, result.arrangement_missing) == (
        None,
        "single_stage",
        (),
    )
    assert any(f"Tier {tier}" in sentence for sentence in result.rationale)
    with pytest.raises(InvalidInputError, match=f"upgrade_gain is given at tier {tier}"):
        replace(CLEAR, tier=tier)


@pytest.mark.parametrize(
    ("second", "provisional"),
    [
        (SecondEstimate(name="arr_unseen_rivals", arr=tight(0.951)), False),
        (SecondEstimate(name="arr_unseen_rivals", arr=tight(0.949)), True),
        # 0.80 x the gain of 1.20 loses to staying
        (SecondEstimate(name="arr_unseen_rivals", arr=tight(0.80)), True),
        (SecondEstimate(name="arr_unseen_rivals", arr=UNKNOWN), False),
        (
            SecondEstimate(
                name="mini_index",
                arr=tight(0.99),
                upgrade_gain=tight(1.01),
                bridge_advantage=tight(1.0),
            ),
            True,
        ),
        (
            SecondEstimate(name="mini_index", arr=tight(0.99), bridge_advantage=tight(0.9)),
            True,
        ),
    ],
)
def test_two_estimates_that_decide_differently_are_provisional(
    second: SecondEstimate, provisional: bool
) -> None:
    """A second estimate goes through the same rule; another decision makes it provisional."""
    result = told(second_estimates=(second,))
    assert result.decision == "bridge_sufficient"
    assert result.provisional is provisional
    assert any(second.name in reason for reason in result.provisional_reasons) is provisional


@pytest.mark.parametrize(("arr", "provisional"), [(0.96, False), (0.90, True), (None, True)])
def test_a_sampled_corpus_needs_a_second_view_that_agrees(
    arr: float | None, provisional: bool
) -> None:
    """With new vectors for a part only, the mini index must have been measured and must agree."""
    estimates = () if arr is None else (SecondEstimate(name="mini_index", arr=tight(arr)),)
    result = told(
        sampled_fraction=0.25, documents_without_new_vectors=3000, second_estimates=estimates
    )
    assert result.provisional is provisional
    assert any("3,000 documents" in reason for reason in result.provisional_reasons) is provisional
    assert codes(result) == ["sampled_corpus"]
    assert "25.00%" in result.warnings[0].message


PAYS = {
    "arr": tight(0.80),
    "bridge_advantage": tight(0.90),
    "cascade_advantage": tight(1.10),
    "cascade_measured": tight(1.12),
}


@pytest.mark.parametrize(
    ("changes", "arrangement", "missing"),
    [
        ({}, "cascade", 0),
        ({"cascade_advantage": tight(1.025)}, "single_stage", 0),
        ({"cascade_advantage": tight(above(1.025))}, "cascade", 0),
        ({"cascade_advantage": UNKNOWN}, "single_stage", 0),
        ({"bridge_advantage": tight(1.025)}, "cascade", 0),
        ({"bridge_advantage": tight(above(1.025))}, "single_stage", 0),
        ({"bridge_advantage": UNKNOWN}, "single_stage", 0),
        ({"has_text": False}, "single_stage", 1),
        ({"candidate_reuse": None}, "single_stage", 1),
        ({"has_text": False, "candidate_reuse": None}, "single_stage", 2),
        ({"has_text": False, "cascade_advantage": tight(1.0)}, "single_stage", 0),
        ({"upgrade_gain": tight(1.01)}, "single_stage", 0),
        ({"upgrade_gain": tight(1.01), "has_text": False}, "single_stage", 0),
        ({"candidate_reuse": 0.0}, "cascade", 0),
    ],
)
def test_cascade_needs_four_things_together(
    changes: dict[str, Any], arrangement: str, missing: int
) -> None:
    """It pays, the single stage does not win, text is there and the price could be counted."""
    result = told(**PAYS | changes)
    assert result.arrangement == arrangement
    assert len(result.arrangement_missing) == missing
    if missing:
        assert any("this is missing" in sentence for sentence in result.rationale)


def test_cascade_names_its_price() -> None:
    """200 candidates of which 90% are cached cost 20 embeddings per query."""
    sentences = " ".join(told(**PAYS).rationale)
    assert "no more than 20.0 embeddings per query" in sentences


def test_a_better_cascade_beside_a_winning_single_stage_is_quantified() -> None:
    """Where both win, the rationale says by how much the cascade measures better."""
    result = told(bridge_advantage=tight(1.10), cascade_measured=tight(1.25))
    assert result.arrangement == "single_stage"
    assert any("0.1500 more" in sentence for sentence in result.rationale)
    worse = told(bridge_advantage=tight(1.25), cascade_measured=tight(1.10))
    assert not any("more." in sentence for sentence in worse.rationale)


def test_low_retention_with_a_winning_bridge_is_not_called_useless() -> None:
    """A large gain bridged imperfectly still beats staying, and the rationale says so."""
    result = told(arr=tight(0.6), upgrade_gain=tight(2.0), bridge_advantage=tight(1.2))
    assert (result.decision, result.interim) == ("full_reindex", "bridge")
    assert any("bridging is worth it" in sentence for sentence in result.rationale)
    losing = told(arr=tight(0.6), upgrade_gain=tight(1.5), bridge_advantage=tight(0.9))
    assert any("bridging loses to staying" in sentence for sentence in losing.rationale)
    assert not any("bridging is worth it" in sentence for sentence in losing.rationale)


@pytest.mark.parametrize(
    ("tail", "says"),
    [
        (None, "not measured"),
        (TailEvidence(arr=0.0, n_queries=6), "6 queries: too few to tell"),
        (TailEvidence(arr=0.75, n_queries=30), "0.7500 (30 queries)"),
    ],
)
def test_caution_says_what_is_known_about_the_tail(tail: TailEvidence | None, says: str) -> None:
    """Under caution the reader learns where the loss sits, or that the queries are too few."""
    result = told(arr=tight(0.8), tail=tail)
    assert result.decision == "caution"
    assert any(says in sentence for sentence in result.rationale)
