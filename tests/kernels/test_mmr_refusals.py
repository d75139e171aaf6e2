"""What MMR refuses, and that the message names the argument and the place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.hostile_data import gaussian, typed
from tests.kernels.mmr_routes import as_hits
from tests.kernels.test_topk_refusals import WRONG_DTYPES
from tests.kernels.test_topk_threads import run_python

from gnomon import kernels
from gnomon.errors import GnomonError

if TYPE_CHECKING:
    from collections.abc import Callable

DOCS = gaussian(np.random.default_rng(0), 5, 4)
STACK = np.stack([DOCS, DOCS])


def calls(*args: Any, **given: Any) -> list[Callable[[], object]]:
    """Return both functions' calls, not yet made."""
    return [
        lambda: kernels.mmr(*args, **given),
        lambda: kernels.mmr_grid(*args, [0.5, 1.0], **given),
    ]


def refused(ask: Callable[[], object], match: str) -> None:
    """Demand gnomon's own error with these words."""
    with pytest.raises((ValueError, TypeError), match=match) as caught:
        ask()
    assert isinstance(caught.value, GnomonError), repr(caught.value)


@pytest.mark.parametrize("dtype", sorted(WRONG_DTYPES))
def test_other_dtypes_are_refused(dtype: str) -> None:
    """A dtype outside the contract is a TypeError that names the array and the cast."""
    good, bad = np.ones((3, 4), np.float32), WRONG_DTYPES[dtype]
    for name, pair in (
        ("pool", (good, bad)),
        ("queries", (bad, good)),
        ("pool", (good, [bad] * 3)),
    ):
        for ask in calls(*pair, 2):
            refused(ask, rf"(?s){name}.*astype\(np\.float32\)")


@pytest.mark.parametrize(
    ("queries", "pool"),
    [
        (np.ones((), np.float32), DOCS),
        (STACK, DOCS),
        (DOCS, np.ones(4, np.float32)),
        (DOCS, np.ones((), np.float32)),
        (DOCS, np.ones((5, 1, 2, 4), np.float32)),
        (DOCS[:2], [DOCS[0], DOCS]),
        (DOCS[:2], [STACK, DOCS]),
    ],
)
def test_other_shapes_are_refused(queries: Any, pool: Any) -> None:
    """Queries are a vector or a matrix; a pool is a matrix, a stack or a sequence of matrices."""
    for ask in calls(queries, pool, 2):
        refused(ask, r"shape|dimension")


def test_pools_and_queries_must_be_as_many() -> None:
    """A stack, a sequence or rows for another number of queries is refused with both numbers."""
    for given in (
        {"pool": STACK},
        {"pool": [DOCS, DOCS]},
        {"pool": DOCS, "rows": [[0], [1]]},
        {"pool": DOCS, "rows": np.zeros((2, 1), np.int64)},
    ):
        pool, options = given["pool"], {key: given[key] for key in given if key != "pool"}
        for ask in calls(DOCS[:3], pool, 2, **options):
            refused(ask, r"(?s)\b2\b.*\b3\b|\b3\b.*\b2\b")


def test_widths_must_fit() -> None:
    """Pools of another width than the queries are refused with both numbers, and the query's."""
    wide = np.ones((3, 7), np.float32)
    for pool in (wide, np.stack([wide, wide])):
        for ask in calls(DOCS[:2], pool, 2):
            refused(ask, r"(?s)\b4\b.*\b7\b|\b7\b.*\b4\b")
    for ask in calls(DOCS[:2], [DOCS, wide], 2):
        refused(ask, r"(?s)\b1\b.*\b7\b")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "bfloat16"])
def test_not_finite_rows_are_named(dtype: str, bad: float, isa: str) -> None:
    """NaN and infinity are an error that names the array and the row, in each form of pool."""
    rng = np.random.default_rng(1)
    good = typed(rng, 40, 19, dtype)
    for row, column in ((0, 0), (23, 18), (39, 9)):
        docs = good.copy()
        docs[row, column] = bad
        for ask in calls(docs, good, 2):
            refused(ask, rf"(?s)queries.*\b{row}\b")
        for ask in calls(good[:2], docs, 2):
            refused(ask, rf"(?s)pool.*\b{row}\b")
        for ask in calls(good[:2], docs, 2, rows=[[1, 2], sorted({3, row})]):
            refused(ask, rf"(?s)pool.*\b{row}\b")
        for pool in ([good, docs], np.stack([good, docs])):
            for ask in calls(good[:2], pool, 2):
                refused(ask, rf"(?s)pool.*\b1\b.*\b{row}\b")


def test_rows_outside_every_pool_may_hold_anything(isa: str) -> None:
    """Only candidates are looked at: a bad row that no pool names is no error."""
    docs = np.concatenate([DOCS, np.full((1, 4), np.nan, np.float32)])
    found = kernels.mmr(DOCS[:1], docs, 3, rows=[[0, 2, 4]])
    assert len(found.ids) == 3


def test_float64_beyond_float32_is_refused(isa: str) -> None:
    """A finite float64 that float32 cannot hold is an error, not an infinity."""
    docs = DOCS.astype(np.float64)
    docs[2, 1] = 1e39
    for ask in calls(DOCS[:1], docs, 1):
        refused(ask, r"pool.*\b2\b")


@pytest.mark.parametrize("k", [0, -1, -(2**63), 2**63, 2.5, 1.0, True, "3", None, np.float32(2)])
def test_k_must_be_a_positive_whole_number(k: Any) -> None:
    """K below 1 or not an integer is an error that mentions k."""
    for ask in calls(DOCS, DOCS, k):
        refused(ask, r"\bk\b")


@pytest.mark.parametrize(
    "lambda_", [-1e-9, 1.0000001, 2, -1, np.nan, np.inf, -np.inf, "0.5", None, [0.5], 1j, True]
)
def test_lambda_must_be_in_the_unit_interval(lambda_: Any) -> None:
    """Anything but a number in [0, 1] is an error that mentions lambda and the value."""
    refused(lambda: kernels.mmr(DOCS, DOCS, 2, lambda_=lambda_), "lambda")
    refused(lambda: kernels.mmr_grid(DOCS, DOCS, 2, [0.5, lambda_]), "lambda")


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2"])
def test_threads_must_be_a_positive_whole_number(threads: Any) -> None:
    """Threads below 1 or not an integer is an error that mentions threads."""
    for ask in calls(DOCS, DOCS, 2, threads=threads):
        refused(ask, "threads")


BAD_ROWS = {
    "beyond the end": ([[0], [5]], r"(?s)\b1\b.*\b5\b|\b5\b.*\b1\b"),
    "below zero": ([[0], [-1]], r"-1"),
    "a last place": ([[0], [2**62]], str(2**62)),
    "halves": ([[0.5], []], "rows"),
    "huge unsigned": (np.array([[0], [2**63]], np.uint64), "9223372036854775808"),
    "booleans": (np.ones((2, 5), np.bool_), "rows"),
    "text": (["ab", "cd"], "rows"),
    "a number": (3, "rows"),
    "flat": (np.array([0, 1]), "rows"),
    "none inside": ([[0], None], "rows"),
    "nested": ([[[0]], [[1]]], "rows"),
    "cube": (np.zeros((2, 1, 1), np.int64), "rows"),
}


@pytest.mark.parametrize("case", sorted(BAD_ROWS))
def test_bad_rows_are_refused(case: str) -> None:
    """Rows out of range or of a wrong kind are an error that names them."""
    rows, match = BAD_ROWS[case]
    for ask in calls(DOCS[:2], DOCS, 2, rows=rows):
        refused(ask, match)


def test_a_row_twice_in_a_pool_is_refused() -> None:
    """A duplicate within one pool names the query and the row; across pools it's fine."""
    for rows in ([[0, 1], [3, 2, 3]], np.array([[0, 1, 2], [3, 2, 3]]), as_hits([[0], [3, 2, 3]])):
        for ask in calls(DOCS[:2], DOCS, 2, rows=rows):
            refused(ask, r"(?s)\b1\b.*\b3\b|\b3\b.*\b1\b")
    kernels.mmr(DOCS[:2], DOCS, 2, rows=[[3], [3]])


def test_rows_go_with_a_shared_matrix_only() -> None:
    """Rows with a stack or a sequence of pools are refused rather than guessed."""
    for pool in (STACK, [DOCS, DOCS]):
        for ask in calls(DOCS[:2], pool, 2, rows=[[0], [1]]):
            refused(ask, "rows")


def test_options_are_named() -> None:
    """Lambda, rows and threads are keywords: a number in the wrong place never counts as one."""
    with pytest.raises(TypeError):
        kernels.mmr(DOCS, DOCS, 2, 0.5)
    with pytest.raises(TypeError, match="lam"):
        kernels.mmr(DOCS, DOCS, 2, lam=0.5)


def test_no_lambdas() -> None:
    """A grid without any lambda is empty, or an error that names lambdas: never a crash."""
    printed = run_python(
        """
        import numpy as np
        from gnomon import kernels
        docs = np.ones((3, 4), np.float32)
        try:
            print(kernels.mmr_grid(docs, docs, 2, []))
        except ValueError as error:
            print("[]" if "lambdas" in str(error) else error)
        """
    )
    assert printed == "[]"


def test_hits_for_another_number_of_queries_are_counted() -> None:
    """Rows as hits of two queries, for three queries, are refused with both numbers."""
    for ask in calls(DOCS[:3], DOCS, 2, rows=as_hits([[0], [1]])):
        refused(ask, r"(?s)\b2\b.*\b3\b|\b3\b.*\b2\b")
