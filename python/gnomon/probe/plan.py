"""Who is asked, who is held out and which documents an adapter may be fitted on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gnomon.errors import NotMeasuredError
from gnomon.kernels import draw_rows
from gnomon.probe.settings import MAX_SELECTION, MAX_T0_QUERIES, N_FOLDS, ProbeSettings

if TYPE_CHECKING:
    from collections.abc import Iterable

# Purposes of the draws, probe.md.
PAIRS, SELECTION, T0_QUERIES, SAMPLE, CALIBRATION = 1, 2, 3, 4, 5

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class FitPools:
    """The documents that the deciding adapters may be fitted on.

    Attributes
    ----------
    pools
        One array of rows, or one for each of the five folds.
    folded
        Whether adapter f judges the documents whose row is f modulo 5.
    """

    pools: tuple[Rows, ...]
    folded: bool


def selection_rows(settings: ProbeSettings, covered: Rows, t0_rows: Rows) -> Rows:
    """Return the documents on which adapters are compared; none when one is forced."""
    if settings.adapter is not None:
        return no_rows()
    size = min(MAX_SELECTION, len(covered) // 10)
    return draw_rows(settings.seed, SELECTION, _span(covered), size, among=_minus(covered, t0_rows))


def t0_query_rows(settings: ProbeSettings, covered: Rows) -> Rows:
    """Return the documents that stand in for queries at T0."""
    size = min(MAX_T0_QUERIES, len(covered) // 4)
    if size == 0:
        raise NotMeasuredError(
            f"{len(covered)} documents are too few to let a quarter of them stand in for queries; "
            "tier T0 needs at least 4 documents, T1 needs queries and judgements"
        )
    return np.sort(draw_rows(settings.seed, T0_QUERIES, _span(covered), size, among=covered))


def deciding_pools(
    settings: ProbeSettings, covered: Rows, held_out: Rows, relevant: Rows
) -> FitPools:
    """Return the pools of the fit scope (probe.md, "No document is scored ...").

    Parameters
    ----------
    covered
        Documents with vectors of both models.
    held_out
        Documents that no adapter may be fitted on (selection documents, T0 queries).
    relevant
        Documents that are relevant to an evaluation query.
    """
    allowed = allowed_rows(covered, held_out)
    if settings.fit_scope == "seen":
        return FitPools((allowed,), folded=False)
    unjudged = _minus(allowed, relevant)
    if len(unjudged) >= settings.pairs:
        return FitPools((unjudged,), folded=False)
    return FitPools(tuple(allowed[allowed % N_FOLDS != f] for f in range(N_FOLDS)), folded=True)


def allowed_rows(covered: Rows, held_out: Rows) -> Rows:
    """Return the documents that some adapter may be fitted on."""
    return _minus(covered, held_out)


def draw_pairs(settings: ProbeSettings, pool: Rows, size: int | None = None) -> Rows:
    """Return up to ``size`` (default: the budget) rows of ``pool``, ascending.

    The draws of growing size are nested, so a curve over sizes adds pairs and never swaps them.
    """
    size = settings.pairs if size is None else size
    if len(pool) == 0:
        raise NotMeasuredError(
            "no document is left to fit an adapter on once the held-out documents are set aside; "
            "the corpus is too small for a probe"
        )
    if len(pool) <= size:
        return pool
    return np.sort(draw_rows(settings.seed, PAIRS, _span(pool), size, among=pool))


def nested_pairs(settings: ProbeSettings, pool: Rows, size: int) -> Rows:
    """Return ``size`` rows of ``pool`` in the order of their keys: what smaller draws begin with.

    The first rows are those of :func:`draw_pairs` for any smaller size.
    """
    return draw_rows(settings.seed, PAIRS, _span(pool), size, among=pool)


def sample_rows(settings: ProbeSettings, covered: Rows, always: Rows) -> Rows:
    """Return the part of the corpus of ``--sample``: a draw, plus every judged document."""
    assert settings.sample is not None
    size = min(settings.sample, len(covered))
    drawn = draw_rows(settings.seed, SAMPLE, _span(covered), size, among=covered)
    return np.union1d(drawn, np.intersect1d(always, covered)).astype(np.int64)


def calibration_third(settings: ProbeSettings, n_queries: int) -> Rows:
    """Return the queries on which scores are calibrated."""
    return np.sort(draw_rows(settings.seed, CALIBRATION, n_queries, n_queries // 3))


def union_of(parts: Iterable[Rows]) -> Rows:
    """Return the sorted union of row sets."""
    present = [part for part in parts if len(part)]
    if not present:
        return no_rows()
    return np.unique(np.concatenate(present))


def no_rows() -> Rows:
    """Return the empty set of rows."""
    return np.empty(0, dtype=np.int64)


def _minus(rows: Rows, taken: Rows) -> Rows:
    return np.setdiff1d(rows, taken, assume_unique=True)


def _span(rows: Rows) -> int:
    return int(rows[-1]) + 1 if len(rows) else 0
