"""Runs and judgements whose documents are integers and whose queries are rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gnomon import kernels
from gnomon.errors import InvalidInputError, InvalidTypeError
from gnomon.metrics.placed import Placed, check_gains, refuse_gain

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """Judged documents of every query in CSR form, the fastest way to hand them over.

    Attributes
    ----------
    ids
        int64[m], documents; those of query q are ``ids[offsets[q]:offsets[q + 1]]``, each once.
    offsets
        int64[Q + 1], from 0 to m.
    gains
        Whole numbers, one a document; relevant when above 0. None: every document has gain 1.

    Examples
    --------
    >>> from gnomon.metrics import evaluate
    >>> judged = Judgements(np.array([4, 7, 2]), np.array([0, 2, 3]), np.array([2, 0, 1]))
    >>> evaluate(np.array([[7, 4], [1, 3]]), judged, ["recall@2"]).per_query("recall@2")
    {0: 1.0, 1: 0.0}
    """

    ids: NDArray[Any]
    offsets: NDArray[Any]
    gains: NDArray[Any] | None = None


class _Lists(NamedTuple):
    """Integer lists in CSR form; ``weights`` are scores of a run or gains of judgements."""

    ids: NDArray[np.int64]
    offsets: NDArray[np.int64]
    weights: NDArray[Any] | None
    n_removed: int


def placed_rows(
    run: Any, judgements: Any, *, fill: int | None, float_gains: bool, threads: int | None
) -> Placed:
    """Return the ranks of judged documents where documents are integers.

    Parameters
    ----------
    run
        int[Q, k], `TopK`, `Hits` or a sequence of Q lists, best first.
    judgements
        `Judgements`, or for each query a list of relevant documents or a dict document -> gain;
        also ``int[Q, m]``, `TopK` or `Hits`, all of whose documents are relevant.
    fill
        The id that marks a gap.
    """
    lists = _as_lists(run, "run", fill)
    n_queries = len(lists.offsets) - 1
    judged = _as_judged(judgements, n_queries, fill)
    if len(judged.offsets) - 1 != n_queries:
        raise InvalidInputError(
            f"judgements: {len(judged.offsets) - 1} queries are judged, but the run has "
            f"{n_queries}; give one list a query, an empty one where nothing is judged"
        )
    ranks = kernels.ranks_in_lists(
        lists.ids, lists.offsets, judged.ids, judged.offsets, threads=threads
    )
    return Placed(
        queries=np.arange(n_queries),
        ranks=ranks,
        gains=_as_gains(judged, float_gains=float_gains),
        offsets=judged.offsets,
        spans=_spans(ranks, judged, lists, threads),
        listed=np.diff(lists.offsets) > 0,
        judged=np.diff(judged.offsets) > 0,
        n_elsewhere=0,
        n_removed=lists.n_removed + judged.n_removed,
        ties="list",
    )


def _spans(
    ranks: NDArray[np.int64], judged: _Lists, lists: _Lists, threads: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    if lists.weights is None:
        return None
    scores = np.ascontiguousarray(lists.weights, dtype=np.float64)
    return kernels.tied_ranks_in_lists(
        ranks, judged.offsets, scores, lists.offsets, threads=threads
    )


def _as_gains(judged: _Lists, *, float_gains: bool) -> NDArray[np.float64]:
    if judged.weights is None:
        return np.ones(len(judged.ids))
    if judged.weights.dtype.kind not in "biuf":
        raise InvalidTypeError(
            f"judgements: gains have dtype {judged.weights.dtype}; expected whole numbers"
        )
    gains = np.ascontiguousarray(judged.weights, dtype=np.float64)
    found = check_gains(gains, float_gains=float_gains)
    if found is not None:
        place, problem = found
        query = int(np.searchsorted(judged.offsets, place, side="right")) - 1
        raise refuse_gain(
            gains[place].item(), f"judgements: query {query}, document {judged.ids[place]}", problem
        )
    return gains


def _as_judged(judgements: Any, n_queries: int, fill: int | None) -> _Lists:
    if isinstance(judgements, Mapping):
        lists: list[Any] = [()] * n_queries
        for row, own in judgements.items():
            if not isinstance(row, int | np.integer) or not 0 <= row < n_queries:
                raise InvalidInputError(
                    f"judgements: query {row!r} is not a row of the run; expected 0 to "
                    f"{n_queries - 1}; a run of string ids is a dict query -> documents"
                )
            lists[int(row)] = own
        judgements = lists
    if isinstance(judgements, Sequence) and not isinstance(judgements, str | bytes | tuple):
        return _from_sequence(judgements, "judgements", fill)
    judged = _as_lists(judgements, "judgements", fill)
    if not isinstance(judgements, Judgements) and judged.weights is not None:
        judged = judged._replace(weights=None)  # scores of an exact search are no gains
    return judged


def _as_lists(values: Any, name: str, fill: int | None) -> _Lists:
    ids, offsets = getattr(values, "ids", None), getattr(values, "offsets", None)
    if ids is None and isinstance(values, np.ndarray):
        ids = values
    if ids is None:
        if isinstance(values, Sequence) and not isinstance(values, str | bytes):
            return _from_sequence(values, name, fill)
        raise InvalidTypeError(
            f"{name}: {type(values).__name__} was given; expected int64[Q, k], TopK, Hits or one "
            f"list of documents a query"
        )
    weights = getattr(values, "gains" if isinstance(values, Judgements) else "scores", None)
    if offsets is not None:
        return _from_csr(ids, offsets, weights, name, fill)
    flat = _as_int64(ids, name)
    if flat.ndim != 2:
        raise InvalidInputError(
            f"{name}: an array of shape {flat.shape} was given; expected (queries, documents); "
            f"for one query write {name}[np.newaxis]"
        )
    edges = np.arange(0, flat.size + 1, flat.shape[1]) if flat.shape[1] else None
    if edges is None:
        edges = np.zeros(len(flat) + 1, dtype=np.int64)
    return _from_csr(flat.ravel(), edges, None if weights is None else weights.ravel(), name, fill)


def _from_csr(ids: Any, offsets: Any, weights: Any, name: str, fill: int | None) -> _Lists:
    flat, edges = _as_int64(ids, name), _as_int64(offsets, f"{name}.offsets")
    if (
        flat.ndim != 1
        or edges.ndim != 1
        or len(edges) == 0
        or edges[0] != 0
        or edges[-1] != len(flat)
        or bool((edges[1:] < edges[:-1]).any())
    ):
        raise InvalidInputError(
            f"{name}: offsets must be one dimension that rises from 0 to the number of ids, "
            f"{flat.size}"
        )
    if weights is not None:
        weights = np.asarray(weights)
        if weights.shape != flat.shape:
            raise InvalidInputError(f"{name}: {weights.shape} gains or scores for {flat.shape} ids")
    return (
        _Lists(flat, edges, weights, 0)
        if fill is None
        else _without(flat, edges, weights, flat != fill)
    )


def _without(
    ids: NDArray[np.int64],
    offsets: NDArray[np.int64],
    weights: NDArray[Any] | None,
    keep: NDArray[np.bool_],
) -> _Lists:
    n_removed = len(keep) - int(keep.sum())
    if n_removed == 0:
        return _Lists(ids, offsets, weights, 0)
    kept = np.concatenate([[0], np.cumsum(keep)])
    return _Lists(ids[keep], kept[offsets], None if weights is None else weights[keep], n_removed)


def _from_sequence(values: Sequence[Any], name: str, fill: int | None) -> _Lists:
    parts, gains, n_none = [], [], 0
    weighted = any(isinstance(own, Mapping) for own in values)
    for q, own in enumerate(values):
        ids, n_skipped = _flat_ids(own, f"{name}[{q}]")
        parts.append(ids)
        n_none += n_skipped
        if isinstance(own, Mapping):
            gains.append(np.array([g for d, g in own.items() if d is not None] or np.empty(0)))
        elif weighted:
            gains.append(np.ones(len(ids)))
    if weighted and name == "run":
        raise InvalidTypeError(
            "run: dicts document -> score need dict queries; expected lists, best first, or a dict "
            "query -> {document: score}"
        )
    offsets = np.zeros(len(parts) + 1, dtype=np.int64)
    np.cumsum([len(ids) for ids in parts], out=offsets[1:])
    flat = np.concatenate([np.empty(0, dtype=np.int64), *parts])
    lists = _from_csr(flat, offsets, np.concatenate(gains) if weighted else None, name, fill)
    return lists._replace(n_removed=lists.n_removed + n_none)


def _flat_ids(own: Any, where: str) -> tuple[NDArray[np.int64], int]:
    """Return the ids of one query and how many were None."""
    if isinstance(own, np.ndarray):
        ids = _as_int64(own, where)
        if ids.ndim != 1:
            raise InvalidInputError(f"{where} has shape {ids.shape}; expected one dimension")
        return ids, 0
    if isinstance(own, str | bytes) or not hasattr(own, "__iter__"):
        raise InvalidTypeError(
            f"{where} is {own!r}; expected a list of documents: write [[{own!r}], ...]"
        )
    given = list(own)
    values = given if set(map(type, given)) == {int} else _checked_ids(given, where)
    try:
        return np.array(values, dtype=np.int64), len(given) - len(values)
    except OverflowError:
        raise InvalidInputError(f"{where} holds an id beyond 64 bits") from None


def _checked_ids(given: list[Any], where: str) -> list[Any]:
    """Return what isn't None; all of it must be integers."""
    values = [doc for doc in given if doc is not None]
    for doc in values:
        if isinstance(doc, bool) or not isinstance(doc, int | np.integer):
            raise InvalidTypeError(
                f"{where} holds {doc!r}; expected integers, as in the rest: ids of run and "
                f"judgements are either all integers or all strings"
            )
    return values


def _as_int64(values: Any, name: str) -> NDArray[np.int64]:
    array = np.asarray(values)
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise InvalidTypeError(
            f"{name}: dtype {array.dtype} was given; expected integers; convert them with "
            f"{name}.astype(np.int64)"
        )
    if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
        raise InvalidInputError(f"{name}: {array.max()} is beyond int64")
    return np.ascontiguousarray(array, dtype=np.int64)
