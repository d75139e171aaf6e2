"""The second walks: everything that needs the fitted adapters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.adapters.csls import csls_reorder
from gnomon.probe.columns import Measured, rivals_cut
from gnomon.probe.fitting import bridged_queries
from gnomon.probe.passes import DocumentPass, RankedLists, Walks
from gnomon.probe.settings import N_FOLDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gnomon.adapters.base import FittedAdapter
    from gnomon.probe.spaces import Spaces
    from gnomon.probe.truth import Evaluation

Lists = Sequence[RankedLists]


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstLists:
    """The lists that needed no adapter."""

    status_quo: RankedLists
    naive_swap: RankedLists
    oracle: RankedLists


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapters:
    """The fitted adapters of one probe.

    Attributes
    ----------
    deciding
        One, or one for each fold.
    seen
        Fitted on pairs drawn from all documents, or None when that is the deciding one.
    curve
        Number of pairs -> adapters in the form of ``deciding``.
    folded
        Whether adapter f judges the documents of fold f.
    """

    deciding: Sequence[FittedAdapter]
    seen: FittedAdapter | None
    curve: Mapping[int, Sequence[FittedAdapter]]
    folded: bool


def measure(
    spaces: Spaces,
    evaluation: Evaluation,
    adapters: Adapters,
    first: FirstLists,
    *,
    k: int,
    depth: int,
    progress: Walks | None,
) -> Measured:
    """Return all ranked lists of the probe; one walk over each space."""
    walk = spaces.old_pass(folds=adapters.folded)
    questions = _Questions(walk, evaluation, spaces.threads)
    bridged_at = questions.ask(adapters.deciding, depth)
    seen_at = questions.ask([] if adapters.seen is None else [adapters.seen], k)
    curve_at = {pairs: questions.ask(fitted, k) for pairs, fitted in adapters.curve.items()}
    rivals_at = questions.ask_by_fold(adapters.deciding, k) if adapters.folded else []
    answers = walk.run(progress)
    bridged = [answers[place] for place in bridged_at]
    return Measured(
        status_quo=first.status_quo,
        naive_swap=first.naive_swap,
        oracle=first.oracle,
        bridged=bridged,
        cascade=_cascade(spaces, evaluation, bridged),
        seen=answers[seen_at[0]] if seen_at else None,
        rivals_bridged=[answers[place] for place in rivals_at],
        rivals_oracle=_oracle_by_fold(spaces, evaluation, k, progress) if adapters.folded else [],
        curve={pairs: [answers[place] for place in places] for pairs, places in curve_at.items()},
        csls=[
            _csls(spaces, evaluation, adapter, lists)
            for adapter, lists in zip(adapters.deciding, bridged, strict=True)
        ],
    )


@dataclass(frozen=True, slots=True)
class _Questions:
    """Asks a walk about the evaluation queries as different adapters see them."""

    walk: DocumentPass
    evaluation: Evaluation
    threads: int | None

    def ask(self, adapters: Sequence[FittedAdapter], k: int) -> list[int]:
        """Ask for the lists of every adapter."""
        return [
            self.walk.ask(queries, k, masked=self.evaluation.masked)
            for queries in self._bridged(adapters)
        ]

    def ask_by_fold(self, adapters: Sequence[FittedAdapter], k: int) -> list[int]:
        """Ask for the lists of adapter f among the documents of fold f."""
        return [
            self.walk.ask(queries, rivals_cut(k), masked=self.evaluation.masked, row_class=fold)
            for fold, queries in enumerate(self._bridged(adapters))
        ]

    def _bridged(self, adapters: Sequence[FittedAdapter]) -> list[NDArray[np.float32]]:
        return bridged_queries(adapters, self.evaluation.new, self.threads)


def _cascade(spaces: Spaces, evaluation: Evaluation, bridged: Lists) -> list[NDArray[np.int64]]:
    if not all(spaces.covers(lists.ids) for lists in bridged):
        return []
    return [spaces.cascaded(evaluation.new, lists.ids) for lists in bridged]


def _csls(
    spaces: Spaces, evaluation: Evaluation, adapter: FittedAdapter, bridged: RankedLists
) -> NDArray[np.int64]:
    (queries,) = bridged_queries([adapter], evaluation.new, spaces.threads)
    return csls_reorder(
        queries, spaces.inputs.old_docs, bridged.ids, bridged.scores, threads=spaces.threads
    ).ids


def _oracle_by_fold(
    spaces: Spaces, evaluation: Evaluation, k: int, progress: Walks | None
) -> list[RankedLists]:
    walk = spaces.new_pass(folds=True)
    masked = None if evaluation.masked is None else spaces.in_new(evaluation.masked)
    for fold in range(N_FOLDS):
        walk.ask(evaluation.new, rivals_cut(k), masked=masked, row_class=fold)
    return spaces.run_new(walk, progress)
