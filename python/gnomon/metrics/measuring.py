"""Evaluate a run against judgements: many metrics at once, or one by name."""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias, get_args

import numpy as np

from gnomon.errors import InvalidInputError, InvalidTypeError, UsageError
from gnomon.kernels import Hits, NamedHits, TopK
from gnomon.metrics.measures import parse_measures
from gnomon.metrics.named import Ties, placed_names
from gnomon.metrics.placed import Placed, summarise
from gnomon.metrics.rows import Judgements, placed_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.metrics.evaluation import Evaluation, MetricValues

Run: TypeAlias = (
    "NDArray[np.integer[Any]] | TopK | Hits | NamedHits | Sequence[Any] "
    "| Mapping[Any, Mapping[Any, float]] | Mapping[Any, Sequence[Any]]"
)
Judged: TypeAlias = (
    "Judgements | NDArray[np.integer[Any]] | TopK | Hits | Sequence[Any] "
    "| Mapping[Any, Mapping[Any, float]] | Mapping[Any, Iterable[Any]]"
)

STANDARD = ("ndcg@10", "recall@10", "recall@100", "rr", "ap", "precision@10")


def evaluate(
    run: Run,
    judgements: Judged,
    metrics: str | Iterable[str] = STANDARD,
    *,
    ties: Ties = "id",
    fill: SupportsIndex | None = None,
    float_gains: bool = False,
    threads: int | None = None,
) -> Evaluation:
    """Return ranking metrics of a run, per query and as means, with the counts behind them.

    Parameters
    ----------
    run
        What was retrieved, in one of these forms.

        - Queries are rows and documents integers: ``int[Q, k]``, `TopK`, `Hits`, or a sequence of
          Q lists; best first.
        - TREC: a dict query -> {document: score}.
        - Run lists: a dict query -> list of documents, best first; or a sequence of lists of
          strings, or `NamedHits`.
    judgements
        For rows: `Judgements` (CSR), a sequence or a dict row -> with a dict {document: gain} or a
        list of relevant documents each, or ``int[Q, m]``, `TopK`, `Hits` of relevant documents.
        For dicts: a dict query -> {document: gain} or -> a collection of relevant documents.
        A document is relevant when its gain is above 0; a gain of 0 or less is judged irrelevant;
        a document without judgement counts as irrelevant.
    metrics
        Names such as ``"ndcg@10"``: recall, capped_recall, precision, rr, ap, ndcg, and R, P, MRR,
        MAP as other names. Without a cutoff the whole list counts; precision and capped_recall need
        one.
    ties
        How documents with equal scores are ordered in a dict of scores. ``"id"``: score descending,
        then id ascending (strings by code point, integers by value). ``"trec"``: as trec_eval does,
        score rounded to float32 and descending, then id descending. Lists stay as they are given.
    fill
        The integer that marks gaps in arrays, removed and counted. None ids are removed always.
    float_gains
        Take fractional gains as they are. Without it they are refused.
    threads
        Default: ``GNOMON_NUM_THREADS``, else the CPUs of this process. Never changes a result.

    Returns
    -------
    Evaluation
        ``result["ndcg@10"].mean``, ``.values`` and ``.n_tied``; ``result.n_measured``, ``n_total``,
        ``n_unjudged`` and others. Means are over the measured queries: those with a relevant
        document. A judged query that the run leaves out counts with 0.

    Raises
    ------
    UsageError
        A name or cutoff is wrong (a cutoff is at least 1), or ``ties`` doesn't fit the run.
    InvalidInputError
        A document occurs twice in a list, a gain is fractional, a score is NaN, lengths differ.
    InvalidTypeError
        A form isn't one of these, or ids are strings on one side and integers on the other.
    NotMeasuredError
        "no judged queries": nothing is left to average.

    Examples
    --------
    Two queries as rows; the second has two relevant documents and finds one, second.

    >>> import numpy as np
    >>> found = evaluate(np.array([[4, 8], [1, 5]]), [[4], [5, 9]], ["recall@2", "rr"])
    >>> found.means
    {'recall@2': 0.75, 'rr': 0.75}
    >>> found["rr"].values.tolist()
    [1.0, 0.5]

    TREC dicts; q2 is absent from the run and counts, q9 has no judgements and doesn't.

    >>> qrels = {"q1": {"d1": 1}, "q2": {"d7": 2}}
    >>> found = evaluate({"q1": {"d1": 0.9}, "q9": {"d4": 0.1}}, qrels, "recall@10")
    >>> found["recall@10"].mean, found.n_measured, found.n_total, found.n_unjudged
    (0.5, 2, 3, 1)

    Three equal scores: the order is the ids', and the result says that ties decide.

    >>> tied = {"q": {"d1": 1.0, "d2": 1.0, "d3": 1.0}}
    >>> found = evaluate(tied, {"q": {"d3": 1}}, ["rr"])
    >>> found["rr"].mean, found["rr"].n_tied
    (0.3333333333333333, 1)
    >>> evaluate(tied, {"q": {"d3": 1}}, ["rr"], ties="trec")["rr"].mean
    1.0
    """
    measures = parse_measures(metrics)
    if ties not in get_args(Ties):
        raise UsageError(f"ties is {ties!r}; expected 'id' or 'trec'")
    placed = _placed(run, judgements, ties, fill, float_gains=float_gains, threads=threads)
    return summarise(placed, measures, threads)


def _placed(
    run: Any,
    judgements: Any,
    ties: Ties,
    fill: SupportsIndex | None,
    *,
    float_gains: bool,
    threads: int | None,
) -> Placed:
    marks = None if fill is None else _as_mark(fill)
    lists = None if isinstance(run, Mapping) else _string_lists(run)
    if marks is not None and (lists is not None or isinstance(run, Mapping)):
        raise UsageError(f"fill is {marks}, but only integers in arrays and lists can mark gaps")
    if isinstance(run, Mapping):
        if not isinstance(judgements, Mapping):
            raise InvalidTypeError(
                f"judgements: {type(judgements).__name__} was given for a run that is a dict; "
                f"expected a dict query -> judged documents"
            )
        return placed_names(run, judgements, ties=ties, float_gains=float_gains, threads=threads)
    if lists is not None:
        return placed_names(
            dict(enumerate(lists)),
            _by_row(judgements, len(lists)),
            ties=ties,
            float_gains=float_gains,
            threads=threads,
        )
    if ties == "trec":
        raise UsageError(
            "ties='trec' orders a dict of scores; lists and arrays are ordered already"
        )
    return placed_rows(run, judgements, fill=marks, float_gains=float_gains, threads=threads)


def _as_mark(fill: SupportsIndex) -> int:
    try:
        return operator.index(fill)
    except TypeError:
        raise UsageError(f"fill is {fill!r}; expected the integer that marks gaps") from None


def _string_lists(run: Any) -> Sequence[Any] | None:
    """Return the lists of a run by rows whose documents are strings, or None for integers."""
    if isinstance(run, NamedHits):
        return [list(hits.ids) for hits in run]
    if isinstance(run, np.ndarray):
        return run.tolist() if run.dtype.kind in "UO" and run.ndim == 2 else None
    if not isinstance(run, Sequence) or isinstance(run, str | bytes | TopK):
        return None
    docs = (doc for own in run if hasattr(own, "__iter__") for doc in own if doc is not None)
    return run if isinstance(next(docs, None), str) else None


def _by_row(judgements: Any, n_queries: int) -> Mapping[Hashable, Any]:
    if isinstance(judgements, Mapping):
        return judgements
    if not isinstance(judgements, Sequence) or isinstance(judgements, str | bytes):
        raise InvalidTypeError(
            f"judgements: {type(judgements).__name__} was given for a run of string lists; "
            f"expected one list of relevant documents, or dict document -> gain, a query"
        )
    if len(judgements) != n_queries:
        raise InvalidInputError(
            f"judgements: {len(judgements)} queries are judged, but the run has {n_queries}; give "
            f"one list a query, an empty one where nothing is judged"
        )
    return dict(enumerate(judgements))


def _single(name: str, k: SupportsIndex | None, run: Run, judgements: Judged, options: Any) -> Any:
    wanted = name if k is None else f"{name}@{k!r}"
    return evaluate(run, judgements, [wanted], **options)[wanted]


def recall(run: Run, judgements: Judged, k: int | None = None, **options: Any) -> MetricValues:
    """Return recall@k: the relevant documents among the first k, divided by all relevant ones.

    The denominator counts all relevant documents of the judgements, whatever k is: with 20 of them,
    ten hits in the first ten give 0.5. trec_eval's ``recall_k`` and ``set_recall`` (k None).

    Parameters
    ----------
    run, judgements
        As in `evaluate`; so are the keyword arguments and the errors.
    k
        The cutoff; None for the whole list.

    Returns
    -------
    MetricValues
        ``values`` float64[n_measured] in [0, 1], and their ``mean``.

    Examples
    --------
    The recall of approximate hits against exact ones:

    >>> import numpy as np
    >>> exact, approximate = np.array([[3, 1, 4]]), np.array([[3, 4, 5]])
    >>> round(recall(approximate, exact, 3).mean, 4)
    0.6667
    """
    found: MetricValues = _single("recall", k, run, judgements, options)
    return found


def capped_recall(run: Run, judgements: Judged, k: int, **options: Any) -> MetricValues:
    """Return capped recall@k: the relevant documents among the first k, divided by min(k, all).

    1.0 can be reached whatever k is (BEIR's ``R_cap``). It is not recall, and has its own name.
    Parameters and errors as in `evaluate`.

    Examples
    --------
    >>> twenty = {"q": [f"d{i}" for i in range(20)]}
    >>> capped_recall({"q": twenty["q"][:10]}, twenty, 10).mean
    1.0
    >>> recall({"q": twenty["q"][:10]}, twenty, 10).mean
    0.5
    """
    found: MetricValues = _single("capped_recall", k, run, judgements, options)
    return found


def precision(run: Run, judgements: Judged, k: int, **options: Any) -> MetricValues:
    """Return precision@k: the relevant documents among the first k, divided by k.

    A list that is shorter than k is divided by k all the same, as trec_eval's ``P_k``. Parameters
    and errors as in `evaluate`.

    Examples
    --------
    >>> precision({"q": ["a", "b"]}, {"q": {"b": 1}}, 4).mean
    0.25
    """
    found: MetricValues = _single("precision", k, run, judgements, options)
    return found


def reciprocal_rank(
    run: Run, judgements: Judged, k: int | None = None, **options: Any
) -> MetricValues:
    """Return 1 / the rank of the first relevant document, 0 without one in the first k.

    The mean is the MRR (Voorhees, "The TREC-8 question answering track report", 1999). Parameters
    and errors as in `evaluate`.

    Examples
    --------
    >>> reciprocal_rank({"q": ["a", "b", "c"]}, {"q": {"c": 1, "b": 1}}).mean
    0.5
    """
    found: MetricValues = _single("rr", k, run, judgements, options)
    return found


def average_precision(
    run: Run, judgements: Judged, k: int | None = None, **options: Any
) -> MetricValues:
    """Return the precision at the rank of each relevant document in the first k, summed over all.

    (1 / r_1 + 2 / r_2 + ...) / R, with r_i the rank of the i-th relevant document that was found
    and R the number of relevant documents, found or not. The mean is the MAP (trec_eval's ``map``
    and ``map_cut_k``). Parameters and errors as in `evaluate`.

    Examples
    --------
    >>> average_precision({"q": ["a", "b", "c"]}, {"q": {"a": 1, "c": 1, "z": 1}}).mean
    0.5555555555555555
    """
    found: MetricValues = _single("ap", k, run, judgements, options)
    return found


def ndcg(run: Run, judgements: Judged, k: int | None = None, **options: Any) -> MetricValues:
    """Return normalised discounted cumulative gain of the first k.

    The sum of gain / log2(rank + 1) over the documents found, divided by the same sum for the best
    possible order of all judged documents, whether found or not (Jarvelin and Kekalainen 2002;
    linear gain and discount as trec_eval's ``ndcg_cut_k``). Parameters and errors as in `evaluate`.

    Examples
    --------
    One of three relevant documents, at rank 1:

    >>> round(ndcg({"q": ["a"]}, {"q": {"a": 1, "b": 1, "c": 1}}, 10).mean, 4)
    0.4693
    """
    found: MetricValues = _single("ndcg", k, run, judgements, options)
    return found
