"""Fusion, MMR and tuning on real collections: what gains, what loses, and what is noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from bench.hybrid_collections import (
    SHIPPED,
    Collection,
    difference,
    opened,
    searched_weights,
)

from gnomon.rules.tuning import read_gain

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def cranfield(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Return cranfield with MiniLM."""
    folder = tmp_path_factory.mktemp("hybrid")
    return opened(shared_data, "cranfield", "all-minilm-l6-v2", folder)


def test_fusion_beats_either_channel(cranfield: Collection) -> None:
    """By more than noise."""
    fused = cranfield.measured(cranfield.fused(*SHIPPED))["ndcg@10"]
    for channel in (cranfield.lexical, cranfield.dense):
        alone = cranfield.measured(channel)["ndcg@10"]
        assert read_gain(difference(fused, alone)) == "gain"


def test_less_lambda_costs_ndcg(cranfield: Collection) -> None:
    """Judgements of topical relevance don't reward variety."""
    means = [
        cranfield.measured(cranfield.reranked(lambda_))["ndcg@10"].mean()
        for lambda_ in (1.0, 0.7, 0.5)
    ]
    assert means == sorted(means, reverse=True)


def test_searching_weights_gains_nothing_held_out(cranfield: Collection) -> None:
    """Twenty pairs of k and weights, chosen on one half and measured on the other."""
    chosen, gain = searched_weights(cranfield)
    assert len(chosen) == 2
    assert read_gain(gain) == "noise"


def test_tuning_keeps_to_plain_ranking(cranfield: Collection) -> None:
    """The winner is lambda 1, and the held-out reading says no more than that."""
    result = cranfield.tuned()
    assert result.winner.lambda_ == 1
    assert result.held_out is not None
    assert result.held_out.reading == "noise"
    assert not result.refusals_differ
    assert result.pool.with_gold == 225


def test_mmr_at_lambda_1_ranks_the_fused_pool_by_cosine(cranfield: Collection) -> None:
    """It is not a no-op: the order is that of the dense channel among the twelve."""
    place = [{row: at for at, row in enumerate(ids.tolist())} for ids in cranfield.dense]
    for ids, places in zip(cranfield.reranked(1.0), place, strict=True):
        known = [places[row] for row in ids.tolist() if row in places]
        assert known == sorted(known)
    assert any(
        not np.array_equal(a, b[: len(a)])
        for a, b in zip(cranfield.reranked(1.0), cranfield.fused(*SHIPPED, top=12), strict=True)
    )
