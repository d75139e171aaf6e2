"""Which adapter to use: compared on held-out documents that are in no fit pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.adapters.registry import ADAPTERS
from gnomon.errors import NotMeasuredError
from gnomon.probe.fitting import Fitter, bridged_queries
from gnomon.probe.plan import Rows, draw_pairs, union_of
from gnomon.probe.result import Candidate
from gnomon.rules.adapter_choice import AdapterCandidate, choose_adapter
from gnomon.stats.resampling import ResampledColumns, resample_queries
from gnomon.types import Figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gnomon.adapters.base import FittedAdapter
    from gnomon.probe.passes import DocumentPass, RankedLists

FALLBACK = "procrustes"  # when the corpus is too small to hold documents out for a comparison


@dataclass(frozen=True, slots=True)
class Chosen:
    """The adapter to use and how the others compared with it."""

    name: str
    candidates: Sequence[Candidate]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Adapters whose bridged selection queries wait for their lists.

    Attributes
    ----------
    adapters
        The fitted candidates, in the order of the adapter table.
    places
        Where the answers of each will stand among those of the walk.
    neighbours
        int64[S], the oracle's nearest document of each selection document: what counts as
        relevant, as at T0.
    absent
        Adapters that were not offered, with the reason.
    """

    adapters: Sequence[FittedAdapter]
    places: Sequence[int]
    neighbours: Rows
    absent: Sequence[Candidate]
    k: int
    seed: int

    def settle(self, answers: Sequence[RankedLists]) -> Chosen:
        """Return the best adapter, or a cheaper one that cannot be told apart from it."""
        resampled = resample_queries(
            {
                adapter.name: _found(answers[place], self.neighbours, self.k)
                for adapter, place in zip(self.adapters, self.places, strict=True)
            },
            seed=self.seed,
        )
        means = {adapter.name: resampled.mean(adapter.name) for adapter in self.adapters}
        best = max(means, key=lambda name: means[name])
        compared = [
            AdapterCandidate(
                name=adapter.name,
                mean=means[adapter.name],
                difference_to_best=_difference(resampled, adapter.name, best),
                n_parameters=adapter.n_parameters,
            )
            for adapter in self.adapters
        ]
        choice = choose_adapter(compared)
        return Chosen(
            choice.name,
            [
                Candidate(
                    name=one.name,
                    recall=one.mean,
                    difference_to_best=one.difference_to_best,
                    n_parameters=one.n_parameters,
                    chosen=one.name == choice.name,
                    reason="; ".join(choice.reasons) if one.name == choice.name else None,
                )
                for one in compared
            ]
            + list(self.absent),
        )


def compare(
    fitter: Fitter, walk: DocumentPass, *, selection: Rows, neighbours: Rows, held_out: Rows
) -> Comparison:
    """Fit every adapter that is offered and ask ``walk`` for its lists.

    Parameters
    ----------
    fitter
        Fits on documents by row.
    walk
        A walk over the old space that has not run yet.
    selection
        int64[S], the documents that stand in for queries, each masked from its own list.
    neighbours
        int64[S], their nearest documents in the new space.
    held_out
        Further documents that no adapter may be fitted on.
    """
    settings = fitter.settings
    kept_out = [selection, held_out]
    if settings.fit_scope == "unseen":
        kept_out.append(neighbours)
    pool = np.setdiff1d(fitter.inputs.covered, union_of(kept_out), assume_unique=True)
    queries = fitter.inputs.new_vectors(selection)
    adapters, places, absent = [], [], []
    for kind, fitted in zip(ADAPTERS, fitter.offered(draw_pairs(settings, pool)), strict=True):
        if isinstance(fitted, NotMeasuredError):
            absent.append(_unmeasured(kind.name, str(fitted)))
            continue
        (bridged,) = bridged_queries([fitted], queries, settings.threads)
        adapters.append(fitted)
        places.append(walk.ask(bridged, settings.k, masked=selection))
    return Comparison(adapters, places, neighbours, absent, settings.k, settings.seed)


def without_comparison(name: str | None) -> Chosen:
    """Return the adapter that was forced, or the fallback of a corpus too small to compare on."""
    if name is not None:
        return Chosen(name, ())
    reason = "the corpus is too small to hold documents out for a comparison"
    return Chosen(FALLBACK, (_unmeasured(FALLBACK, reason, chosen=True),))


def _unmeasured(name: str, reason: str, *, chosen: bool = False) -> Candidate:
    return Candidate(
        name=name,
        recall=None,
        difference_to_best=Figure.missing(reason),
        n_parameters=None,
        chosen=chosen,
        reason=reason,
    )


def _found(lists: RankedLists, wanted: Rows, k: int) -> NDArray[np.float64]:
    found: NDArray[np.bool_] = (lists.cut(k) == wanted[:, None]).any(axis=1)
    return found.astype(np.float64)


def _difference(resampled: ResampledColumns, name: str, best: str) -> Figure:
    if name == best:
        return Figure(0.0, 0.0, 0.0)
    return resampled.difference_figure(name, best)
