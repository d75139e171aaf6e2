"""The reference is itself checked: against plain loops, and against exact rational arithmetic."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given

from tests.hostile_data import BUILDERS
from tests.reference import cosine as reference
from tests.strategies import Search, searches


def exact_cosine(a: list[float], b: list[float]) -> Decimal:
    """Return the cosine to 60 digits; products and sums are rational and hence exact."""

    def dot(x: list[float], y: list[float]) -> Fraction:
        return sum((Fraction(p) * Fraction(q) for p, q in zip(x, y, strict=True)), Fraction(0))

    def decimal(value: Fraction) -> Decimal:
        return Decimal(value.numerator) / Decimal(value.denominator)

    with localcontext() as context:
        context.prec = 60
        squares = decimal(dot(a, a) * dot(b, b))
        return decimal(dot(a, b)) / squares.sqrt() if squares else Decimal(0)


@given(searches())
def test_vectorised_and_plain_definitions_agree(search: Search) -> None:
    """NumPy and plain Python loops give the same rows and the same score bits."""
    plain = reference.plain_top_k(search.queries.tolist(), search.docs.tolist(), search.k)
    fast = reference.top_k(search.queries, search.docs, search.k)
    pairs = [list(zip(*map(np.ndarray.tolist, hits), strict=True)) for hits in fast]
    assert pairs == plain


@pytest.mark.parametrize("name", sorted(BUILDERS))
def test_scores_are_within_one_step_of_the_exact_cosine(name: str) -> None:
    """A score is the true cosine to one float32 step wherever the dot product does not cancel."""
    queries, docs = BUILDERS[name](np.random.default_rng(7), 3, 20, 37)
    table = reference.scores(queries, docs)
    for row, query in enumerate(queries):
        for column, doc in enumerate(docs):
            exact = exact_cosine(query.tolist(), doc.tolist())
            step = Decimal(float(np.spacing(np.abs(table[row, column]))))
            cancelled = Decimal("1e-14")
            assert abs(Decimal(float(table[row, column])) - exact) <= max(step, cancelled)


def test_widening_keeps_every_value() -> None:
    """Every 16-bit and 8-bit value widens to the same number; float64 is rounded to float32."""
    patterns = np.arange(2**16, dtype=np.uint16)
    halves = patterns.view(np.float16)
    brains = patterns.view(ml_dtypes.bfloat16)
    assert np.array_equal(reference.widen(halves)[0], halves.astype(np.float32), equal_nan=True)
    assert np.array_equal(reference.widen(brains)[0], brains.astype(np.float32), equal_nan=True)
    assert reference.widen(np.arange(256, dtype=np.uint8))[0].tolist() == list(range(256))
    assert reference.widen(np.arange(-128, 128).astype(np.int8))[0].tolist() == [*range(-128, 128)]
    assert reference.widen([0.1])[0, 0] == np.float32(0.1)


def test_order_is_score_then_row() -> None:
    """Equal scores are ordered by row, and -0.0 ties with +0.0."""
    docs = np.array([[0, 1], [0, -1], [1, 0], [-1, 0], [2, 0]], np.float32)
    (hits,) = reference.top_k(np.array([1, 0], np.float32), docs, 5)
    assert hits.ids.tolist() == [2, 4, 0, 1, 3]
    assert np.array_equal(np.signbit(hits.scores), [False, False, False, False, True])
