"""``gnomon blind purge``: remove what holds readings, and name what is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gnomon import audit
from gnomon.blind.purge import purge
from gnomon.blind.trail import PURGE, read_trail
from gnomon.cli._environment import environment
from gnomon.cli._options import json_option, place_type, state_dir_option
from gnomon.cli._output import print_json, print_lines, print_note
from gnomon.cli.exit_codes import DONE
from gnomon.sources.files import shown

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = "gnomon.blind.purge/1"


@click.command(name="purge")
@click.argument("folder", type=place_type, metavar="DIR")
@state_dir_option
@json_option
def purge_command(*, folder: Path, state_dir: Path, as_json: bool) -> int:
    """Remove everything of the draw in DIR that has readings.

    That is sheet, key, verdicts and the contested file. What could not or must not be removed is
    named. The record says that it was done; a draw that was purged is not scored any more.
    """
    audit.check_appendable(state_dir)
    purged = purge(folder, read_trail(state_dir), state_dir)
    record = audit.append(
        state_dir, action=PURGE, inputs={}, outputs=purged.outputs(), env=environment(None)
    )
    for draw in purged.unscored:
        print_note(f"warning: {draw} has no score, and can have none any more")
    if as_json:
        body = {
            **purged.outputs(),
            "removed": [str(path) for path in purged.removed],
            "left": [{"path": path, "why": why} for path, why in purged.left],
            "audit": {"seq": record.seq, "hash": record.hash},
        }
        print_json(SCHEMA, body)
        return DONE
    print_lines(
        *(f"removed: {shown(path)}" for path in purged.removed),
        *(f"left: {path}: {why}" for path, why in purged.left),
        f"audit record: {record.seq}",
    )
    return DONE
