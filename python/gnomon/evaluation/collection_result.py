"""The result of a run on a collection, in the form that every report of an evaluation has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from gnomon.evaluation.result import EvaluationResult, Measure, Row, Setup, safe_name
from gnomon.metrics.measures import parse_measures

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gnomon.metrics import Evaluation

Channel = Literal["bm25", "dense", "fused", "served"]
CHANNELS: Final[tuple[Channel, ...]] = ("bm25", "dense", "fused", "served")
DEFAULT_DEPTH: Final = 100
DEFAULT_METRICS: Final = ("ndcg@10", "recall@10", "recall@100", "rr", "ap", "precision@10")
_MEANS: Final[Mapping[str, str]] = {
    "recall": "share of the relevant documents that are among {first}",
    "capped_recall": "relevant documents among {first}, of as many as could be there",
    "precision": "share of {first} that is relevant; a shorter list counts as filled up",
    "rr": "1 / rank of the first relevant document among {first}, 0 if none; its mean is MRR",
    "ap": "precision at each relevant document among {first}, over all relevant; its mean is MAP",
    "ndcg": "gains of {first} over log2(rank + 1), divided by the same of the best order",
}


@dataclass(frozen=True, slots=True)
class CollectionSetup(Setup):
    """What was measured: a run, whose name stands as ``index_name``, on a collection.

    ``golden_hash`` covers the judgements, the rule of ties and what is left out; ``index`` holds
    ``hash``, that of the run or of the index that made it, and ``facts``, by name for a reader.

    Attributes
    ----------
    collection
        Its name: the folder's, or the file's of the judgements.
    ties
        The rule that orders equal scores.
    ignores_identical
        Whether results with the id of their query were left out.
    """

    collection: str = ""
    ties: str = "id"
    ignores_identical: bool = False

    scored: ClassVar[str] = "what is judged, the rule of ties or what is left out"
    unchanged: ClassVar[str] = "the same run, or the same index and channel"

    @property
    def name(self) -> str:
        """Name of the report's files, without their ending."""
        rules = "" if self.ties == "id" else f"-ties-{self.ties}"
        rules += "-without-identical" if self.ignores_identical else ""
        return f"{safe_name(self.index_name)}-on-{safe_name(self.collection)}{rules}"


def measures_of(names: str | Iterable[str]) -> tuple[Measure, ...]:
    """Return metrics by name as measures of a report.

    Raises
    ------
    UsageError
        When a name or a cutoff is wrong.

    Examples
    --------
    >>> [measure.name for measure in measures_of(["nDCG@10", "MRR"])]
    ['ndcg@10', 'rr']
    """
    return tuple(
        Measure(
            str(one),
            "higher",
            False,
            _MEANS[one.name].format(
                first="all documents" if one.cutoff is None else f"the first {one.cutoff}"
            ),
        )
        for one in parse_measures(names)
    )


def collection_result(found: Evaluation, setup: CollectionSetup, *, seed: int) -> EvaluationResult:
    """Return the report's form of an evaluation: a row a query, a value a metric."""
    measures = measures_of(found)
    names = [measure.name for measure in measures]
    columns = [found[name].values.tolist() for name in names]
    rows = tuple(
        Row(str(query), {}, dict(zip(names, values, strict=True)))
        for query, values in zip(found.queries, zip(*columns, strict=True), strict=True)
    )
    return EvaluationResult(setup, measures, rows, seed)


def collection_facts(
    found: Evaluation, setup: CollectionSetup, notes: Sequence[str]
) -> dict[str, Any]:
    """Return what a report says of a collection beside figures, as JSON values.

    Parameters
    ----------
    notes
        Sentences beside those of the evaluation.
    """
    counts = {name: value for name, value in found.as_dict().items() if name.startswith("n_")}
    return {
        "name": setup.collection,
        "run": setup.index_name,
        "ties": setup.ties,
        "ignore_identical_ids": setup.ignores_identical,
        "counts": counts,
        "n_tied": {name: found[name].n_tied for name in found},
        "notes": [*found.reasons, *notes],
    }
