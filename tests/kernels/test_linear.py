"""Linear kernels against their definitions, on every instruction set and at any thread count."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hostile_data import DTYPES, typed
from tests.reference import cosine, linear

from gnomon import kernels
from gnomon.errors import InvalidInputError, InvalidTypeError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

THREADS = (1, 2, 7)


def rows_with_zero(seed: int, rows: int, dim: int) -> NDArray[np.float32]:
    """Return random rows of very different lengths, the second one zero."""
    rng = np.random.default_rng(seed)
    scale = 2.0 ** rng.integers(-60, 60, (rows, 1))
    values = (rng.standard_normal((rows, dim)) * scale).astype(np.float32)
    values[1:2] = 0
    return values


def assert_same_bits(found: NDArray[Any], expected: NDArray[Any]) -> None:
    """Compare shape, dtype and every bit."""
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    assert found.tobytes() == np.ascontiguousarray(expected).tobytes()


@pytest.mark.parametrize("dim", [1, 2, 31, 32, 33, 384, 1000])
def test_norms_and_normalised_rows_follow_their_definition(dim: int, isa: str) -> None:
    """Norms are roots of lane sums; quotients are rounded once; a zero row stays zero."""
    rows = rows_with_zero(dim, 20, dim)
    for threads in THREADS:
        assert_same_bits(kernels.norms(rows, threads=threads), cosine.norms(rows))
        assert_same_bits(kernels.normalize(rows, threads=threads), linear.normalized(rows))


def test_norms_agree_with_numpy() -> None:
    """The lanes are only an order of summation."""
    rows = np.random.default_rng(1).standard_normal((50, 300)).astype(np.float32)
    expected = np.linalg.norm(rows.astype(np.float64), axis=1)
    np.testing.assert_allclose(kernels.norms(rows), expected, rtol=1e-14)


@pytest.mark.parametrize("tiny", [1e-6, 1e-25, 1e-45])
def test_short_vectors_are_normalised_like_any_other(tiny: float) -> None:
    """Only an exactly zero norm is special."""
    assert kernels.normalize(np.array([[tiny, 0]], np.float32)).tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("rows", "d_in", "d_out"), [(1, 3, 2), (8, 32, 6), (37, 65, 13), (150, 33, 7), (0, 4, 3)]
)
def test_an_affine_map_is_lane_dots_plus_bias_rounded_once(
    dtype: str, rows: int, d_in: int, d_out: int, isa: str
) -> None:
    """Whatever the dtype of the rows, the tiles and the threads."""
    rng = np.random.default_rng(rows + d_in)
    x = typed(rng, rows, d_in, dtype)
    weights = rng.standard_normal((d_out, d_in)).astype(np.float32)
    bias = rng.standard_normal(d_out).astype(np.float32)
    for threads in THREADS:
        for shift in (bias, None):
            found = kernels.affine_map(x, weights, shift, threads=threads)
            assert_same_bits(found, linear.affine(x, weights, shift))


def test_weights_may_have_any_strides() -> None:
    """A transposed or sliced weight matrix gives the bits of its copy."""
    rng = np.random.default_rng(8)
    x = rng.standard_normal((20, 10)).astype(np.float32)
    big = rng.standard_normal((30, 24)).astype(np.float32)
    for weights in (big.T[:12, :10], big[::3, 1:21:2], big[::-1, 10:0:-1]):
        copy = np.array(weights, order="C")
        assert_same_bits(kernels.affine_map(x, weights, None), kernels.affine_map(x, copy, None))


@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(1, 70), st.integers(1, 20))
def test_an_affine_map_depends_on_each_row_alone(
    seed: int, rows: int, d_in: int, d_out: int
) -> None:
    """A row's result doesn't depend on the batch that it comes in."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((rows, d_in)).astype(np.float32)
    weights = rng.standard_normal((d_out, d_in)).astype(np.float32)
    together = kernels.affine_map(x, weights, None)
    alone = np.concatenate([kernels.affine_map(row, weights, None) for row in x])
    assert_same_bits(together, alone)


def test_an_affine_map_that_overflows_float32_is_infinite() -> None:
    """The sum is exact in float64; rounding it to float32 is what overflows."""
    x = np.full((1, 2), 3e38, np.float32)
    found = kernels.affine_map(x, np.array([[1, 1], [1, -1]], np.float32), None)
    assert found.tolist() == [[np.inf, 0.0]]


def test_affine_maps_refuse_what_does_not_fit() -> None:
    """Both widths are named; dtypes other than float32 are refused with the cast."""
    x, weights = np.ones((3, 4), np.float32), np.ones((2, 4), np.float32)
    with pytest.raises(InvalidInputError, match=r"rows of x have 3 dim.*rows of weights have 4"):
        kernels.affine_map(x[:, :3], weights, None)
    with pytest.raises(InvalidTypeError, match=r"weights: dtype float64.*weights\.astype"):
        kernels.affine_map(x, weights.astype(np.float64), None)
    with pytest.raises(InvalidTypeError, match=r"bias: dtype float64"):
        kernels.affine_map(x, weights, np.zeros(2))  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match=r"bias has shape \(3,\); expected \(2,\)"):
        kernels.affine_map(x, weights, np.zeros(3, np.float32))
    with pytest.raises(InvalidInputError, match="bias: element 1 is nan"):
        kernels.affine_map(x, weights, np.array([0, np.nan], np.float32))
    weights[1, 2] = np.inf
    with pytest.raises(InvalidInputError, match="weights: row 1 holds infinity in column 2"):
        kernels.affine_map(x, weights, None)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dim", [1, 33, 384])
def test_pair_scores_are_the_cosines_of_the_pairs(dtype: str, dim: int, isa: str) -> None:
    """Rectangular and ragged row lists, repeated rows and zero vectors."""
    rng = np.random.default_rng(dim)
    queries, docs = typed(rng, 6, dim, dtype), typed(rng, 40, dim, dtype)
    docs[3] = 0
    ids = rng.integers(0, 40, (6, 9))
    ids[:, 4] = 3
    ragged = [ids[q, :q].tolist() for q in range(6)]
    offsets = np.cumsum([0, *map(len, ragged)])
    flat = np.concatenate([np.asarray(rows, np.int64) for rows in ragged])
    for threads in THREADS:
        found = kernels.pair_scores(queries, docs, ids, threads=threads)
        assert_same_bits(found, np.stack(linear.pair_cosines(queries, docs, ids.tolist())))
        found = kernels.pair_scores(
            queries, docs, SimpleNamespace(ids=flat, offsets=offsets), threads=threads
        )
        assert_same_bits(found, np.concatenate(linear.pair_cosines(queries, docs, ragged)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("dim", "count"), [(1, 3), (33, 1), (384, 13)])
def test_the_nearest_centroid_is_a_top_1(dtype: str, dim: int, count: int, isa: str) -> None:
    """Labels and scores have the bits of a search; equal cosines and zero rows take the lowest."""
    rng = np.random.default_rng(dim)
    x, centroids = typed(rng, 70, dim, dtype), typed(rng, count, dim, dtype)
    x[5] = 0
    centroids[-1] = centroids[0]
    for threads in THREADS:
        labels, scores = kernels.nearest(x, centroids, threads=threads)
        hits = kernels.topk(x, centroids, 1)
        assert_same_bits(labels, hits.ids[:, 0])
        assert_same_bits(scores, hits.scores[:, 0])
    assert kernels.nearest(x[:0], centroids)[0].shape == (0,)


def test_nearest_refuses_what_does_not_fit() -> None:
    """No centroid, widths that differ, NaN in either matrix."""
    x = np.ones((2, 4), np.float32)
    with pytest.raises(InvalidInputError, match="centroids: there are none"):
        kernels.nearest(x, x[:0])
    with pytest.raises(InvalidInputError, match="rows of x have 4 dimensions, but centroids have"):
        kernels.nearest(x, x[:, :3])
    with pytest.raises(InvalidInputError, match="centroids: row 0 holds NaN"):
        kernels.nearest(x, x * np.float32(np.nan))
    with pytest.raises(InvalidInputError, match="x: row 0 holds infinity"):
        kernels.nearest(x * np.float32(np.inf), x)


def test_pair_scores_of_nothing_are_empty() -> None:
    """No queries, and queries without documents."""
    docs = np.ones((3, 2), np.float32)
    assert kernels.pair_scores(docs[:0], docs, np.zeros((0, 5), np.int64)).shape == (0, 5)
    assert kernels.pair_scores(docs, docs, np.zeros((3, 0), np.int64)).shape == (3, 0)


def test_pair_scores_name_the_first_bad_row_among_those_they_read() -> None:
    """A bad document is an error when it is named, and is not looked at otherwise."""
    docs = np.ones((6, 3), np.float32)
    docs[4, 1] = np.nan
    docs[2, 2] = np.inf
    queries = np.zeros((1, 3), np.float32)
    with pytest.raises(InvalidInputError, match="docs: row 2 holds infinity in column 2"):
        kernels.pair_scores(queries, docs, [[4, 2, 0]])
    assert kernels.pair_scores(queries, docs, [[0, 1]]).tolist() == [[0.0, 0.0]]
    with pytest.raises(InvalidInputError, match="queries: row 0 holds NaN"):
        kernels.pair_scores(queries + np.float32(np.nan), docs, [[0]])


def test_pair_scores_refuse_what_does_not_fit() -> None:
    """Rows out of range, of the wrong type or of the wrong shape; widths that differ."""
    x = np.ones((2, 4), np.float32)
    with pytest.raises(InvalidInputError, match=r"ids: 2 at position 1, 0 is out of range.*0 to 1"):
        kernels.pair_scores(x, x, [[0], [2]])
    with pytest.raises(InvalidInputError, match=r"ids: -1 at position 0, 0"):
        kernels.pair_scores(x, x, [[-1], [0]])
    with pytest.raises(InvalidInputError, match="there are no rows"):
        kernels.pair_scores(x, x[:0], [[0], [0]])
    with pytest.raises(InvalidTypeError, match=r"ids: dtype float64.*astype\(np\.int64\)"):
        kernels.pair_scores(x, x, [[0.0], [1.0]])
    with pytest.raises(InvalidInputError, match=r"ids have shape \(1, 1\).*2 queries"):
        kernels.pair_scores(x, x, [[0]])
    with pytest.raises(InvalidInputError, match="ids hold rows for 1 queries; there are 2"):
        kernels.pair_scores(x, x, SimpleNamespace(ids=np.array([0]), offsets=np.array([0, 1])))
    with pytest.raises(InvalidInputError, match="offsets must rise"):
        kernels.pair_scores(x, x, SimpleNamespace(ids=np.array([0]), offsets=np.array([0, 2, 1])))
    with pytest.raises(InvalidInputError, match="queries have 4 dimensions, but docs have 3"):
        kernels.pair_scores(x, x[:, :3], [[0], [0]])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dim", [1, 63, 64, 200])
def test_group_sums_add_in_float64_in_row_order(dtype: str, dim: int, isa: str) -> None:
    """Empty groups are zero; threads change nothing."""
    rng = np.random.default_rng(dim)
    x = typed(rng, 60, dim, dtype)
    labels = rng.integers(0, 5, 60)
    expected_sums, expected_counts = linear.sums_by_group(x, labels.tolist(), 7)
    for threads in THREADS:
        sums, counts = kernels.group_sums(x, labels, 7, threads=threads)
        assert_same_bits(sums, expected_sums)
        assert_same_bits(counts, expected_counts)


def test_group_sums_refuse_what_does_not_fit() -> None:
    """Labels out of range or too few; a number of groups that isn't one."""
    x = np.ones((3, 2), np.float32)
    with pytest.raises(InvalidInputError, match="labels: 2 at position 1 is out of range"):
        kernels.group_sums(x, [0, 2, 1], 2)
    with pytest.raises(InvalidInputError, match=r"labels have shape \(2,\).*3 rows"):
        kernels.group_sums(x, [0, 1], 2)
    with pytest.raises(UsageError, match="n_groups is -1"):
        kernels.group_sums(x, [0, 0, 0], -1)
    with pytest.raises(InvalidInputError, match="x: row 1 holds NaN"):
        kernels.group_sums([[0.0], [np.nan]], [0, 0], 1)
