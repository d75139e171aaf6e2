"""``gnomon blind judge``: what it refuses before it serves, how it ends, and what it says then."""

from __future__ import annotations

import builtins
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gnomon import audit
from gnomon.blind.sheet import read_sheet, write_sheet
from tests.blind.checks import contested, drawn, fill, planned, score, spot
from tests.blind.sheets import silence, written
from tests.cli.probing import assert_refused

if TYPE_CHECKING:
    from tests.cli.probing import Gnomon

# Nobody comes to the page of these tests.
AT_ONCE = ("--no-open", "--idle-minutes", "0.001")


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """Write a sheet of four spots, one of them judged."""
    return written(tmp_path / "drawn" / "sheet.csv", 4, verdicts={2: "neither"})


def test_nobody_comes(gnomon: Gnomon, sheet: Path) -> None:
    """It ends by itself, says what is judged and how to go on, and leaves the sheet's bytes."""
    before = sheet.read_bytes()
    outcome = gnomon("blind", "judge", sheet, *AT_ONCE)
    assert outcome.out == (
        f"nobody was at the page for 0.001 minutes: 1 of 4 spots is judged and saved in {sheet}; "
        "the same command goes on at the first open one\n"
    )
    address, note = outcome.err.splitlines()
    assert address.startswith("judge this sheet at http://127.0.0.1:")
    assert len(address.partition("?token=")[2]) >= 43
    assert note == "every verdict is saved at once; Ctrl-C stops, and nothing is lost"
    assert sheet.read_bytes() == before


def test_json(gnomon: Gnomon, sheet: Path) -> None:
    """One object with the counts; no reading, no verdict, no address."""
    found = gnomon("blind", "judge", sheet, *AT_ONCE, "--json").json
    record = audit.read_record(Path(".gnomon"), 1)
    assert found == {
        "schema": "gnomon.blind.judge/1",
        "spots": 4,
        "judged": 1,
        "open": 3,
        "ended": "idle",
        "audit": {"seq": 1, "hash": record.hash},
    }


def test_the_trail_knows_that_a_sheet_was_judged(gnomon: Gnomon, sheet: Path) -> None:
    """Draw, plan and counts; no reading, no context, no verdict, no token."""
    outcome = gnomon("blind", "judge", sheet, *AT_ONCE)
    record = audit.read_record(Path(".gnomon"), 1)
    found = read_sheet(sheet)
    assert record.action == "blind.judge"
    assert record.inputs == {"draw": found.draw, "plan": found.plan}
    assert record.outputs == {"spots": 4, "judged": 1, "open": 3, "ended": "idle"}
    trail = Path(".gnomon/audit.jsonl").read_text("utf-8")
    for shown in found.spots:
        for text in (shown.x, shown.y, shown.left_context):
            assert len(text) < 4 or text not in trail
    assert "neither" not in trail
    assert outcome.err.partition("?token=")[2].partition("\n")[0] not in trail


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("sheet.csv", b"", "line 1"),
        ("sheet.csv", b"a,b\r\n1,2\r\n", "missing"),
        ("sheet.jsonl", b"{}\n", "not the head of a sheet"),
    ],
)
def test_no_sheet(gnomon: Gnomon, tmp_path: Path, name: str, content: bytes, said: str) -> None:
    """Refused before anything is served."""
    path = tmp_path / name
    path.write_bytes(content)
    assert_refused(gnomon("blind", "judge", path, *AT_ONCE, code=3), said)
    assert_refused(gnomon("blind", "judge", tmp_path / "none.csv", *AT_ONCE, code=3), "none.csv")
    assert not Path(".gnomon/audit.jsonl").exists()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--port", "65536"), "--port"),
        (("--port", "x"), "--port"),
        (("--idle-minutes", "0"), "--idle-minutes"),
        (("--idle-minutes", "-1"), "--idle-minutes"),
        (("--idle-minutes", "nan"), "--idle-minutes"),
        (("--audio", "none.wav"), "there is no such file"),
        (("--audio", "notes.txt"), "expected a recording"),
        (("--key", "key.json"), "--key"),
    ],
)
def test_flags_are_checked_first(
    gnomon: Gnomon, sheet: Path, flags: tuple[str, str], said: str
) -> None:
    """Exit 2, and no address was printed."""
    outcome = gnomon("blind", "judge", sheet, "--no-open", *flags, code=2)
    assert_refused(outcome, said)
    assert "http://" not in outcome.err


def test_a_sheet_in_a_work_tree(gnomon: Gnomon, sheet: Path) -> None:
    """Verdicts of people are not for a repository, unless that is wanted."""
    (sheet.parent.parent / ".git").mkdir()
    assert_refused(gnomon("blind", "judge", sheet, *AT_ONCE, code=2), "--allow-in-repo")
    gnomon("blind", "judge", sheet, *AT_ONCE, "--allow-in-repo")


def test_a_sheet_that_is_not_as_it_was_drawn(gnomon: Gnomon) -> None:
    """Where the trail knows the draw, nobody judges in vain what scoring would refuse."""
    contested([spot(i) for i in range(5)])
    drawn(gnomon, planned(gnomon))
    path = Path("check/sheet.csv")
    gnomon("blind", "judge", path, *AT_ONCE)
    sheet = read_sheet(path)
    edited = replace(sheet, spots=(replace(sheet.spots[0], x="another"), *sheet.spots[1:]))
    write_sheet(path, edited)
    assert_refused(
        gnomon("blind", "judge", path, *AT_ONCE, code=3), "is not the one that was drawn"
    )
    write_sheet(path, replace(sheet, spots=sheet.spots[:4]))
    assert_refused(gnomon("blind", "judge", path, *AT_ONCE, code=3), "has 4 rows")


def test_a_sheet_that_was_scored(gnomon: Gnomon) -> None:
    """The judge is told that other verdicts come too late."""
    contested([spot(i) for i in range(5)])
    drawn(gnomon, planned(gnomon))
    path = fill("check", "used")
    assert "scored already" not in gnomon("blind", "judge", path, *AT_ONCE).err
    score(gnomon)
    assert "was scored already (record 4)" in gnomon("blind", "judge", path, *AT_ONCE).err


def test_a_port_that_is_taken(gnomon: Gnomon, sheet: Path) -> None:
    """Said with what to do."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        outcome = gnomon("blind", "judge", sheet, *AT_ONCE, "--port", port, code=2)
    assert_refused(outcome, f"port {port} of 127.0.0.1 cannot be used", "--port")


def test_a_port_of_ones_own(gnomon: Gnomon, sheet: Path, tmp_path: Path) -> None:
    """The printed address has it; a recording is taken."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    recording = silence(tmp_path / "talk.wav", 1)
    outcome = gnomon("blind", "judge", sheet, *AT_ONCE, "--port", port, "--audio", recording)
    assert f"http://127.0.0.1:{port}/" in outcome.err


@pytest.mark.parametrize("name", ["starlette", "uvicorn"])
def test_without_the_extra(
    gnomon: Gnomon, sheet: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The message says what to install, and that the sheet can be filled without it."""
    plain = builtins.__import__

    def without(wanted: str, *args: Any, **kwargs: Any) -> Any:
        if wanted.partition(".")[0] == name:
            raise ModuleNotFoundError(f"No module named '{name}'")
        return plain(wanted, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    outcome = gnomon("blind", "judge", sheet, *AT_ONCE, code=2)
    assert_refused(outcome, "pip install 'gnomon[blind]'", "spreadsheet")


def test_no_screen_no_browser(gnomon: Gnomon, sheet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a server Python would start a browser in the terminal; none is started there."""
    opened: list[str] = []
    monkeypatch.setattr("gnomon.cli.blind_judge.webbrowser.open", opened.append)
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    outcome = gnomon("blind", "judge", sheet, "--idle-minutes", "0.001")
    assert "there is no screen here" in outcome.err
    assert opened == []


def test_the_browser_gets_an_address_for_once(
    gnomon: Gnomon, sheet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the printed one: other users see the command lines of browsers."""
    opened: list[str] = []
    monkeypatch.setattr("gnomon.cli.blind_judge.webbrowser.open", opened.append)
    monkeypatch.setenv("DISPLAY", ":0")
    outcome = gnomon("blind", "judge", sheet, "--idle-minutes", "0.01")
    printed = outcome.err.partition("judge this sheet at ")[2].partition("\n")[0]
    (given,) = opened
    assert given.partition("?token=")[0] == printed.partition("?token=")[0]
    assert given != printed


def test_ctrl_c(sheet: Path, tmp_path: Path) -> None:
    """Exit 130 with what is saved, no traceback, nothing on stdout."""
    command = "from gnomon.cli.main import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", command, "blind", "judge", str(sheet), "--no-open"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert process.stderr is not None
    assert "http://127.0.0.1:" in process.stderr.readline()
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (130, "")
    assert err == (
        f"stopped by Ctrl-C: 1 of 4 spots is judged and saved in {sheet}; the same command goes "
        "on at the first open one\n"
    )
