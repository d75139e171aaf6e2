"""What the trail says about a calibration: its inputs, and its figures without any probe's name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gnomon.audit import file_entry
from gnomon.retrieval.fingerprint import index_fingerprint
from gnomon.sources.fingerprint import fingerprint

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from pathlib import Path

    from gnomon.retrieval.guard import Guard
    from gnomon.retrieval.index import Index

CALIBRATE: Final = "calibrate"
TRANSFER: Final = "calibrate.transfer"
METRIC_VERSION: Final = 1  # rises when a figure of the same name starts to mean something else
FILE_ROLES: Final = ("index", "probes", "source")
# Probes by name stay in the report, which is the user's; the footing stands among the inputs.
_NOT_RECORDED: Final = ("binding", "nearest", "misjudged", "footing")


@dataclass(frozen=True, slots=True)
class CalibrationFiles:
    """What a calibration reads.

    Attributes
    ----------
    source
        The calibration that a transfer carries over.
    """

    index: Path
    probes: Path
    source: Path | None = None

    def entries(self, index: Index, state_dir: str | os.PathLike[str]) -> dict[str, Any]:
        """Return role -> path, size and hash of all of them as they are now."""
        found = {
            "index": (self.index, index_fingerprint(self.index, index.manifest)),
            "probes": (self.probes, fingerprint(self.probes)),
        }
        if self.source is not None:
            found["source"] = (self.source, fingerprint(self.source))
        return {
            role: file_entry(path, state_dir, sha256=f.sha256, size=f.size, rows=f.rows)
            for role, (path, f) in found.items()
        }


def recorded_inputs(
    files: Mapping[str, Any], index: Index, incoming: Guard, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the ``inputs`` of the record.

    Parameters
    ----------
    files
        What `CalibrationFiles.entries` gave.
    incoming
        The guard in force before.
    settings
        How the run went about it.
    """
    return {
        "files": dict(files),
        "settings": dict(settings),
        "levers": {name: lever.value for name, lever in index.levers.values.items()},
        "incoming": incoming.as_dict(),
    }


def recorded_outputs(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ``outputs`` of the record: figures and reasons, no probe by name."""
    kept = {name: value for name, value in body.items() if name not in _NOT_RECORDED}
    return {"decision": body["verdict"], **kept}
