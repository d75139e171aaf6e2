"""From probes to evidence: what an index finds for every wording of every turn of every probe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gnomon.calibration.sweep import ProbeEvidence
from gnomon.errors import InvalidInputError
from gnomon.retrieval.gate_score import expected_best
from gnomon.retrieval.turns import wording_vectors
from gnomon.rules.gate_values import POSITIVES, STRATA

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from gnomon.embedding.embedder import Embed
    from gnomon.golden.probes import Probe
    from gnomon.retrieval.index import Index
    from gnomon.retrieval.turns import Turn, Wording
    from gnomon.types import Progress

# A gold page that is in neither channel's first twenty was missed by retrieval, not by the gate.
MISS_PAGES: Final = 20
_CHANNELS: Final = 3


@dataclass(frozen=True, slots=True)
class RawTurn:
    """What the three channels of a turn found; None where a channel is not there.

    Attributes
    ----------
    cosine, z, coverage
        By channel. ``cosine`` and ``z`` are None without a dense channel.
    admissible
        By channel; the question alone always counts.
    n_scope
        Chunks in scope.
    """

    cosine: tuple[float | None, ...]
    z: tuple[float | None, ...]
    coverage: tuple[float | None, ...]
    admissible: tuple[bool, ...]
    n_scope: int


@dataclass(frozen=True, slots=True)
class RawProbe:
    """What an index found for a probe, before any window or threshold.

    Attributes
    ----------
    turns
        Oldest first.
    missed
        Whether retrieval missed the gold page; None when the probe names none.
    """

    turns: tuple[RawTurn, ...]
    missed: bool | None

    def as_list(self) -> list[Any]:
        """Return the values as JSON has them."""
        turns = [
            [*map(list, (t.cosine, t.z, t.coverage, t.admissible)), t.n_scope] for t in self.turns
        ]
        return [turns, self.missed]

    @classmethod
    def from_list(cls, values: Sequence[Any]) -> RawProbe:
        """Return the probe that `as_list` gave."""
        turns, missed = values
        return cls(
            tuple(
                RawTurn(tuple(cosine), tuple(z), tuple(coverage), tuple(admissible), int(n))
                for cosine, z, coverage, admissible, n in turns
            ),
            missed,
        )


def look_at_probes(
    index: Index,
    probes: Sequence[Probe],
    embed: Embed | None,
    progress: Progress,
) -> tuple[RawProbe, ...]:
    """Return what an index finds for every probe.

    Parameters
    ----------
    embed
        Returns the vectors of questions; None for an index without vectors.

    Raises
    ------
    InvalidInputError
        When the scope of a probe matches no page; the message names the probe.
    """
    vectors = wording_vectors(map(_questions, probes), embed)
    found = []
    for done, probe in enumerate(probes, 1):
        found.append(_look(index, probe, vectors))
        progress(done, len(probes))
    return tuple(found)


def _questions(probe: Probe) -> tuple[str, ...]:
    return (*probe.previous, probe.question)


def _look(index: Index, probe: Probe, vectors: Mapping[str, NDArray[np.float32]]) -> RawProbe:
    try:
        rows = index.rows_in(probe.scope)
    except InvalidInputError as error:
        raise InvalidInputError(f"probe {probe.id!r} (line {probe.line}): {error}") from None
    turns = index.look_at(_questions(probe), vectors, rows)
    missed = None
    if probe.gold_page is not None and probe.stratum in POSITIVES:
        missed = not _is_found(index, probe.gold_page, turns[-1], vectors, rows)
    return RawProbe(tuple(_raw_turn(turn) for turn in turns), missed)


def _raw_turn(turn: Turn) -> RawTurn:
    wordings = [turn.wording(channel) for channel in range(_CHANNELS)]
    findings = [None if wording is None else wording.findings for wording in wordings]
    return RawTurn(
        cosine=tuple(None if f is None else f.cosine for f in findings),
        z=tuple(None if f is None else f.z for f in findings),
        coverage=tuple(None if f is None else f.coverage for f in findings),
        admissible=tuple(turn.counts(channel) for channel in range(_CHANNELS)),
        n_scope=turn.raw.findings.n_scope,
    )


def _is_found(
    index: Index,
    gold: str,
    turn: Turn,
    vectors: Mapping[str, NDArray[np.float32]],
    rows: NDArray[np.int64] | None,
) -> bool:
    wordings = [turn.wording(c) for c in range(_CHANNELS) if turn.counts(c)]
    return any(
        gold in pages
        for wording in wordings
        if wording is not None
        for pages in _first_pages(index, wording, vectors.get(wording.text), rows)
    )


def _first_pages(
    index: Index,
    wording: Wording,
    vector: NDArray[np.float32] | None,
    rows: NDArray[np.int64] | None,
) -> list[set[str]]:
    scores = index.finder.lexical_scores(wording.text)
    candidates = np.arange(len(scores)) if rows is None else rows
    found = candidates[scores[candidates] > 0]
    rankings = [found[np.argsort(-scores[found], kind="stable")]]
    if index.finder.vectors is not None and vector is not None:
        hits = index.finder.vectors.search(vector, len(scores), subset=rows, threads=1)
        rankings.append(hits.ids[0])
    return [_pages_of(index, ranking) for ranking in rankings]


def _pages_of(index: Index, ranking: NDArray[np.int64]) -> set[str]:
    pages: set[str] = set()
    for row in ranking.tolist():
        pages.add(index.chunks[row].page)
        if len(pages) == MISS_PAGES:
            break
    return pages


def as_evidence(
    probes: Sequence[Probe],
    raw: Sequence[RawProbe],
    *,
    dense_mode: str,
    ladder: Mapping[int, float],
) -> ProbeEvidence:
    """Return the evidence of all probes as arrays, conversations ending at the last turn.

    In zscore mode the place of the cosine is taken by z less what the best of so many chunks has by
    chance, whose window is 0 to 3.
    """
    depth = max(len(one.turns) for one in raw)
    shape = (depth, _CHANNELS, len(raw))
    cosine = np.full(shape, np.nan, dtype=np.float64)
    coverage = np.zeros(shape)
    admissible = np.zeros(shape, dtype=bool)
    for p, one in enumerate(raw):
        for t, turn in enumerate(one.turns, depth - len(one.turns)):
            for c in range(_CHANNELS):
                admissible[t, c, p] = turn.admissible[c]
                coverage[t, c, p] = turn.coverage[c] or 0.0
                value = _dense_value(turn, c, dense_mode, ladder)
                cosine[t, c, p] = np.nan if value is None else value
    stratum = np.array([STRATA.index(probe.stratum) for probe in probes], dtype=np.int64)
    kept = cosine if dense_mode == "zscore" else cosine.astype(np.float32)
    return ProbeEvidence(stratum, kept, coverage, admissible)


def _dense_value(
    turn: RawTurn, channel: int, dense_mode: str, ladder: Mapping[int, float]
) -> float | None:
    if dense_mode != "zscore":
        return turn.cosine[channel]
    z = turn.z[channel]
    return None if z is None else z - expected_best(turn.n_scope, ladder)
