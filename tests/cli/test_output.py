"""What reaches the streams: one JSON object, plain lines, progress; whatever the encoding."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gnomon.cli import _output, _progress


def test_json_is_one_object_with_the_schema_first(capsys: pytest.CaptureFixture[str]) -> None:
    """ASCII only, so nothing in it can act on a terminal."""
    _output.print_json("gnomon.x/1", {"id": "é\x1b[2J\u202e\udcff", "n": None})
    text = capsys.readouterr().out
    assert text.isascii()
    assert "\x1b" not in text
    assert next(iter(json.loads(text).items())) == ("schema", "gnomon.x/1")


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_json_never_holds_nan(capsys: pytest.CaptureFixture[str], number: float) -> None:
    """An unmeasured figure is null; NaN is a bug, and nothing is printed."""
    with pytest.raises(ValueError, match="JSON"):
        _output.print_json("gnomon.x/1", {"n": number})
    assert capsys.readouterr().out == ""


def test_lines_are_printed_as_they_are_but_for_controls(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Square brackets are no markup; controls are escaped; a line feed cannot fake a line."""
    _output.print_lines("[a] pkg[x] é", "x\x1b[31m\nfake")
    assert capsys.readouterr().out == "[a] pkg[x] é\nx\\x1b[31m\\nfake\n"


def test_a_narrow_encoding_does_not_crash(outside: Path) -> None:
    """A terminal in ASCII shows escapes."""
    code = (
        "import sys; from gnomon.cli import main, _output\n"
        "main._invoke = lambda args: _output.print_lines('é €')\n"
        "sys.exit(main.run([]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=outside,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"\\xe9 \\u20ac\n")


def test_noise_of_libraries_goes_to_stderr(outside: Path) -> None:
    """Prints of Python, of C (buffered) and of child processes stay out of the result."""
    code = (
        "import ctypes, os, subprocess; from gnomon.cli import _output\n"
        "with _output.only_results_on_stdout():\n"
        "    print('python'); ctypes.CDLL(None).printf(b'from C\\n'); os.write(1, b'raw\\n')\n"
        "    subprocess.run(['echo', 'child'], check=True)\n"
        "_output.print_json('gnomon.x/1', {})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=outside, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == {"schema": "gnomon.x/1"}
    assert sorted(done.stderr.split("\n")) == ["", "child", "from C", "python", "raw"]


def test_progress_off_a_terminal_is_a_line_per_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    """At most ten lines on stderr, however many blocks; stdout has none."""
    with _progress.progress_shown("searching") as progress:
        for done in range(1001):
            progress(done, 1000)
    shown = capsys.readouterr()
    assert shown.out == ""
    lines = shown.err.splitlines()
    assert len(lines) == 10
    assert lines[0] == "searching: 10% (100 of 1000)"
    assert lines[-1] == "searching: 100% (1000 of 1000)"


def test_a_closed_stderr_leaves_stdout_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Diagnostics have no place to go then, and must not become a part of the result."""
    monkeypatch.setattr(sys, "stderr", None)
    _output.print_note("a note")
    _output.print_error("an error")
    with _progress.progress_shown("searching") as progress:
        progress(1, 1)
    assert capsys.readouterr().out == ""


def test_quiet_progress_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """--quiet."""
    with _progress.progress_shown("searching", quiet=True) as progress:
        progress(1, 1)
    assert capsys.readouterr() == ("", "")


def test_progress_on_a_terminal_is_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar that is redrawn in place on stderr."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with _progress.progress_shown("searching") as progress:
        progress(0, 4)
        progress(4, 4)
    assert "searching" in terminal.getvalue()
    assert "\r" in terminal.getvalue()


def test_no_work_at_all_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    """A total of zero divides nothing."""
    with _progress.progress_shown("searching") as progress:
        progress(0, 0)
    assert capsys.readouterr().err == "searching: 100% (0 of 0)\n"
