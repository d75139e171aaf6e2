"""Options that several commands share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click


class _Place(click.Path):
    """A path that is not empty: an empty one would be the current folder."""

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:
        """Return the path."""
        if not os.fspath(value).strip():
            self.fail("an empty name is no path; name a file or folder", param, ctx)
        return super().convert(value, param, ctx)


place_type = _Place(path_type=Path)


state_dir_option = click.option(
    "--state-dir",
    type=place_type,
    default=".gnomon",
    metavar="DIR",
    envvar="GNOMON_STATE_DIR",
    show_default=True,
    show_envvar=True,
    help="Directory of the audit trail.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object instead of text."
)
# As large as a whole number may be in the trail, which is JSON.
limit_type = click.IntRange(1, 2**53 - 1)
quiet_option = click.option("--quiet", is_flag=True, help="Show no progress.")
question_embedder_option = click.option(
    "--embedder",
    metavar="URI",
    help="Embeds the questions; must be the index's model. [default: the index's own]",
)
# As large as a number in the trail may be.
seed_option = click.option(
    "--seed",
    type=click.IntRange(0, 2**53 - 1),
    default=0,
    show_default=True,
    help="Seed of every draw.",
)
