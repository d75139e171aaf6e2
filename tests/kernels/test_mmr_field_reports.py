"""Faults that implementations of MMR had in the field, each with its right value."""

from __future__ import annotations

import numpy as np
import pytest
from tests.hostile_data import gaussian
from tests.kernels.routes import assert_same, rows_of

from gnomon import kernels
from gnomon.errors import GnomonError

A, A2, B, C = range(4)
QUERY = np.array([1, 0, 0], np.float32)
DOCS = np.array(
    [[0.80, 0.60, 0], [0.79, 0.6131, 0], [0.60, 0, 0.80], [0.55, -0.8352, 0]], np.float32
)


def picked(lambda_: float, k: int) -> list[int]:
    """Return the picks among the four documents."""
    return kernels.mmr(QUERY, DOCS, k, lambda_=lambda_).ids.tolist()


def test_m01_the_penalty_is_the_nearest_of_all_picks(isa: str) -> None:
    """M01: a near-duplicate of an earlier pick stays behind: not only the last pick counts."""
    assert picked(0.5, 4) == [A, C, B, A2]


def test_m03_lambda_reaches_the_kernel(isa: str) -> None:
    """M03: another lambda is another list, and a misspelt keyword is an error that names it."""
    assert picked(1.0, 3) == [A, A2, B]
    assert picked(0.3, 3) == [A, C, B]
    for wrong in ("lambda_mult", "lamda_", "lambda", "mmr_threshold"):
        with pytest.raises(TypeError, match=wrong):
            kernels.mmr(QUERY, DOCS, 3, **{wrong: 0.3})


def test_m04_lambda_1_is_relevance(isa: str) -> None:
    """M04: lambda 1 is plain top-k, in ids, order and scores; lambda 0 is diversity."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        docs, queries = gaussian(rng, 40, 9), gaussian(rng, 4, 9)
        found = kernels.mmr(queries, docs, 12, lambda_=1.0)
        assert_same(rows_of(found), rows_of(kernels.topk(queries, docs, 12)))
    assert picked(0.0, 2) == [A, C]


def test_m04_the_docstring_tells_which_end_is_which() -> None:
    """M04: the docstring of each function says what lambda 0 and 1 mean."""
    for function in (kernels.mmr, kernels.mmr_grid):
        text = (function.__doc__ or "").lower()
        assert "lambda" in text
        assert "relevance" in text or "mmr`" in text


def test_m06_k_beyond_the_candidates(isa: str) -> None:
    """M06: three candidates and k=10 give all three, once each."""
    found = kernels.mmr(QUERY, DOCS[:3], 10)
    assert sorted(found.ids.tolist()) == [0, 1, 2]
    assert np.isfinite(found.scores).all()


def test_m07_nan_query_is_refused(isa: str) -> None:
    """M07: a NaN query is an error that names it, not index 0."""
    with pytest.raises(ValueError, match=r"quer.*\b0\b") as caught:
        kernels.mmr(np.array([np.nan, 0], np.float32), np.eye(2, dtype=np.float32), 1)
    assert isinstance(caught.value, GnomonError)


def test_m10_nothing_is_ignored_silently(isa: str) -> None:
    """M10: a lambda outside [0, 1] or NaN is an error; plain top-k is never sold as MMR."""
    for bad in (-0.1, 1.0000001, np.nan, np.inf, 2, -1):
        with pytest.raises(ValueError, match="lambda_") as caught:
            kernels.mmr(QUERY, DOCS, 2, lambda_=bad)
        assert isinstance(caught.value, GnomonError)
