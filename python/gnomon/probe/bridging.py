"""The second walks: everything that needs the fitted adapters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.adapters.csls import csls_scores
from gnomon.probe.columns import Measured, rivals_cut
from gnomon.probe.questions import Asked, Questions, joined
from gnomon.probe.ranks import Share, ranks_by_score, ranks_of_relevant, shares_of
from gnomon.probe.settings import N_FOLDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gnomon.adapters.base import FittedAdapter
    from gnomon.errors import NotMeasuredError
    from gnomon.probe.passes import RankedLists, Walks
    from gnomon.probe.plan import Rows
    from gnomon.probe.spaces import Spaces
    from gnomon.probe.truth import Evaluation

Curve = Mapping[int, "Sequence[FittedAdapter] | NotMeasuredError"]


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
        Fitted on pairs drawn from all documents, or None when that is the deciding one, or not
        measured again.
    curve
        Number of pairs -> adapters in the form of ``deciding``, or why there are none.
    folded
        Whether adapter f judges the documents of fold f.
    """

    deciding: Sequence[FittedAdapter]
    seen: FittedAdapter | None
    curve: Curve
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
    """Return where the relevant documents stand in every ranking; one walk over each space."""
    relevance = evaluation.relevance
    assert relevance is not None
    shares = shares_of(relevance, folded=adapters.folded)
    (everything,) = shares_of(relevance, folded=False)
    questions = Questions(spaces.old_pass(folds=adapters.folded), evaluation, spaces.threads)
    bridged = [
        # What is said of candidates, scores and overlap comes from the first adapter's lists.
        questions.ask(adapter, depth, share, everyone=number == 0)
        for number, (adapter, share) in enumerate(zip(adapters.deciding, shares, strict=True))
    ]
    seen = None if adapters.seen is None else [questions.ask(adapters.seen, k, everything)]
    curve = {
        pairs: _asked_of(questions, fitted, shares, k) for pairs, fitted in adapters.curve.items()
    }
    rivals = _rivals(questions, adapters.deciding, shares, k) if adapters.folded else None
    answers = questions.walk.run(progress)

    def ranks(asked: Sequence[Asked] | None) -> Rows | None:
        if asked is None:
            return None
        return joined([(one.share, one.ranks(answers)) for one in asked], len(relevance.rows))

    reranking = _Reranking(spaces, evaluation, questions, adapters.deciding, bridged, answers)
    found = ranks(bridged)
    assert found is not None
    return Measured(
        status_quo=first.status_quo,
        naive_swap=first.naive_swap,
        oracle=first.oracle,
        bridged=answers[bridged[0].place],
        ranks={
            "status_quo": ranks_of_relevant(first.status_quo.ids, relevance),
            "naive_swap": ranks_of_relevant(first.naive_swap.ids, relevance),
            "bridged": found,
            "oracle": ranks_of_relevant(first.oracle.ids, relevance),
            "cascade": reranking.cascade(),
        },
        seen=ranks(seen),
        rivals_bridged=ranks(rivals),
        rivals_oracle=_oracle_rivals(spaces, evaluation, shares, k, progress)
        if adapters.folded
        else None,
        curve={pairs: ranks(asked) for pairs, asked in curve.items()},
        csls=reranking.csls(),
    )


def _asked_of(
    questions: Questions,
    fitted: Sequence[FittedAdapter] | NotMeasuredError,
    shares: Sequence[Share],
    k: int,
) -> list[Asked] | None:
    if not isinstance(fitted, Sequence):
        return None
    return [questions.ask(adapter, k, share) for adapter, share in zip(fitted, shares, strict=True)]


def _rivals(
    questions: Questions, adapters: Sequence[FittedAdapter], shares: Sequence[Share], k: int
) -> list[Asked]:
    """Ask for the lists of adapter f among the documents of fold f."""
    return [
        questions.ask_class(adapter, rivals_cut(k), share, fold)
        for fold, (adapter, share) in enumerate(zip(adapters, shares, strict=True))
    ]


def _oracle_rivals(
    spaces: Spaces,
    evaluation: Evaluation,
    shares: Sequence[Share],
    k: int,
    progress: Walks | None,
) -> Rows:
    """Return the oracle's ranks among the documents of each fold."""
    walk = spaces.new_pass(folds=True)
    masked = None if evaluation.masked is None else spaces.in_new(evaluation.masked)
    asked = []
    for fold in range(N_FOLDS):
        queries = shares[fold].queries
        place = walk.ask(
            evaluation.new[queries],
            rivals_cut(k),
            masked=None if masked is None else masked[queries],
            row_class=fold,
        )
        asked.append(Asked(shares[fold], place, queries))
    answers = spaces.run_new(walk, progress)
    n_entries = sum(len(share.entries) for share in shares)
    return joined([(one.share, one.ranks(answers)) for one in asked], n_entries)


@dataclass(frozen=True, slots=True)
class _Reranking:
    """The bridged candidates in other orders: only of lists that hold a relevant document.

    A relevant document that the bridge does not fetch has no rank in any order of what it fetched.
    """

    spaces: Spaces
    evaluation: Evaluation
    questions: Questions
    adapters: Sequence[FittedAdapter]
    asked: Sequence[Asked]
    answers: Sequence[RankedLists]

    def cascade(self) -> Rows | None:
        """Return the ranks under the new model's own cosine; None where vectors are missing."""
        if not all(self.spaces.covers(self.answers[one.place].ids) for one in self.asked):
            return None

        def scores(number: int, queries: Rows, candidates: RankedLists) -> NDArray[np.float32]:
            del number
            return self.spaces.new_cosines(self.evaluation.new[queries], candidates.ids)

        return self._reranked(scores)

    def csls(self) -> Rows:
        """Return the ranks under CSLS."""

        def scores(number: int, queries: Rows, candidates: RankedLists) -> NDArray[np.float32]:
            del queries
            return csls_scores(
                self.questions.bridged(self.adapters[number]),
                self.spaces.inputs.old_docs,
                candidates.ids,
                candidates.scores,
                threads=self.spaces.threads,
            )

        return self._reranked(scores)

    def _reranked(self, scores_of: Callable[[int, Rows, RankedLists], NDArray[np.float32]]) -> Rows:
        """Return the ranks once the lists of every adapter are ordered by other scores."""
        relevance = self.evaluation.relevance
        assert relevance is not None
        parts = []
        for number, asked in enumerate(self.asked):
            hit = asked.ranks(self.answers) > 0
            ranks = np.zeros(len(hit), dtype=np.int64)
            lists = np.unique(asked.lists[hit])
            if len(lists):
                candidates = self.answers[asked.place].rows(lists)
                scores = scores_of(number, asked.queries[lists], candidates)
                places = np.searchsorted(lists, asked.lists[hit])
                ranks[hit] = ranks_by_score(candidates.ids, scores, places, asked.share.rows[hit])
            parts.append((asked.share, ranks))
        return joined(parts, len(relevance.rows))
