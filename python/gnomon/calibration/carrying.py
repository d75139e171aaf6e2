"""The transfer of a calibration to an index of another embedder, from files to a result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.calibration.gather import as_evidence
from gnomon.calibration.transfer import Transfer, check_transferable, draw_anchors, transfer
from gnomon.calibration.workflow import Options, gather
from gnomon.retrieval.calibration_file import Footing, read_calibration
from gnomon.rules.gate_values import STRATA
from gnomon.sources.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gnomon.embedding.embedder import Embed
    from gnomon.golden.probes import Probe
    from gnomon.retrieval.index import Index
    from gnomon.rules.gate_transfer import Anchors
    from gnomon.types import Progress


def carry_over(
    index: Index,
    probes: Sequence[Probe],
    source: Path,
    embed: Embed | None,
    cache: Path | None,
    progress: Progress,
    *,
    anchors: Anchors,
    seed: int,
    probes_hash: str,
) -> Transfer:
    """Fit the window of a calibration's thresholds on an index, asking anchors only.

    Parameters
    ----------
    source
        The calibration to carry over.
    cache
        File of kept evidence, or None.

    Raises
    ------
    MismatchError
        When nothing licenses the transfer.
    InvalidInputError
        When there are too few probes for it.
    """
    calibration = read_calibration(source)
    footing = Footing.of(index.manifest, index.levers)
    check_transferable(calibration, footing)
    strata = np.array([STRATA.index(probe.stratum) for probe in probes])
    rows = draw_anchors(strata, anchors=anchors, seed=seed)
    asked = [probes[row] for row in rows.tolist()]
    raw = gather(index, asked, embed, cache, Options(seed=seed), progress)
    return transfer(
        calibration,
        as_evidence(asked, raw, dense_mode="cosine", ladder={}),
        footing,
        anchors=anchors,
        seed=seed,
        source_hash=fingerprint(source).sha256,
        probes_hash=probes_hash,
    )
