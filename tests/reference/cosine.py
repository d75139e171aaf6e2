"""The mathematical definition of the cosine top-k, in NumPy and in plain Python loops.

Every step of the numeric contract is written out once, without any thought of speed:

* values are widened to float32 first (float64 is rounded to it),
* products and sums are float64; element ``i`` is added to lane ``i % 32`` in ascending order of
  ``i`` and the lanes are folded by the tree 16, 8, 4, 2, 1,
* a norm is the square root of a vector's dot product with itself,
* a score is ``dot / (norm_a * norm_b)``, rounded once to float32, clipped to [-1, 1], with -0.0
  turned into +0.0; a norm of exactly zero makes it 0.0,
* hits are ordered by score, descending, then by row, ascending.

The ``plain_*`` functions repeat the definition with Python floats and no NumPy arithmetic; they
check the vectorised ones on small inputs.
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

LANES = 32
TREE = (16, 8, 4, 2, 1)


class Row(NamedTuple):
    """The hits of one query: original rows and their scores, best first."""

    ids: NDArray[np.int64]
    scores: NDArray[np.float32]


def widen(values: object) -> NDArray[np.float32]:
    """Return the values as a fresh C-ordered float32 matrix; one vector becomes one row."""
    array = np.asarray(values)
    if array.dtype.name == "bfloat16":
        bits = np.ascontiguousarray(array).view(np.uint16).astype(np.uint32) << np.uint32(16)
        wide = bits.view(np.float32)
    else:
        wide = array.astype(np.float32)
    return np.array(np.atleast_2d(wide), dtype=np.float32, order="C")


def lane_sums(products: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum over the last axis of each row of products, in the contract's lanes."""
    width = products.shape[-1]
    lanes = np.zeros((*products.shape[:-1], LANES))
    for start in range(0, width, LANES):
        block = products[..., start : start + LANES]
        lanes[..., : block.shape[-1]] += block
    for half in TREE:
        lanes = lanes[..., :half] + lanes[..., half : 2 * half]
    return lanes[..., 0]


def dots(query: NDArray[np.float32], docs: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return float64[n]: the dot product of one float32 vector with every row."""
    return lane_sums(docs.astype(np.float64) * query.astype(np.float64))


def norms(values: object) -> NDArray[np.float64]:
    """Return float64[n]: the Euclidean norm of every row."""
    wide = widen(values).astype(np.float64)
    return np.sqrt(lane_sums(wide * wide))


def rounded_cosine(
    dot: NDArray[np.float64], norm_a: NDArray[np.float64] | float, norm_b: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Return float32 scores from dot products and norms."""
    product = norm_a * norm_b
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = np.where(product == 0.0, 0.0, dot / product)
    score = np.clip(exact.astype(np.float32), np.float32(-1), np.float32(1))
    return np.where(score == 0, np.float32(0), score)


def scores(queries: object, docs: object) -> NDArray[np.float32]:
    """Return float32[Q, n]: the score of every query with every document."""
    wide_queries, wide_docs = widen(queries), widen(docs)
    query_norms, doc_norms = norms(wide_queries), norms(wide_docs)
    table = np.empty((len(wide_queries), len(wide_docs)), np.float32)
    for row, query in enumerate(wide_queries):
        table[row] = rounded_cosine(dots(query, wide_docs), query_norms[row], doc_norms)
    return table


def ranked(row_scores: NDArray[np.float32], admitted: NDArray[np.int64], k: int) -> Row:
    """Return the best k admitted rows by (score descending, row ascending)."""
    order = np.lexsort((admitted, -row_scores[admitted].astype(np.float64)))[:k]
    ids = admitted[order]
    return Row(ids, row_scores[ids])


def top_k(
    queries: object,
    docs: object,
    k: int,
    *,
    exclude: Sequence[Iterable[int]] | None = None,
    subset: Iterable[int] | None = None,
    row_labels: NDArray[np.uint8] | None = None,
    row_class: int | None = None,
    table: NDArray[np.float32] | None = None,
) -> list[Row]:
    """Return one `Row` a query: the exact top k among the admitted rows.

    Parameters
    ----------
    exclude
        One collection of rows a query; none of them may be a hit of that query.
    subset
        The only rows that may be hits of any query; a row named twice counts once.
    row_labels, row_class
        Only rows whose label equals ``row_class`` may be hits.
    table
        The scores, when the caller has them already.
    """
    if table is None:
        table = scores(queries, docs)
    allowed = np.ones(table.shape[1], np.bool_)
    if subset is not None:
        allowed[:] = False
        allowed[list(subset)] = True
    if row_class is not None:
        assert row_labels is not None
        allowed &= row_labels == row_class
    found = []
    for query in range(table.shape[0]):
        admitted = allowed.copy()
        if exclude is not None:
            admitted[list(exclude[query])] = False
        found.append(ranked(table[query], np.flatnonzero(admitted), k))
    return found


def plain_dot(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the dot product by a plain loop over Python floats."""
    lanes = [0.0] * LANES
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        lanes[i % LANES] += x * y
    for half in TREE:
        lanes = [lanes[j] + lanes[j + half] for j in range(half)]
    return lanes[0]


def plain_cosine(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the score of two vectors by plain loops; the result is a float32 value."""
    product = math.sqrt(plain_dot(a, a)) * math.sqrt(plain_dot(b, b))
    if product == 0.0:
        return 0.0
    (score,) = struct.unpack("<f", struct.pack("<f", plain_dot(a, b) / product))
    return min(1.0, max(-1.0, score)) or 0.0


def plain_top_k(
    queries: Sequence[Sequence[float]], docs: Sequence[Sequence[float]], k: int
) -> list[list[tuple[int, float]]]:
    """Return (row, score) pairs, best first, for each query, by plain loops and one sort."""
    found = []
    for query in queries:
        scored = [(row, plain_cosine(query, doc)) for row, doc in enumerate(docs)]
        scored.sort(key=lambda hit: (-hit[1], hit[0]))
        found.append(scored[:k])
    return found
