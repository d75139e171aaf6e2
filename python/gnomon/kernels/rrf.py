"""Reciprocal rank fusion: one ranking out of several."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, SupportsFloat, SupportsIndex, TypeAlias, overload

import numpy as np

from gnomon import _core
from gnomon.errors import InvalidInputError, InvalidTypeError, UsageError
from gnomon.kernels._arrays import as_count, as_threads
from gnomon.kernels.hits import Hits, NamedHits, NamedRow, TopK, TopKRow
from gnomon.kernels.linear import RaggedRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    # ids of all queries, or names
    _Flat: TypeAlias = NDArray[np.int64] | list[str]
    _Offsets: TypeAlias = NDArray[np.int64] | None  # of the queries; None: the one query of a call
    _Numbers: TypeAlias = list[tuple[NDArray[np.int64], _Offsets]]

IdRanking: TypeAlias = (
    "Hits | TopK | TopKRow | RaggedRows | NDArray[Any] | Sequence[int] | Sequence[Sequence[int]]"
)
NameRanking: TypeAlias = "Sequence[str] | Sequence[Sequence[str]]"

_MATRIX = 2
_INT64 = np.iinfo(np.int64)
_MAX_FLOAT32 = float(np.finfo(np.float32).max)


@overload
def rrf(
    rankings: Sequence[NameRanking],
    weights: Sequence[SupportsFloat] | NDArray[Any] | None = None,
    k: SupportsFloat = 60,
    *,
    top: SupportsIndex | None = None,
    threads: int | None = None,
) -> NamedHits: ...


@overload
def rrf(
    rankings: Sequence[IdRanking],
    weights: Sequence[SupportsFloat] | NDArray[Any] | None = None,
    k: SupportsFloat = 60,
    *,
    top: SupportsIndex | None = None,
    threads: int | None = None,
) -> Hits: ...


def rrf(
    rankings: Sequence[Any],
    weights: Sequence[SupportsFloat] | NDArray[Any] | None = None,
    k: SupportsFloat = 60,
    *,
    top: SupportsIndex | None = None,
    threads: int | None = None,
) -> Hits | NamedHits:
    """Fuse rankings by reciprocal rank: ``score(id) = sum of weight / (k + rank)``.

    ``rank`` counts from 1 among the distinct ids of a list: an id that a list repeats counts once,
    at its best place, and its later places are no ranks (Cormack, Clarke and Buettcher, SIGIR
    2009). The terms of an id are added in float64 from the greatest to the smallest and the sum is
    rounded once to float32, so the answer doesn't depend on the order of the lists. Hits are
    ordered by that score, descending, then by the best single rank, then by id: numbers
    numerically, strings by code point.

    Parameters
    ----------
    rankings
        The lists to fuse, best first. For one query, each a sequence of ids: a list, an integer
        array [m], or a `TopKRow`. For Q queries, each a `Hits`, a `TopK`, an integer array [Q, m]
        or a sequence of Q sequences. Ids are integers (negative ones are ids like any other) or
        strings, not both. Lists may be empty and of different lengths.
    weights
        One number a list, finite and not negative. None: 1 each. A list of weight 0 takes no part.
    k
        Finite, at least 0. The larger, the less the first places count.
    top
        At most this many hits a query; None for all.
    threads
        None for the CPUs that this process may use (``GNOMON_NUM_THREADS`` overrides).

    Returns
    -------
    Hits or NamedHits
        Of integer ids and of strings. ``scores`` are float32. One entry a query; one query's lists
        give one entry.

    Raises
    ------
    InvalidInputError
        For no lists, lists of different numbers of queries, a missing id (names list and rank).
    InvalidTypeError
        For ids that are neither integers nor strings, or both.
    UsageError
        For weights, k or top that aren't acceptable.

    Examples
    --------
    >>> fused = rrf([["p", "q", "r"], ["s", "t", "r"]])
    >>> fused[0].ids
    ('r', 'p', 's', 'q', 't')
    >>> fused[0].scores.round(4)
    array([0.0317, 0.0164, 0.0164, 0.0161, 0.0161], dtype=float32)
    >>> rrf([[7, 8, 8, 9], [9, 7]], weights=[1, 0.5], top=2)[0].ids.tolist()
    [7, 9]
    """
    offset = _as_number(k, "k")
    limit = None if top is None else as_count(top, "top", least=1)
    workers = as_threads(threads)
    lists = rankings if type(rankings) is list and rankings else _as_lists(rankings)
    shares = [1.0] * len(lists) if weights is None else _as_weights(weights, len(lists), offset)
    found = _core.rrf_arrays(lists, shares, offset, limit, workers)
    if found is not None:
        return Hits(*found)
    numbers, names = _numbered(_as_lists(lists))
    ids, scores, offsets = _core.rrf(numbers, shares, offset, limit, workers)
    if names is None:
        return Hits(ids, scores, offsets)
    return NamedHits(tuple([names[number] for number in ids.tolist()]), scores, offsets)


def _as_lists(rankings: Sequence[Any]) -> list[Any]:
    if isinstance(rankings, Hits | NamedHits | TopK | TopKRow | str | bytes | dict):
        raise InvalidTypeError(
            f"rankings is one {type(rankings).__name__}; expected a sequence of the lists to fuse: "
            f"rrf([first, second])"
        )
    if not isinstance(rankings, Iterable):
        raise InvalidTypeError(f"rankings is {rankings!r}; expected a sequence of lists")
    lists = list(rankings)
    if not lists:
        raise InvalidInputError("rankings holds no lists; give at least one")
    for place, ranking in enumerate(lists):
        if isinstance(ranking, str | bytes | dict | set) or not isinstance(ranking, Iterable):
            raise InvalidTypeError(
                f"rankings[{place}] is {type(ranking).__name__}; expected a list of ids, best first"
            )
    return lists


def _as_weights(weights: Sequence[SupportsFloat] | NDArray[Any], n: int, k: float) -> list[float]:
    if isinstance(weights, str | bytes) or not isinstance(weights, Iterable):
        raise UsageError(f"weights is {weights!r}; expected one number for each of the {n} lists")
    shares = [_as_number(weight, f"weights[{place}]") for place, weight in enumerate(weights)]
    if len(shares) != n:
        raise UsageError(f"there are {len(shares)} weights for {n} lists; give one for each")
    if not any(shares):
        raise UsageError("all weights are 0: no list could take part; set one above 0")
    if sum(shares) / (k + 1.0) > _MAX_FLOAT32:
        raise UsageError("the weights are too large: a float32 could not hold the best score")
    return shares


def _as_number(value: Any, name: str) -> float:
    if type(value) is int and 0 <= value <= _INT64.max:
        return float(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, str | bool | np.bool_) or not 0.0 <= number < math.inf:
        raise UsageError(f"{name} is {value!r}; expected a finite number of at least 0")
    return number


def _numbered(lists: list[Any]) -> tuple[_Numbers, list[str] | None]:
    """Return the lists as the core takes them, and the names that the numbers stand for, if any."""
    flat: list[_Flat] = []
    offsets: list[_Offsets] = []
    for place, ranking in enumerate(lists):
        ids, starts = _flattened(ranking, f"rankings[{place}]")
        flat.append(ids)
        offsets.append(starts)
    _check_queries(offsets)
    named = [place for place, ids in enumerate(flat) if isinstance(ids, list) and ids]
    if not named:
        numbers = [np.empty(0, np.int64) if isinstance(ids, list) else ids for ids in flat]
        return list(zip(numbers, offsets, strict=True)), ([] if _only_names(flat) else None)
    for place, ids in enumerate(flat):
        if not isinstance(ids, list) and len(ids):
            raise InvalidTypeError(
                f"rankings[{named[0]}] holds strings and rankings[{place}] integers; an id must be "
                f"one or the other everywhere: convert with str(id)"
            )
    # Numbered in the order of the code points, so that ties fall as strings compare.
    names = sorted({name for ids in flat for name in ids})
    number = {name: place for place, name in enumerate(names)}
    arrays = [np.fromiter(map(number.__getitem__, ids), np.int64, len(ids)) for ids in flat]
    return list(zip(arrays, offsets, strict=True)), names


def _only_names(flat: list[_Flat]) -> bool:
    return all(isinstance(ids, list) for ids in flat)


def _check_queries(offsets: list[_Offsets]) -> None:
    found = [None if starts is None else len(starts) - 1 for starts in offsets]
    for place, queries in enumerate(found):
        if queries != found[0]:
            first, other = (
                "one query" if number is None else f"{number} queries"
                for number in (found[0], queries)
            )
            raise InvalidInputError(
                f"rankings[0] holds the ranking of {first}, rankings[{place}] of {other}; every "
                f"list needs the same queries"
            )


def _flattened(ranking: Any, name: str) -> tuple[_Flat, _Offsets]:
    """Return the ids of all queries one after the other, and where each query begins."""
    if isinstance(ranking, TopKRow):
        return _one_ranking(ranking.ids, name), None
    if isinstance(ranking, TopK):
        ranking = ranking.ids
    if isinstance(ranking, NamedHits):
        return list(ranking.ids), ranking.offsets
    if isinstance(ranking, Hits) or (
        not isinstance(ranking, np.ndarray | list | tuple) and isinstance(ranking, RaggedRows)
    ):
        return _one_ranking(ranking.ids, name), _as_offsets(ranking.offsets, name)
    if isinstance(ranking, np.ndarray):
        if ranking.ndim == _MATRIX:
            starts = np.arange(len(ranking) + 1, dtype=np.int64) * ranking.shape[1]
            return _one_ranking(ranking.reshape(-1), name), starts
        return _one_ranking(ranking, name), None
    ids = list(ranking)
    if ids and not isinstance(ids[0], str | int) and isinstance(ids[0], Sequence | np.ndarray):
        return _joined(ids, name)
    return _one_ranking(ids, name), None


def _joined(rankings: list[Any], name: str) -> tuple[_Flat, _Offsets]:
    parts: list[_Flat] = []
    for query, ranking in enumerate(rankings):
        ids: Any = ranking.ids if isinstance(ranking, TopKRow | NamedRow) else ranking
        if isinstance(ids, str | bytes) or not isinstance(ids, Iterable):
            raise InvalidTypeError(
                f"{name}[{query}] is {type(ids).__name__}; expected a list of ids, best first"
            )
        parts.append(_one_ranking(ids, f"{name}[{query}]"))
    starts = np.zeros(len(parts) + 1, dtype=np.int64)
    np.cumsum([len(part) for part in parts], out=starts[1:])
    if any(isinstance(part, list) and part for part in parts):
        joined: list[str] = []
        for query, part in enumerate(parts):
            if not isinstance(part, list) and len(part):
                raise InvalidTypeError(
                    f"{name} holds strings, and integers from {name}[{query}] on"
                )
            joined.extend(part)
        return joined, starts
    return np.concatenate([np.asarray(part, np.int64) for part in parts]), starts


def _as_offsets(offsets: Any, name: str) -> NDArray[np.int64]:
    array = np.asarray(offsets)
    if array.dtype.kind not in "iu" or array.ndim != 1 or not len(array):
        raise InvalidInputError(f"{name}.offsets must be a flat array of integers")
    return np.require(array, np.int64, ["C_CONTIGUOUS", "ALIGNED"])


def _one_ranking(ids: Any, name: str) -> _Flat:
    """Return ids as int64, or as a list of strings."""
    if isinstance(ids, np.ndarray):
        if ids.ndim != 1:
            raise InvalidInputError(f"{name} has shape {ids.shape}; expected ids, best first")
        if ids.dtype.kind in "iu":
            if ids.dtype == np.uint64 and len(ids) and ids.max() > _INT64.max:
                raise _not_an_id(int(ids.max()), f"{name} at rank {int(ids.argmax()) + 1}")
            return np.require(ids, np.int64, ["C_CONTIGUOUS", "ALIGNED"])
        if ids.dtype.kind not in "OUT" and len(ids):
            raise InvalidTypeError(
                f"{name}: dtype {ids.dtype} was given; ids are integers or strings; convert them "
                f"with .astype(np.int64)"
            )
        ids = ids.tolist()
    listed: list[Any] = list(ids)
    kinds = set(map(type, listed))
    if kinds <= {int}:
        return _as_int64(listed, name)
    if all(issubclass(kind, str) for kind in kinds):
        return listed
    if all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
        return _as_int64([int(one) for one in listed], name)
    raise _first_wrong(listed, name)


def _as_int64(ids: list[int], name: str) -> NDArray[np.int64]:
    try:
        return np.array(ids, dtype=np.int64)
    except OverflowError:
        rank = next(i for i, one in enumerate(ids) if not _INT64.min <= one <= _INT64.max)
        raise _not_an_id(ids[rank], f"{name} at rank {rank + 1}") from None


def _not_an_id(value: int, where: str) -> InvalidInputError:
    return InvalidInputError(f"{where}: {value} is beyond int64; give such ids as strings")


def _first_wrong(ids: list[Any], name: str) -> InvalidTypeError | InvalidInputError:
    """Return the error for the first id that is missing, no id, or of another kind."""
    for place, one in enumerate(ids):
        where = f"{name} at rank {place + 1}"
        if one is None:
            return InvalidInputError(f"{where}: the id is missing (None); leave the entry out")
        if isinstance(one, bool | np.bool_) or not isinstance(one, int | np.integer | str):
            return InvalidTypeError(
                f"{where}: {one!r} is {type(one).__name__}; an id is an integer or a string"
            )
        if isinstance(one, str) != isinstance(ids[0], str):
            return InvalidTypeError(
                f"{where}: {one!r} is {type(one).__name__}, but the ids before it are "
                f"{type(ids[0]).__name__}; an id must be one or the other everywhere"
            )
    return InvalidTypeError(f"{name}: ids are integers or strings")
