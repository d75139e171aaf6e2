"""Faults that vector search libraries had in the field, each with the right answer.

The names say the fault; docs/kernels/cosine.md tells which rule of the contract each one breaks.
"""

from __future__ import annotations

import importlib.util
import os
import resource
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import ml_dtypes
import numpy as np
import pytest
from tests.hostile_data import gaussian
from tests.kernels.routes import answers, assert_same
from tests.reference import cosine as reference

from gnomon import kernels
from gnomon.errors import GnomonError

if TYPE_CHECKING:
    from collections.abc import Sequence

HALF_ROOT = np.float32(np.sqrt(0.5))


def f32(rows: Sequence[Sequence[float]] | Sequence[float]) -> np.ndarray:
    """Return float32 values."""
    return np.array(rows, np.float32)


def check(
    queries: np.ndarray, docs: np.ndarray, k: int, ids: list[int], scores: list[float]
) -> None:
    """Demand these hits of the only query from every route."""
    for route, (row,) in answers(queries, docs, k):
        assert row.ids.tolist() == ids, route
        assert row.scores.tolist() == [np.float32(score) for score in scores], route


def test_v01_nan_query_is_refused(isa: str) -> None:
    """A NaN query has no neighbours: an error names query row 0 instead of an accidental id."""
    with pytest.raises(ValueError, match=r"queries.*\b0\b") as caught:
        kernels.topk(f32([[np.nan, 0]]), f32([[1, 0], [0, 1]]), 1)
    assert isinstance(caught.value, GnomonError)


def test_v02_nan_document_is_refused(isa: str) -> None:
    """A NaN row would win or lose by accident: an error names document row 0."""
    docs = f32([[np.nan, 0], [1, 0], [0, 1]])
    for ask in (lambda: kernels.topk(f32([1, 0]), docs, 3), lambda: kernels.VectorIndex(docs)):
        with pytest.raises(ValueError, match=r"docs.*\b0\b"):
            ask()


def test_v03_v05_zero_vector_pushes_nobody_out(isa: str) -> None:
    """A zero row scores 0.0 on every instruction set and loses to every positive score."""
    docs = f32([[1, 0], [1, 1], [0, 0]])
    check(f32([1, 0]), docs, 2, [0, 1], [1, HALF_ROOT])
    check(f32([1, 0]), docs, 3, [0, 1, 2], [1, HALF_ROOT, 0])


@pytest.mark.parametrize("length", [1e-6, 1e-12, 1e-25, 1e-38, 1e-45, 1e30])
def test_v06_short_vectors_are_normalised(length: float, isa: str) -> None:
    """No epsilon: only an exactly zero norm is special."""
    check(f32([1, 0]), f32([[length, 0]]), 1, [0], [1])
    check(f32([length, 0]), f32([[1, 0]]), 1, [0], [1])


def test_v08_the_query_is_not_rewritten(isa: str) -> None:
    """A search leaves the caller's arrays as they were, and answers never alias them."""
    query, docs = f32([3, 4]), f32([[10, 0], [0, 0.5], [6, 8]])
    kept = query.copy(), docs.copy()
    index = kernels.VectorIndex(docs)
    for found in (kernels.topk(query, docs, 3), index.search(query, 3)):
        assert np.array_equal(query, kept[0])
        assert np.array_equal(docs, kept[1])
        assert not any(np.shares_memory(part, x) for part in found for x in (query, docs))


def test_v09_the_query_is_normalised(isa: str) -> None:
    """A query of length 5 scores like one of length 1."""
    check(f32([3, 4]), f32([[1, 0], [0.6, 0.8]]), 2, [1, 0], [1, 0.6])


def test_v10_integers_are_never_reinterpreted(isa: str) -> None:
    """An int64 array is refused with the cast to use; after it, and as int8, values are right."""
    docs = np.array([[1, 0], [1, 1], [0, 1]])
    with pytest.raises(TypeError, match=r"int64.*astype\(np\.float32\)"):
        kernels.topk(docs[0], docs, 3)
    for kind in (np.float32, np.int8, np.uint8):
        check(docs[0].astype(kind), docs.astype(kind), 3, [0, 1, 2], [1, HALF_ROOT, 0])


def test_v12_a_vector_is_itself(isa: str) -> None:
    """No fast reciprocal root: a vector's cosine with itself is exactly 1."""
    check(f32([1, 2, 3]), f32([[1, 2, 3]]), 1, [0], [1])


def test_v13_v14_v15_k_beyond_n(isa: str) -> None:
    """Three rows give three hits for any larger k: no -1, no 2**64 - 1, no NaN, no error."""
    docs = gaussian(np.random.default_rng(0), 3, 8)
    for k in (4, 5, 10, 1000):
        found = kernels.topk(docs[0], docs, k)
        assert sorted(found.ids[0].tolist()) == [0, 1, 2]
        assert np.isfinite(found.scores).all()


@pytest.mark.parametrize("queries", [1, 19, 20, 64])
def test_v16_empty_index_has_no_hits(queries: int, isa: str, tmp_path: Path) -> None:
    """No rows, no hits, for every batch size."""
    docs = np.empty((0, 8), np.float32)
    asked = np.ones((queries, 8), np.float32)
    for route, found in answers(asked, docs, 1, reopened_at=tmp_path / "index"):
        assert [len(row.ids) for row in found] == [0] * queries, route


def test_v18_ties_come_in_row_order(isa: str) -> None:
    """Five identical rows, the first three win, in order."""
    check(f32([1, 2]), f32([[2, 1]] * 5), 3, [0, 1, 2], [0.8] * 3)


def test_v20_nan_never_ranks(isa: str) -> None:
    """Among other scores a NaN row is an error that names it, never a hit."""
    docs = f32([[0.1, 1], [np.nan, 1], [0.9, 0.1], [0.5, 0.5]])
    with pytest.raises(ValueError, match=r"docs.*\b1\b"):
        kernels.topk(f32([1, 0]), docs, 2)
    found = kernels.topk(f32([1, 0]), docs, 2, subset=[0, 2, 3])
    assert found.ids.tolist() == [[2, 3]]


def test_v21_fortran_order_is_read_as_such(isa: str) -> None:
    """A column-major array means what its indices say."""
    docs = np.asfortranarray(f32([[1, 0], [0, 1], [0.6, 0.8]]))
    check(f32([0, 1]), docs, 1, [1], [1])


def test_v23_read_only_arrays_are_taken_without_a_copy(tmp_path: Path, isa: str) -> None:
    """Memory maps, frozen arrays, buffers and broadcast views are searched where they are."""
    values = gaussian(np.random.default_rng(0), 50, 8)
    np.save(tmp_path / "x.npy", values)
    frozen = values.copy()
    frozen.flags.writeable = False
    for docs in (
        np.load(tmp_path / "x.npy", mmap_mode="r"),
        frozen,
        np.frombuffer(values.tobytes(), np.float32).reshape(50, 8),
    ):
        for route, found in answers(docs[:3], docs, 5):
            assert_same(found, reference.top_k(values[:3], values, 5), route)
    wide = np.broadcast_to(values[0], (50, 8))
    check(values[0], wide, 2, [0, 1], [1, 1])


def test_v23_no_copy_of_a_large_array(isa: str) -> None:
    """A view of 256 GB in 256 bytes can be searched in part: nothing copies the whole."""
    docs = np.broadcast_to(np.ones((1, 64), np.float32), (1_000_000_000, 64))
    found = kernels.topk(docs[0], docs, 2, subset=[5, 999_999_999])
    assert found.ids.tolist() == [[5, 999_999_999]]


@pytest.mark.parametrize("d", [1, 8, 31, 33, 768])
def test_v24_float16_does_not_overflow(d: int, isa: str) -> None:
    """300 x 300 x 768 is beyond float16; the sum is wider, its tail included."""
    x = np.full((1, d), 300, np.float16)
    check(x, x, 1, [0], [1])
    big = np.full((1, d), 65504, np.float16)
    check(big, -big, 1, [0], [-1])


def test_v25_float16_sums_do_not_stall(isa: str) -> None:
    """A running float16 sum of ones stops at 2048; this one does not."""
    ones = np.ones((1, 4096), np.float16)
    half = ones.copy()
    half[:, 2048:] = 0
    check(ones, half, 1, [0], [HALF_ROOT])


def test_v26_int8_does_not_wrap(isa: str) -> None:
    """100 x 100 + 100 x 100 is 20,000, not 32; and 10,000 dimensions of 127 stay exact."""
    x = np.array([[100, 100]], np.int8)
    check(x, np.array([[100, 100], [100, -100]], np.int8), 2, [0, 1], [1, 0])
    long = np.full((3, 10_000), 127, np.int8)
    long[1, 1::2] = -127
    long[2, :2500] = -128
    for route, found in answers(long[:1], long, 3):
        assert_same(found, reference.top_k(long[:1], long, 3), route)


def test_v26_integer_sums_beyond_32_bits(isa: str) -> None:
    """At 300,000 dimensions of 127 an int32 sum of products would wrap round."""
    docs = np.full((20, 300_000), 127, np.int8)
    docs[1::2, ::2] = -127
    docs[5] = -127
    queries = np.full((9, 300_000), 127, np.int8)
    expected = reference.top_k(queries[:1], docs, 20) * 9
    for route, found in answers(queries, docs, 20):
        assert_same(found, expected, route)


def test_v28_int8_cosine(isa: str) -> None:
    """int8 [3, 4] with itself is 1."""
    x = np.array([[3, 4]], np.int8)
    check(x, x, 1, [0], [1])


def test_v29_bfloat16_is_widened(isa: str) -> None:
    """An ml_dtypes.bfloat16 array is taken as its float32 values."""
    values = gaussian(np.random.default_rng(0), 20, 33).astype(ml_dtypes.bfloat16)
    for route, found in answers(values[:2], values, 4):
        assert_same(found, reference.top_k(values[:2], values, 4), route)


def test_v30_offsets_are_64_bit(isa: str) -> None:
    """Row x width beyond 2**31 and 2**32 elements reaches the right row, and the last."""
    room = np.broadcast_to(np.ones((1, 768), np.float32), (6_000_000, 768))
    far = [2_796_202, 2_796_203, 5_592_405, 5_592_406, 5_999_999]
    found = kernels.topk(room[0], room, 5, subset=far)
    assert found.ids.tolist() == [far]


@pytest.mark.parametrize("queries", [1, 9])
def test_v30_more_than_two_to_the_31_elements(queries: int) -> None:
    """2,796,203 x 768 float32 rows, 8.6 GB of untouched zeros: the last row is found with 1.0.

    tests/real/ searches the same shape from a sparse memory-mapped file.
    """
    try:
        docs = np.zeros((2_796_203, 768), np.float32)
    except MemoryError:
        pytest.skip("the system grants no 8.6 GB of address space")
    docs[-1], docs[-2] = 1, -1
    found = kernels.topk(np.repeat(docs[-1:], queries, axis=0), docs, 3)
    assert found.ids.tolist() == [[2_796_202, 0, 1]] * queries
    assert found.scores.tolist() == [[1, 0, 0]] * queries


def test_v31_no_full_score_matrix() -> None:
    """Memory grows with Q x k, not with Q x n: 12,000 squared scores would take 576 MB."""
    code = """
    import numpy as np, resource
    from gnomon import kernels
    x = np.random.default_rng(0).standard_normal((12_000, 8)).astype(np.float32)
    kernels.topk(x[:20], x, 10, threads=2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    kernels.topk(x, x, 10, threads=2)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    unit = 1 if sys.platform == "darwin" else 1024
    assert int(done.stdout) * unit < 100e6


def test_v34_memory_is_flat() -> None:
    """Searching again and again does not grow the process."""
    queries, docs = (
        gaussian(np.random.default_rng(0), 40, 32),
        gaussian(np.random.default_rng(1), 5000, 32),
    )
    index = kernels.VectorIndex(docs)

    def work(times: int) -> int:
        for _ in range(times):
            index.search(queries, 10, threads=2)
            kernels.topk(queries, docs, 10, threads=2)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    warm = work(30)
    assert work(120) - warm < 16_000 * (1024 if sys.platform == "darwin" else 1)


def test_v37_no_openmp() -> None:
    """The compiled core neither links nor calls an OpenMP runtime."""
    core = importlib.util.find_spec("gnomon._core")
    assert core is not None
    assert core.origin is not None
    image = Path(core.origin).read_bytes()
    for trace in (b"GOMP_", b"libgomp", b"libomp", b"__kmpc"):
        assert trace not in image


def test_v39_row_numbers_are_returned(isa: str) -> None:
    """Among 1,000 rows the query that is row 100 finds row 100."""
    docs = gaussian(np.random.default_rng(0), 1000, 16)
    for route, (row,) in answers(docs[100], docs, 1):
        assert row.ids.tolist() == [100], route


def test_v40_higher_is_closer(isa: str) -> None:
    """Scores are similarities: identical is 1.0 and passes a threshold of 0.8, opposite is -1.0."""
    check(f32([1, 1]), f32([[-1, -1], [1, 1]]), 2, [1, 0], [1, -1])


def test_v41_widths_are_compared_at_the_border() -> None:
    """An index of 3072 dimensions refuses a query of 1024 with both numbers."""
    index = kernels.VectorIndex(np.ones((2, 3072), np.float32))
    with pytest.raises(ValueError, match=r"(?s)(1024.*3072|3072.*1024)"):
        index.search(np.ones(1024, np.float32), 1)


def test_v36_importing_runs_no_wide_instruction() -> None:
    """The module loads and answers with the plainest instruction set forced from the start.

    tests/packaging/test_wide_instructions.py looks at the machine code itself.
    """
    code = """
    import numpy as np
    from gnomon import kernels
    assert kernels.isa() == "scalar"
    print(kernels.topk(np.ones(3, np.float32), np.ones((2, 3), np.float32), 1).ids.tolist())
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "GNOMON_ISA": "scalar"},
    )
    assert done.stdout.strip() == "[[0]]"
