"""Rows named by the caller: exclusions for each query, and the subset to search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gnomon.errors import InvalidInputError, InvalidTypeError
from gnomon.kernels._arrays import as_rows
from gnomon.kernels.linear import RaggedRows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

Exclude: TypeAlias = "RaggedRows | Sequence[Iterable[int]] | NDArray[Any]"


def _flat_rows(values: Any, name: str, n_rows: int) -> NDArray[np.int64]:
    """Return row numbers as int64[m], all of them in [0, n_rows)."""
    rows = as_rows(values if isinstance(values, np.ndarray) else list(values), name, n_rows)
    if rows.ndim != 1 and rows.size:
        raise InvalidInputError(f"{name} must be a flat list of rows, not of shape {rows.shape}")
    return rows.ravel()


def subset_rows(
    subset: Iterable[int] | NDArray[Any] | None, n_rows: int
) -> NDArray[np.int64] | None:
    """Return the rows to search, ascending and distinct, or None for all of them."""
    if subset is None:
        return None
    if isinstance(subset, np.ndarray) and subset.dtype == np.bool_:
        if subset.shape != (n_rows,):
            raise InvalidInputError(
                f"a boolean subset needs shape ({n_rows},), one value a document, "
                f"not {subset.shape}"
            )
        return np.flatnonzero(subset).astype(np.int64, copy=False)
    return np.unique(_flat_rows(subset, "subset", n_rows))


def _flatten(
    exclude: Exclude, n_queries: int, n_rows: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (rows, offsets) of the lists as they were given."""
    if isinstance(exclude, RaggedRows):
        rows = _flat_rows(exclude.ids, "exclude", n_rows)
        return rows, _flat_rows(exclude.offsets, "exclude.offsets", len(rows) + 1)
    if isinstance(exclude, np.ndarray):
        if exclude.ndim == 1 and exclude.dtype.kind in "iu":
            exclude = exclude[:, None]
        if exclude.ndim != 2 and exclude.size:
            raise InvalidInputError(
                f"exclude must hold one row or one list of rows a query, not shape {exclude.shape}"
            )
    if not hasattr(exclude, "__len__"):
        raise InvalidTypeError("exclude must be a sequence with one list of rows for each query")
    if len(exclude) != n_queries:
        raise InvalidInputError(
            f"exclude has {len(exclude)} lists for {n_queries} queries; give one for each query"
        )
    if isinstance(exclude, np.ndarray) and exclude.ndim == 2 and exclude.dtype.kind in "iu":
        flat: NDArray[np.int64] = as_rows(exclude, "exclude", n_rows).reshape(-1)
        return flat, _even_offsets(exclude)
    lists = []
    for q, rows in enumerate(exclude):
        if isinstance(rows, (str, bytes)) or not hasattr(rows, "__iter__"):
            raise InvalidTypeError(
                f"exclude[{q}] must be a list of rows, not {type(rows).__name__}; "
                f"write [[{rows!r}], ...]"
            )
        lists.append(_flat_rows(rows, f"exclude[{q}]", n_rows))
    offsets = np.zeros(n_queries + 1, dtype=np.int64)
    np.cumsum([len(rows) for rows in lists], out=offsets[1:])
    return np.concatenate(lists) if lists else np.empty(0, dtype=np.int64), offsets


def _even_offsets(lists: NDArray[Any]) -> NDArray[np.int64]:
    offsets: NDArray[np.int64] = np.arange(len(lists) + 1, dtype=np.int64) * lists.shape[1]
    return offsets


def exclude_lists(
    exclude: Exclude | None, n_queries: int, n_rows: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return (offsets, rows) in CSR form, ascending for each query, or None.

    Parameters
    ----------
    exclude
        One list of rows a query: a sequence of lists, an integer array of shape (Q,) (one row a
        query) or (Q, m), or anything with ``ids`` and ``offsets``, such as `Hits`.
    """
    if exclude is None:
        return None
    rows, offsets = _flatten(exclude, n_queries, n_rows)
    if (
        len(offsets) != n_queries + 1
        or offsets[0] != 0
        or offsets[-1] != len(rows)
        or np.any(np.diff(offsets) < 0)
    ):
        raise InvalidInputError(
            f"exclude.offsets must be {n_queries + 1} ascending numbers from 0 to {len(rows)}"
        )
    owner = np.repeat(np.arange(n_queries), np.diff(offsets))
    return offsets, rows[np.lexsort((rows, owner))]
