"""The options by which probe and fit are told what to read and how to measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from gnomon.adapters.registry import ADAPTER_NAMES
from gnomon.cli._options import place_type
from gnomon.cli._output import print_note
from gnomon.errors import UsageError
from gnomon.probe.files import (
    FILE_ROLES,
    NAMED_BY_ROLE,
    OTHERS,
    ProbeFiles,
    collection_files,
)
from gnomon.probe.settings import ProbeSettings

Command = TypeVar("Command", bound=Callable[..., Any])
_FILE = place_type

_INPUTS = (
    click.option("--corpus", type=_FILE, metavar="DIR",
                 help="BEIR folder with emb/NAME.corpus.npy and emb/NAME.queries.npy."),
    click.option("--old", metavar="NAME", help="Name of the model that the index was made with."),
    click.option("--new", metavar="NAME", help="Name of the model to move to."),
    click.option("--docs", type=_FILE, metavar="FILE", help="Corpus, JSON Lines: _id and text."),
    click.option("--queries", type=_FILE, metavar="FILE", help="Queries, JSON Lines or ids."),
    click.option("--qrels", type=_FILE, metavar="FILE", help="Judgements, BEIR TSV or TREC."),
    click.option("--ids", type=_FILE, metavar="FILE", help="Document ids, where --docs is absent."),
    click.option("--new-ids", type=_FILE, metavar="FILE",
                 help="The documents that --new-docs covers, when it is not all of them."),
    click.option("--old-docs", type=_FILE, metavar="FILE", help="Document vectors, old model."),
    click.option("--new-docs", type=_FILE, metavar="FILE", help="Document vectors, new model."),
    click.option("--old-queries", type=_FILE, metavar="FILE", help="Query vectors, old model."),
    click.option("--new-queries", type=_FILE, metavar="FILE", help="Query vectors, new model."),
    click.option("--old-profile", type=_FILE, metavar="FILE", help="Description of the old model."),
    click.option("--new-profile", type=_FILE, metavar="FILE", help="Description of the new model."),
    click.option("--vector-column", multiple=True, metavar="[ROLE=]NAME",
                 help="Parquet, Arrow: the column of vectors; ROLE= for one file, as old-docs=."),
    click.option("--id-column", multiple=True, metavar="[ROLE=]NAME",
                 help="Parquet, Arrow, npz, HDF5: the ids; ROLE= as above."),
    click.option("--key", multiple=True, metavar="[ROLE=]NAME",
                 help="npz, HDF5: the array of vectors; ROLE= as above."),
    click.option("--dtype", type=click.Choice(["bfloat16"]),
                 help="npy, npz: element type, where NumPy stored none."),
)  # fmt: skip

_MEASURES = (
    click.option("--k", type=int, default=10, show_default=True, help="Cut-off of recall."),
    click.option("--candidate-depth", type=int, default=200, show_default=True,
                 help="N, candidates that the bridge fetches for the cascade."),
    click.option("--tier", type=click.Choice(["T1", "T1u", "T0"]),
                 help="Ground truth; the best available when absent."),
    click.option("--fit-scope", type=click.Choice(["unseen", "seen"]), default="unseen",
                 show_default=True, help="Whether judged documents are kept out of the fit."),
    click.option("--pairs", type=int, default=4_000, show_default=True,
                 help="Most document pairs that an adapter is fitted on."),
    click.option("--sample", type=int, metavar="N",
                 help="Use the new vectors of N drawn documents, plus every judged one."),
)  # fmt: skip

_COMMON = (
    click.option("--adapter", metavar="NAME",
                 help=f"Force an adapter: {', '.join(ADAPTER_NAMES)}."),
    click.option("--seed", type=int, default=0, show_default=True, help="Seed of every draw."),
    click.option("--threads", type=int, help="Threads of the kernels; the machine's when absent."),
)  # fmt: skip

given_option = click.option(
    "--input",
    "given",
    multiple=True,
    metavar="NAME=PATH",
    help="Where an input of the record is now; may be repeated.",
)

FILE_FLAGS = (
    "docs", "queries", "qrels", "ids", "new_ids", "old_docs", "new_docs", "old_queries",
    "new_queries", "old_profile", "new_profile", "vector_column", "id_column", "key",
    "dtype",
)  # fmt: skip
SETTING_FLAGS = (
    "k", "candidate_depth", "tier", "fit_scope", "pairs", "sample", "adapter", "seed", "threads",
)  # fmt: skip


def input_options(command: Command) -> Command:
    """Add the options that name files."""
    return _with(command, _INPUTS)


def measure_options(command: Command) -> Command:
    """Add the options that say how to measure."""
    return _with(command, _MEASURES)


def common_options(command: Command) -> Command:
    """Add adapter, seed and threads."""
    return _with(command, _COMMON)


def files_from(flags: Mapping[str, Any]) -> ProbeFiles:
    """Return the files that the flags name.

    Raises
    ------
    UsageError
        Neither a collection nor both document vector files are named.
    """
    given = {name: flags[name] for name in FILE_FLAGS if flags[name] not in (None, ())}
    for option, roles in NAMED_BY_ROLE.items():
        if option in given:
            given[option] = _named(option, given[option], roles)
    old, new = flags["old"], flags["new"]
    if flags["corpus"] is not None:
        if old is None or new is None:
            raise UsageError(
                "--corpus needs --old NAME and --new NAME, two models in its emb folder"
            )
        files = collection_files(flags["corpus"], old, new, given=given)
        if files.old_queries is None and flags.get("tier", "T0") is None:
            print_note(
                f"{flags['corpus']} has no query vectors of both models (emb/NAME.queries.npy): "
                "documents stand in for queries, tier T0"
            )
        return files
    lacking = [name for name in ("old_docs", "new_docs") if name not in given]
    if lacking:
        names = " and ".join(f"--{name.replace('_', '-')}" for name in lacking)
        raise UsageError(f"{names} missing; name a collection with --corpus, or both vector files")
    old_stem, new_stem = given["old_docs"].stem, given["new_docs"].stem
    keys = given.get("key")
    if old_stem == new_stem and isinstance(keys, dict):  # one file holds both models
        old_stem, new_stem = keys.get("old_docs", old_stem), keys.get("new_docs", new_stem)
    return ProbeFiles(**given, old_name=old or old_stem, new_name=new or new_stem)


def _named(option: str, values: Sequence[str], roles: Sequence[str]) -> str | dict[str, str]:
    """Return the one name for all files, or role -> name.

    What stands before ``=`` is a role only when it is one: array names may hold the sign.
    """
    flag = f"--{option.replace('_', '-')}"
    names: dict[str, str] = {}
    for value in values:
        before, separator, after = value.partition("=")
        role = before.replace("-", "_")
        role, name = (role, after) if separator and role in roles else (OTHERS, value)
        if not name:
            raise UsageError(f"{flag} {value!r}; expected [ROLE=]NAME with a name")
        if role in names:
            of = "all files" if role == OTHERS else f"--{before}"
            raise UsageError(f"{flag} is given twice for {of}: {names[role]!r} and {name!r}")
        names[role] = name
    return names[OTHERS] if set(names) == {OTHERS} else names


def settings_from(flags: Mapping[str, Any]) -> ProbeSettings:
    """Return the checked settings."""
    return ProbeSettings(**{name: flags[name] for name in SETTING_FLAGS if name in flags})


def given_paths(given: Sequence[str]) -> dict[str, Path]:
    """Return role -> path of every ``--input``.

    Raises
    ------
    UsageError
        One has another form, or names no role of a probe's files.
    """
    paths = {}
    for item in given:
        name, separator, path = item.partition("=")
        if not separator or name not in FILE_ROLES or not path:
            raise UsageError(
                f"--input {item!r}; expected NAME=PATH with one of {', '.join(FILE_ROLES)}"
            )
        paths[name] = Path(path)
    return paths


def _with(command: Command, options: tuple[Callable[[Command], Command], ...]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command
