"""The second estimate on a sampled corpus: every ranking on the part with new vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.probe.columns import Measured, fold_ranks
from gnomon.probe.fitting import bridged_queries
from gnomon.probe.ranks import ranks_of_relevant
from gnomon.probe.result import MiniIndex
from gnomon.stats.ranking import recall_at
from gnomon.stats.resampling import resample_queries
from gnomon.types import Figure

if TYPE_CHECKING:
    from gnomon.probe.bridging import Adapters
    from gnomon.probe.passes import Walks
    from gnomon.probe.settings import ProbeSettings
    from gnomon.probe.spaces import Spaces
    from gnomon.probe.truth import Evaluation

_PART = 1  # the class of the rows with new vectors


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
    walk = spaces.covered_pass()
    asked = [evaluation.old, *bridged_queries(adapters.deciding, evaluation.new, spaces.threads)]
    for queries in asked:
        walk.ask(queries, settings.k, masked=evaluation.masked, row_class=_PART)
    quo, *bridged = walk.run(progress)
    ranks = {
        "status_quo": ranks_of_relevant(quo.ids, relevance),
        "bridged": fold_ranks([lists.ids for lists in bridged], relevance),
        "oracle": ranks_of_relevant(measured.oracle.ids, relevance),
    }
    columns = {
        name: recall_at(settings.k, np.asarray(found), relevance.offsets)
        for name, found in ranks.items()
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
