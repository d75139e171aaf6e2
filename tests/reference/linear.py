"""The linear kernels by their definitions, with the lane sums of the cosine reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.reference.cosine import lane_sums, norms, rounded_cosine, widen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def normalized(values: object) -> NDArray[np.float32]:
    """Return every row divided by its norm in float64, rounded once; zero rows stay zero."""
    rows = widen(values).astype(np.float64)
    length = norms(values)
    return (rows / np.where(length == 0, 1.0, length)[:, np.newaxis]).astype(np.float32)


def affine(
    values: object, weights: NDArray[np.float32], bias: NDArray[np.float32] | None
) -> NDArray[np.float32]:
    """Return ``weights @ row + bias`` of every row: summed in float64 lanes, rounded once."""
    rows = widen(values).astype(np.float64)
    mapped = np.empty((len(rows), len(weights)))
    for output, weight in enumerate(weights.astype(np.float64)):
        mapped[:, output] = lane_sums(rows * weight)
    if bias is not None:
        mapped = mapped + bias.astype(np.float64)
    return mapped.astype(np.float32)


def pair_cosines(
    queries: object, docs: object, ids: Sequence[Sequence[int]]
) -> list[NDArray[np.float32]]:
    """Return, for every query, its cosines with the documents named for it."""
    query_rows, doc_rows = widen(queries), widen(docs)
    query_norms, doc_norms = norms(queries), norms(docs)
    found = []
    for q, named in enumerate(ids):
        rows = np.asarray(named, np.int64)
        dots = lane_sums(doc_rows[rows].astype(np.float64) * query_rows[q].astype(np.float64))
        found.append(rounded_cosine(dots, query_norms[q], doc_norms[rows]))
    return found


def sums_by_group(
    values: object, labels: Sequence[int], n_groups: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return float64 sums of the rows of each group, added one row after the other, and counts."""
    rows = widen(values).astype(np.float64)
    sums = np.zeros((n_groups, rows.shape[1]))
    counts = np.zeros(n_groups, np.int64)
    for row, label in zip(rows, labels, strict=True):
        sums[label] = sums[label] + row
        counts[label] += 1
    return sums, counts
