"""A sheet while a judge fills it: what was opened, what is on the disk, and every verdict at once.

The file is read again for every verdict. So two windows, two servers or a spreadsheet beside them
lose nothing of each other, and a sheet whose readings were changed meanwhile takes no verdict.
"""

from __future__ import annotations

import fcntl
import os
import threading
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gnomon.blind.sheet import Sheet, Verdict, read_sheet, write_sheet
from gnomon.errors import GnomonError, MismatchError, StateError
from gnomon.sources.escape import counted
from gnomon.sources.files import reason, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.blind.sheet import Spot


_CELLS: Final = {
    "time": "time",
    "left_context": "left context",
    "x": "reading x",
    "y": "reading y",
}


class SheetChangedError(MismatchError):
    """The sheet is not the one that was opened: another draw, other readings, or gone.

    Attributes
    ----------
    found
        What is different, without the name of the file.
    """

    def __init__(self, path: Path, found: str) -> None:
        self.found = found
        super().__init__(
            f"{shown(path)}: was changed while it was open: {found}. Nothing more was saved; bring "
            "back the sheet that was drawn, then run the command again"
        )


class OtherVerdictError(MismatchError):
    """A spot has meanwhile got another verdict than the one that the judge saw.

    Attributes
    ----------
    sheet
        The sheet as it is on the disk.
    """

    def __init__(self, number: int, sheet: Sheet) -> None:
        self.sheet = sheet
        verdict = sheet.spots[number - 1].verdict or "no verdict"
        super().__init__(f"spot {number} was judged elsewhere meanwhile and has {verdict} now")


class Judging:
    """A sheet in the hands of a judge.

    Parameters
    ----------
    path
        A sheet, ``.csv`` or ``.jsonl``. A symbolic link is followed once, here.

    Raises
    ------
    MissingInputError, InvalidInputError
        When there is no such file, or it is no sheet.
    StateError
        When its folder cannot be written to: no verdict could be saved.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).resolve()
        self._opened = _without_verdicts(read_sheet(self.path))
        self._saving = threading.Lock()
        if not os.access(self.path.parent, os.W_OK):
            raise StateError(
                f"{shown(self.path.parent)}: this folder cannot be written to, so no verdict could "
                "be saved; move the sheet to a folder of your own"
            )

    def sheet(self) -> Sheet:
        """Return the sheet as it is on the disk now.

        Raises
        ------
        SheetChangedError
            When anything but its verdicts is different from what was opened.
        """
        try:
            found = read_sheet(self.path)
        except GnomonError as error:
            raise SheetChangedError(self.path, _unreadable(error, self.path)) from error
        difference = _difference(self._opened, _without_verdicts(found))
        if difference is not None:
            raise SheetChangedError(self.path, difference)
        return found

    def judge(self, number: int, verdict: Verdict | None, *, seen: Verdict | None) -> Sheet:
        """Save one verdict, or take it back, and return the sheet as it is on the disk then.

        Parameters
        ----------
        number
            The spot.
        verdict
            What the judge says; None takes a verdict back.
        seen
            The verdict that the judge saw when deciding; None for an open spot.

        Raises
        ------
        OtherVerdictError
            When the disk has another verdict than ``seen``: it would be lost unread.
        SheetChangedError
            When anything but its verdicts is different from what was opened.
        UsageError
            When there is no such spot or no such verdict.
        StateError
            When the sheet cannot be written; it is as it was.
        """
        with self._saving, _alone_in(self.path.parent):
            before = self.sheet()
            after = before.with_verdict(number, verdict)
            if before.spots[number - 1].verdict != seen:
                raise OtherVerdictError(number, before)
            write_sheet(self.path, after)
        return after


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Keep other processes that judge in this folder waiting; leaves no file behind."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise StateError(
            f"{shown(folder)}: the folder of the sheet cannot be opened: {reason(error)}"
        ) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _without_verdicts(sheet: Sheet) -> Sheet:
    return replace(sheet, spots=tuple(replace(spot, verdict=None) for spot in sheet.spots))


def _unreadable(error: GnomonError, path: Path) -> str:
    return f"it can't be read any more ({str(error).removeprefix(f'{shown(path)}: ')})"


def _difference(opened: Sheet, found: Sheet) -> str | None:
    """Say in what two sheets without verdicts differ; None when they are the same."""
    if (opened.draw, opened.plan) != (found.draw, found.plan):
        return "it is the sheet of another draw now"
    if opened.secret_sha256 != found.secret_sha256:
        return "it belongs to another key now"
    if len(opened.spots) != len(found.spots):
        return f"it has {counted(len(found.spots), 'spot')} now, and had {len(opened.spots)}"
    pairs = zip(opened.spots, found.spots, strict=True)
    return next((_changed_cell(one, other) for one, other in pairs if one != other), None)


def _changed_cell(opened: Spot, found: Spot) -> str:
    for cell, name in _CELLS.items():
        if getattr(opened, cell) != getattr(found, cell):
            return f"spot {opened.number} has another {name} now"
    raise AssertionError  # numbers run from 1 in both
