"""What the trail says about a tuning: its inputs, and its figures without any record's name."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from gnomon.audit import file_entry
from gnomon.retrieval.fingerprint import index_fingerprint
from gnomon.rules.tuning import DEFAULT_COUNTS, DEFAULT_LAMBDAS
from gnomon.sources.fingerprint import fingerprint

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from pathlib import Path

    from gnomon.evaluation.tuning import Options
    from gnomon.retrieval.index import Index

TUNE: Final = "tune"
METRIC_VERSION: Final = 1  # rises when a figure of the same name starts to mean something else
FILE_ROLES: Final = ("index", "golden")


@dataclass(frozen=True, slots=True)
class TuningFiles:
    """What a tuning reads."""

    index: Path
    golden: Path

    def entries(self, index: Index, state_dir: str | os.PathLike[str]) -> dict[str, Any]:
        """Return role -> path, size and hash of both as they are now."""
        found = {
            "index": (self.index, index_fingerprint(self.index, index.manifest)),
            "golden": (self.golden, fingerprint(self.golden)),
        }
        return {
            role: file_entry(path, state_dir, sha256=f.sha256, size=f.size, rows=f.rows)
            for role, (path, f) in found.items()
        }


def recorded_inputs(files: Mapping[str, Any], index: Index, options: Options) -> dict[str, Any]:
    """Return the ``inputs`` of the record.

    Parameters
    ----------
    files
        What `TuningFiles.entries` gave.
    """
    return {
        "files": dict(files),
        "settings": asdict(options) | _axes(index, options),
        "levers": {name: lever.value for name, lever in index.levers.values.items()},
    }


def _axes(index: Index, options: Options) -> dict[str, Any]:
    """Return the axes in words: what was left out must not follow a later version's default."""
    lambdas = options.lambdas
    if lambdas is None and index.manifest.dense:
        lambdas = DEFAULT_LAMBDAS
    return {"lambdas": lambdas, "counts": options.counts or DEFAULT_COUNTS}


def recorded_outputs(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ``outputs`` of the record: figures, no record by name.

    The notes and the sources of levers say where a run took place, and stand in its report.
    """
    kept = {name: body[name] for name in body if name not in ("moved", "notes", "footing")}
    moved = {name: count for name, count in body["moved"].items() if name.startswith("n_")}
    winner = body["winner"]
    decision = (
        body["verdict"]
        if body["refusals_differ"]
        else f"MMR_LAMBDA {winner['MMR_LAMBDA']:g}, GATE_K {winner['GATE_K']}"
    )
    footing = {name: body["footing"][name] for name in ("index_hash", "embed_model", "levers")}
    return {"decision": decision, **kept, "moved": moved, "footing": footing}
