"""Data that is hard on a top-k: builders by name.

A builder takes a random generator and the numbers of queries, documents and dimensions and returns
float32 queries and documents. Each is aimed at one way in which a screen by int8 codes, a bound, a
threshold or a merge could lose a row, gain one or change its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    Builder = Callable[[np.random.Generator, int, int, int], tuple[Matrix, Matrix]]

DTYPES = ("float32", "float16", "float64", "bfloat16", "int8", "uint8")
"""Every element type that a search takes."""

SUBNORMAL = np.float32(1e-45)
"""The smallest positive float32."""


def gaussian(rng: np.random.Generator, rows: int, dim: int) -> Matrix:
    """Return plain random rows."""
    return rng.standard_normal((rows, dim)).astype(np.float32)


def typed(rng: np.random.Generator, rows: int, dim: int, dtype: str) -> NDArray[Any]:
    """Return random rows of a dtype that use its whole everyday range."""
    if dtype == "uint8":
        return rng.integers(0, 256, (rows, dim)).astype(np.uint8)
    if dtype == "int8":
        return rng.integers(-128, 128, (rows, dim)).astype(np.int8)
    kind = ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype
    return rng.standard_normal((rows, dim)).astype(kind)


def smooth(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Ordinary embeddings: nothing special."""
    return gaussian(rng, q, d), gaussian(rng, n, d)


def duplicates(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Every document occurs several times, scattered: ties at every rank, also at the k-th."""
    originals = gaussian(rng, max(1, n // 7), d)
    return gaussian(rng, q, d), originals[rng.integers(len(originals), size=n)]


def all_equal(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """One document n times: only the row number can order the hits."""
    return gaussian(rng, q, d), np.repeat(gaussian(rng, 1, d), n, axis=0)


def equal_to_the_kth(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Put a few better rows into the corpus; everything else ties with the k-th best."""
    base = gaussian(rng, 1, d)
    docs = np.repeat(-base, n, axis=0)
    docs[rng.integers(n, size=min(n, 3))] = base + np.float32(0.01) * gaussian(rng, 1, d)
    return np.repeat(base, q, axis=0), docs


def scaled_copies(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """One direction at many lengths: equal cosines or cosines one rounding apart."""
    base = gaussian(rng, 1, d)
    lengths = np.exp(rng.uniform(-3, 3, (n, 1))).astype(np.float32)
    return gaussian(rng, q, d), base * lengths


def powers_of_two(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Scale copies by exact powers of two: bit-equal cosines at lengths 2**-60 to 2**60."""
    base = gaussian(rng, max(1, n // 5), d)
    docs = base[rng.integers(len(base), size=n)]
    return gaussian(rng, q, d), np.ldexp(docs, rng.integers(-60, 61, (n, 1))).astype(np.float32)


def one_ulp_apart(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Near-duplicates: each row differs from one base by one float32 step in one coordinate."""
    base = gaussian(rng, 1, d)
    docs = np.repeat(base, n, axis=0)
    rows, columns = np.arange(n), rng.integers(d, size=n)
    target = np.where(rng.integers(2, size=n) == 1, np.inf, -np.inf).astype(np.float32)
    docs[rows, columns] = np.nextafter(docs[rows, columns], target)
    queries = np.repeat(base, q, axis=0)
    queries[1::2] += np.float32(1e-3) * gaussian(rng, len(queries[1::2]), d)
    return queries, docs


def tiny_gaps(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Draw a cloud so tight that int8 codes are equal while the scores differ."""
    base = gaussian(rng, 1, d)
    queries = base + np.float32(1e-5) * gaussian(rng, q, d)
    return queries, base + np.float32(1e-6) * gaussian(rng, n, d)


def zero_rows(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Make a third of the rows and queries zero, some of them with negative zeros."""
    queries, docs = gaussian(rng, q, d), gaussian(rng, n, d)
    docs[rng.integers(3, size=n) == 0] = 0.0
    docs[rng.integers(5, size=n) == 0] = -0.0
    queries[rng.integers(3, size=q) == 0] = 0.0
    return queries, docs


def zero_rows_among_negatives(
    rng: np.random.Generator, q: int, n: int, d: int
) -> tuple[Matrix, Matrix]:
    """All scores are negative except those of zero rows, which win with 0.0."""
    queries = np.abs(gaussian(rng, q, d)) + np.float32(0.1)
    docs = -np.abs(gaussian(rng, n, d)) - np.float32(0.1)
    docs[n // 2 :: 7] = 0.0
    return queries, docs


def all_zero(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Nothing but zero rows: every score is 0.0 and the first rows win."""
    return gaussian(rng, q, d), np.zeros((n, d), np.float32)


def negative_only(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Every cosine is below zero: a threshold that starts at 0 would drop them all."""
    return np.abs(gaussian(rng, q, d)) + 1, -np.abs(gaussian(rng, n, d)) - 1


def orthogonal(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Signed unit vectors: nearly all scores are +0.0 or would be -0.0."""
    docs = np.zeros((n, d), np.float32)
    docs[np.arange(n), rng.integers(d, size=n)] = np.where(rng.integers(2, size=n) == 1, 1, -1)
    queries = np.zeros((q, d), np.float32)
    queries[np.arange(q), rng.integers(d, size=q)] = -1
    return queries, docs


def subnormals(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Small multiples of the smallest float32: flushing them to zero changes every answer."""
    docs = rng.integers(-9, 10, (n, d)).astype(np.float32) * SUBNORMAL
    queries = rng.integers(-9, 10, (q, d)).astype(np.float32) * SUBNORMAL
    queries[1::2] = gaussian(rng, len(queries[1::2]), d)
    return queries, docs


def mixed_with_subnormals(
    rng: np.random.Generator, q: int, n: int, d: int
) -> tuple[Matrix, Matrix]:
    """Mix normal rows, subnormal rows, and rows with both kinds of coordinates."""
    queries, docs = gaussian(rng, q, d), gaussian(rng, n, d)
    docs[::3] *= np.float32(1e-42)
    docs[1::3, ::2] *= np.float32(1e-42)
    return queries, docs


def huge_lengths(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Rows scaled by 1e-30 to 1e30."""
    docs = gaussian(rng, n, d) * (10.0 ** rng.uniform(-30, 30, (n, 1))).astype(np.float32)
    return gaussian(rng, q, d) * (10.0 ** rng.uniform(-30, 30, (q, 1))).astype(np.float32), docs


def huge_range_within(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Coordinates of one vector between 1e-37 and 1e37: a scale for the largest hides the rest."""

    def rows(count: int) -> Matrix:
        exponents = rng.uniform(-37, 37, (count, d))
        return (np.sign(rng.standard_normal((count, d))) * 10.0**exponents).astype(np.float32)

    return rows(q), rows(n)


def largest_values(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Coordinates at the top of float32: float32 sums or squares would overflow."""
    top = np.finfo(np.float32).max

    def rows(count: int) -> Matrix:
        return (rng.uniform(0.2, 1, (count, d)) * rng.choice([-1, 1], (count, d)) * top).astype(
            np.float32
        )

    return rows(q), rows(n)


def dominant_coordinates(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Two shared coordinates carry almost the whole length, the others decide the order."""
    queries, docs = gaussian(rng, q, d), gaussian(rng, n, d)
    for column, weight in ((0, 1e4), (d // 2, -3e3)):
        queries[:, column] = weight
        docs[:, column] = weight * (1 + np.float32(1e-4) * docs[:, column])
    return queries, docs


def hidden_below_the_scale(
    rng: np.random.Generator, q: int, n: int, d: int
) -> tuple[Matrix, Matrix]:
    """One private spike a row; the query sees only the small rest, whose int8 codes are all 0."""
    docs = gaussian(rng, n, d)
    docs[np.arange(n), rng.integers(max(1, d // 2), size=n)] = 1e5
    queries = gaussian(rng, q, d)
    queries[:, : max(1, d // 2)] = 0 if d > 1 else 1
    return queries, docs


def int8_values(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Integers in [-127, 127] with the largest present: the coding has no rounding error at all."""

    def rows(count: int) -> Matrix:
        values = rng.integers(-127, 128, (count, d))
        values[:, -1] = 127
        return values.astype(np.float32)

    return rows(q), rows(n)


def saturated(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Every coordinate is +127 or -127: the largest integer dots, at the limits of the codes."""
    queries = np.where(rng.integers(2, size=(q, d)) == 1, 127, -127).astype(np.float32)
    docs = np.full((n, d), 127, np.float32)
    docs[::2] = -127
    docs[rng.integers(n, size=n // 3)] *= -1
    return queries, docs


def signs(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Coordinates in {-1, 0, 1}: few distinct scores, ties everywhere."""
    return (
        rng.integers(-1, 2, (q, d)).astype(np.float32),
        rng.integers(-1, 2, (n, d)).astype(np.float32),
    )


def half_codes(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Coordinates half-way between two codes: rounding error is as large as it can be."""

    def rows(count: int) -> Matrix:
        values = rng.integers(-126, 126, (count, d)) + 0.5
        values[:, 0] = 127
        return values.astype(np.float32)

    return rows(q), rows(n)


def with_pair_sums(rng: np.random.Generator, sums: NDArray[np.int_], width: int) -> Matrix:
    """Return integer rows in [-127, 127] whose neighbouring coordinates add up to given sums.

    Without the sums, rows are as large and as random as int8 codes can be; with 127 in each, the
    coding of the row has that very scale.
    """
    rows, pairs = sums.shape
    left = rng.integers(-118, 119, (rows, pairs))
    left[:, :1] = 127
    values = np.zeros((rows, width))
    values[:, : 2 * pairs : 2] = left
    values[:, 1 : 2 * pairs : 2] = sums - left
    return values.astype(np.float32)


def document_residuals_conspire(
    rng: np.random.Generator, q: int, n: int, d: int
) -> tuple[Matrix, Matrix]:
    """Let rounding errors of half of the documents all point the same way as the query.

    Their codes promise dots of 0.5 a dimension, they have 0.1; the others have 0.3, as promised.
    An estimate that takes the errors for independent prefers the wrong half.
    """
    pairs = d // 2
    lies = rng.integers(0, 2, (n, 1)) == 1
    sums = np.where(lies, rng.integers(0, 3, (n, pairs)), rng.random((n, pairs)) < 0.6)
    docs = with_pair_sums(rng, sums, d) - np.where(lies, np.float32(0.4), np.float32(0))
    docs[:, 0] = 127
    queries = np.ones((q, d), np.float32) * np.arange(1, q + 1, dtype=np.float32)[:, None]
    return queries, docs.astype(np.float32)


def query_residuals_conspire(
    rng: np.random.Generator, q: int, n: int, d: int
) -> tuple[Matrix, Matrix]:
    """Let rounding errors of the queries hide the best documents behind worse ones.

    The first half of the rows has the higher dots of codes, the second half the higher scores.
    """
    pairs = d // 2
    sums = 8 * rng.integers(0, 2, pairs)
    queries = with_pair_sums(rng, np.repeat(sums[None], q, axis=0), d) + np.float32(0.4)
    queries[:, 0] = 127
    docs = np.ones((n, d), np.float32)
    docs[: n // 2, : 2 * pairs] = np.repeat(np.where(sums > 0, 1, -1), 2)
    high = np.flatnonzero(sums)
    if len(high):
        flipped = high[rng.integers(len(high), size=n - n // 2)]
        docs[np.arange(n // 2, n)[:, None], 2 * flipped[:, None] + [0, 1]] = -1
    return queries, docs


def queries_are_documents(
    rng: np.random.Generator, q: int, n: int, d: int
) -> tuple[Matrix, Matrix]:
    """Each query is a document: its own row scores exactly 1.0."""
    docs = gaussian(rng, n, d)
    return docs[rng.integers(n, size=q)].copy(), docs


def ascending(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Each row is better than all before it: the threshold rises at every step."""
    base, noise = gaussian(rng, 1, d), gaussian(rng, 1, d)
    docs = base + noise * np.linspace(4, 0.1, n, dtype=np.float32)[:, None]
    return np.repeat(base, q, axis=0), docs


def descending(rng: np.random.Generator, q: int, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Put the best rows first: everything after them should be skipped."""
    queries, docs = ascending(rng, q, n, d)
    return queries, docs[::-1].copy()


def powers_in_every_block(
    rng: np.random.Generator, q: int, n: int, d: int
) -> tuple[Matrix, Matrix]:
    """Repeat a few vectors with period 16: equal scores in every tile and block."""
    tile = gaussian(rng, min(n, 16), d)
    return gaussian(rng, q, d), np.resize(tile, (n, d)).astype(np.float32)


BUILDERS: dict[str, Builder] = {
    builder.__name__: builder
    for builder in (
        smooth,
        duplicates,
        all_equal,
        equal_to_the_kth,
        scaled_copies,
        powers_of_two,
        one_ulp_apart,
        tiny_gaps,
        zero_rows,
        zero_rows_among_negatives,
        all_zero,
        negative_only,
        orthogonal,
        subnormals,
        mixed_with_subnormals,
        huge_lengths,
        huge_range_within,
        largest_values,
        dominant_coordinates,
        hidden_below_the_scale,
        int8_values,
        saturated,
        signs,
        half_codes,
        document_residuals_conspire,
        query_residuals_conspire,
        queries_are_documents,
        ascending,
        descending,
        powers_in_every_block,
    )
}
