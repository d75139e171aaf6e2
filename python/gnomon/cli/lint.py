"""``gnomon lint``: check golden sets, probe sets and collections before anything is measured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gnomon.cli._configured import configured
from gnomon.cli._index_facts import read_facts
from gnomon.cli._options import json_option, place_type
from gnomon.cli._output import only_results_on_stdout, print_error, print_json, print_lines
from gnomon.cli.exit_codes import DONE, EXPECTATION, REFUSED
from gnomon.errors import UsageError
from gnomon.golden.lint import lint_golden, lint_probes
from gnomon.golden.lint_collection import lint_collection
from gnomon.report.lint_text import lint_lines
from gnomon.retrieval.function_words import function_words
from gnomon.sources.files import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.cli._configured import Configured
    from gnomon.golden.lint import LintResult

SCHEMA = "gnomon.lint/1"


@click.command(name="lint")
@click.argument("index_dir", required=False, type=place_type, metavar="[INDEX]")
@click.option("--golden", type=place_type, metavar="FILE", help="The golden set.")
@click.option(
    "--probes",
    is_flag=False,
    flag_value="",
    metavar="[FILE]",
    help="Check the probe set of the gate; without FILE, the configured one.",
)
@click.option(
    "--collection",
    type=place_type,
    metavar="DIR",
    help="Check a folder in the BEIR layout; needs no index.",
)
@click.option("--strict", is_flag=True, help="Exit with 4 when there are warnings.")
@json_option
def command(
    index_dir: Path | None,
    golden: Path | None,
    probes: str | None,
    collection: Path | None,
    strict: bool,
    as_json: bool,
) -> int:
    """Check a golden set against an index, before it measures anything.

    An error keeps the set from measuring: the exit code is 3, and eval, tune, bench and calibrate
    refuse the set as well. A warning skews one figure. Without --golden, --probes or --collection,
    the configured golden set is checked.
    """  # fmt: skip
    settings = configured()
    probe_file = _probe_file(probes, settings, index_dir)
    if golden is None and probe_file is None and collection is None:
        golden = Path(settings.value("golden"))
    if index_dir is not None and golden is None and probe_file is None:
        raise UsageError("--collection is checked without an index; leave out INDEX")
    with only_results_on_stdout():
        place = index_dir or Path(settings.value("index"))
        results = list(_checked(golden, probe_file, place))
        if collection is not None:
            words = function_words(settings.value("languages"))
            results.append(lint_collection(collection, words))
    errors = sum(result.n_errors for result in results)
    warnings = sum(result.n_warnings for result in results)
    if as_json:
        files = [result.as_dict() for result in results]
        print_json(SCHEMA, {"errors": errors, "warnings": warnings, "files": files})
    else:
        print_lines(*(line for result in results for line in lint_lines(result)))
    if errors:
        return REFUSED
    if strict and warnings:
        print_error("--strict: there are warnings", label="")
        return EXPECTATION
    return DONE


def _probe_file(probes: str | None, settings: Configured, index_dir: Path | None) -> Path | None:
    if probes is None:
        return None
    if probes and index_dir is None and Path(probes).is_dir():
        raise UsageError(
            f"--probes took the folder {shown(probes)} for its file; name the index first: "
            f"gnomon lint {shown(probes)} --probes"
        )
    return Path(probes or settings.value("probes"))


def _checked(golden: Path | None, probes: Path | None, place: Path) -> Iterator[LintResult]:
    if golden is None and probes is None:
        return
    facts = read_facts(place)
    if golden is not None:
        yield lint_golden(golden, facts)
    if probes is not None:
        yield lint_probes(probes, facts)
