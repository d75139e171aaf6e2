"""Progress on stderr: a bar on a terminal, one line per tenth elsewhere, nothing when quiet."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gnomon.cli._output import print_note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.types import Progress


@contextmanager
def progress_shown(label: str, *, quiet: bool = False) -> Iterator[Progress]:
    """Yield the callable that shows how much of ``label`` is done.

    Parameters
    ----------
    label
        What is being worked on, such as ``"searching"``.
    quiet
        True shows nothing.

    Examples
    --------
    >>> with progress_shown("searching", quiet=True) as progress:
    ...     progress(1, 2)
    """
    if quiet:
        yield _ignore
    elif sys.stderr is not None and sys.stderr.isatty():
        with _bar(label) as progress:
            yield progress
    else:
        yield _TenthLines(label)


class _TenthLines:
    """Prints a line whenever another tenth of the work is done."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._shown = 0

    def __call__(self, done: int, total: int) -> None:
        tenths = 10 if total <= 0 else min(10, done * 10 // total)
        if tenths > self._shown:
            self._shown = tenths
            print_note(f"{self._label}: {tenths * 10}% ({done} of {total})")


@contextmanager
def _bar(label: str) -> Iterator[Progress]:
    from tqdm import tqdm  # noqa: PLC0415  # only a terminal needs it

    tqdm.monitor_interval = 0  # no helper thread: bars are updated between blocks
    with tqdm(desc=label, leave=False, file=sys.stderr, dynamic_ncols=True) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show


def _ignore(done: int, total: int) -> None:
    """Show nothing."""
