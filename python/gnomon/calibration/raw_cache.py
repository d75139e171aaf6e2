"""What probes found before, kept on disk: the search for thresholds can run again for nothing.

The key of a probe covers all that its evidence depends on, so a cache of another index, model or
lever set has no entry for it. Neither questions nor texts are stored.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final

import rfc8785

from gnomon.calibration.gather import RawProbe
from gnomon.errors import NotMeasuredError
from gnomon.retrieval.calibration_file import Footing
from gnomon.sources.atomic import make_folder, write_text
from gnomon.sources.escape import by_number, counted
from gnomon.sources.files import read_bounded
from gnomon.sources.limits import GIB

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gnomon.golden.probes import Probe
    from gnomon.retrieval.index import Index

SCHEMA: Final = "gnomon.probe-evidence/1"
# In the state directory.
EVIDENCE_FILE: Final = "probe-evidence.json"


def key_of(index: Index, probe: Probe) -> str:
    """Return sha256 over all that a probe's evidence depends on."""
    parts = {
        "footing": Footing.of(index.manifest, index.levers).as_dict(),
        "question": probe.question,
        "previous": list(probe.previous),
        "scope": None if probe.scope is None else list(probe.scope.paths),
        "stratum": probe.stratum,
        "gold_page": probe.gold_page,
    }
    return hashlib.sha256(rfc8785.dumps(parts)).hexdigest()


def read_cache(path: Path) -> dict[str, RawProbe]:
    """Return the kept evidence by key; nothing when there is no file or it cannot be read."""
    try:
        body = json.loads(read_bounded(path, limit=GIB))
        if body["schema"] != SCHEMA:
            return {}
        return {str(key): RawProbe.from_list(values) for key, values in body["probes"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}  # a cache that is lost is made anew


def write_cache(path: Path, kept: dict[str, RawProbe]) -> None:
    """Keep the evidence of this run's probes; what no probe asks for any more is dropped."""
    make_folder(path.parent)
    body = {"schema": SCHEMA, "probes": {key: raw.as_list() for key, raw in sorted(kept.items())}}
    write_text(path, json.dumps(body, allow_nan=False), private=True)


def require_cached(kept: dict[str, RawProbe], keys: Sequence[str], probes: Sequence[Probe]) -> None:
    """Refuse to sweep probes whose evidence is not kept.

    Raises
    ------
    NotMeasuredError
        The message names the first of them and counts the rest.
    """
    missing = [probe.id for key, probe in zip(keys, probes, strict=True) if key not in kept]
    if missing:
        raise NotMeasuredError(
            f"--sweep-only: {len(missing)} of {counted(len(probes), 'probe')} "
            f"{by_number(len(missing), 'is', 'are')} not in the cache for this index, model and "
            f"levers, the first of them {missing[0]!r}; run gnomon calibrate "
            "without --sweep-only once"
        )
