"""``gnomon blind``: from a plan to a note, and nothing of the readings comes out."""

from __future__ import annotations

import hashlib
import json
import stat
from pathlib import Path
from typing import Any

import pytest

from gnomon import audit
from gnomon.blind.sheet import read_sheet, save_verdict
from tests.blind.checks import contested, drawn, fill, planned, score, spot
from tests.cli.probing import Gnomon, assert_refused

FORTY = [spot(i) for i in range(40)]


@pytest.fixture
def check(gnomon: Gnomon) -> Gnomon:
    """Fix the default plan and draw thirty of forty spots into the folder ``check``."""
    contested(FORTY)
    drawn(gnomon, planned(gnomon))
    return gnomon


def test_a_plan_is_shown_and_fixed_only_with_yes(gnomon: Gnomon) -> None:
    """All rules on stdout, exit 2, no record; with --yes one record, and no second one."""
    shown = gnomon("blind", "plan", code=2)
    for words in ("at least 85%", "more than 70%", "30 spots", "ties favour the single system"):
        assert words in shown.out
    assert "--yes" in shown.err
    assert not Path(".gnomon").exists()
    first = gnomon("blind", "plan", "--yes", "--json").json
    assert (first["fixed"], first["new"], first["seq"]) == (True, True, 1)
    again = gnomon("blind", "plan", "--yes", "--json").json
    assert (again["new"], again["seq"], again["plan"]) == (False, 1, first["plan"])
    assert audit.read_record(".gnomon", 1).outputs["plan"] == first["plan_hash"]


def test_the_whole_way(check: Gnomon) -> None:
    """Fifteen right of each system: kept, with a dated note, a record, and a sealed sheet."""
    sheet = read_sheet("check/sheet.csv")
    assert len(sheet.spots) == 30
    assert sheet == read_sheet("check/sheet.jsonl")
    fill("check", "used")
    result = score(check, "--json").json
    assert (result["decision"], result["blind"]) == ("kept", True)
    assert result["condition_1"]["decided"]["value"] == 1.0
    assert result["condition_2"]["chosen"] == 30
    assert result["on_failure"] is None
    note = Path(result["report"]).read_text("utf-8")
    assert note.startswith(f"# Blind check of {result['date']}\n\n**The choice is kept.**")
    assert result["report"] == f"gnomon/reports/blind-check-{result['date']}-{sheet.draw[5:13]}.md"
    actions = [record.action for record in audit.read_records(".gnomon")]
    assert actions == ["blind.plan", "blind.draw", "blind.score"]
    assert audit.read_record(".gnomon", 3).decision == "kept"


def test_failing_repeats_the_planners_sentence(gnomon: Gnomon) -> None:
    """What is switched off is said in result and note; failing is a result, not an error."""
    contested(FORTY)
    drawn(gnomon, planned(gnomon, on_failure="The reconciler is switched off."))
    fill("check", "base")
    outcome = score(gnomon)
    assert outcome.out.startswith("decision: switched_off")
    assert "on failure: The reconciler is switched off." in outcome.out
    note = next(Path("gnomon/reports").iterdir()).read_text("utf-8")
    assert "**The choice is switched off.** The reconciler is switched off." in note


def test_the_tie_rule_is_told(gnomon: Gnomon) -> None:
    """Every choice is alt, and right: never more often than alt alone."""
    contested([spot(i, used="alt") for i in range(40)])
    result = gnomon("blind", "draw", "contested.jsonl", "--plan", planned(gnomon), "--out", "check")
    assert "every choice in the file is alt" in result.err
    fill("check", "used")
    assert "The outcome hangs on that rule alone." in score(gnomon).out
    note = next(Path("gnomon/reports").iterdir()).read_text("utf-8")
    assert "that rule decided here" in note


def test_nobody_could_tell(check: Gnomon) -> None:
    """Not measurable, exit 3, recorded and sealed all the same."""
    fill("check", "cannot_tell")
    outcome = score(check, "--json", code=3)
    assert outcome.json["decision"] == "not_measurable"
    assert outcome.json["condition_1"]["decided"]["value"] is None
    fill("check", "used")
    assert_refused(score(check, code=3), "scored with other verdicts before (record 3)")


def test_half_a_sheet(check: Gnomon) -> None:
    """Refused by number; --partial counts, whatever the key is, and records nothing."""
    fill("check", "used")
    for number in range(16, 31):
        save_verdict("check/sheet.csv", number, None)
    assert_refused(score(check, code=3), "15 of 30 spots have no verdict: 16, 17")
    Path("check/key.json").write_text("unreadable", encoding="utf-8")
    for flags in (("--key", "check/key.json"), ("--key", "nowhere.json"), ()):
        counts = check(
            "blind", "score", "--sheet", "check/sheet.csv", "--partial", "--json", *flags
        ).json
        assert (counts["filled"], counts["rows"]) == (15, 30)
        assert sum(counts["verdicts"].values()) == 15
        assert set(counts["verdicts"]) == {"x", "y", "neither", "cannot_tell"}
    assert audit.verify(".gnomon").records == 2
    assert_refused(
        check("blind", "score", "--sheet", "check/sheet.csv", code=2), "--key is missing"
    )


def test_the_second_judge(check: Gnomon) -> None:
    """Kappa, its interval, and the numbers of the disagreements; their sheet is sealed too."""
    fill("check", "used")
    other = fill("check", "used", "sheet.jsonl")
    for number in (3, 20):
        save_verdict(other, number, "neither")
    flags = ("--second", other)
    result = score(check, *flags, "--json").json["second_judge"]
    assert (result["agreed"], result["rows"], result["disagreements"]) == (28, 30, [3, 20])
    assert 0.5 < result["kappa"]["low"] < 0.8 < result["kappa"]["value"] < result["kappa"]["high"]
    assert "Disagreements, by number: 3, 20." in score(check, *flags).out
    save_verdict(other, 4, "neither")
    assert_refused(score(check, *flags, code=3), "was scored with other verdicts before")
    score(check)  # the first judge's sheet is as it was


def test_both_orders(gnomon: Gnomon) -> None:
    """Every spot twice with its sides exchanged; a verdict that follows the side is a tie."""
    contested(FORTY)
    draw = drawn(gnomon, planned(gnomon, both_orders=True, sample=10))
    assert (draw["sampled"], draw["rows"]) == (10, 20)
    sheet = read_sheet("check/sheet.csv")
    first, second = sheet.spots[:10], sheet.spots[10:]
    pairs = {frozenset({one.x, one.y}): one.x for one in first}
    assert all(pairs[frozenset({one.x, one.y})] == one.y for one in second)
    assert [one.y for one in first] != [one.x for one in second]  # shuffled anew
    flipped = next(iter(pairs))

    def verdict(row: Any) -> str:
        one = sheet.spots[row["number"] - 1]
        return "x" if frozenset({one.x, one.y}) == flipped else str(row["used"])

    fill("check", verdict)
    result = score(gnomon, "--json").json
    assert (result["findings"]["tie"], result["spots"]["sampled"]) == (1, 10)
    assert result["condition_1"]["decided"]["value"] == 1.0
    assert result["condition_1"]["all"]["value"] == 0.9


def test_fewer_spots_than_the_plan_asks_for(gnomon: Gnomon) -> None:
    """29 available: all of them, and draw and note say so."""
    contested(FORTY[:29])
    plan = planned(gnomon)
    outcome = gnomon("blind", "draw", "contested.jsonl", "--plan", plan, "--out", "check")
    assert "the plan asks for 30 spots; all 29 available are drawn" in outcome.err
    fill("check", "used")
    score(gnomon)
    note = next(Path("gnomon/reports").iterdir()).read_text("utf-8")
    assert "asks for 30 spots and 29 were available" in note


def test_what_cannot_be_placed(gnomon: Gnomon) -> None:
    """Insertions and deletions are drawn when they have a time or a context, else listed apart."""
    contested(
        [
            spot(0, kind="insertion", base="", left_context=""),
            spot(1, kind="deletion", alt="", time=None),
            spot(2, kind="insertion", base="", left_context=" ", time=None),
            spot(3, kind="deletion", alt="", left_context=None, time=None),
            spot(4, left_context="", time=None),
        ]
    )
    result = drawn(gnomon, planned(gnomon))
    assert (result["sampled"], result["all"]["unplaced"]) == (3, 2)
    assert result["unplaced_lines"] == [3, 4]
    listed = [json.loads(line) for line in Path("check/unplaced.jsonl").read_text().splitlines()]
    assert [(one["line"], one["kind"]) for one in listed] == [(3, "insertion"), (4, "deletion")]
    assert Path("check/sheet.csv").read_text("utf-8-sig").count("(nothing)") == 2


def test_a_seeded_key_is_recorded(gnomon: Gnomon) -> None:
    """--key-seed gives the same sides again; result and note say that nothing was blind."""
    contested(FORTY)
    plan = planned(gnomon)
    drawn(gnomon, plan, "check", "--key-seed", "5")
    drawn(gnomon, plan, "again", "--key-seed", "5")
    assert Path("check/sheet.csv").read_bytes() == Path("again/sheet.csv").read_bytes()
    fill("check", "used")
    result = score(gnomon, "--json").json
    assert (result["blind"], result["key_seed"]) == (False, 5)
    assert "Not blind" in Path(result["report"]).read_text("utf-8")
    assert audit.read_record(".gnomon", 2).outputs["key_seed"] == 5


def test_the_sample_follows_from_plan_and_file(check: Gnomon) -> None:
    """By hand: sha256 of both hashes is the seed, and the smallest sha256 of seed and id win."""
    plan = check("blind", "plan", "--json", code=2).json["plan_hash"]
    file = hashlib.sha256(Path("contested.jsonl").read_bytes()).hexdigest()
    seed = hashlib.sha256(f"{plan}\n{file}\n".encode()).digest()
    drawn_by_hand = sorted(
        FORTY, key=lambda one: hashlib.sha256(seed + one["id"].encode()).digest()
    )
    shown = {one.left_context for one in read_sheet("check/sheet.csv").spots}
    assert shown == {one["left_context"] for one in drawn_by_hand[:30]}
    assert audit.read_record(".gnomon", 2).outputs["seed"] == seed.hex()


def test_two_draws_share_the_sample_and_not_the_sides(check: Gnomon) -> None:
    """Nobody can draw until the sample suits them."""
    plan = check("blind", "plan", "--json", code=2).json["plan"]
    drawn(check, plan, "again")
    first, second = (read_sheet(f"{name}/sheet.csv").spots for name in ("check", "again"))
    assert {one.left_context for one in first} == {one.left_context for one in second}
    assert [one.left_context for one in first] != [one.left_context for one in second]
    assert {one.x for one in first} != {one.x for one in second}


def test_modes(check: Gnomon) -> None:
    """0600 in 0700, before and after a verdict."""
    save_verdict("check/sheet.csv", 1, "x")
    assert stat.S_IMODE(Path("check").stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in Path("check").iterdir()} == {0o600}


def test_nothing_of_the_readings_comes_out(gnomon: Gnomon) -> None:
    """No reading, context or id of four characters or more in output, note, errors or trail."""
    spots = [spot(i) for i in range(30)]
    spots += [spot(i, kind="deletion", alt="") for i in range(30, 34)]
    spots += [spot(i, kind="insertion", base="", time=None, left_context="") for i in (34, 35)]
    contested(spots)
    draw = gnomon(
        "blind", "draw", "contested.jsonl", "--plan", planned(gnomon), "--out", "check", "--json"
    )
    other = fill("check", "x", "sheet.jsonl")
    fill("check", "used")
    partial = gnomon("blind", "score", "--sheet", other, "--partial")
    text = score(gnomon, "--second", other)
    as_json = score(gnomon, "--second", other, "--json")
    save_verdict("check/sheet.csv", 1, "neither")
    refused = score(gnomon, code=3)
    note = Path(as_json.json["report"]).read_bytes()
    purged = gnomon("blind", "purge", "check")
    outputs = [
        (one.out + one.err).encode() for one in (draw, partial, text, as_json, refused, purged)
    ]
    outputs += [note, Path(".gnomon/audit.jsonl").read_bytes()]
    inputs = {
        word
        for one in spots
        for name in ("id", "base", "alt", "left_context")
        for word in (one[name], *one[name].split())
        if len(word) >= 4
    }
    assert len(inputs) > 150
    found = {word for word in inputs for output in outputs if word.encode() in output}
    assert found == set()


def test_a_score_is_replayed(check: Gnomon) -> None:
    """Identical as long as sheet and key are there; other verdicts are not decided on."""
    fill("check", "used")
    other = fill("check", "neither", "sheet.jsonl")
    score(check, "--second", other)
    assert check("replay", 3, "--json").json["verdict"] == "identical"
    save_verdict("check/sheet.csv", 1, "neither")
    changed = check("replay", 3, "--json", code=3).json
    assert (changed["verdict"], changed["decision"]) == ("input_changed", None)
    assert changed["changed_inputs"] == ["files.sheet (check/sheet.csv)"]
    assert "the first score seals the sheet" in changed["reason"]
    check("blind", "purge", "check")
    assert check("replay", 3, "--json", code=2).json["verdict"] == "not_replayable"
