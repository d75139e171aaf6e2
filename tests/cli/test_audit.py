"""``gnomon audit``: results on stdout, errors on stderr, exit codes that a script can trust."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gnomon import audit
from gnomon.cli import main
from gnomon.cli.audit import command

START = "from gnomon.cli.main import main; main()"


@pytest.fixture
def state_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the default state directory of an empty working directory, with three records."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GNOMON_STATE_DIR", raising=False)
    for decision in ("caution", "full_reindex", None):
        audit.append(
            tmp_path / ".gnomon",
            action="probe" if decision else "fit",
            inputs={"id": "\x1b[31mred [x]"},
            outputs={"decision": decision} if decision else {},
            env={},
            version="0.1.0",
        )
    return tmp_path / ".gnomon"


def run(*args: str, code: int = 0) -> Any:
    """Run ``gnomon audit`` in this process and return click's result, checking the exit code."""
    result = CliRunner().invoke(command, args, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    assert (result.return_value or 0) == code
    return result


def process(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command line as a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", START, "audit", *args],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def tear(state_dir: Path) -> bytes:
    """Cut the last record short; return what is left of it."""
    trail = audit.trail_path(state_dir)
    trail.write_bytes(trail.read_bytes()[:-25])
    return trail.read_bytes().rpartition(b"\n")[2]


def test_list_shows_number_time_action_and_decision(state_dir: Path) -> None:
    """One line a record, in order."""
    rows = [line.split() for line in run("list").stdout.splitlines()]
    assert [[row[0], *row[2:]] for row in rows] == [
        ["1", "probe", "caution"],
        ["2", "probe", "full_reindex"],
        ["3", "fit", "-"],
    ]


def test_list_as_json(state_dir: Path) -> None:
    """All records are counted, the last ones listed."""
    answer = json.loads(run("list", "--json", "--last", "2").stdout)
    assert answer["schema"] == "gnomon.audit.list/1"
    assert answer["n_records"] == 3
    assert [row["seq"] for row in answer["records"]] == [2, 3]
    assert list(answer["records"][0]) == ["seq", "ts", "action", "decision", "hash"]


def test_list_without_a_trail_is_empty(tmp_path: Path) -> None:
    """Nothing was decided yet: no error, an empty list, and a note on stderr."""
    done = process("list", "--json", cwd=tmp_path)
    assert done.returncode == 0
    assert json.loads(done.stdout)["records"] == []
    assert "no audit trail yet at .gnomon/audit.jsonl" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "args",
    [["show", "1"], ["verify"], ["head"], ["export", "--out", "x"], ["repair"]],
    ids=" ".join,
)
def test_other_commands_need_a_trail(tmp_path: Path, args: list[str]) -> None:
    """What is to be checked and is not there may have been deleted: exit 3."""
    done = process(*args, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("error: there is no audit trail at .gnomon/audit.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_show_prints_the_record(state_dir: Path) -> None:
    """As JSON either way; controls are escaped on the terminal."""
    record = audit.read_record(state_dir, 2).to_json()
    assert json.loads(run("show", "2", "--json").stdout) == {
        "schema": "gnomon.audit.show/1",
        "record": record,
    }
    text = run("show", "2").stdout
    assert json.loads(text) == record
    assert "\x1b" not in text


def test_show_of_a_record_that_is_not_there(state_dir: Path) -> None:
    """A wrong number is an error of usage that names the range."""
    done = process("show", "9", cwd=state_dir.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert "records 1 to 3" in done.stderr


def test_verify_says_what_it_cannot_show(state_dir: Path) -> None:
    """Tamper-evident, not tamper-proof; without a head a cut tail is not seen."""
    text = run("verify").stdout
    assert text.startswith("ok: 3 records")
    assert "tamper-evident, not tamper-proof" in text
    assert "cut tail is not seen" in text


def test_verify_as_json(state_dir: Path) -> None:
    """The verdict is the result, whichever way it goes."""
    head = audit.verify(state_dir).head.hash
    answer = json.loads(run("verify", "--json", "--head", head).stdout)
    assert answer == {
        "schema": "gnomon.audit.verify/1",
        "ok": True,
        "records": 3,
        "hash": head,
        "problem": None,
        "head_checked": head,
        "head_seq": 3,
        "notes": [audit.EVIDENCE_NOTE],
    }
    trail = audit.trail_path(state_dir)
    trail.write_bytes(trail.read_bytes().replace(b"caution", b"Caution"))
    answer = json.loads(run("verify", "--json", code=3).stdout)
    assert (answer["ok"], answer["records"]) == (False, 0)
    assert answer["problem"]["kind"] == "content_altered"
    assert answer["problem"]["seq"] == 1


def test_verify_exits_with_three_in_both_modes(state_dir: Path) -> None:
    """A torn tail is named as such; the code does not depend on --json."""
    tear(state_dir)
    for mode in ([], ["--json"]):
        done = process("verify", *mode, cwd=state_dir.parent)
        assert (done.returncode, done.stderr) == (3, "")
        assert "torn" in done.stdout
        assert "gnomon audit repair" in done.stdout


def test_head_then_verify_sees_a_cut_tail(state_dir: Path) -> None:
    """What head prints is what verify takes."""
    answer = json.loads(run("head", "--json").stdout)
    assert answer["schema"] == "gnomon.audit.head/1"
    assert answer["records"] == 3
    assert run("head").stdout == f"records 3\nhead {answer['hash']}\n"
    trail = audit.trail_path(state_dir)
    trail.write_bytes(b"".join(trail.read_bytes().splitlines(keepends=True)[:2]))
    assert run("verify").return_value == 0
    assert "head not found" in run("verify", "--head", answer["hash"], code=3).stdout


def test_no_head_is_printed_of_a_trail_that_does_not_verify(state_dir: Path) -> None:
    """Anchoring damage would bless it."""
    tear(state_dir)
    done = process("head", cwd=state_dir.parent)
    assert (done.returncode, done.stdout) == (3, "")
    assert "torn" in done.stderr


@pytest.mark.parametrize("head", ["", "123", "Z" * 64])
def test_a_malformed_head_is_refused(state_dir: Path, head: str) -> None:
    """Exit 2, not a verdict."""
    done = process("verify", "--head", head, cwd=state_dir.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert "64 lower-case hex digits" in done.stderr


def test_export_and_verify_the_export(state_dir: Path, tmp_path: Path) -> None:
    """The copy is checked without a state directory."""
    out = tmp_path / "copy.jsonl"
    answer = json.loads(run("export", "--out", str(out), "--json").stdout)
    assert answer["schema"] == "gnomon.audit.export/1"
    assert answer["records"] == 3
    assert out.read_bytes() == audit.trail_path(state_dir).read_bytes()
    assert run("verify", "--trail", str(out), "--head", answer["hash"]).return_value == 0
    done = process("verify", "--trail", "missing.jsonl", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert "missing.jsonl" in done.stderr


def test_repair_then_all_is_well(state_dir: Path) -> None:
    """The torn bytes are moved, named, recorded; a second repair finds nothing."""
    torn = tear(state_dir)
    answer = json.loads(run("repair", "--json").stdout)
    assert answer["schema"] == "gnomon.audit.repair/1"
    assert answer["repaired"] is True
    assert answer["bytes"] == len(torn)
    assert answer["seq"] == 3
    assert (state_dir / answer["moved_to"]).read_bytes() == torn
    assert run("verify").stdout.startswith("ok: 3 records")
    assert "nothing to repair" in run("repair").stdout
    assert json.loads(run("repair", "--json").stdout)["repaired"] is False


def test_repair_refuses_other_damage(state_dir: Path) -> None:
    """Evidence is not mended."""
    trail = audit.trail_path(state_dir)
    trail.write_bytes(trail.read_bytes().replace(b"caution", b"Caution"))
    before = trail.read_bytes()
    done = process("repair", cwd=state_dir.parent)
    assert (done.returncode, done.stdout) == (3, "")
    assert "record 1" in done.stderr
    assert trail.read_bytes() == before


def test_a_list_of_a_damaged_trail_is_an_error(state_dir: Path) -> None:
    """A list that stops at damage could pass for a whole one: error, empty stdout."""
    tear(state_dir)
    done = process("list", cwd=state_dir.parent)
    assert (done.returncode, done.stdout) == (3, "")
    assert "record 3 is a torn tail" in done.stderr


def test_the_state_directory_is_a_flag_or_a_variable(
    state_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The flag wins over GNOMON_STATE_DIR, which is read when the value is resolved."""
    monkeypatch.chdir(os.path.sep)
    monkeypatch.setenv("GNOMON_STATE_DIR", str(tmp_path / "none"))
    assert run("list").stdout == ""
    assert len(run("list", "--state-dir", str(state_dir)).stdout.splitlines()) == 3
    monkeypatch.setenv("GNOMON_STATE_DIR", str(state_dir))
    assert len(run("list").stdout.splitlines()) == 3


def test_a_state_directory_below_a_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 3 with the path and no traceback."""
    (tmp_path / "file").touch()
    assert main.run(["audit", "verify", "--state-dir", str(tmp_path / "file" / "x")]) == 3
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "regular file" in shown.err
