"""What an evaluation returns: figures per query, their mean, and what was left out and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gnomon.errors import UsageError
from gnomon.metrics.measures import parse_measure

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from numpy.typing import NDArray

# Row numbers where queries are rows, else ids.
Queries: TypeAlias = "NDArray[np.int64] | tuple[Hashable, ...]"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MetricValues:
    """One metric on all measured queries.

    Attributes
    ----------
    name
        Such as ``ndcg@10``.
    values
        float64[n_measured] in [0, 1], never NaN, read-only; the queries are ``Evaluation.queries``.
    mean
        The correctly rounded sum of the values, divided by their number.
    n_tied
        How many queries are decided by ties: some other order of documents with equal scores gives
        another value. None when the run has no scores.
    """

    name: str
    values: NDArray[np.float64]
    mean: float
    n_tied: int | None

    @property
    def tied_share(self) -> float | None:
        """``n_tied`` divided by the number of values."""
        return None if self.n_tied is None else self.n_tied / len(self.values)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Evaluation:
    """Metrics of one run, and how many queries stand behind them.

    ``evaluation["ndcg@10"]`` gives a `MetricValues`; ``in``, ``len`` and iteration work on the
    names. ``n_total == n_measured + n_unjudged + n_without_relevant``.

    Attributes
    ----------
    metrics
        Name -> `MetricValues`, in the order asked for.
    queries
        The measured queries in the order of the values: int64 row numbers, or the ids of the
        judgements.
    n_total
        How many queries the run and the judgements name together.
    n_measured
        How many of them have a relevant document, and so a value.
    n_unjudged
        Queries of the run without any judgement; left out.
    n_without_relevant
        Queries whose judged documents are all irrelevant: every metric is undefined; left out.
    n_without_results
        Measured queries that are absent from the run, or have an empty list; they count with 0.
    n_removed
        Ids that were None (or ``fill``) and were removed, from run and judgements together.
    n_relevant
        Relevant documents of the measured queries.
    n_relevant_retrieved
        How many of them the run lists, at any rank.
    ties
        The rule that ordered equal scores: ``list`` (the given order), ``id`` or ``trec``.
    """

    metrics: Mapping[str, MetricValues]
    queries: Queries
    n_total: int
    n_measured: int
    n_unjudged: int
    n_without_relevant: int
    n_without_results: int
    n_removed: int
    n_relevant: int
    n_relevant_retrieved: int
    ties: str

    def __getitem__(self, name: str) -> MetricValues:
        """Return one metric by any spelling of its name."""
        wanted = str(parse_measure(name))
        if wanted not in self.metrics:
            raise UsageError(f"{wanted!r} was not evaluated; there are {', '.join(self.metrics)}")
        return self.metrics[wanted]

    def __contains__(self, name: str) -> bool:
        """Return whether a metric was evaluated."""
        return str(parse_measure(name)) in self.metrics

    def __iter__(self) -> Iterator[str]:
        """Go through the names."""
        return iter(self.metrics)

    def __len__(self) -> int:
        """Return the number of metrics."""
        return len(self.metrics)

    @property
    def means(self) -> dict[str, float]:
        """Name -> mean over the measured queries."""
        return {name: metric.mean for name, metric in self.metrics.items()}

    @property
    def coverage(self) -> float:
        """``n_measured`` divided by ``n_total``."""
        return self.n_measured / self.n_total

    def per_query(self, name: str) -> dict[Hashable, float]:
        """Return query -> value of one metric.

        Examples
        --------
        >>> from gnomon.metrics import evaluate
        >>> found = evaluate({"q1": ["a", "b"]}, {"q1": {"b": 1}}, ["rr"])
        >>> found.per_query("rr")
        {'q1': 0.5}
        """
        keys = self.queries
        names = keys.tolist() if isinstance(keys, np.ndarray) else keys
        return dict(zip(names, self[name].values.tolist(), strict=True))

    @property
    def reasons(self) -> tuple[str, ...]:
        """Sentences on everything that was left out or counts as 0, for a reader."""
        n_ties = {name: metric.n_tied for name, metric in self.metrics.items() if metric.n_tied}
        told = [
            (self.n_unjudged, "without judgements: left out"),
            (self.n_without_relevant, "without a relevant document: undefined, left out"),
            (self.n_without_results, "without results: counted with 0"),
        ]
        sentences = [f"{count} of {_queries(self.n_total)} {what}" for count, what in told if count]
        if self.n_relevant_retrieved == 0:
            sentences.append(
                f"no list holds any of what is relevant ({self.n_relevant} in all): check that "
                f"run and judgements spell ids alike"
            )
        if self.n_removed:
            sentences.append(f"ids that were None or the fill value: {self.n_removed} removed")
        sentences += [
            f"ties decide the {name} of {count} of {_queries(self.n_measured)}"
            for name, count in n_ties.items()
        ]
        return tuple(sentences)

    def as_dict(self) -> dict[str, Any]:
        """Return counts, means and ties, ready for JSON; never NaN.

        Examples
        --------
        >>> from gnomon.metrics import evaluate
        >>> found = evaluate({"q1": ["a"], "q2": ["a"]}, {"q1": {"a": 1}}, ["recall@10"])
        >>> found.as_dict()["metrics"], found.as_dict()["n_unjudged"]
        ({'recall@10': {'mean': 1.0, 'n_tied': None}}, 1)
        """
        counts = {
            name: getattr(self, name) for name in self.__dataclass_fields__ if name[:2] == "n_"
        }
        return {
            "metrics": {
                name: {"mean": metric.mean, "n_tied": metric.n_tied}
                for name, metric in self.metrics.items()
            },
            **counts,
            "ties": self.ties,
            "reasons": list(self.reasons),
        }


def _queries(n: int) -> str:
    return f"{n} {'query' if n == 1 else 'queries'}"
