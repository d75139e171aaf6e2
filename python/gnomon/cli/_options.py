"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click


def _directory(_context: click.Context, _parameter: click.Parameter, value: str) -> Path:
    if not value.strip():
        raise click.BadParameter("an empty name is no directory")
    return Path(value)


state_dir_option = click.option(
    "--state-dir",
    callback=_directory,
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
