"""The calibration of a gate, from an index and a probe set to thresholds or a refusal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.calibration.by_name import judge_by_name
from gnomon.calibration.gather import RawProbe, as_evidence, look_at_probes
from gnomon.calibration.ladder import measure_ladder
from gnomon.calibration.measure import Measured, Settings, measure
from gnomon.calibration.raw_cache import key_of, read_cache, require_cached, write_cache
from gnomon.calibration.result import CalibrationResult
from gnomon.calibration.sweep import ProbeEvidence, probe_scores
from gnomon.retrieval.calibration_file import Footing
from gnomon.rules.gate import windows
from gnomon.rules.gate_values import POSITIVES, STRATA, Window

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from gnomon.embedding.embedder import Embed
    from gnomon.golden.probes import Probe
    from gnomon.retrieval.guard import Guard
    from gnomon.retrieval.index import Index
    from gnomon.types import Progress

# In zscore mode D rises over three standard deviations, wherever cosines lie.
Z_WINDOW = Window(0, 300)


@dataclass(frozen=True, slots=True)
class Options:
    """How a run goes about it.

    Attributes
    ----------
    sweep_only
        Use kept evidence and embed nothing.
    refresh
        Ignore kept evidence.
    limit
        Look at so many probes only, and write nothing.
    """

    seed: int = 0
    strict: bool = False
    sweep_only: bool = False
    refresh: bool = False
    limit: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what the result depends on; whether evidence was kept is not among it."""
        return {
            "seed": self.seed,
            "strict": self.strict,
            "ladder": not self.sweep_only,
            "limit": self.limit,
        }


def calibrate(
    index: Index,
    probes: Sequence[Probe],
    embed: Embed | None,
    cache: Path | None,
    options: Options,
    progress: Progress,
    *,
    probes_hash: str,
    incoming: Guard | None = None,
    with_ladder: bool = True,
) -> CalibrationResult:
    """Measure the window and the thresholds of an index's gate.

    Parameters
    ----------
    embed
        Returns the vectors of questions; None without vectors and with ``sweep_only``.
    cache
        File of kept evidence.
    probes_hash
        sha256 of the probe set's file.
    incoming
        The guard in force before; default: the index's.
    with_ladder
        Whether to measure the ladder, which needs the vectors of the questions.

    Raises
    ------
    NotMeasuredError
        With ``sweep_only``, when a probe's evidence is not kept.
    InvalidInputError
        When the scope of a probe matches no page.
    """
    asked = list(probes if options.limit is None else probes[: options.limit])
    raw = gather(index, asked, embed, cache, options, progress)
    dense, mode = index.manifest.dense, index.manifest.dense_mode
    guard = incoming or index.manifest.guard
    ladder: Mapping[int, float] = guard.ladder
    if dense and embed is not None and with_ladder and not options.sweep_only:
        ladder = _ladder(index, asked, embed) or guard.ladder
    evidence = as_evidence(asked, raw, dense_mode=mode, ladder=ladder)
    missed = np.array([bool(one.missed) for one in raw])
    measured = measure(
        evidence,
        dense=dense,
        missed=missed,
        with_gold=sum(one.missed is not None for one in raw),
        settings=_settings(guard, mode, options),
    )
    scores = _scores(evidence, measured, guard)
    return CalibrationResult(
        footing=Footing.of(index.manifest, index.levers),
        measured=measured,
        guard=None
        if measured.failures
        else _guard(measured, guard, ladder, dense=dense, mode=mode),
        incoming=guard,
        ladder=ladder,
        probes_hash=probes_hash,
        seed=options.seed,
        strict=options.strict,
        narrowed=options.limit is not None,
        auc=_auc(evidence) if dense else None,
        named=judge_by_name(asked, scores.tolist(), _threshold(measured)),
    )


def gather(
    index: Index,
    probes: Sequence[Probe],
    embed: Embed | None,
    cache: Path | None,
    options: Options,
    progress: Progress,
) -> tuple[RawProbe, ...]:
    """Return the evidence of probes, kept or looked for now; what is found is kept."""
    keys = [key_of(index, probe) for probe in probes]
    kept = {} if cache is None or options.refresh else read_cache(cache)
    if options.sweep_only:
        require_cached(kept, keys, probes)
    new = [(key, probe) for key, probe in zip(keys, probes, strict=True) if key not in kept]
    found = look_at_probes(index, [probe for _, probe in new], embed, progress)
    kept.update({key: raw for (key, _), raw in zip(new, found, strict=True)})
    if cache is not None and new:
        write_cache(cache, kept)
    return tuple(kept[key] for key in keys)


def _settings(guard: Guard, mode: str, options: Options) -> Settings:
    zscore = mode == "zscore"
    incoming = Window(round(100 * guard.cos_floor), round(100 * guard.cos_ceil))
    return Settings(
        incoming=Z_WINDOW if zscore else incoming,
        candidates=(Z_WINDOW,) if zscore else windows(),
        w_dense=guard.w_dense,
        w_lexical=guard.w_lexical,
        seed=options.seed,
        strict=options.strict,
    )


def _guard(
    measured: Measured, incoming: Guard, ladder: Mapping[int, float], *, dense: bool, mode: str
) -> Guard:
    chosen = measured.chosen
    lexical = incoming.tau_lexical if chosen.lexical is None else chosen.lexical.threshold
    if not dense:
        return replace(incoming, tau=None, tau_lexical=lexical, source="calibrated-lexical")
    assert chosen.cell is not None
    assert chosen.window is not None
    floor, ceiling = incoming.cos_floor, incoming.cos_ceil
    if mode == "cosine":
        floor, ceiling = chosen.window.floor / 100, chosen.window.ceiling / 100
    return replace(
        incoming,
        tau=chosen.cell.threshold,
        tau_lexical=lexical,
        cos_floor=floor,
        cos_ceil=ceiling,
        ladder=dict(ladder),
        source="calibrated",
    )


def _ladder(index: Index, probes: Sequence[Probe], embed: Embed) -> dict[int, float]:
    """Measure the ladder on unscoped positives that stand alone."""
    texts = [p.question for p in probes if p.stratum == "U" and p.scope is None and not p.previous]
    vectors = index.finder.vectors
    if not texts or vectors is None:
        return {}
    n = len(index)
    cosines = np.empty((len(texts), n), dtype=np.float32)
    for at, vector in enumerate(embed(texts)):
        hits = vectors.search(vector, n, threads=1)
        cosines[at, hits.ids[0]] = hits.scores[0]
    return measure_ladder(cosines, [chunk.page for chunk in index.chunks])


def _scores(evidence: ProbeEvidence, measured: Measured, guard: Guard) -> NDArray[np.float64]:
    """Return every probe's score in the chosen window, the incoming one without any."""
    return probe_scores(
        evidence, measured.chosen.window, w_dense=guard.w_dense, w_lexical=guard.w_lexical
    )


def _threshold(measured: Measured) -> int | None:
    """Return the threshold that was chosen, in hundredths: of words alone without vectors."""
    chosen = measured.chosen
    cell = chosen.lexical if chosen.window is None else chosen.cell
    return None if cell is None else cell.tau


def _auc(evidence: ProbeEvidence) -> float | None:
    """Return the area under the ROC curve of the best cosine of the question as asked.

    It is the chance that a positive lies above a negative, ties counting half.
    """
    cosine = evidence.cosine[-1, 0].astype(np.float64)
    positive = np.array([STRATA[s] in POSITIVES for s in evidence.stratum.tolist()])
    above, below = cosine[positive], np.sort(cosine[~positive])
    if len(above) == 0 or len(below) == 0:
        return None
    less = np.searchsorted(below, above, side="left")
    up_to = np.searchsorted(below, above, side="right")
    return float((less + up_to).sum()) / (2 * len(above) * len(below))
