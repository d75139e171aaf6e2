"""The note on a blind check: what it always says, and what it makes of odd values."""

from __future__ import annotations

import re
from typing import Any

import pytest

from gnomon.blind.result import Agreement, outcome_json
from gnomon.blind.trail import COUNTED, DrawRecord
from gnomon.report.blind_markdown import blind_lines, blind_markdown
from gnomon.rules.blind import decide
from gnomon.rules.blind_values import Finding, Judged, Rules, System
from gnomon.stats.kappa import cohen_kappa

NO_EARLIER = {"all": 0, "same_file": 0, "without_score": 0}


def body(*groups: tuple[int, Finding, System], rules: Rules | None = None) -> dict[str, Any]:
    """Return the JSON values of a score of so many spots of each finding and choice."""
    rules = rules or Rules()
    spots = [Judged(finding, used) for n, finding, used in groups for _ in range(n)]
    draw = DrawRecord(
        seq=2, draw="draw-0123456789abcdef", plan="ab" * 32, secret_sha256="cd" * 32,
        rows=len(spots), sheet="", key="", wanted=rules.sample, key_seed=None,
        all=dict.fromkeys(COUNTED, 40), contested="", path="",
    )  # fmt: skip
    result = outcome_json(decide(spots, rules), rules, draw, earlier_draws=NO_EARLIER)
    return {**result, "second_judge": None}


KEPT = body((14, "base", "base"), (13, "alt", "alt"), (3, "neither", "alt"))


def test_what_a_note_always_says() -> None:
    """Date, plan, counts of changed, kept and unsure, both conditions, the tie rule, the end."""
    note = blind_markdown(KEPT, date="2026-11-30")
    assert note.startswith("# Blind check of 2026-11-30\n\n**The choice is kept.**\n")
    for words in (
        "`plan-abababababababab`, fixed before `draw-0123456789abcdef` was drawn.",
        "| changed (alt was chosen) | 40 | 16 | 13 |",
        "| kept (base was chosen) | 40 | 14 | 14 |",
        "| unsure | 40 | 0 | 0 |",
        "## Condition 1: right often enough (holds)",
        "| decided spots | 90.0% | 74.4% to 96.5% | at least 85% | holds |",
        "| all sampled spots | 90.0% | 74.4% to 96.5% | more than 70% | holds |",
        "## Condition 2: better than either system alone (holds)",
        "| the choice | 27 |",
        "| base alone | 14 | 13 | 0 | 0.0002 |",
        "Ties favour the single system; that rule did not come into play.",
        "a lead of 6 spots, 20.0 points",
        "spots: base is right 14, alt is right 13, neither is right 3, cannot tell 0.",
    ):
        assert words in note


def test_the_date_is_in_no_figure() -> None:
    """Another day changes the first line and nothing else."""
    first, second = (blind_markdown(KEPT, date=day) for day in ("2026-11-30", "2027-01-01"))
    assert first.splitlines()[0] != second.splitlines()[0]
    assert first.splitlines()[1:] == second.splitlines()[1:]


def test_the_planners_words_stay_text() -> None:
    """Markup in a role, a name or a sentence neither breaks a table nor becomes a link."""
    rules = Rules(
        judge="a | b", base_name="<b>x</b>", on_failure="See [us](http://evil) *now*"
    )  # fmt: skip
    note = blind_markdown(body((3, "base", "alt"), rules=rules), date="2026-11-30")
    assert "**The choice is switched off.** See \\[us\\](http:\\//evil) \\*now\\*" in note
    assert "| who judges | a \\| b |" in note
    assert "| base | \\<b\\>x\\</b\\> |" in note
    rows = [line for line in note.splitlines() if line.startswith("| who judges")]
    assert len(re.findall(r"(?<!\\)\|", rows[0])) == 3


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        (((30, "cannot_tell", "alt"),), "**Not measurable.**"),
        (((30, "cannot_tell", "alt"),), "| decided spots | not measured | no interval |"),
        (((5, "base", "base"),), "No difference can be resolved with 5 spots"),
        (((5, "base", "base"),), "asks for 30 spots and 5 were available"),
        (((10, "alt", "alt"), (10, "tie", "base")), "tie: the two orders do not agree 10"),
        (((17, "alt", "alt"), (9, "base", "base"), (4, "alt", "base")), "against alt 9 of the 13"),
        (((30, "alt", "alt"),), "that rule decided here"),
    ],
)
def test_odd_outcomes(groups: tuple[tuple[int, Finding, System], ...], said: str) -> None:
    """Nothing measured, too few spots, ties: each is said in words."""
    note = blind_markdown(body(*groups), date="2026-11-30")
    assert said in note


def test_the_second_judge() -> None:
    """Agreement, kappa with its interval, and the numbers on which the two differ."""
    kappa = cohen_kappa(["x", "y", "x", "y"], ["x", "y", "x", "x"])
    judge = Agreement(kappa, 3, (4,)).to_json()
    note = blind_markdown({**KEPT, "second_judge": judge}, date="2026-11-30")
    assert "Two judges agree on 3 of 4 rows; Cohen's kappa 0.500 (95% -0.399 to 0.909)." in note
    assert "Disagreements, by number: 4." in note
    none = Agreement(cohen_kappa(["x"], ["x"]), 1, ()).to_json()
    text = "\n".join(blind_lines({**KEPT, "second_judge": none}))
    assert "not measured (both judges gave one and the same verdict throughout)" in text
    assert "Disagreements, by number: none." in text


def test_a_small_p_value_is_not_rounded_to_nothing() -> None:
    """14 to 0 is p = 0.0001, 16 to 0 is less and is said to be."""
    one = body((16, "base", "base"), (14, "alt", "alt"))
    assert "| alt alone | 14 | 16 | 0 | under 0.0001 |" in blind_markdown(one, date="2026-11-30")
    assert "base p 0.0001 (14 to 0), against alt p under 0.0001 (16 to 0)" in "\n".join(
        blind_lines(one)
    )
