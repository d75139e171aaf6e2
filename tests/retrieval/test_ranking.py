"""From a fused pool to what is handed over: in the order of the fusion, or by MMR."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.retrieval.ranking import pick, pick_grid

# The fusion puts row 2 first; by cosine it is the last. Rows 0 and 1 are nearly the same.
VECTORS = np.array([[1.0, 0.0], [0.99, 0.1], [0.5, 0.8], [0.8, -0.6]], dtype=np.float32)
POOL = np.array([2, 0, 1, 3])
QUERY = np.array([1.0, 0.05], dtype=np.float32)


def picked(lambda_: float, k: int = 4, *, by_cosine: bool = False) -> list[int]:
    """Return what is picked of the pool."""
    rows = pick(POOL, k, vector=QUERY, vectors=VECTORS, lambda_=lambda_, by_cosine=by_cosine)
    found: list[int] = rows.tolist()
    return found


def test_the_order_of_the_fusion_at_lambda_one() -> None:
    """As it is, cut at k; a pool of fewer is a shorter answer."""
    assert picked(1.0) == [2, 0, 1, 3]
    assert picked(1.0, 2) == [2, 0]
    assert picked(1.0, 9) == [2, 0, 1, 3]


def test_by_cosine_at_lambda_one() -> None:
    """MMR's own meaning."""
    assert picked(1.0, by_cosine=True) == [0, 1, 3, 2]


def test_variety_below_one() -> None:
    """The last by cosine comes second, being least like the first, whatever lambda 1 means."""
    assert picked(0.5) == picked(0.5, by_cosine=True) == [0, 2, 1, 3]


@pytest.mark.parametrize("by_cosine", [False, True])
def test_the_grid_gives_what_single_picks_give(by_cosine: bool) -> None:
    """For every pool at every lambda, an empty pool among them; smaller k are the beginnings."""
    pools = [POOL, np.empty(0, dtype=np.int64), POOL[::-1], POOL[:1]]
    lambdas = [0.0, 0.5, 1.0]
    grid = pick_grid(
        pools,
        3,
        queries=np.stack([QUERY] * len(pools)),
        vectors=VECTORS,
        lambdas=lambdas,
        by_cosine=by_cosine,
    )
    for lambda_, hits in zip(lambdas, grid, strict=True):
        for pool, found in zip(pools, hits, strict=True):
            for k in (1, 2, 3):
                alone = pick(
                    pool, k, vector=QUERY, vectors=VECTORS, lambda_=lambda_, by_cosine=by_cosine
                )
                assert found.ids[:k].tolist() == alone.tolist()


def test_a_grid_of_lambda_one_alone() -> None:
    """Nothing is left for MMR to do."""
    (hits,) = pick_grid(
        [POOL],
        4,
        queries=QUERY[None],
        vectors=VECTORS,
        lambdas=[1.0],
        by_cosine=False,
    )
    assert hits.ids.tolist() == POOL.tolist()
    assert np.isnan(hits.scores).all()
