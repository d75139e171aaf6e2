"""What a search accepts: every dtype, layout and form of limits, read and never written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np
import pytest
from tests.hostile_data import DTYPES, gaussian, typed
from tests.kernels.routes import answers, assert_same, rows_of
from tests.reference import cosine as reference

from gnomon import kernels
from gnomon.errors import GnomonError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Array = np.ndarray[Any, np.dtype[Any]]

N, D = 90, 33


def c_order(x: Array, _: Path) -> Array:
    """Rows one after the other."""
    return np.ascontiguousarray(x)


def fortran(x: Array, _: Path) -> Array:
    """Columns one after the other."""
    return np.asfortranarray(x)


def every_other_row(x: Array, _: Path) -> Array:
    """Rows with gaps between them."""
    return np.repeat(x, 2, axis=0)[::2]


def every_third_column(x: Array, _: Path) -> Array:
    """Elements with gaps between them."""
    return np.repeat(x, 3, axis=1)[:, ::3]


def gaps_both_ways(x: Array, _: Path) -> Array:
    """Cut a window from a larger Fortran array, with steps in both directions."""
    room = np.zeros((2 * x.shape[0] + 5, 2 * x.shape[1] + 3), x.dtype, order="F")
    room[3 : 3 + 2 * x.shape[0] : 2, 1 : 1 + 2 * x.shape[1] : 2] = x
    return room[3 : 3 + 2 * x.shape[0] : 2, 1 : 1 + 2 * x.shape[1] : 2]


def backwards(x: Array, _: Path) -> Array:
    """Negative strides on both axes."""
    return np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1]


def read_only(x: Array, _: Path) -> Array:
    """Forbid writing."""
    copy = x.copy()
    copy.setflags(write=False)
    return copy


def unaligned(x: Array, _: Path) -> Array:
    """Start at an odd address."""
    raw = bytearray(b"\xff") + bytearray(np.ascontiguousarray(x).tobytes())
    return np.frombuffer(raw, x.dtype, offset=1).reshape(x.shape)


def field_of_records(x: Array, _: Path) -> Array:
    """One field of packed records: unaligned rows at an odd stride."""
    records = np.zeros(x.shape[0], [("tag", "u1"), ("vector", x.dtype, (x.shape[1],))])
    records["vector"] = x
    return records["vector"]


def memory_map(x: Array, folder: Path) -> Array:
    """Map a file for reading only."""
    file = folder / f"{len(list(folder.iterdir()))}.raw"
    np.ascontiguousarray(x).tofile(file)
    return np.memmap(file, x.dtype, mode="r", shape=x.shape)


def sliced_memory_map(x: Array, folder: Path) -> Array:
    """Cut a window from a mapped file that begins in the middle of a row."""
    room = np.zeros((x.shape[0] + 4, x.shape[1] + 2), x.dtype)
    room[3:-1, 1:-1] = x
    return memory_map(room, folder)[3:-1, 1:-1]


LAYOUTS: dict[str, Callable[[Array, Path], Array]] = {
    layout.__name__: layout
    for layout in (
        c_order,
        fortran,
        every_other_row,
        every_third_column,
        gaps_both_ways,
        backwards,
        read_only,
        unaligned,
        field_of_records,
        memory_map,
        sliced_memory_map,
    )
}


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_and_layouts(dtype: str, layout: str, isa: str, tmp_path: Path) -> None:
    """Values count, not how they are stored; and what was handed in is left as it was."""
    rng = np.random.default_rng(1)
    for q in (1, 9):
        plain_queries, plain_docs = typed(rng, q, D, dtype), typed(rng, N, D, dtype)
        queries = LAYOUTS[layout](plain_queries, tmp_path)
        docs = LAYOUTS[layout](plain_docs, tmp_path)
        assert docs.tobytes() == plain_docs.tobytes()
        expected = reference.top_k(plain_queries, plain_docs, 12)
        for threads in (1, 2):
            for route, found in answers(queries, docs, 12, threads=threads):
                assert_same(found, expected, (route, threads, q))
        assert docs.tobytes() == plain_docs.tobytes()
        assert queries.tobytes() == plain_queries.tobytes()


@pytest.mark.parametrize("query_dtype", DTYPES)
@pytest.mark.parametrize("doc_dtype", DTYPES)
def test_queries_and_documents_of_different_dtypes(query_dtype: str, doc_dtype: str) -> None:
    """Each side is widened for itself."""
    rng = np.random.default_rng(2)
    queries, docs = typed(rng, 9, 20, query_dtype), typed(rng, 50, 20, doc_dtype)
    expected = reference.top_k(queries, docs, 50)
    for route, found in answers(queries, docs, 50):
        assert_same(found, expected, route)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_every_finite_half(dtype: str, isa: str) -> None:
    """All finite 16-bit patterns are widened right: subnormals, both zeros, the largest."""
    kind = np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else np.float16)
    patterns = np.arange(2**16, dtype=np.uint16).view(kind)
    finite = patterns[np.isfinite(patterns.astype(np.float32))]
    docs = np.resize(finite, (len(finite) // 31 + 1, 31))
    queries = docs[:: len(docs) // 20]
    expected = reference.top_k(queries, docs, 50)
    for route, found in answers(queries, docs, 50):
        assert_same(found, expected, route)


def test_every_byte() -> None:
    """All 256 values of int8 and uint8 are taken as they are, -128 included."""
    for kind in (np.int8, np.uint8):
        docs = np.arange(256, dtype=np.uint8).view(kind).reshape(64, 4)
        expected = reference.top_k(docs, docs, 64)
        for route, found in answers(docs, docs, 64):
            assert_same(found, expected, (route, kind))


def test_float64_is_rounded_to_float32() -> None:
    """Digits beyond float32 do not count, so rows that differ only there tie."""
    docs = np.array([[1 + 2**-40, 1], [1, 1], [1 - 2**-50, 1], [1e-300, 0], [1, 1 + 2**-22]])
    expected = reference.top_k(np.ones(2), docs, 5)
    for route, found in answers(np.ones(2), docs, 5):
        assert_same(found, expected, route)
        assert found[0].ids.tolist()[:3] == [0, 1, 2]


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", DTYPES)
def test_broadcast_views(dtype: str, axis: int, isa: str) -> None:
    """Strides of 0 are read like copies: one row many times, one number across a row."""
    rng = np.random.default_rng(3)
    narrow = typed(rng, 1, 20, dtype) if axis == 0 else typed(rng, 40, 1, dtype)
    docs = np.broadcast_to(narrow, (40, 20))
    queries = typed(rng, 9, 20, dtype)
    expected = reference.top_k(queries, docs.copy(), 12)
    for route, found in answers(queries, docs, 12):
        assert_same(found, expected, route)


def test_overlapping_rows(isa: str) -> None:
    """Rows may share memory: the windows of a series, each one number further."""
    series = gaussian(np.random.default_rng(10), 1, 500)[0]
    windows = np.lib.stride_tricks.sliding_window_view(series, 40)
    expected = reference.top_k(windows[5:14], windows.copy(), 12)
    for route, found in answers(windows[5:14], windows, 12):
        assert_same(found, expected, route)


def test_strides_that_are_never_taken(isa: str) -> None:
    """The stride of an axis of length one is not looked at, whatever it says."""
    rng = np.random.default_rng(11)
    for shape, strides in (((30, 1), (4, 2**40)), ((1, 30), (-(2**40), 4)), ((1, 1), (-3, 2**50))):
        plain = gaussian(rng, *shape)
        strange = np.lib.stride_tricks.as_strided(plain, shape, strides, writeable=False)
        expected = reference.top_k(plain, plain, 5)
        for route, found in answers(strange, strange, 5):
            assert_same(found, expected, (route, shape))


def test_inputs_may_be_the_same_array() -> None:
    """A matrix searched with itself is neither changed nor part of the answer."""
    docs = gaussian(np.random.default_rng(4), 50, 16)
    before = docs.tobytes()
    found = kernels.topk(docs, docs, 50)
    assert docs.tobytes() == before
    for part in found:
        assert part.flags.writeable
        assert not np.shares_memory(part, docs)


def test_answers_belong_to_the_caller() -> None:
    """Writing into one answer changes neither the index nor the next answer."""
    docs = gaussian(np.random.default_rng(5), 50, 16)
    index = kernels.VectorIndex(docs)
    first = index.search(docs[:4], 5)
    kept = rows_of(type(first)(*(part.copy() for part in first)))
    first.ids[:] = -7
    first.scores[:] = 9
    assert_same(rows_of(index.search(docs[:4], 5)), kept)


def test_limits_are_not_written() -> None:
    """Exclusions and subsets, sorted or not, are left as they were."""
    docs = gaussian(np.random.default_rng(6), 50, 16)
    subset, barred = np.arange(49, -1, -1), [np.array([9, 3, 3, 7]), np.array([0])]
    kernels.topk(docs[:2], docs, 5, subset=subset, exclude=barred)
    assert subset.tolist() == list(range(49, -1, -1))
    assert barred[0].tolist() == [9, 3, 3, 7]


def test_limits_in_every_accepted_form() -> None:
    """One row a query, a table, lists, tuples, Hits; masks and repeated rows in a subset."""
    docs = gaussian(np.random.default_rng(1), 40, 8)
    own = np.arange(6)
    expected = reference.top_k(docs[:6], docs, 5, exclude=[[row] for row in own])
    forms = [
        own,
        own[:, None],
        np.stack([own, own], 1),
        [[row] for row in own],
        [(0,), *own[1:, None]],
    ]
    forms.append(kernels.VectorIndex(docs).search_hits(docs[:6], 1))
    for form in forms:
        assert_same(rows_of(kernels.topk(docs[:6], docs, 5, exclude=form)), expected)
    rows = [3, 9, 4, 30]
    expected = reference.top_k(docs[:6], docs, 3, subset=rows)
    mask = np.isin(np.arange(40), rows)
    for form in (
        rows,
        rows * 2,
        tuple(rows),
        np.array(rows, np.uint8),
        mask,
        set(rows),
        range(3, 4),
    ):
        want = expected if len(form) != 1 else reference.top_k(docs[:6], docs, 3, subset=[3])
        found = kernels.VectorIndex(docs).search_hits(docs[:6], 3, subset=form)
        assert_same(rows_of(found), want)


def test_empty_subset_and_empty_exclusions() -> None:
    """An empty subset has no hits; empty exclusions change nothing."""
    docs = gaussian(np.random.default_rng(2), 10, 4)
    none = kernels.VectorIndex(docs).search_hits(docs[:3], 2, subset=[])
    assert none.offsets.tolist() == [0, 0, 0, 0]
    assert kernels.topk(docs[:3], docs, 2, subset=np.empty(0, np.int64)).ids.shape == (3, 0)
    assert_same(
        rows_of(kernels.topk(docs[:3], docs, 2, exclude=[[], [], []])),
        reference.top_k(docs[:3], docs, 2),
    )


def test_lists_are_arrays() -> None:
    """Nested lists of floats are taken like the array they make."""
    docs = gaussian(np.random.default_rng(9), 12, 4)
    expected = reference.top_k(docs[:3], docs, 4)
    for route, found in answers(docs[:3].tolist(), docs.tolist(), 4):
        assert_same(found, expected, route)


def test_masked_arrays_do_not_lose_their_mask() -> None:
    """Hidden values never count as data: a masked array with a mask is refused."""
    docs = np.ma.masked_array(gaussian(np.random.default_rng(9), 12, 4))
    docs[3, 2] = np.ma.masked
    with pytest.raises(GnomonError, match="mask"):
        kernels.topk(docs[:1].filled(0), docs, 4)
