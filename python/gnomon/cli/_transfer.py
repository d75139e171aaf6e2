"""``gnomon calibrate --transfer``: thresholds of one embedder, carried to another."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon import audit
from gnomon.calibration.gather import as_evidence
from gnomon.calibration.transfer import Transfer, check_transferable, draw_anchors, transfer
from gnomon.calibration.workflow import Options, file_hash, gather
from gnomon.cli._environment import environment
from gnomon.cli._output import only_results_on_stdout, print_error, print_json, print_lines
from gnomon.cli._progress import progress_shown
from gnomon.cli.exit_codes import DONE, REFUSED
from gnomon.errors import UsageError
from gnomon.golden.probes import read_probes
from gnomon.retrieval.calibration_file import Footing, read_calibration
from gnomon.retrieval.index import Index
from gnomon.rules.gate_values import STRATA
from gnomon.sources.atomic import atomic_write
from gnomon.sources.files import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from gnomon.rules.gate_transfer import Anchors

    Embed = Callable[[Sequence[str]], NDArray[np.float32]]

SCHEMA = "gnomon.transfer/1"
EVIDENCE_FILE = "probe-evidence.json"


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


def carry_over(
    what: Carried,
    embed_of: Callable[[Index], Embed | None],
    *,
    as_json: bool,
    quiet: bool,
) -> int:
    """Fit the window, write the file if one fits, and return the exit code."""
    if what.target.resolve() == what.source.resolve():
        raise UsageError(f"--out is the calibration to carry over, {shown(what.source)}")
    source = read_calibration(what.source)
    with only_results_on_stdout(), progress_shown("anchors", quiet=quiet) as progress:
        probes = read_probes(what.probes)
        index = Index.open(what.index)
        footing = Footing.of(index.manifest)
        check_transferable(source, footing)
        strata = np.array([STRATA.index(probe.stratum) for probe in probes])
        rows = draw_anchors(strata, anchors=what.anchors, seed=what.seed)
        asked = [probes[row] for row in rows.tolist()]
        raw = gather(
            index,
            asked,
            embed_of(index),
            what.state_dir / EVIDENCE_FILE,
            Options(seed=what.seed),
            progress,
        )
        result = transfer(
            source,
            as_evidence(asked, raw, dense_mode="cosine", ladder={}),
            footing,
            anchors=what.anchors,
            seed=what.seed,
            source_hash=file_hash(what.source),
            probes_hash=file_hash(what.probes),
        )
    body = result.to_json()
    record = audit.append(
        what.state_dir,
        action="calibrate",
        inputs={"probes": result.probes_hash, "transferred_from": result.source_hash},
        outputs=body,
        env=environment(None),
    )
    if result.guard is not None:
        text = json.dumps(result.file_body(), indent=2, sort_keys=True, allow_nan=False)
        what.target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(what.target) as file:
            file.write(f"{text}\n".encode())
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
            f"{guard.cos_ceil:.2f}] fitted on {sum(counts.values())} anchors ({result.anchors})"
        ),
        *(f"  {s}: refused {cell.refused.get(s, 0)} of {n}" for s, n in counts.items()),
        f"drift of the rates: {result.choice.drift:.3f}",
        "this is a bounded bet, not a measurement: no bound is established here",
        f"written: {shown(what.target)}; run gnomon index to serve it",
    ]
