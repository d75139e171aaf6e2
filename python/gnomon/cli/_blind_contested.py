"""``gnomon blind contested``: spots for a judge from retrieval runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from gnomon import audit
from gnomon.blind.places import private_parent, refuse_in_repository
from gnomon.blind.run_spots import Showing, contest, write_spots
from gnomon.cli._environment import environment
from gnomon.cli._options import json_option, place_type, state_dir_option
from gnomon.cli._output import only_results_on_stdout, print_json, print_lines, print_note
from gnomon.cli.blind import allow_in_repo_option
from gnomon.cli.exit_codes import DONE
from gnomon.errors import MissingInputError, UsageError
from gnomon.sources.collection import resolve_collection
from gnomon.sources.corpus import read_corpus
from gnomon.sources.escape import counted
from gnomon.sources.files import shown
from gnomon.sources.fingerprint import fingerprint
from gnomon.sources.queries import read_queries
from gnomon.sources.runs import read_run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ACTION = "blind.contested"
SCHEMA = "gnomon.blind.contested/1"


@click.command(name="contested")
@click.option(
    "--a", "base", required=True, type=place_type, metavar="RUN",
    help="TREC run of the one system: base.",
)  # fmt: skip
@click.option(
    "--b", "alt", required=True, type=place_type, metavar="RUN",
    help="TREC run of the other: alt.",
)  # fmt: skip
@click.option(
    "--used", "live", required=True, type=place_type, metavar="RUN",
    help="TREC run of the live system: A, B, or one that chooses between them.",
)  # fmt: skip
@click.option(
    "--collection", required=True, type=place_type, metavar="DIR",
    help="Folder with corpus.jsonl and queries.jsonl, for the texts.",
)  # fmt: skip
@click.option(
    "--out", required=True, type=place_type, metavar="FILE",
    help="The contested file: new, in a folder with mode 0700 (made when missing).",
)  # fmt: skip
@click.option(
    "--show", "showing", type=click.Choice(["title", "passage"]), default="title",
    show_default=True, help="What a judge sees of a result.",
)  # fmt: skip
@allow_in_repo_option
@state_dir_option
@json_option
def contested_command(
    *,
    base: Path,
    alt: Path,
    live: Path,
    collection: Path,
    out: Path,
    showing: Showing,
    allow_in_repo: bool,
    state_dir: Path,
    as_json: bool,
) -> int:
    """Make contested spots from two retrieval runs.

    A spot is a query whose top results differ. The question is the context, the two top results are
    the readings, and --used says per query which of them the live system gives. Equal scores rank
    by id.
    """
    refuse_in_repository([out], allow=allow_in_repo)
    if os.path.lexists(out):
        raise UsageError(f"{shown(out)} is there already; name a new file")
    private_parent(out)
    audit.check_appendable(state_dir)
    found_files = resolve_collection(collection)
    if found_files.queries is None:
        raise MissingInputError(f"{shown(collection)}: has no queries.jsonl, so no questions")
    files = {"a": base, "b": alt, "used": live, "corpus": found_files.corpus}
    files["queries"] = found_files.queries
    with only_results_on_stdout():
        entries = _entries(files, state_dir)
        runs = (read_run(base), read_run(alt), read_run(live))
        queries, corpus = read_queries(found_files.queries), read_corpus(found_files.corpus)
        found = contest(runs, queries, corpus, showing=showing)
    write_spots(out, found)
    counts = found.counts()
    try:
        record = audit.append(
            state_dir,
            action=ACTION,
            inputs={"files": entries, "show": showing},
            outputs={**counts, "contested": fingerprint(out).sha256},
            env=environment(None),
        )
    except BaseException:
        out.unlink(missing_ok=True)
        raise
    if 0 in (counts["used_base"], counts["used_alt"]):
        only = "a" if counts["used_alt"] == 0 else "b"
        print_note(
            f"the live system gives {only}'s result on every spot: it is never right more often "
            f"than {only} alone, so condition 2 of a check cannot hold"
        )
    place_of = {"audit": {"seq": record.seq, "hash": record.hash}}
    if as_json:
        print_json(SCHEMA, {**counts, "out": str(out), **place_of})
    else:
        print_lines(*_lines(counts, out), f"audit record: {record.seq}")
    return DONE


def _entries(files: Mapping[str, Path], state_dir: Path) -> dict[str, Any]:
    entries = {}
    for role, path in files.items():
        file = fingerprint(path)
        entries[role] = audit.file_entry(path, state_dir, sha256=file.sha256, size=file.size)
    return entries


def _lines(counts: Mapping[str, int], out: Path) -> list[str]:
    left_out = (
        f"same top result: {counts['same']}; results that read the same: {counts['same_text']}; "
        f"live result is neither: {counts['used_other']}"
    )
    return [
        f"contested: {counts['spots']} of {counted(counts['queries'], 'query', 'queries')}",
        left_out,
        f"live gives a on {counted(counts['used_base'], 'spot')}, b on {counts['used_alt']}",
        f"written: {shown(out)}",
    ]
