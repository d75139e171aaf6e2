"""What commands print: one JSON object or plain lines on stdout, errors on stderr."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TYPE_CHECKING, Any

from gnomon.sources.escape import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


def print_json(schema: str, result: Mapping[str, Any]) -> None:
    """Print one JSON object to stdout, ``schema`` first.

    Everything outside printable ASCII is escaped, so the object is safe on a terminal and in any
    encoding.

    Raises
    ------
    ValueError
        When the result holds NaN or an infinity: a figure that was not measured is null.
    """
    text = json.dumps({"schema": schema, **result}, allow_nan=False, indent=2)
    _write(text + "\n")


def print_lines(*lines: str) -> None:
    """Print lines to stdout; characters that could act on a terminal are escaped."""
    _write("".join(printable(line) + "\n" for line in lines))


def print_note(text: str) -> None:
    """Print a line of diagnostics to stderr."""
    _to_stderr(printable(text))


def print_error(message: str, *, notes: Iterable[str] = (), label: str = "error: ") -> None:
    """Print an error to stderr, and notes indented below it; line feeds are kept."""
    lines = [f"{label}{printable(message, keep=chr(10))}"]
    lines += [f"  {printable(note)}" for note in notes]
    _to_stderr("\n".join(lines))


@contextmanager
def only_results_on_stdout() -> Iterator[None]:
    """Send what libraries print to stdout within the block to stderr, C code included.

    A workflow runs inside; its result is printed after the block. ``--json`` thus stays one
    document whatever is imported.
    """
    sys.stdout.flush()
    with redirect_stdout(sys.stderr), _descriptor_to_stderr():
        yield


def silence_closed_stdout(write: Callable[[], object]) -> None:
    """Call ``write``; when the reader of stdout has gone, drop what is still to be printed.

    The command's own exit code then stands, for example that of ``--expect``.
    """
    try:
        write()
    except BrokenPipeError:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def _to_stderr(text: str) -> None:
    if sys.stderr is None:  # closed by the caller; print would then take stdout
        return
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def _write(text: str) -> None:
    def write() -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    silence_closed_stdout(write)


@contextmanager
def _descriptor_to_stderr() -> Iterator[None]:
    # Under a test runner the streams need not be the process's descriptors 1 and 2.
    if not _is_descriptor(sys.__stdout__, 1) or not _is_descriptor(sys.__stderr__, 2):
        yield
        return
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        _flush_c_streams()
        os.dup2(kept, 1)
        os.close(kept)


def _flush_c_streams() -> None:
    # What C code has printed may still sit in its buffer and would surface after the block.
    import ctypes  # noqa: PLC0415  # needed here only

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).fflush(None)


def _is_descriptor(stream: Any, number: int) -> bool:
    try:
        return stream is not None and stream.fileno() == number and os.fstat(number) is not None
    except (OSError, ValueError):
        return False
