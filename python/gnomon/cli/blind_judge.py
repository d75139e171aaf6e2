"""``gnomon blind judge``: the page on which a person judges a sheet."""

from __future__ import annotations

import math
import os
import sys
import threading
import webbrowser
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from gnomon import audit
from gnomon.blind.belonging import check_sheet, check_unedited
from gnomon.blind.judging import Judging
from gnomon.blind.places import refuse_in_repository
from gnomon.blind.trail import read_trail
from gnomon.cli._environment import environment
from gnomon.cli._options import json_option, place_type, state_dir_option
from gnomon.cli._output import only_results_on_stdout, print_json, print_lines, print_note
from gnomon.cli.exit_codes import DONE, INTERRUPTED
from gnomon.errors import MissingDependencyError
from gnomon.sources.escape import by_number, counted
from gnomon.sources.files import shown

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.blind.guard import Door
    from gnomon.blind.server import Ending
    from gnomon.blind.sheet import Sheet

SCHEMA = "gnomon.blind.judge/1"
MOST_IDLE_MINUTES = 7 * 24 * 60


def _a_number(_context: click.Context, _parameter: click.Parameter, value: float) -> float:
    if math.isnan(value):  # passes every comparison with a bound
        raise click.BadParameter("nan is no number of minutes")
    return value


@click.command(name="judge")
@click.argument("sheet", type=place_type, metavar="SHEET")
@click.option(
    "--audio",
    type=place_type,
    metavar="FILE",
    help="The recording that the spots' times belong to.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="[default: a free one]"
)
@click.option("--no-open", is_flag=True, help="Print the address, open no browser.")
@click.option(
    "--idle-minutes",
    type=click.FloatRange(min=0, min_open=True, max=MOST_IDLE_MINUTES),
    callback=_a_number,
    default=60.0,
    show_default=True,
    metavar="N",
    help="Stop when nobody was at the page for so long.",
)
@click.option("--allow-in-repo", is_flag=True, help="Take a sheet inside a Git work tree.")
@state_dir_option
@json_option
def command(
    sheet: Path,
    audio: Path | None,
    port: int,
    no_open: bool,
    idle_minutes: float,
    allow_in_repo: bool,
    state_dir: Path,
    as_json: bool,
) -> int:
    """Show the spots of SHEET to its judge, one by one, on a page of this machine.

    The page answers on 127.0.0.1 only, at an address that nobody can guess. Every verdict is in
    SHEET before the next spot is shown, so that closing the window or killing the program loses
    nothing; the same command goes on at the first open spot. The key is never opened.
    """
    _check_installed()
    from gnomon.blind.page import checked_audio  # noqa: PLC0415  # an extra
    from gnomon.blind.server import serve  # noqa: PLC0415  # an extra

    refuse_in_repository([sheet], allow=allow_in_repo)
    recording = None if audio is None else checked_audio(audio)
    audit.check_appendable(state_dir)
    judging = Judging(sheet)
    _check_with_trail(judging.sheet(), sheet, state_dir)

    def opened(door: Door) -> None:
        print_note(f"judge this sheet at {door.address}")
        print_note("every verdict is saved at once; Ctrl-C stops, and nothing is lost")
        if not no_open:
            _open_browser(door.address_for_once)

    with only_results_on_stdout():
        ending = serve(judging, recording, port=port, idle_s=idle_minutes * 60, opened=opened)
    found = judging.sheet()
    body = _counts(found, ending)
    record = audit.append(
        state_dir,
        action="blind.judge",
        inputs={"draw": found.draw, "plan": found.plan},
        outputs=body,
        env=environment(None),
    )
    if ending == "interrupted":
        print_note(_sentence(found, sheet, "stopped by Ctrl-C"))
        return INTERRUPTED
    if as_json:
        print_json(SCHEMA, {**body, "audit": {"seq": record.seq, "hash": record.hash}})
    else:
        quiet = f"nobody was at the page for {idle_minutes:g} minutes" if ending == "idle" else ""
        print_lines(_sentence(found, sheet, quiet))
    return DONE


def _check_with_trail(sheet: Sheet, path: Path, state_dir: Path) -> None:
    """Refuse a sheet that is not as it was drawn, where the trail knows its draw.

    A judge's machine may have another trail than the owner's; then scoring finds it out.
    """
    trail = read_trail(state_dir)
    draw = trail.draws.get(sheet.draw)
    if draw is None:
        return
    check_sheet(sheet, path, draw)
    check_unedited(sheet, path, draw)
    scores = trail.scores.get(sheet.draw)
    if scores:
        print_note(
            f"{sheet.draw} was scored already (record {scores[0].seq}): verdicts that are changed "
            "now will be refused by gnomon blind score"
        )


def _check_installed() -> None:
    try:
        import starlette  # noqa: F401, PLC0415  # an extra
        import uvicorn  # noqa: F401, PLC0415  # an extra
    except ImportError as error:
        raise MissingDependencyError(
            f"the judge's page needs starlette and uvicorn ({error}); run: pip install "
            "'gnomon[blind]'. Without them the sheet can be filled in a spreadsheet"
        ) from error


def _counts(sheet: Sheet, ending: Ending) -> dict[str, object]:
    n_open = len(sheet.unfilled)
    return {
        "spots": len(sheet.spots),
        "judged": len(sheet.spots) - n_open,
        "open": n_open,
        "ended": ending,
    }


def _sentence(sheet: Sheet, path: Path, why: str) -> str:
    """Say in one line what is judged, where it is saved, and what comes next."""
    n, n_open = len(sheet.spots), len(sheet.unfilled)
    begin, place = (f"{why}: " if why else ""), shown(path)
    if n_open == 0:
        return (
            f"{begin}{by_number(n, 'the only spot is', f'all {n} spots are')} judged and saved in "
            f"{place}; next: gnomon blind score "
            f"--sheet {place} --key KEY"
        )
    return (
        f"{begin}{n - n_open} of {counted(n, 'spot')} {by_number(n - n_open, 'is', 'are')} judged "
        f"and saved in {place}; the same command "
        "goes on at the first open one"
    )


def _open_browser(address: str) -> None:
    """Open a browser where there is a screen; elsewhere Python would start one in the terminal."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY")
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in screens):
        print_note("there is no screen here: open the address in a browser of this machine")
        return

    def start() -> None:
        with suppress(Exception):  # the address has been printed
            webbrowser.open(address)

    threading.Thread(target=start, daemon=True).start()
