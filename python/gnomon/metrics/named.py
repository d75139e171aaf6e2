"""Runs and judgements as dicts, as TREC files hold them: query -> documents."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Hashable, Mapping, Sequence
from itertools import chain, count, pairwise, repeat
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from gnomon import kernels
from gnomon.errors import InvalidInputError, InvalidTypeError, UsageError
from gnomon.metrics.placed import Placed, check_gains, refuse_gain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

Ties: TypeAlias = Literal["id", "trec"]
_FEW_DOCUMENTS = 8
_Spans: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.int64]]"


class _Side(NamedTuple):
    """The documents of the judged queries, of the run or of the judgements."""

    own: list[Any]
    n_removed: int
    kinds: set[type]


def placed_names(
    run: Mapping[Hashable, Any],
    judgements: Mapping[Hashable, Any],
    *,
    ties: Ties,
    float_gains: bool,
    threads: int | None,
) -> Placed:
    """Return the ranks of judged documents where queries and documents are ids.

    Parameters
    ----------
    run
        Query -> {document: score}, or query -> list of documents, best first.
    judgements
        Query -> {document: gain}, or query -> collection of relevant documents.
    ties
        How equal scores are ordered: ``id`` ascending, or as trec_eval does.
    """
    _check_queries(run, judgements)
    judged = _side([_as_judged(own, query) for query, own in judgements.items()])
    lists = _side([_as_listed(run.get(query, ()), query) for query in judgements])
    _check_kinds(lists.kinds, judged.kinds)
    queries = tuple(judgements)
    offsets = _offsets(judged.own)
    gains = _gains(judged.own, offsets, queries, float_gains=float_gains)
    scored = _is_scored(lists.own, queries)
    if scored:
        ranks, spans = _ranks_by_score(lists.own, judged.own, offsets, queries, ties, threads)
    elif ties == "trec" and any(map(len, lists.own)):
        raise UsageError("ties='trec' orders scores, but the run holds lists without any")
    else:
        ranks, spans = _ranks_by_place(lists.own, judged.own, queries), None
    return Placed(
        queries=queries,
        ranks=ranks,
        gains=gains,
        offsets=offsets,
        spans=spans,
        listed=np.array([len(own) > 0 for own in lists.own], dtype=np.bool_),
        judged=np.diff(offsets) > 0,
        n_elsewhere=sum(query not in judgements for query in run),
        n_removed=lists.n_removed + judged.n_removed,
        ties=ties if scored else "list",
    )


def _is_dict(own: Any) -> bool:
    return type(own) is dict or isinstance(own, Mapping)  # the first is ten times faster


def _as_judged(own: Any, query: Hashable) -> Mapping[Any, Any]:
    if _is_dict(own):
        return cast("Mapping[Any, Any]", own)
    if isinstance(own, str | bytes) or not isinstance(own, Collection):
        raise InvalidTypeError(
            f"judgements: query {query!r} has {own!r}; expected a dict document -> gain or a list "
            f"of relevant documents: write [{own!r}]"
        )
    docs = list(own)
    gains = dict.fromkeys(docs, 1)
    if len(gains) < len(docs) - max(0, docs.count(None) - 1):
        raise InvalidInputError(
            f"judgements: query {query!r} judges document {_first_repeated(docs)!r} more than once"
        )
    return gains


def _as_listed(own: Any, query: Hashable) -> Any:
    if isinstance(own, np.ndarray):
        return own.tolist()
    if _is_dict(own) or (isinstance(own, Sequence) and not isinstance(own, str | bytes)):
        return own
    raise InvalidTypeError(
        f"run: query {query!r} has {own!r}; expected a dict document -> score, or a list of "
        f"documents, best first"
    )


def _side(docs: list[Any]) -> _Side:
    kinds = set(map(type, chain.from_iterable(docs)))
    n_removed = _remove_none(docs) if type(None) in kinds else 0
    return _Side(docs, n_removed, kinds - {type(None)})


def _remove_none(docs: list[Any]) -> int:
    """Remove None as an id in place, and return how many there were."""
    n_removed = 0
    for q, own in enumerate(docs):
        if None in own:
            if _is_dict(own):
                docs[q] = {doc: value for doc, value in own.items() if doc is not None}
            else:
                docs[q] = [doc for doc in own if doc is not None]
            n_removed += len(own) - len(docs[q])
    return n_removed


def _check_kinds(run: set[type], judgements: set[type]) -> None:
    """Refuse ids that are neither strings nor integers, or both."""
    words: set[tuple[str, str]] = set()
    for name, kinds in (("run", run), ("judgements", judgements)):
        for kind in kinds:
            if issubclass(kind, str):
                words.add((name, "strings"))
            elif issubclass(kind, int | np.integer) and kind is not bool:
                words.add((name, "integers"))
            else:
                raise InvalidTypeError(
                    f"{name}: a document id is of type {kind.__name__}; expected strings, or "
                    f"integers"
                )
    if len({word for _, word in words}) > 1:
        found = ", ".join(sorted(f"{word} in the {name}" for name, word in words))
        raise InvalidTypeError(
            f"document ids are {found}; the integer 1 and the string '1' are different documents: "
            f"make all of them strings, or all integers"
        )


def _check_queries(run: Mapping[Any, Any], judgements: Mapping[Any, Any]) -> None:
    """Refuse ids of queries that can't meet: all strings here, all integers there."""
    kinds = [{issubclass(kind, str) for kind in set(map(type, ids))} for ids in (run, judgements)]
    if all(kinds) and not kinds[0] & kinds[1]:
        spelt = [repr(next(iter(ids))) for ids in (run, judgements)]
        raise InvalidTypeError(
            f"the run names queries such as {spelt[0]}, the judgements such as {spelt[1]}: make "
            f"all of them strings, or all integers"
        )


def _offsets(docs: list[Any]) -> NDArray[np.int64]:
    offsets = np.zeros(len(docs) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, docs), np.int64, len(docs)), out=offsets[1:])
    return offsets


def _numbers(docs: list[Any], name: str, what: str) -> NDArray[np.float64]:
    """Return the values of all dicts one after the other; text is never read as a number."""
    try:
        values = array("d", chain.from_iterable(own.values() for own in docs))
    except (TypeError, OverflowError) as error:
        raise InvalidTypeError(f"{name}: a {what} is not a number of float64: {error}") from None
    return np.frombuffer(values, dtype=np.float64)


def _named(docs: list[Any], offsets: NDArray[np.int64], queries: tuple[Any, ...], at: int) -> str:
    """Return the words for the query and document at a place of the flat arrays."""
    q = int(np.searchsorted(offsets, at, side="right")) - 1
    return f"query {queries[q]!r}, document {list(docs[q])[at - int(offsets[q])]!r}"


def _gains(
    judged: list[Any], offsets: NDArray[np.int64], queries: tuple[Any, ...], *, float_gains: bool
) -> NDArray[np.float64]:
    gains = _numbers(judged, "judgements", "gain")
    found = check_gains(gains, float_gains=float_gains)
    if found is not None:
        at, problem = found
        where = f"judgements: {_named(judged, offsets, queries, at)}"
        raise refuse_gain(gains[at].item(), where, problem)
    return gains


def _is_scored(lists: list[Any], queries: tuple[Any, ...]) -> bool:
    """Return whether the run has scores; empty queries may be of either form."""
    scored = [_is_dict(own) if len(own) else None for own in lists]
    if True in scored and False in scored:
        raise InvalidTypeError(
            f"run: query {queries[scored.index(True)]!r} is a dict document -> score, query "
            f"{queries[scored.index(False)]!r} a list; give all queries in one form"
        )
    if True in scored:
        lists[:] = [own if len(own) else {} for own in lists]
    return True in scored


def _ranks_by_place(
    lists: list[Any], judged: list[Any], queries: tuple[Any, ...]
) -> NDArray[np.int64]:
    ranks: list[int] = []
    for query, own, docs in zip(queries, lists, judged, strict=True):
        listed = set(own)
        if len(listed) < len(own):
            raise InvalidInputError(
                f"run: query {query!r} lists document {_first_repeated(own)!r} more than once; "
                f"keep one entry of each document"
            )
        found = listed.intersection(docs)
        # A dict of all places costs more than to look for a few documents.
        if len(found) > _FEW_DOCUMENTS:
            places = dict(zip(own, count(1), strict=False))
        else:
            places = {doc: own.index(doc) + 1 for doc in found}
        ranks.extend(map(places.get, docs, repeat(0)))
    return np.array(ranks, dtype=np.int64)


def _first_repeated(docs: Sequence[Any]) -> Any:
    seen: set[Any] = set()
    for doc in docs:
        if doc in seen and doc is not None:
            return doc
        seen.add(doc)
    return None


def _ranks_by_score(
    lists: list[Any],
    judged: list[Any],
    judged_offsets: NDArray[np.int64],
    queries: tuple[Any, ...],
    ties: Ties,
    threads: int | None,
) -> tuple[NDArray[np.int64], _Spans]:
    offsets = _offsets(lists)
    scores = _numbers(lists, "run", "score")
    missing = np.isnan(scores)
    if missing.any():
        where = _named(lists, offsets, queries, int(missing.argmax()))
        raise InvalidInputError(f"run: {where}: the score is NaN, which has no place in an order")
    found = (map(own.get, docs, repeat(np.nan)) for own, docs in zip(lists, judged, strict=True))
    wanted = np.fromiter(chain.from_iterable(found), np.float64, int(judged_offsets[-1]))
    if ties == "trec":
        scores, wanted = _as_float32(scores), _as_float32(wanted)
    spans = kernels.tied_ranks_by_score(scores, offsets, wanted, judged_offsets, threads=threads)
    ranks = _break_ties(spans, scores, offsets, wanted, judged_offsets, lists, judged, ties)
    return ranks, spans


def _as_float32(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the scores as trec_eval stores them."""
    with np.errstate(over="ignore"):
        return scores.astype(np.float32).astype(np.float64)


def _break_ties(
    spans: _Spans,
    scores: NDArray[np.float64],
    offsets: NDArray[np.int64],
    wanted: NDArray[np.float64],
    judged_offsets: NDArray[np.int64],
    lists: list[Any],
    judged: list[Any],
    ties: Ties,
) -> NDArray[np.int64]:
    """Return the ranks: within a group of equal scores by id."""
    first, last = spans
    ranks = first.copy()
    tied = np.flatnonzero(last > first)
    owner = np.searchsorted(judged_offsets, tied, side="right") - 1
    for q, places in _by_owner(owner, tied):
        docs, wanted_docs = list(lists[q]), list(judged[q])
        if ties == "trec":  # which compares text
            docs, wanted_docs = list(map(str, docs)), list(map(str, wanted_docs))
        own = scores[offsets[q] : offsets[q + 1]]
        groups: dict[float, list[Any]] = {}
        for j in places:
            score = wanted[j].item()
            if score not in groups:
                groups[score] = sorted(_where(docs, own == score))
            lower = bisect_left(groups[score], wanted_docs[j - int(judged_offsets[q])])
            ranks[j] += lower if ties == "id" else len(groups[score]) - 1 - lower
    return ranks


def _by_owner(
    owner: NDArray[np.int64], entries: NDArray[np.int64]
) -> Iterator[tuple[int, list[int]]]:
    """Go through the queries that own entries, in order, with the entries of each."""
    starts = np.flatnonzero(np.diff(owner, prepend=-1)).tolist()
    every = entries.tolist()
    for start, stop in pairwise([*starts, len(owner)]):
        yield int(owner[start]), every[start:stop]


def _where(docs: list[Any], chosen: NDArray[np.bool_]) -> list[Any]:
    return docs if chosen.all() else [docs[i] for i in np.flatnonzero(chosen).tolist()]
