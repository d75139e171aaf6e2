"""Hypothesis strategies for whole searches: drawn by coordinates, or from hostile builders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from tests.hostile_data import BUILDERS, SUBNORMAL

if TYPE_CHECKING:
    from tests.hostile_data import Matrix


@dataclass(frozen=True)
class Search:
    """One generated problem: what is searched, for what, and which rows may be hits."""

    queries: Matrix
    docs: Matrix
    k: int
    exclude: tuple[tuple[int, ...], ...] | None = None
    subset: tuple[int, ...] | None = None

    def __repr__(self) -> str:
        """Show shapes and limits; hypothesis prints this for a failing example."""
        return (
            f"Search(queries={self.queries.tolist()}, docs={self.docs.tolist()}, k={self.k}, "
            f"exclude={self.exclude}, subset={self.subset})"
        )


_FLOAT32 = st.floats(width=32, allow_nan=False, allow_infinity=False)
_COORDINATES = {
    "small integers": st.integers(-2, 2).map(float),
    "int8": st.integers(-127, 127).map(float),
    "any float32": _FLOAT32,
    "subnormal": st.integers(-4, 4).map(lambda steps: float(np.float32(steps) * SUBNORMAL)),
    "units": st.floats(-1, 1, width=32),
}


@st.composite
def vectors(draw: st.DrawFn, rows: int, dim: int) -> Matrix:
    """Draw a matrix whose rows often repeat: copies are what tests an order."""
    coordinate = _COORDINATES[draw(st.sampled_from(sorted(_COORDINATES)))]
    pool = draw(
        st.lists(
            st.lists(coordinate, min_size=dim, max_size=dim), min_size=1, max_size=max(1, rows)
        )
    )
    picks = draw(st.lists(st.integers(0, len(pool) - 1), min_size=rows, max_size=rows))
    return np.array([pool[pick] for pick in picks], np.float32).reshape(rows, dim)


@st.composite
def searches(draw: st.DrawFn) -> Search:
    """Draw a small whole problem, coordinate by coordinate."""
    dim = draw(st.integers(1, 40))
    q, n = draw(st.integers(0, 4)), draw(st.integers(0, 40))
    rows = st.lists(st.integers(0, max(0, n - 1)), max_size=n).map(tuple)
    return Search(
        draw(vectors(q, dim)),
        draw(vectors(n, dim)),
        draw(st.integers(1, n + 2)),
        draw(st.none() | st.tuples(*[rows] * q)) if n else None,
        draw(st.none() | rows.map(lambda drawn: tuple(sorted(set(drawn))))) if n else None,
    )


@st.composite
def built_searches(draw: st.DrawFn, max_rows: int = 400, max_dim: int = 140) -> Search:
    """Draw a builder, sizes, a k and limits: larger problems than coordinates allow."""
    builder = BUILDERS[draw(st.sampled_from(sorted(BUILDERS)))]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    q, n = draw(st.integers(1, 12)), draw(st.integers(1, max_rows))
    d = draw(st.integers(1, max_dim))
    queries, docs = builder(rng, q, n, d)
    exclude = subset = None
    if draw(st.booleans()):
        exclude = tuple(tuple(rng.integers(n, size=rng.integers(0, 4)).tolist()) for _ in range(q))
    if draw(st.booleans()):
        subset = tuple(np.flatnonzero(rng.integers(3, size=n)).tolist())
    return Search(queries, docs, draw(st.integers(1, n + 3)), exclude, subset)
