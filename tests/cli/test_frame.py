"""The command line's frame: streams, exit codes, errors without tracebacks, quick help."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest

from gnomon import errors
from gnomon.cli import main
from gnomon.cli.exit_codes import BY_REPLAY_VERDICT, exit_code_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.probing import Gnomon

START = "from gnomon.cli.main import main; main()"


@pytest.fixture
def run_raising(outside: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], int]:
    """Return a function that runs a command which raises, and returns the exit code."""

    def run(error: BaseException) -> int:
        def fail(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr(main, "_invoke", fail)
        return main.run([])

    return run


def gnomon(*args: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the command line as a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", START, *args],
        cwd=cwd,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.UsageError("k = 0"), 2),
        (errors.MissingDependencyError("install gnomon[hdf5]"), 2),
        (errors.InvalidInputError("row 3 holds NaN"), 3),
        (errors.InvalidTypeError("complex128"), 3),
        (errors.MissingInputError("a.npy"), 3),
        (errors.MismatchError("width 3 and 4"), 3),
        (errors.NotMeasuredError("no judged query"), 3),
        (errors.IndexFileError("cut short"), 3),
        (errors.AuditCorruptError("record 3"), 3),
        (errors.StateError("disk full"), 3),
        (errors.GnomonError("other"), 3),
        (errors.ExpectationError("caution"), 4),
        (click.UsageError("no such option"), 2),
        (click.BadParameter("bad"), 2),
        (click.Abort(), 2),
        (EOFError(), 2),
        (MemoryError(), 3),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "out.html"), 3),
        (PermissionError(errno.EACCES, os.strerror(errno.EACCES), "a.npy"), 3),
        (KeyboardInterrupt(), 130),
    ],
    ids=repr,
)
def test_what_went_wrong_has_its_code(
    run_raising: Callable[[BaseException], int],
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
) -> None:
    """Stdout stays empty; stderr has one line that starts with ``error:`` and no traceback."""
    assert run_raising(error) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Traceback" not in shown.err
    assert len(shown.err.splitlines()) == 1
    assert shown.err.startswith("interrupted" if code == 130 else "error: ")


def test_every_error_class_has_a_code() -> None:
    """A class added to errors.py is in the table, by itself or by its base."""
    classes = [c for c in vars(errors).values() if isinstance(c, type)]
    assert all(exit_code_of(kind("x")) in {2, 3, 4} for kind in classes)


def test_replay_verdicts_have_the_codes_of_the_design() -> None:
    """The one table of exit codes holds them too."""
    assert BY_REPLAY_VERDICT == {
        "identical": 0,
        "matched": 0,
        "input_changed": 3,
        "differed": 3,
        "not_replayable": 2,
    }


def test_an_unknown_exception_is_a_bug_and_says_so(
    run_raising: Callable[[BaseException], int], capsys: pytest.CaptureFixture[str]
) -> None:
    """Only here a traceback is shown, and the exit code is 1."""
    assert run_raising(ZeroDivisionError("oops")) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Traceback" in shown.err
    assert "this is a bug in gnomon (ZeroDivisionError)" in shown.err


def test_notes_of_an_error_are_shown_below_it(
    run_raising: Callable[[BaseException], int], capsys: pytest.CaptureFixture[str]
) -> None:
    """Layers add context with add_note."""
    error = errors.InvalidInputError("row 3 holds NaN")
    error.add_note("while reading queries.npy")
    assert run_raising(error) == 3
    assert capsys.readouterr().err == "error: row 3 holds NaN\n  while reading queries.npy\n"


def test_a_full_disk_names_the_file(
    run_raising: Callable[[BaseException], int], capsys: pytest.CaptureFixture[str]
) -> None:
    """What, why, and what to do."""
    run_raising(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "out.html"))
    assert capsys.readouterr().err == (
        "error: out.html: No space left on device; free some space\n"
    )


def test_control_characters_in_an_error_are_escaped(
    run_raising: Callable[[BaseException], int], capsys: pytest.CaptureFixture[str]
) -> None:
    """An id from a file cannot recolour or rewrite the terminal; brackets stay as they are."""
    run_raising(errors.InvalidInputError("id [bold]\x1b[2J\u202e is\nrepeated"))
    assert capsys.readouterr().err == "error: id [bold]\\x1b[2J\\u202e is\nrepeated\n"


@pytest.mark.parametrize("flag", ["--help", "-h", None])
def test_help_is_the_result_of_asking_for_it(outside: Path, flag: str | None) -> None:
    """Help goes to stdout and exits with 0; it names the exit codes."""
    done = gnomon(*([flag] if flag else []), cwd=outside)
    assert (done.returncode, done.stderr) == (0, "")
    assert "audit" in done.stdout
    assert "130 interrupted" in done.stdout


def test_an_interruption_while_importing(outside: Path) -> None:
    """Ctrl-C before the command line has begun ends with its code and without a traceback."""
    code = """
import sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
from gnomon.cli.start import main
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=outside, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_an_interruption_after_the_work(outside: Path) -> None:
    """Ctrl-C while Python takes itself down changes neither the exit code nor stderr."""
    code = (
        "import atexit, os, signal; from gnomon.cli.main import main;"
        "atexit.register(os.kill, os.getpid(), signal.SIGINT); main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=outside, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_help_imports_no_command(outside: Path) -> None:
    """The list of commands comes from the table, so help does not wait for numerics."""
    code = (
        "import sys; from gnomon.cli.main import run; run(['--help']);"
        "print([m for m in sys.modules if m.startswith('gnomon.cli.') and '_' not in m]);"
        "print('filelock' in sys.modules, 'tqdm' in sys.modules, 'dotenv' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=outside, capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith("['gnomon.cli.main']\nFalse False False\n")


def test_a_command_that_is_not_installed_is_not_listed(
    outside: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A missing module breaks neither help nor the message for its name."""
    monkeypatch.setitem(main.COMMANDS, "soon", main.Target("gnomon.cli.soon:command", "Later."))
    assert main.run(["--help"]) == 0
    assert "soon" not in capsys.readouterr().out
    assert main.run(["soon"]) == 2
    assert "No such command 'soon'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "args",
    [
        ["nope"],
        ["--nope"],
        ["audit"],
        ["audit", "nope"],
        ["audit", "list", "--nope"],
        ["audit", "list", "extra"],
        ["audit", "show"],
        ["audit", "show", "0"],
        ["audit", "show", "x"],
        ["audit", "list", "--last", "0"],
        ["audit", "list", "--state-dir", ""],
        ["audit", "list", "--state-dir"],
        ["audit", "export"],
    ],
    ids=" ".join,
)
def test_a_wrong_command_line_exits_with_two(
    outside: Path, capsys: pytest.CaptureFixture[str], args: list[str]
) -> None:
    """Usage errors go to stderr, stdout stays empty, and nothing is created."""
    assert main.run(args) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err
    assert list(outside.iterdir()) == []


def test_a_command_may_return_its_exit_code(
    outside: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A number is the code, None is done, and ctx.exit works as well."""
    results: list[Any] = [4, None, 0]
    probe = click.Command("x", callback=lambda: results.pop(0))
    monkeypatch.setattr(main.LazyGroup, "get_command", lambda *_: probe)
    assert [main.run(["x"]) for _ in range(3)] == [4, 0, 0]
    leaving = click.Command("x", callback=lambda: click.get_current_context().exit(4))
    monkeypatch.setattr(main.LazyGroup, "get_command", lambda *_: leaving)
    assert main.run(["x"]) == 4


def test_a_local_file_sets_what_the_shell_has_not(
    outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GNOMON_ names only; the shell wins; values are taken as they stand."""
    monkeypatch.setenv("GNOMON_A", "shell")
    for name in ("GNOMON_B", "GNOMON_C", "GNOMON_D", "HTTPS_PROXY_TEST"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    (outside / ".env.local").write_bytes(
        b"\xef\xbb\xbfGNOMON_A=file\r\n\r\n# note\r\nGNOMON_B='b c'\r\nexport GNOMON_C=$HOME/x\r\n"
        b"GNOMON_D\r\nHTTPS_PROXY_TEST=evil\r\n"
    )
    main.load_dotenv_file(Path(".env.local"))
    assert os.environ["GNOMON_A"] == "shell"
    assert os.environ["GNOMON_B"] == "b c"
    assert os.environ["GNOMON_C"] == "$HOME/x"
    assert "GNOMON_D" not in os.environ
    assert "HTTPS_PROXY_TEST" not in os.environ


def test_a_local_file_names_the_state_directory(outside: Path) -> None:
    """It is read before a value is resolved; flag beats shell beats file."""
    (outside / ".env.local").write_text("GNOMON_STATE_DIR=from-file\n")
    assert "from-file" in gnomon("audit", "list", cwd=outside).stderr
    assert "shell" in gnomon("audit", "list", cwd=outside, GNOMON_STATE_DIR="shell").stderr
    done = gnomon("audit", "list", "--state-dir", "flag", cwd=outside, GNOMON_STATE_DIR="shell")
    assert "flag" in done.stderr


def test_a_local_file_that_is_no_text_is_named(
    outside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Configuration: exit 2."""
    (outside / ".env.local").write_bytes(b"GNOMON_A=\xff\n")
    assert main.run(["--help"]) == 2
    assert ".env.local cannot be read as UTF-8" in capsys.readouterr().err


def test_an_interrupt_is_130_without_a_traceback(outside: Path) -> None:
    """Ctrl-C in the middle of work: a short line and the code."""
    code = (
        "import sys, time; from gnomon.cli import main\n"
        "def work(args):\n"
        "    print('ready', flush=True); time.sleep(60)\n"
        "main._invoke = work; sys.exit(main.run([]))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=outside,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, "interrupted\n")


@pytest.mark.parametrize("code", [0, 4])
def test_a_reader_that_goes_away_changes_no_exit_code(outside: Path, code: int) -> None:
    """``gnomon ... | head`` is quiet, and a failed expectation still exits with 4."""
    script = (
        "import sys; from gnomon.cli import main, _output\n"
        "def work(args):\n"
        "    for _ in range(100): _output.print_lines('x' * 10000)\n"
        f"    return {code}\n"
        "main._invoke = work; sys.exit(main.run([]))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], cwd=outside, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=30) == code


@pytest.mark.parametrize(
    "arguments",
    [
        ["index", ""],
        ["index", "docs", "--out", " "],
        ["eval", "--out", ""],
        ["tune", "--golden", ""],
        ["lint", "--collection", ""],
        ["bench", "emit", "--config", "a", "--out", ""],
        ["blind", "purge", ""],
        ["audit", "list", "--state-dir", ""],
    ],
    ids=" ".join,
)
def test_an_empty_path_is_no_path(gnomon: Gnomon, arguments: list[str]) -> None:
    """It is refused, and never taken for the current folder."""
    outcome = gnomon(*arguments, code=2)
    assert "an empty name is no path" in outcome.err


def test_a_warning_is_one_line_of_stderr() -> None:
    """What it says, made safe, and not the place in our sources that it comes from."""
    script = (
        "import warnings; from gnomon.cli import main as m;"
        "m.run = lambda _: warnings.warn('slow \x1b[31m') or 0; m.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("", "warning: slow \\x1b[31m\n")
