"""``gnomon blind`` refuses: another order of steps, and whatever was edited on the way."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gnomon import audit
from gnomon.blind.sheet import read_sheet, save_verdict, write_sheet
from gnomon.cli import _blind_score
from tests.blind.checks import Spot, contested, drawn, fill, planned, score, spot
from tests.cli.probing import Gnomon, assert_refused

FORTY = [spot(i) for i in range(40)]


@pytest.fixture
def check(gnomon: Gnomon) -> Gnomon:
    """Fix the default plan and draw thirty of forty spots into the folder ``check``."""
    contested(FORTY)
    drawn(gnomon, planned(gnomon))
    return gnomon


def edit(path: str, change: Callable[[list[str]], None]) -> None:
    """Change the lines of a sheet file."""
    file = Path(path)
    lines = file.read_bytes().decode("utf-8").splitlines(keepends=True)
    change(lines)
    file.write_bytes("".join(lines).encode("utf-8"))


def test_draw_without_a_plan(gnomon: Gnomon) -> None:
    """Refused, and nothing is written, not even the folder."""
    contested(FORTY)
    shown = gnomon("blind", "plan", "--json", code=2).json["plan"]
    outcome = gnomon("blind", "draw", "contested.jsonl", "--plan", shown, "--out", "check", code=3)
    assert_refused(outcome, "a plan must exist before a draw")
    assert not Path("check").exists()


def test_score_without_a_draw(check: Gnomon) -> None:
    """A trail that does not know the draw scores nothing."""
    fill("check", "used")
    assert_refused(score(check, "--state-dir", "other", code=3), "a draw must exist before a score")


def test_rules_edited_after_the_plan(gnomon: Gnomon) -> None:
    """At the draw, at the score, on the sheet, and in the trail itself."""
    contested(FORTY)
    plan = planned(gnomon)
    Path("rules.toml").write_text("sample = 5", encoding="utf-8")
    args = ("blind", "draw", "contested.jsonl", "--plan", plan, "--out", "check")
    assert_refused(gnomon(*args, "--rules", "rules.toml", code=3), "rules may not change")
    drawn(gnomon, plan)
    fill("check", "used")
    assert_refused(score(gnomon, "--rules", "rules.toml", code=3), "rules may not change")
    other = planned(gnomon, sample=5)
    other_hash = audit.read_record(".gnomon", 3).outputs["plan"]
    assert other != plan
    sheet = read_sheet("check/sheet.jsonl")
    text = Path("check/sheet.csv").read_bytes().decode().replace(sheet.plan, other_hash)
    Path("check/sheet.csv").write_bytes(text.encode())
    assert_refused(score(gnomon, code=3), "rules may not change after the draw")
    trail = Path(".gnomon/audit.jsonl")
    trail.write_text(trail.read_text("utf-8").replace('"sample":30', '"sample":31'), "utf-8")
    assert_refused(score(gnomon, code=3), "does not verify")


def test_sheet_and_key_of_another_draw(check: Gnomon) -> None:
    """Drawn from the same file under the same plan, with another secret."""
    plan = check("blind", "plan", "--json", code=2).json["plan"]
    drawn(check, plan, "again")
    fill("check", "used")
    fill("again", "used")
    for sheet, key in (("check", "again"), ("again", "check")):
        outcome = check(
            "blind", "score", "--sheet", f"{sheet}/sheet.csv", "--key", f"{key}/key.json", code=3
        )
        assert_refused(outcome, "a sheet is scored with the key of its own draw")
    again = check(
        "blind", "score", "--sheet", "again/sheet.csv", "--key", "again/key.json", "--json"
    ).json
    assert again["earlier_draws"] == {"all": 1, "same_file": 1, "without_score": 1}
    assert "Draws in this trail before this one: 1" in Path(again["report"]).read_text("utf-8")


def test_an_edited_key(check: Gnomon) -> None:
    """A key whose choices were turned is refused, although its secret is the right one."""
    fill("check", "base")
    file = Path("check/key.json")
    text = file.read_text("utf-8")
    file.write_text(text.replace('"used": "alt"', '"used": "base"'), "utf-8")
    assert_refused(score(check, code=3), "the key was edited")
    body = json.loads(text)
    body["secret"] = "00" * 32
    file.write_text(json.dumps(body), "utf-8")
    assert_refused(score(check, code=3), "its secret has not the sha256 that it states")
    file.write_text("[]", "utf-8")
    assert_refused(score(check, code=3), "is no key of schema")


@pytest.mark.parametrize("name", ["sheet.csv", "sheet.jsonl"])
@pytest.mark.parametrize(
    ("old", "new"),
    [("basal0", "basal9"), ("altal0", "altal0 "), ("contextus0", "contextu0")],
)
def test_a_changed_reading(check: Gnomon, name: str, old: str, new: str) -> None:
    """The row is named; also one letter, a space, the context; also by --partial, as a whole."""
    fill("check", "used", name)
    number = 7

    def change(lines: list[str]) -> None:
        lines[number] = lines[number].replace(old, new, 1)

    edit(f"check/{name}", change)
    assert_refused(score(check, code=3, name=name), f"spot {number}: its readings")
    partial = check("blind", "score", "--sheet", f"check/{name}", "--partial", code=3)
    assert_refused(partial, "is not the one that was drawn")


def test_exchanged_readings_and_rows(check: Gnomon) -> None:
    """Readings that changed sides, and two rows that changed numbers."""
    path = fill("check", "used")
    sheet = read_sheet(path)
    first, second = sheet.spots[:2]
    for spots in (
        [type(first)(1, first.time, first.left_context, first.y, first.x, "x"), second],
        [
            type(first)(1, second.time, second.left_context, second.x, second.y, "x"),
            type(first)(2, first.time, first.left_context, first.x, first.y, "x"),
        ],
    ):
        write_sheet(path, type(sheet)(sheet.draw, sheet.plan, sheet.secret_sha256,
                                      (*spots, *sheet.spots[2:])))  # fmt: skip
        assert_refused(score(check, code=3), "spot 1: its readings")


def test_rows_removed_added_doubled(check: Gnomon) -> None:
    """The row is named."""
    fill("check", "used")
    whole = Path("check/sheet.csv").read_bytes()
    for change, said in (
        (lambda lines: lines.pop(5), "spot 5 is missing"),
        (lambda lines: lines.pop(30), "row 30 was removed"),
        (lambda lines: lines.append(lines[3]), "line 32: spot 3 stands on line 4 already"),
        (lambda lines: lines.append("31" + lines[3][1:]), "row 31 was added"),
    ):
        Path("check/sheet.csv").write_bytes(whole)
        edit("check/sheet.csv", change)  # type: ignore[arg-type]
        assert_refused(score(check, code=3), said)


def test_a_fifth_verdict(check: Gnomon) -> None:
    """Refused with line and spot."""
    fill("check", "neither")

    def change(lines: list[str]) -> None:
        lines[4] = lines[4].replace(",neither,", ",both,")

    edit("check/sheet.csv", change)
    assert_refused(score(check, code=3), "line 5 (spot 4): the verdict is 'both'")


def test_a_second_score(check: Gnomon) -> None:
    """The same verdicts score again, in either form; one changed verdict does not."""
    fill("check", "used")
    fill("check", "used", "sheet.jsonl")
    first = score(check, "--json").json
    again = score(check, "--json", name="sheet.jsonl").json
    assert again["sheet"] == first["sheet"]
    save_verdict("check/sheet.csv", 9, "neither")
    assert_refused(score(check, code=3), "the first score seals the sheet")
    assert audit.verify(".gnomon").records == 4


def test_two_scores_at_once(check: Gnomon, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that is recorded first counts, then and later; the other is refused."""
    fill("check", "used")
    shutil.copytree(".gnomon", "before")
    score(check)
    first = audit.read_record(".gnomon", 3)
    shutil.rmtree(".gnomon")
    Path("before").rename(".gnomon")
    save_verdict("check/sheet.csv", 9, "neither")
    recorded = _blind_score.recorded_files

    def meanwhile(*files: Any) -> dict[str, Any]:
        audit.append(
            ".gnomon", action=first.action, inputs=first.inputs, outputs=first.outputs, env={}
        )
        return recorded(*files)

    with monkeypatch.context() as patched:
        patched.setattr(_blind_score, "recorded_files", meanwhile)
        assert_refused(score(check, code=3), "(record 3); the first score seals the sheet")
    fill("check", "used")
    assert score(check, "--json").json["sheet"] == first.outputs["sheet"]


@pytest.mark.parametrize(
    "spots",
    [[], [spot(1, kind="insertion", base="", left_context="", time=None)]],
    ids=["none", "none that can be placed"],
)
def test_zero_spots(gnomon: Gnomon, spots: list[Spot]) -> None:
    """Exit 3, and nothing is left behind."""
    contested(spots)
    plan = planned(gnomon)
    args = ("blind", "draw", "contested.jsonl", "--plan", plan, "--out", "check")
    assert_refused(gnomon(*args, "--quiet", code=3), "no spot can be drawn")
    assert not Path("check").exists()


def test_readings_that_name_a_system(gnomon: Gnomon) -> None:
    """Pointed out by line before anything is drawn; drawn anyway, they are counted apart."""
    spots = [*FORTY[:10], spot(10, alt="as KB-Whisper heard"), spot(11, base="score: 0.7")]
    contested(spots)
    plan = planned(gnomon, systems={"base": "pianissimo", "alt": "kb-whisper"})
    args = ("blind", "draw", "contested.jsonl", "--plan", plan, "--out", "check", "--quiet")
    refused = gnomon(*args, code=3)
    assert_refused(refused, "2 of 12 spots", "line 11: 'KB-Whisper'; line 12: 'score: 0'")
    assert not Path("check").exists()
    assert "line 11" in gnomon(*args, "--allow-named").err
    fill("check", "used")
    result = score(gnomon, "--json").json
    assert (result["spots"]["named"], result["spots"]["right_of"]["named"]) == (2, 2)
    assert "2 sampled spots have a reading that names its system" in Path(
        result["report"]
    ).read_text("utf-8")


def test_git_work_trees(check: Gnomon) -> None:
    """Neither the contested file nor sheet and key may lie in one, unless it is allowed."""
    plan = check("blind", "plan", "--json", code=2).json["plan"]
    fill("check", "used")
    Path(".git").write_text("gitdir: elsewhere", encoding="utf-8")
    away = Path.cwd().parent / "away"
    args = ("blind", "draw", "contested.jsonl", "--plan", plan, "--quiet", "--out")
    assert_refused(check(*args, away, code=2), "contested.jsonl lies in the Git work tree")
    assert_refused(score(check, code=2), "check/sheet.csv lies in the Git work tree")
    partial = ("blind", "score", "--sheet", "check/sheet.csv", "--partial")
    assert_refused(check(*partial, code=2), "lies in the Git work tree")
    check(*args, away, "--allow-in-repo")
    score(check, "--allow-in-repo")


def test_a_name_that_is_not_utf8(gnomon: Gnomon) -> None:
    """The key could not name it, so nothing is drawn."""
    contested(FORTY).rename("contested-\udcff.jsonl")
    args = ("blind", "draw", "contested-\udcff.jsonl", "--plan", planned(gnomon), "--out", "check")
    assert_refused(gnomon(*args, "--quiet", code=3), "its path is not UTF-8")
    assert not Path("check").exists()


def test_files_that_are_one(check: Gnomon) -> None:
    """The second judge's sheet is another file, and the note writes over none of the inputs."""
    fill("check", "used")
    outcome = score(check, "--second", "check/../check/sheet.csv", code=2)
    assert_refused(outcome, "--second is another's")
    before = Path("check/key.json").read_bytes()
    outcome = score(check, "--report", "check/key.json", code=2)
    assert_refused(outcome, "--report check/key.json is read by this command")
    assert Path("check/key.json").read_bytes() == before


@pytest.mark.parametrize(
    ("action", "inputs", "outputs"),
    [
        ("blind.plan", {}, {}),
        ("blind.plan", {}, {"plan": 5, "rules": {}}),
        ("blind.plan", {}, {"plan": "ab", "rules": {"sample": "all"}}),
        ("blind.plan", {}, {"plan": "ab", "rules": {"condition_1": 3}}),
        ("blind.draw", {}, {"draw": "draw-0"}),
        ("blind.draw", {"files": {"contested": []}}, {"draw": ["x"], "all": {}}),
        ("blind.score", {"files": {"sheet": 3}}, {"draw": "d", "sheet": "s", "second": None}),
        ("blind.score", {"files": {}}, {"draw": {}, "sheet": "s", "second": None}),
        ("blind.purge", {}, {"draws": "all"}),
    ],
)
def test_a_trail_of_another_make(
    gnomon: Gnomon, action: str, inputs: dict[str, object], outputs: dict[str, object]
) -> None:
    """Records that verify and are not of the form of a check are refused by number."""
    audit.append(".gnomon", action=action, inputs=inputs, outputs=outputs, env={})
    contested(FORTY)
    args = ("blind", "draw", "contested.jsonl", "--plan", "plan-0", "--out", "check", "--quiet")
    assert_refused(gnomon(*args, code=3), "record 1")


def test_a_report_in_the_place_of_the_trail(check: Gnomon) -> None:
    """The trail, and the rules, would be lost to the note."""
    fill("check", "used")
    trail = Path(".gnomon/audit.jsonl")
    before = trail.read_bytes()
    for name, flags in ((str(trail), ()), ("rules.toml", ("--rules", "rules.toml"))):
        outcome = score(check, "--report", name, *flags, code=2)
        assert_refused(outcome, "is read by this command and would be lost")
    assert trail.read_bytes() == before


def test_a_report_beside_the_trail(check: Gnomon) -> None:
    """Where the trail lies in the current folder, a note may lie there too."""
    fill("check", "used")
    Path(".gnomon/audit.jsonl").rename("audit.jsonl")
    score(check, "--state-dir", ".", "--report", "note.md")
    assert Path("note.md").exists()
