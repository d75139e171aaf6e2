"""``gnomon calibrate --transfer``: thresholds of one embedder, carried to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon import audit
from gnomon.calibration.carrying import carry_over
from gnomon.calibration.raw_cache import EVIDENCE_FILE
from gnomon.calibration.recording import (
    METRIC_VERSION,
    TRANSFER,
    CalibrationFiles,
    recorded_inputs,
    recorded_outputs,
)
from gnomon.cli._environment import environment
from gnomon.cli._index_facts import index_facts
from gnomon.cli._output import only_results_on_stdout, print_error, print_json, print_lines
from gnomon.cli._progress import progress_shown
from gnomon.cli.exit_codes import DONE, REFUSED
from gnomon.golden.lint import check_probes
from gnomon.retrieval.calibration_file import write_calibration
from gnomon.retrieval.index import Index
from gnomon.sources.escape import counted
from gnomon.sources.files import shown
from gnomon.sources.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from gnomon.calibration.transfer import Transfer
    from gnomon.embedding.embedder import Embed
    from gnomon.rules.gate_transfer import Anchors

SCHEMA = "gnomon.transfer/1"


@dataclass(frozen=True, slots=True)
class Carried:
    """What a transfer reads and writes."""

    index: Path
    probes: Path
    source: Path
    target: Path
    anchors: Anchors
    seed: int
    state_dir: Path


def carry_over_and_write(
    what: Carried,
    embedding: Callable[[Index], AbstractContextManager[Embed | None]],
    *,
    as_json: bool,
    quiet: bool,
) -> int:
    """Fit the window, write the file if one fits, and return the exit code."""
    files = CalibrationFiles(what.index, what.probes, what.source)
    with only_results_on_stdout(), progress_shown("anchors", quiet=quiet) as progress:
        index = Index.open(what.index, verify=True)
        probes = check_probes(what.probes, index_facts(index))
        with embedding(index) as embed:
            result = carry_over(
                index,
                probes,
                what.source,
                embed,
                what.state_dir / EVIDENCE_FILE,
                progress,
                anchors=what.anchors,
                seed=what.seed,
                probes_hash=fingerprint(what.probes).sha256,
            )
        entries = files.entries(index, what.state_dir)
    body = result.to_json()
    settings = {"seed": what.seed, "anchors": what.anchors}
    record = audit.append(
        what.state_dir,
        action=TRANSFER,
        inputs=recorded_inputs(entries, index, index.manifest.guard, settings),
        outputs=recorded_outputs(body),
        env=environment(None),
        metric_version=METRIC_VERSION,
    )
    if result.guard is not None:
        write_calibration(what.target, body)
    if as_json:
        place = {"audit": {"seq": record.seq, "hash": record.hash}}
        print_json(SCHEMA, {**body, "out": _out(result, what), **place})
    else:
        print_lines(*_lines(result, what))
    if result.guard is None:
        print_error(
            "no window keeps the bounds at the inherited threshold; run gnomon calibrate instead",
            label="failed: ",
        )
        return REFUSED
    return DONE


def _out(result: Transfer, what: Carried) -> str | None:
    return None if result.guard is None else str(what.target)


def _lines(result: Transfer, what: Carried) -> list[str]:
    if result.guard is None or result.choice is None:
        return ["verdict: refused"]
    guard, cell = result.guard, result.choice.outcome.cell
    assert cell is not None  # the chosen window has one
    counts = {s: n for s, n in result.counts.items() if n}
    return [
        "verdict: transferred",
        (
            f"guard: tau {guard.tau:.2f} inherited, window [{guard.cos_floor:.2f}, "
            f"{guard.cos_ceil:.2f}] fitted on {counted(sum(counts.values()), 'anchor')} "
            f"({result.anchors})"
        ),
        *(f"  {s}: refused {cell.refused.get(s, 0)} of {n}" for s, n in counts.items()),
        f"drift of the rates: {result.choice.drift:.3f}",
        "this is a bounded bet, not a measurement: no bound is established here",
        f"written: {shown(what.target)}; run gnomon index to serve it",
    ]
