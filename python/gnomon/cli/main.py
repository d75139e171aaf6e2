"""The entry point: finds the command, runs it, and turns whatever happens into an exit code.

The result of a command goes to stdout, all else to stderr. When a command fails, stdout stays
empty, with ``--json`` too: the exit code and one ``error:`` line on stderr say what happened.
"""

from __future__ import annotations

import errno
import importlib
import importlib.util
import io
import os
import signal
import sys
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn, TextIO

import click

from gnomon.cli._environment_file import project_variables
from gnomon.cli._output import print_error, print_note, silence_closed_stdout
from gnomon.cli.exit_codes import BUG, DONE, INTERRUPTED, REFUSED, USAGE, exit_code_of
from gnomon.errors import GnomonError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

DOTENV_NAME = ".env.local"


class Target(NamedTuple):
    """Where a command lives, and its line in ``gnomon --help``."""

    where: str
    summary: str


COMMANDS: dict[str, Target] = {
    "demo": Target(
        "gnomon.cli.demo:command",
        "The whole thing on the package's own documentation, offline, in a minute.",
    ),
    "index": Target(
        "gnomon.cli.index:command",
        "Build an index from Markdown pages or a corpus.",
    ),
    "probe": Target(
        "gnomon.cli.probe:command",
        "Old model to new model: what is kept, what is gained, what to do.",
    ),
    "fit": Target("gnomon.cli.fit:command", "Fit and save the adapter that the probe chose."),
    "replay": Target("gnomon.cli.replay:command", "Run a recorded decision again and compare."),
    "audit": Target(
        "gnomon.cli.audit:command",
        "List, show, verify, export or repair the trail (tamper-evident, not tamper-proof).",
    ),
    "calibrate": Target(
        "gnomon.cli.calibrate:command",
        "Measure the gate's window and thresholds, or refuse to give any.",
    ),
    "lint": Target("gnomon.cli.lint:command", "Check the golden set against the index."),
    "eval": Target(
        "gnomon.cli.eval:command",
        "Measure retrieval and refusal, and answers if a chat endpoint is given.",
    ),
    "tune": Target(
        "gnomon.cli.tune:command",
        "Sweep MMR lambda and k over the golden set, and keep the best.",
    ),
    "bench": Target(
        "gnomon.cli.bench:command",
        "Compare two retrieval configurations on answers, over several runs, with no key.",
    ),
    "feedback": Target(
        "gnomon.cli.feedback:command",
        "Turn votes from production into candidates for a person to review.",
    ),
    "blind": Target(
        "gnomon.cli.blind:command",
        "Have a person check a choice, under rules that are fixed before anybody looks.",
    ),
    "kernels": Target(
        "gnomon.cli.kernels:command",
        "What the CPU offers and how fast the kernels run here, beside the installed peers.",
    ),
    "doctor": Target(
        "gnomon.cli.doctor:command",
        "What was resolved and what is missing; exit 2 when not ready.",
    ),
}


class LazyGroup(click.Group):
    """A group that imports a command when it runs, so that ``gnomon --help`` imports none."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        """Return the names of the commands that are installed, in the order of the table."""
        return [name for name, target in COMMANDS.items() if _is_installed(target)]

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002  # click's signature
        cmd_name: str,
    ) -> click.Command | None:
        """Import and return the command, or None when there is none of that name."""
        target = COMMANDS.get(cmd_name)
        if target is None or not _is_installed(target):
            return None
        module, _, attribute = target.where.partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the table alone."""
        rows = [(name, COMMANDS[name].summary) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.group(
    name="gnomon",
    cls=LazyGroup,
    no_args_is_help=False,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="gnomon", prog_name="gnomon")
@click.pass_context
def gnomon(ctx: click.Context) -> None:
    """Measure retrieval and answer with a decision.

    The result goes to stdout, progress and diagnostics to stderr. Exit codes: 0 done, 1 a bug in
    gnomon, 2 usage or configuration, 3 the data or the domain refuses, 4 an expectation was not
    met, 130 interrupted.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main() -> None:
    """Run the command line and exit; the console script ``gnomon`` calls this."""
    warnings.showwarning = show_warning
    # One that was started with Ctrl-C ignored, as behind nohup, stays so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt_once)
    code = run(sys.argv[1:])
    # All is done: while Python takes itself down, Ctrl-C could only print a traceback.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)


def run(args: Sequence[str]) -> int:
    """Run the command line with ``args`` and return the exit code; raises nothing.

    A command may return its exit code; None counts as done.
    """
    try:
        _show_odd_characters_escaped()
        project_variables.set(load_dotenv_file(Path(DOTENV_NAME)))
        code = _invoke(args)
        silence_closed_stdout(sys.stdout.flush)
    except KeyboardInterrupt:
        print_error("interrupted", label="")
        return INTERRUPTED
    except Exception as error:  # the last line of defence: every error has a code
        return _report(error)
    return code


def show_warning(
    message: Warning | str,
    category: type[Warning],  # noqa: ARG001  # the signature of warnings.showwarning
    filename: str,  # noqa: ARG001
    lineno: int,  # noqa: ARG001
    file: TextIO | None = None,  # noqa: ARG001
    line: str | None = None,  # noqa: ARG001
) -> None:
    """Print what a warning says, without the place in our sources that it comes from."""
    print_note(f"warning: {message}")


def load_dotenv_file(path: Path) -> frozenset[str]:
    """Set the ``GNOMON_*`` variables of a ``.env.local`` and return those it set.

    What the shell has set stays. Other names are left alone: the file comes with a checkout, and a
    checkout must not redirect a proxy, a certificate or a library path.

    Raises
    ------
    UsageError
        When the file cannot be read as UTF-8.
    """
    if not path.is_file():
        return frozenset()
    from dotenv import dotenv_values  # noqa: PLC0415  # most runs have no such file

    try:
        values = dotenv_values(stream=io.StringIO(path.read_text("utf-8-sig")), interpolate=False)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read as UTF-8 text: {error}") from error
    ours = {name: value for name, value in values.items() if name.startswith("GNOMON_")}
    added = {name: value for name, value in ours.items() if value and name not in os.environ}
    os.environ.update(added)
    return frozenset(added)


def _interrupt_once(_signal: int, _frame: FrameType | None) -> NoReturn:
    # Whoever presses Ctrl-C again must not interrupt the cleaning up, nor end in a traceback.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _is_installed(target: Target) -> bool:
    return importlib.util.find_spec(target.where.partition(":")[0]) is not None


def _invoke(args: Sequence[str]) -> int:
    if "_GNOMON_COMPLETE" in os.environ:
        gnomon.main(args=list(args), prog_name="gnomon")
    try:
        with gnomon.make_context("gnomon", list(args)) as context:
            result = gnomon.invoke(context)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    return result if isinstance(result, int) else DONE


def _report(error: Exception) -> int:
    if isinstance(error, GnomonError):
        print_error(str(error), notes=getattr(error, "__notes__", ()))
        return exit_code_of(error)
    if isinstance(error, click.ClickException):
        return _report_usage(error)
    if isinstance(error, (click.Abort, EOFError)):
        print_error("a question could not be asked because stdin is closed: answer it by a flag")
        return USAGE
    if isinstance(error, MemoryError):
        print_error(
            "out of memory: take fewer documents (--sample), give vectors as .npy, which is"
            " memory-mapped, or use a machine with more memory"
        )
        return REFUSED
    if isinstance(error, OSError) and error.errno is not None:
        return _report_os_error(error)
    traceback.print_exception(error)
    print_error(
        f"this is a bug in gnomon ({type(error).__name__}); please report it with the lines above"
    )
    return BUG


def _report_usage(error: click.ClickException) -> int:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        print_error(error.format_message(), label="")
        return USAGE
    notes = []
    if isinstance(error, click.UsageError) and error.ctx is not None:
        notes.append(f"run `{error.ctx.command_path} --help` to see what it takes")
    print_error(error.format_message(), notes=notes)
    return USAGE


def _report_os_error(error: OSError) -> int:
    if error.errno == errno.EPIPE:
        return DONE
    where = f"{os.fsdecode(error.filename)}: " if error.filename is not None else ""
    advice = "; free some space" if error.errno in {errno.ENOSPC, errno.EDQUOT} else ""
    print_error(f"{where}{error.strerror or error}{advice}")
    return REFUSED


def _show_odd_characters_escaped() -> None:
    # A terminal whose encoding lacks a character must not turn a result into a crash.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
