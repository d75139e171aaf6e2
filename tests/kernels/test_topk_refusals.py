"""What a search refuses, and that the message names the argument, the row and the way out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np
import pytest
from tests.hostile_data import gaussian, typed
from tests.kernels.routes import assert_same, rows_of
from tests.reference import cosine as reference

from gnomon import kernels
from gnomon.errors import GnomonError

if TYPE_CHECKING:
    from collections.abc import Callable

N, D = 90, 33


def searches_of(queries: Any, docs: Any, k: Any, **given: Any) -> list[Callable[[], object]]:
    """Return the ways to ask, not yet asked."""
    threads = {key: given[key] for key in given if key == "threads"}
    return [
        lambda: kernels.topk(queries, docs, k, **given),
        lambda: kernels.VectorIndex(docs, **threads).search(queries, k, **given),
        lambda: kernels.VectorIndex(docs).search_hits(queries, k, **given),
    ]


WRONG_DTYPES = {
    "int64": np.ones((3, 4), np.int64),
    "int32": np.ones((3, 4), np.int32),
    "int16": np.ones((3, 4), np.int16),
    "uint16": np.ones((3, 4), np.uint16),
    "uint64": np.ones((3, 4), np.uint64),
    "bool": np.ones((3, 4), np.bool_),
    "complex64": np.ones((3, 4), np.complex64),
    "object": np.ones((3, 4), object),
    "str": np.full((3, 4), "1.0"),
    "bytes": np.full((3, 4), b"1.0"),
    "datetime64": np.zeros((3, 4), "M8[s]"),
    "timedelta64": np.zeros((3, 4), "m8[s]"),
    "structured": np.zeros((3, 4), [("x", np.float32)]),
    "longdouble": np.ones((3, 4), np.longdouble),
    "float8": np.ones((3, 4), ml_dtypes.float8_e4m3fn),
    "int4": np.ones((3, 4), ml_dtypes.int4),
}


@pytest.mark.parametrize("dtype", sorted(WRONG_DTYPES))
def test_other_dtypes_are_refused(dtype: str) -> None:
    """A dtype outside the contract is a TypeError that names the array and the cast."""
    good, bad = np.ones((3, 4), np.float32), WRONG_DTYPES[dtype]
    for name, pair in (("docs", (good, bad)), ("queries", (bad, good))):
        for ask in searches_of(*pair, 2):
            with pytest.raises(TypeError, match=rf"{name}.*astype\(np\.float32\)") as caught:
                ask()
            assert isinstance(caught.value, GnomonError)


@pytest.mark.parametrize("kind", [">f4", ">f8", ">f2"])
def test_big_endian_is_right_or_refused(kind: str) -> None:
    """Foreign byte order is never read as native: the right answer, or a TypeError."""
    native = gaussian(np.random.default_rng(7), 30, 8)
    swapped = native.astype(kind)
    try:
        found = rows_of(kernels.topk(swapped[:3], swapped, 5))
    except TypeError as refusal:
        assert isinstance(refusal, GnomonError)  # noqa: PT017
    else:
        assert_same(found, reference.top_k(swapped[:3], swapped, 5))


@pytest.mark.parametrize("shape", [(), (2, 3, 4)])
def test_other_shapes_are_refused(shape: tuple[int, ...]) -> None:
    """Documents are a matrix, queries a matrix or a vector; the message shows the shape."""
    good, bad = np.ones((3, 4), np.float32), np.ones(shape, np.float32)
    for pair in ((good, bad), (bad, good)):
        for ask in searches_of(*pair, 2):
            with pytest.raises(ValueError, match=r"shape|dimension") as caught:
                ask()
            assert isinstance(caught.value, GnomonError)


def test_one_vector_is_not_a_corpus() -> None:
    """One-dimensional documents are refused rather than guessed."""
    with pytest.raises(GnomonError, match="docs"):
        kernels.topk(np.ones(4, np.float32), np.ones(4, np.float32), 1)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "bfloat16"])
def test_not_finite_rows_are_named(dtype: str, bad: float, isa: str) -> None:
    """NaN and infinity anywhere are an error that names the array and the first such row."""
    rng = np.random.default_rng(8)
    for row, column in ((0, 0), (37, D - 1), (N - 1, 16)):
        docs, queries = typed(rng, N, D, dtype), typed(rng, N, D, dtype)
        docs[row, column] = bad
        clean = typed(rng, N, D, dtype)
        for q in (1, 9):
            for ask in searches_of(queries[:q], docs, 2):
                with pytest.raises(ValueError, match=rf"(?s)docs.*\b{row}\b") as caught:
                    ask()
                assert isinstance(caught.value, GnomonError)
        queries[row, column] = bad
        for ask in searches_of(queries, clean, 2):
            with pytest.raises(ValueError, match=rf"(?s)queries.*\b{row}\b"):
                ask()


def test_the_first_bad_row_is_named_whatever_the_threads(isa: str) -> None:
    """With several bad rows the message is the same for every thread count."""
    docs = gaussian(np.random.default_rng(9), 30_000, 64)
    docs[[29_000, 12_345, 20_000]] = np.nan
    for threads in (1, 2, 7):
        for ask in searches_of(docs[:9], docs, 2, threads=threads):
            with pytest.raises(ValueError, match=r"\b12,?345\b"):
                ask()


def test_bad_rows_that_no_hit_needs_are_found() -> None:
    """A bad row is refused even when no query has any reason to look at it."""
    docs = np.ones((5000, 16), np.float32)
    docs[4321] = np.inf
    for q in (1, 40):
        queries = np.ones((q, 16), np.float32)
        for ask in searches_of(queries, docs, 1, exclude=[[4321]] * q):
            with pytest.raises(ValueError, match="4321"):
                ask()


def test_float64_beyond_float32_is_refused() -> None:
    """A finite float64 that float32 cannot hold is an error, not an infinity."""
    docs = np.ones((4, 3))
    docs[2, 1] = 1e39
    for ask in searches_of(np.ones(3), docs, 1):
        with pytest.raises(ValueError, match=r"docs.*\b2\b"):
            ask()


def test_widths_must_fit() -> None:
    """Queries of another width are refused with both numbers."""
    docs, queries = np.ones((4, 3072), np.float32), np.ones((2, 1024), np.float32)
    for ask in searches_of(queries, docs, 1):
        with pytest.raises(ValueError, match=r"(?s)(1024.*3072|3072.*1024)") as caught:
            ask()
        assert isinstance(caught.value, GnomonError)


@pytest.mark.parametrize(
    "k", [0, -1, -(2**63), 2**63, 2.5, 1.0, True, "3", None, np.float32(2), [3]]
)
def test_k_must_be_a_positive_whole_number(k: object) -> None:
    """K below 1 or not an integer is an error that mentions k."""
    x = np.ones((3, 4), np.float32)
    asks = [*searches_of(x, x, k), lambda: kernels.topk_pass(x, [kernels.SearchRequest(x, k)])]
    for ask in asks:
        with pytest.raises((ValueError, TypeError), match=r"\bk\b") as caught:
            ask()
        assert isinstance(caught.value, GnomonError)


def test_k_may_be_any_integer_type() -> None:
    """NumPy integers are integers."""
    x = gaussian(np.random.default_rng(0), 5, 4)
    for k in (np.int8(2), np.uint64(2), np.int64(2)):
        assert kernels.topk(x, x, k).ids.shape == (5, 2)


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2"])
def test_threads_must_be_a_positive_whole_number(threads: object) -> None:
    """Threads below 1 or not an integer is an error that mentions threads."""
    x = np.ones((3, 4), np.float32)
    for ask in searches_of(x, x, 1, threads=threads):
        with pytest.raises((ValueError, TypeError), match="threads") as caught:
            ask()
        assert isinstance(caught.value, GnomonError)


BAD_LIMITS = {
    "subset beyond the end": {"subset": [0, 5]},
    "subset below zero": {"subset": [-1]},
    "subset of halves": {"subset": [0.5]},
    "subset of huge unsigned": {"subset": np.array([2**63], np.uint64)},
    "subset mask of wrong length": {"subset": np.ones(4, np.bool_)},
    "subset matrix": {"subset": np.zeros((2, 2), np.int64)},
    "exclude beyond the end": {"exclude": [[0], [5]]},
    "exclude below zero": {"exclude": [[0], [-1]]},
    "exclude of halves": {"exclude": [[0.5], []]},
    "exclude too short": {"exclude": [[0]]},
    "exclude too long": {"exclude": [[0], [1], [2]]},
    "exclude flat": {"exclude": 3},
    "exclude text": {"exclude": ["a", "b"]},
}


@pytest.mark.parametrize("case", sorted(BAD_LIMITS))
def test_bad_limits_are_refused(case: str) -> None:
    """Rows out of range, wrong lengths and rows that are no integers name the argument."""
    docs = gaussian(np.random.default_rng(0), 5, 4)
    (name,) = BAD_LIMITS[case]
    for ask in searches_of(docs[:2], docs, 2, **BAD_LIMITS[case]):
        with pytest.raises((ValueError, TypeError, IndexError), match=name) as caught:
            ask()
        assert isinstance(caught.value, GnomonError)


@pytest.mark.parametrize(
    "labels",
    [None, np.zeros(4, np.uint8), np.zeros(5, np.int64), np.zeros((5, 1), np.uint8)],
    ids=["missing", "short", "int64", "matrix"],
)
def test_bad_labels_are_refused(labels: Any) -> None:
    """A class needs one uint8 label a document."""
    docs = gaussian(np.random.default_rng(2), 5, 4)
    with pytest.raises((ValueError, TypeError), match="row_labels") as caught:
        kernels.topk_pass(docs, [kernels.SearchRequest(docs, 2, row_class=1)], row_labels=labels)
    assert isinstance(caught.value, GnomonError)


@pytest.mark.parametrize("label", [-1, 256, 1.5])
def test_classes_are_bytes(label: Any) -> None:
    """A class outside uint8 can match no label and is refused."""
    docs = gaussian(np.random.default_rng(2), 5, 4)
    with pytest.raises((ValueError, TypeError), match="row_class"):
        kernels.topk_pass(
            docs,
            [kernels.SearchRequest(docs, 2, row_class=label)],
            row_labels=np.zeros(5, np.uint8),
        )


def test_unknown_keywords_are_refused() -> None:
    """A misspelt option never passes silently, and options are named."""
    x = np.ones((3, 4), np.float32)
    with pytest.raises(TypeError, match="sub_set"):
        kernels.topk(x, x, 1, sub_set=[0])
    with pytest.raises(TypeError):
        kernels.topk(x, x, 1, [[0]] * 3)
    with pytest.raises(TypeError, match="normalise"):
        kernels.VectorIndex(x, normalise=True)
