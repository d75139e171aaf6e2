"""The rule of a blind check on sheets worked by hand, one for every branch."""

from __future__ import annotations

from fractions import Fraction

import pytest

from gnomon.rules.blind import combined, decide, resolvable
from gnomon.rules.blind_values import Finding, Judged, Outcome, Rules, System

RULES = Rules()


def spots(*groups: tuple[int, Finding, System]) -> list[Judged]:
    """Return so many spots of each finding and choice."""
    return [Judged(finding, used) for n, finding, used in groups for _ in range(n)]


def judged(
    right_base: int, right_alt: int, wrong_base: int = 0, wrong_alt: int = 0, *, cannot: int = 0
) -> Outcome:
    """Decide a sheet: right choices of each system, wrong ones (the other reading is right)."""
    return decide(
        spots(
            (right_base, "base", "base"),
            (right_alt, "alt", "alt"),
            (wrong_base, "alt", "base"),
            (wrong_alt, "base", "alt"),
            (cannot, "cannot_tell", "alt"),
        ),
        RULES,
    )


def test_kept() -> None:
    """30 spots, 27 right: base alone 14, alt alone 16, both conditions hold."""
    outcome = judged(13, 14, 2, 1)
    assert outcome.decision == "kept"
    assert (outcome.spots, outcome.changed, outcome.kept) == (30, 15, 15)
    assert (outcome.condition_1.decided.value, outcome.condition_1.all.value) == (0.9, 0.9)
    second = outcome.condition_2
    assert (second.chosen, second.singles["base"].right, second.singles["alt"].right) == (
        27,
        14,
        16,
    )
    assert second.better == ("alt",)
    assert not second.tie_rule
    assert outcome.right_of == {"changed": 14, "kept": 13, "unsure": 0, "named": 0}


def test_exactly_85_percent_of_the_decided() -> None:
    """17 of 20 decided, 17 of 24 in all (70.8%): both figures are met."""
    outcome = judged(9, 8, 2, 1, cannot=4)
    assert outcome.condition_1.decided.value == 0.85
    assert (outcome.condition_1.decided_holds, outcome.condition_1.all_holds) == (True, True)
    assert outcome.decision == "kept"
    assert outcome.findings["cannot_tell"] == 4


def test_one_less_than_85_percent() -> None:
    """16 of 20 decided, 16 of 22 in all (72.7%): only the first figure is missed."""
    outcome = judged(8, 8, 2, 2, cannot=2)
    assert (outcome.condition_1.decided_holds, outcome.condition_1.all_holds) == (False, True)
    assert outcome.condition_2.holds is True
    assert outcome.decision == "switched_off"


def test_exactly_70_percent_of_all() -> None:
    """21 of 30 in all, 21 of 24 decided (87.5%): more than 70% is needed, so it fails."""
    outcome = judged(11, 10, 2, 1, cannot=6)
    assert (outcome.condition_1.decided_holds, outcome.condition_1.all_holds) == (True, False)
    assert outcome.condition_2.holds is True
    assert outcome.decision == "switched_off"


def test_one_more_than_70_percent_of_all() -> None:
    """22 of 30 in all, 22 of 25 decided (88%)."""
    outcome = judged(11, 11, 2, 1, cannot=5)
    assert outcome.condition_1.holds is True
    assert outcome.decision == "kept"


def test_neither_counts_as_not_right() -> None:
    """17 right and 4 neither are 17 of 21 decided (81%)."""
    outcome = decide(spots((9, "base", "base"), (8, "alt", "alt"), (4, "neither", "alt")), RULES)
    assert outcome.condition_1.decided.value == 17 / 21
    assert outcome.decision == "switched_off"


def test_only_cannot_tell() -> None:
    """No decided spot: not measurable, never a pass, and no interval is invented."""
    outcome = decide(spots((30, "cannot_tell", "alt")), RULES)
    assert outcome.decision == "not_measurable"
    assert (outcome.condition_1.holds, outcome.condition_2.holds) == (None, None)
    assert (outcome.condition_1.decided.value, outcome.condition_1.decided.low) == (None, None)
    assert "which is no pass" in outcome.reasons[0]


def test_only_neither() -> None:
    """Decided, and nobody is right: 0 of 30, equal counts."""
    outcome = decide(spots((30, "neither", "alt")), RULES)
    assert outcome.decision == "switched_off"
    assert outcome.condition_2.tie_rule


def test_equal_counts_do_not_pass() -> None:
    """18 of 20 right, alt alone 18 as well: the report says that the tie rule decided."""
    # Right: 2 base, 16 alt. Wrong: 2 where base was chosen and alt is right.
    outcome = judged(2, 16, 2, 0)
    second = outcome.condition_2
    assert (second.chosen, second.singles["alt"].right, second.singles["base"].right) == (18, 18, 2)
    assert outcome.condition_1.holds is True
    assert (second.holds, second.tie_rule) == (False, True)
    assert outcome.decision == "switched_off"
    assert outcome.reasons[2] == (
        "The choice and alt alone are right equally often; ties favour the single system. The "
        "outcome hangs on that rule alone."
    )


def test_equal_counts_where_condition_1_fails_too() -> None:
    """The tie is told, and that the outcome does not hang on it."""
    outcome = judged(2, 6, 2, 0, cannot=10)
    assert outcome.condition_1.holds is False
    assert "but not the outcome, since condition 1 fails" in outcome.reasons[2]


@pytest.mark.parametrize(
    ("counts", "better", "holds"),
    [
        ((13, 14, 2, 1), ("alt",), True),  # choice 27, base 14, alt 16
        ((1, 16, 0, 3), ("alt",), True),  # choice 17, base 4, alt 16
        ((1, 17, 3, 0), ("alt",), False),  # choice 18, base 1, alt 20
        ((17, 1, 0, 3), ("base",), False),  # choice 18, base 20, alt 1
        ((10, 10, 0, 0), ("base", "alt"), True),  # choice 20, both 10
    ],
)
def test_who_is_better(
    counts: tuple[int, int, int, int], better: tuple[System, ...], holds: bool
) -> None:
    """The choice better, base better, alt better, and two equal systems under a better choice."""
    second = judged(*counts).condition_2
    assert (second.better, second.holds) == (better, holds)
    assert not second.tie_rule


def test_a_choice_that_never_changes() -> None:
    """Always base is never right more often than base alone, and the report says so."""
    outcome = decide(spots((29, "base", "base"), (1, "alt", "base")), RULES)
    assert outcome.condition_1.holds is True
    assert outcome.condition_2.tie_rule
    assert outcome.decision == "switched_off"
    assert outcome.reasons[3].startswith("The choice is base on every spot")


def test_ties_of_both_orders() -> None:
    """A spot on which the verdict follows the side is not decided and is right for nobody."""
    outcome = decide(
        spots((9, "base", "base"), (9, "alt", "alt"), (2, "tie", "alt"), (2, "alt", "base")), RULES
    )
    assert outcome.findings["tie"] == 2
    assert outcome.condition_1.decided.value == 18 / 20
    assert outcome.condition_1.all.value == 18 / 22
    assert (combined("alt", "alt"), combined("alt", "base")) == ("alt", "tie")
    assert (combined("cannot_tell", "cannot_tell"), combined("base", "neither")) == (
        "cannot_tell",
        "tie",
    )


def test_intervals_and_p_values_are_information() -> None:
    """Wilson by hand for 27 of 30; McNemar on 14 gained and 1 lost against base, 13 and 2 to alt.

    The p-values are twice the tails of a fair coin: 2 (1 + 15) / 2^15, 2 (1 + 15 + 105) / 2^15.
    """
    outcome = judged(13, 14, 2, 1)
    figure = outcome.condition_1.decided
    assert (figure.low, figure.high) == (
        pytest.approx(0.7438, abs=5e-5),
        pytest.approx(0.9654, abs=5e-5),
    )
    base, alt = (outcome.condition_2.singles[name] for name in ("base", "alt"))
    assert (base.gained, base.lost, base.p_value) == (14, 1, 2 * 16 / 2**15)
    assert (alt.gained, alt.lost, alt.p_value) == (13, 2, 2 * 121 / 2**15)
    assert base.least_lead == 9  # 12 to 3 of 15: p = 0.035; 11 to 4: p = 0.118


def test_thresholds_are_those_of_the_plan() -> None:
    """Exact fractions: 0.9 of 30 is 27, not 27.000000000000004."""
    rules = Rules(decided_at_least=Fraction("0.9"), all_above=Fraction("0.9"))
    outcome = decide(spots((13, "base", "base"), (14, "alt", "alt"), (3, "neither", "alt")), rules)
    assert (outcome.condition_1.decided_holds, outcome.condition_1.all_holds) == (True, False)
    assert "at least 90% is needed: met" in outcome.reasons[0]


def test_what_so_many_spots_resolve() -> None:
    """Under six spots nothing: 2 / 2^5 is over 0.05, 2 / 2^6 is not."""
    assert [resolvable(n) for n in (0, 1, 5, 6, 7, 30, 1_000)] == [None, None, None, 6, 6, 6, 6]


def test_unsure_and_named_are_counted_apart() -> None:
    """Spots that were not blind, and those about which the choice was unsure."""
    outcome = decide(
        [
            Judged("base", "base", unsure=True),
            Judged("alt", "base", unsure=True, named=True),
            Judged("alt", "alt", named=True),
        ],
        RULES,
    )
    assert (outcome.unsure, outcome.named) == (2, 2)
    assert outcome.right_of == {"changed": 1, "kept": 1, "unsure": 1, "named": 1}


def test_only_ties_and_cannot_tell() -> None:
    """A judge who followed the side is not called one who could not tell."""
    outcome = decide(spots((5, "tie", "base"), (1, "cannot_tell", "alt")), RULES)
    assert outcome.decision == "not_measurable"
    assert "on 5 of 6 the verdicts of both orders do not agree" in outcome.reasons[0]
