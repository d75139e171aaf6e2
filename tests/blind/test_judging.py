"""A sheet while it is judged: every verdict at once, nothing of anybody lost, changes noticed."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gnomon.blind.judging import Judging, OtherVerdictError, SheetChangedError
from gnomon.blind.sheet import Sheet, read_sheet, write_sheet
from gnomon.errors import StateError, UsageError
from tests.blind.sheets import written


def changed(path: Path, number: int, **cells: Any) -> None:
    """Give a spot of a sheet file other cells."""
    sheet = read_sheet(path)
    spots = list(sheet.spots)
    spots[number - 1] = replace(spots[number - 1], **cells)
    write_sheet(path, replace(sheet, spots=tuple(spots)))


@pytest.mark.parametrize("name", ["sheet.csv", "sheet.jsonl"])
def test_a_verdict_is_on_the_disk_when_judge_returns(tmp_path: Path, name: str) -> None:
    """Whoever reads the file then finds it; taking it back opens the spot again."""
    path = written(tmp_path / name, 3)
    judging = Judging(path)
    after = judging.judge(2, "neither", seen=None)
    assert read_sheet(path) == after
    assert [spot.verdict for spot in after.spots] == [None, "neither", None]
    judging.judge(2, None, seen="neither")
    assert read_sheet(path).unfilled == (1, 2, 3)


def test_two_at_one_sheet_lose_nothing(tmp_path: Path) -> None:
    """Two that have the sheet open each judge their spots; all verdicts are there."""
    path = written(tmp_path / "sheet.csv", 20)
    one, other = Judging(path), Judging(path)

    def judge(number: int) -> None:
        (one if number % 2 else other).judge(number, "x" if number % 2 else "y", seen=None)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(judge, range(1, 21)))
    assert [spot.verdict for spot in read_sheet(path).spots] == ["x", "y"] * 10


def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    """Two servers of one sheet wait for each other while saving."""
    path = written(tmp_path / "sheet.jsonl", 24)
    code = (
        "import sys; from gnomon.blind.judging import Judging; j = Judging(sys.argv[1])\n"
        "for number in range(int(sys.argv[2]), 25, 2): j.judge(number, 'x', seen=None)"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(path), str(first)]) for first in (1, 2)
    ]
    assert [process.wait() for process in started] == [0, 0]
    assert read_sheet(path).unfilled == ()
    assert list(tmp_path.iterdir()) == [path]


def test_a_verdict_that_was_not_seen_is_not_written_over(tmp_path: Path) -> None:
    """The second window is told what the first one said; the file keeps it."""
    path = written(tmp_path / "sheet.csv", 3)
    one, other = Judging(path), Judging(path)
    one.judge(1, "x", seen=None)
    with pytest.raises(OtherVerdictError, match="spot 1 was judged elsewhere") as refused:
        other.judge(1, "y", seen=None)
    assert refused.value.sheet.spots[0].verdict == "x"
    assert read_sheet(path).spots[0].verdict == "x"
    assert other.judge(1, "y", seen="x").spots[0].verdict == "y"


def test_verdicts_from_a_spreadsheet_are_taken_over(tmp_path: Path) -> None:
    """A verdict that somebody filled in beside the page is no change of the sheet."""
    path = written(tmp_path / "sheet.csv", 3)
    judging = Judging(path)
    changed(path, 3, verdict="cannot_tell")
    assert judging.judge(1, "x", seen=None).unfilled == (2,)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"x": "another"}, "spot 2 has another reading x now"),
        ({"y": "another"}, "spot 2 has another reading y now"),
        ({"left_context": "another"}, "spot 2 has another left context now"),
        ({"time": 99.5}, "spot 2 has another time now"),
    ],
)
def test_an_edited_cell_is_noticed(tmp_path: Path, cells: dict[str, Any], said: str) -> None:
    """No verdict goes into a sheet whose readings are not those that the judge saw."""
    path = written(tmp_path / "sheet.csv", 3)
    judging = Judging(path)
    changed(path, 2, **cells)
    before = path.read_bytes()
    with pytest.raises(SheetChangedError, match=said):
        judging.judge(1, "x", seen=None)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"draw": "draw-" + "f" * 16}, "the sheet of another draw"),
        ({"plan": "c" * 64}, "the sheet of another draw"),
        ({"secret_sha256": "c" * 64}, "belongs to another key"),
    ],
)
def test_another_sheet_is_noticed(tmp_path: Path, other: dict[str, str], said: str) -> None:
    """A sheet of another draw, plan or key under the same name takes no verdict."""
    path = written(tmp_path / "sheet.csv", 3)
    judging = Judging(path)
    write_sheet(path, replace(read_sheet(path), **other))
    with pytest.raises(SheetChangedError, match=said):
        judging.judge(1, "x", seen=None)


def test_a_row_more_or_less_is_noticed(tmp_path: Path) -> None:
    """The message counts both."""
    path = written(tmp_path / "sheet.csv", 3)
    judging = Judging(path)
    sheet: Sheet = read_sheet(path)
    write_sheet(path, replace(sheet, spots=sheet.spots[:2]))
    with pytest.raises(SheetChangedError, match="has 2 spots now, and had 3"):
        judging.sheet()


@pytest.mark.parametrize("damage", ["removed", "emptied"])
def test_a_sheet_that_is_gone_is_noticed(tmp_path: Path, damage: str) -> None:
    """Removed or broken, nothing is written in its place, and the reason stands once."""
    path = written(tmp_path / "sheet.csv", 3)
    judging = Judging(path)
    if damage == "removed":
        path.unlink()
    else:
        path.write_bytes(b"")
    with pytest.raises(SheetChangedError, match="can't be read any more") as refused:
        judging.judge(1, "x", seen=None)
    assert str(refused.value).count(str(path)) == 1
    assert str(path) not in refused.value.found
    assert not path.exists() or path.read_bytes() == b""


def test_there_are_four_verdicts_and_so_many_spots(tmp_path: Path) -> None:
    """A fifth verdict or a spot beyond the last changes nothing."""
    path = written(tmp_path / "sheet.csv", 3)
    before = path.read_bytes()
    judging = Judging(path)
    for number, verdict in ((1, "both"), (0, "x"), (4, "x")):
        with pytest.raises(UsageError):
            judging.judge(number, verdict, seen=None)  # type: ignore[arg-type]
    assert path.read_bytes() == before


def test_a_link_is_followed(tmp_path: Path) -> None:
    """Verdicts go where the sheet is, and the link stays one."""
    path = written(tmp_path / "far" / "sheet.csv", 2)
    link = tmp_path / "sheet.csv"
    link.symlink_to(path)
    Judging(link).judge(1, "y", seen=None)
    assert link.is_symlink()
    assert read_sheet(path).unfilled == (2,)


def test_a_full_disk_keeps_what_was_saved(small_disk: Path) -> None:
    """The verdict that does not fit is refused; the sheet on the disk is whole."""
    path = written(small_disk / "sheet.csv", 20)
    judging = Judging(path)
    judging.judge(1, "x", seen=None)
    before = path.read_bytes()
    fill = small_disk / "fill"
    with pytest.raises(OSError, match="No space"), fill.open("wb") as file:
        file.write(bytes(2**20))
    with pytest.raises(StateError, match="No space"):
        judging.judge(2, "x", seen=None)
    assert path.read_bytes() == before
