"""``gnomon demo``: the whole thing on the package's own documentation, offline."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from gnomon import audit
from gnomon.cli._options import json_option, place_type, quiet_option
from gnomon.cli._output import only_results_on_stdout, print_lines
from gnomon.cli._progress import progress_shown
from gnomon.cli.probe import probe_and_record, show, write_report
from gnomon.probe.demo import make_demo_collection
from gnomon.probe.settings import ProbeSettings

REPORT = "report.html"


@click.command(name="demo")
@click.option(
    "--out",
    type=place_type,
    default=Path("gnomon-demo"),
    metavar="DIR",
    show_default=True,
    help="Folder for the collection, the report and the trail.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of every draw.")
@json_option
@quiet_option
def command(out: Path, seed: int, as_json: bool, quiet: bool) -> None:
    """Probe an upgrade between two small offline models on gnomon's own documentation.

    Embeds the passages and questions that ship with the package, decides, and leaves everything in
    DIR: the collection, an HTML report and the audit trail, which can be replayed. No network.
    """  # fmt: skip
    settings = ProbeSettings(seed=seed)
    state_dir = out / ".gnomon"
    audit.check_appendable(state_dir)
    with only_results_on_stdout(), progress_shown("embedding", quiet=quiet) as progress:
        files = make_demo_collection(out, progress=progress)
    result, record = probe_and_record(files, settings, state_dir=state_dir, quiet=quiet)
    write_report(out / REPORT, result, record)
    show(result, record, as_json=as_json)
    if not as_json:
        place = shlex.quote(str(state_dir))
        print_lines("", f"again:   gnomon replay {record.seq} --state-dir {place}")
