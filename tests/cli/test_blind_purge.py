"""``gnomon blind purge``: what held readings is gone, or named, and nothing else is touched."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from gnomon import audit
from tests.blind.checks import contested, drawn, fill, planned, score, spot
from tests.cli.probing import Gnomon, assert_refused

FORTY = [spot(i) for i in range(40)]


@pytest.fixture
def check(gnomon: Gnomon) -> Gnomon:
    """Fix a plan and draw ten spots into the folder ``check``."""
    contested(FORTY)
    drawn(gnomon, planned(gnomon, sample=10))
    return gnomon


def test_before_a_score(check: Gnomon) -> None:
    """Warned of, done, recorded; a sheet that was kept elsewhere is not scored any more."""
    fill("check", "used")
    kept = {name: Path("check", name).read_bytes() for name in ("sheet.csv", "key.json")}
    outcome = check("blind", "purge", "check")
    assert "warning: draw-" in outcome.err
    assert "has no score, and can have none any more" in outcome.err
    assert sorted(path.name for path in Path().iterdir()) == [".gnomon", "rules.toml"]
    record = audit.read_record(".gnomon", 3)
    assert (record.action, record.outputs["scored"]) == ("blind.purge", [False])
    assert (record.outputs["removed"], record.outputs["left"]) == (4, 0)
    assert record.outputs["contested_removed"]
    Path("check").mkdir()
    for name, content in kept.items():
        Path("check", name).write_bytes(content)
    assert_refused(score(check, code=3), "was purged (record 3)")


def test_after_a_score(check: Gnomon) -> None:
    """Nothing to warn of; the note and the trail stay."""
    fill("check", "used")
    score(check)
    outcome = check("blind", "purge", "check", "--json")
    assert outcome.err == ""
    assert (outcome.json["scored"], outcome.json["left"]) == ([True], [])
    assert not Path("check").exists()
    assert not Path("contested.jsonl").exists()
    assert len(list(Path("gnomon/reports").iterdir())) == 1
    assert audit.verify(".gnomon").records == 4


def test_what_is_left_is_named(check: Gnomon) -> None:
    """A file of somebody else, a contested file that changed, a sheet scored elsewhere."""
    fill("check", "used")
    Path("returned.csv").write_bytes(Path("check/sheet.csv").read_bytes())
    check("blind", "score", "--sheet", "returned.csv", "--key", "check/key.json")
    Path("check/recording.wav").touch()
    contested(FORTY[:20])
    outcome = check("blind", "purge", "check", "--json").json
    left = {Path(one["path"]).name: one["why"] for one in outcome["left"]}
    assert left == {
        "contested.jsonl": "is not as it was when it was drawn from",
        "recording.wav": "is not of the draw",
        "returned.csv": "was scored, and lies outside the folder",
    }
    assert [path.name for path in Path("check").iterdir()] == ["recording.wav"]
    assert Path("contested.jsonl").exists()
    assert not outcome["contested_removed"]


def test_without_the_key(check: Gnomon) -> None:
    """The trail knows the contested file as well."""
    Path("check/key.json").unlink()
    Path("check/.gnomon-0011223344556677.tmp").write_text("left by a killed save", "utf-8")
    outcome = check("blind", "purge", "check")
    assert outcome.out.count("removed: ") == 4
    assert not Path("contested.jsonl").exists()
    assert not Path("check").exists()


def test_a_key_cannot_name_a_victim(check: Gnomon) -> None:
    """A path in an edited key is no reason to remove a file that was not drawn from."""
    victim = Path("victim.txt")
    victim.write_text("precious", encoding="utf-8")
    key = Path("check/key.json")
    place = str(Path("contested.jsonl").absolute())
    key.write_text(key.read_text("utf-8").replace(place, str(victim.absolute())), "utf-8")
    outcome = check("blind", "purge", "check")
    assert victim.read_text("utf-8") == "precious"
    assert "left: " in outcome.out
    assert "victim.txt: is not as it was" in outcome.out


def test_a_trail_cannot_name_a_victim(check: Gnomon) -> None:
    """Even where a record of a draw has the hash of another file, only spots are removed."""
    victim = Path("victim.txt")
    victim.write_text("a file whose content everybody knows", encoding="utf-8")
    sha256 = hashlib.sha256(victim.read_bytes()).hexdigest()
    record = audit.read_record(".gnomon", 2)
    entry = {"path": "victim.txt", "sha256": sha256}
    files = {"files": {"contested": entry}}
    audit.append("forged", action="blind.draw", inputs=files, outputs=record.outputs, env={})
    outcome = check("blind", "purge", "check", "--state-dir", "forged")
    assert victim.exists()
    assert "victim.txt: is not removed" in outcome.out


def test_a_link_is_not_followed(check: Gnomon) -> None:
    """A contested file that is a link, and a link in the folder: what they lead to stays."""
    Path("elsewhere.jsonl").write_bytes(Path("contested.jsonl").read_bytes())
    Path("contested.jsonl").unlink()
    Path("contested.jsonl").symlink_to("elsewhere.jsonl")
    Path("check/sheet.csv").unlink()
    Path("check/sheet.csv").symlink_to("../elsewhere.jsonl")
    outcome = check("blind", "purge", "check")
    assert "is a link; remove what it leads to" in outcome.out
    assert Path("elsewhere.jsonl").exists()
    assert not Path("check").exists()


def test_another_folder(check: Gnomon) -> None:
    """A folder without any file of a draw is refused, and so is one that is not there."""
    Path("other").mkdir()
    Path("other/letter.txt").touch()
    assert_refused(check("blind", "purge", "other", code=2), "holds no file of a draw")
    assert_refused(check("blind", "purge", "nowhere", code=3), "no such folder")
    Path("other/sheet.csv").write_text("somebody's own sheet", encoding="utf-8")
    assert_refused(check("blind", "purge", "other", code=2), "neither a key nor a sheet")
    assert len(list(Path("other").iterdir())) == 2


def test_a_draw_that_was_killed(gnomon: Gnomon) -> None:
    """What it had begun to write is removed; a file that is merely called alike is not."""
    Path("check").mkdir(mode=0o700)
    Path("check/.gnomon-f1d6705381d01daf.tmp").write_text("half a list", encoding="utf-8")
    Path("check/.gnomon-notes.tmp").touch()
    outcome = gnomon("blind", "purge", "check")
    assert "removed: check/.gnomon-f1d6705381d01daf.tmp" in outcome.out
    assert [path.name for path in Path("check").iterdir()] == [".gnomon-notes.tmp"]


def test_a_draw_that_this_trail_does_not_know(check: Gnomon) -> None:
    """Its files go; its contested file stays, since nothing vouches for it."""
    outcome = check("blind", "purge", "check", "--state-dir", "other-state")
    assert "left: the contested file: this trail does not know the draw" in outcome.out
    assert Path("contested.jsonl").exists()
    assert not Path("check").exists()


def test_a_list_that_was_left_alone(gnomon: Gnomon) -> None:
    """A draw killed behind its list of unplaced spots is purged; another such file is not."""
    Path("check").mkdir(mode=0o700)
    unplaced = Path("check/unplaced.jsonl")
    unplaced.write_text('{"mine": 1}\n', encoding="utf-8")
    assert_refused(gnomon("blind", "purge", "check", code=2), "nothing is removed")
    unplaced.write_text('{"line": 3, "id": "ident", "kind": "deletion"}\n', encoding="utf-8")
    Path("check/.gnomon-f1d6705381d01daf.tmp").write_text("half a sheet", encoding="utf-8")
    gnomon("blind", "purge", "check")
    assert not Path("check").exists()


def test_what_was_begun_beside_the_contested_file(gnomon: Gnomon) -> None:
    """It may be half a contested file, or anybody's: named and left."""
    Path("spots").mkdir(mode=0o700)
    contested(FORTY, "spots/contested.jsonl")
    args = ("blind", "draw", "spots/contested.jsonl", "--plan", planned(gnomon), "--out", "check")
    gnomon(*args)
    begun = Path("spots/.gnomon-f1d6705381d01daf.tmp")
    begun.write_text("half a file", encoding="utf-8")
    outcome = gnomon("blind", "purge", "check").out
    assert "f1d6705381d01daf.tmp: was begun beside the contested file" in outcome
    assert begun.exists()


def test_a_copy_that_the_judge_gave_back(check: Gnomon) -> None:
    """A sheet of the draw goes under any name; one of another draw in the folder is left."""
    fill("check", "used")
    filled = Path("check/sheet.csv").read_bytes()
    Path("check/from the judge.csv").write_bytes(filled)
    record = audit.read_record(".gnomon", 2)
    other = filled.replace(record.outputs["draw"].encode(), b"draw-0123456789abcdef")
    Path("check/other.csv").write_bytes(other)
    outcome = check("blind", "purge", "check").out
    assert "removed: check/from the judge.csv" in outcome
    assert [path.name for path in Path("check").iterdir()] == ["other.csv"]


def test_a_contested_file_out_of_reach(check: Gnomon, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named as left, and the rest is removed."""
    place = Path("contested.jsonl").resolve()
    lstat, opened = Path.lstat, os.open

    def denied(path: Path) -> os.stat_result:
        if path.absolute() == place:
            raise PermissionError(13, "Permission denied", str(path))
        return lstat(path)

    def not_opened(path: str | Path, *args: int, **kwargs: int) -> int:
        if Path(path).absolute() == place:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *args, **kwargs)

    monkeypatch.setattr(Path, "lstat", denied)
    monkeypatch.setattr(os, "open", not_opened)
    outcome = check("blind", "purge", "check").out
    assert "contested.jsonl: is not removed: " in outcome
    assert not Path("check").exists()
