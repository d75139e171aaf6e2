"""The second estimate on a sampled corpus: every ranking on the part with new vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.probe.questions import Questions, joined
from gnomon.probe.ranks import ranks_of_relevant, shares_of
from gnomon.probe.result import MiniIndex
from gnomon.stats.ranking import recall_at
from gnomon.stats.resampling import resample_queries
from gnomon.types import Figure

if TYPE_CHECKING:
    from gnomon.probe.bridging import Adapters
    from gnomon.probe.columns import Measured
    from gnomon.probe.passes import Walks
    from gnomon.probe.settings import ProbeSettings
    from gnomon.probe.spaces import Spaces
    from gnomon.probe.truth import Evaluation


def mini_index(
    spaces: Spaces,
    settings: ProbeSettings,
    evaluation: Evaluation,
    adapters: Adapters,
    measured: Measured,
    progress: Walks | None,
) -> MiniIndex | None:
    """Return the view in which the sampled documents are the whole corpus; None if they are.

    It has no guarantee in either direction: a smaller index is an easier one for every ranking.
    The oracle's lists are those of ``measured``, which hold nothing but sampled documents.
    """
    relevance = evaluation.relevance
    if not spaces.partial or relevance is None:
        return None
    shares = shares_of(relevance, folded=adapters.folded)
    questions = Questions(spaces.covered_pass(), evaluation, spaces.threads)
    (everything,) = shares_of(relevance, folded=False)
    staying = questions.ask_vectors(evaluation.old, settings.k, everything)
    bridged = [
        questions.ask(adapter, settings.k, share)
        for adapter, share in zip(adapters.deciding, shares, strict=True)
    ]
    answers = questions.walk.run(progress)
    ranks = {
        "status_quo": staying.ranks(answers),
        "bridged": joined(
            [(one.share, one.ranks(answers)) for one in bridged], len(relevance.rows)
        ),
        "oracle": ranks_of_relevant(measured.oracle.ids, relevance),
    }
    columns = {
        name: recall_at(settings.k, found, relevance.offsets) for name, found in ranks.items()
    }
    resampled = resample_queries(columns, seed=settings.seed)
    if evaluation.tier != "T1":
        unjudged = Figure.missing(f"tier {evaluation.tier} has no judgements to compare by")
        return MiniIndex(
            arr=resampled.ratio_figure("bridged", "oracle"),
            upgrade_gain=unjudged,
            bridge_advantage=unjudged,
        )
    return MiniIndex(
        arr=resampled.ratio_figure("bridged", "oracle"),
        upgrade_gain=resampled.ratio_figure("oracle", "status_quo"),
        bridge_advantage=resampled.ratio_figure("bridged", "status_quo"),
    )
