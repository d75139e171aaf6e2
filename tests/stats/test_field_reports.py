"""Faults that statistics of evaluations had in the field, each with its right value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.errors import InvalidInputError, InvalidTypeError
from gnomon.sources import read_qrels, restrict
from gnomon.stats.intervals import wilson, wilson_upper
from gnomon.stats.resampling import resample_queries

if TYPE_CHECKING:
    from pathlib import Path


def test_e20_intervals_do_not_collapse() -> None:
    """E20: none or all of n leaves a width: Wilson at 95%, and its one-sided upper limit."""
    expected = {(0, 10): (0, 0.2775), (10, 10): (0.7225, 1), (0, 50): (0, 0.0713)}
    expected[1, 1] = (0.2065, 1)
    for (hits, n), limits in expected.items():
        figure = wilson(hits, n)
        assert (figure.low, figure.high) == pytest.approx(limits, abs=5e-5), (hits, n)
    assert wilson_upper(0, 10) == pytest.approx(0.2129, abs=5e-5)
    assert wilson_upper(0, 50) == pytest.approx(0.0513, abs=5e-5)


def test_e21_no_data_fails_closed() -> None:
    """E21: 0 of 0 is no estimate with a reason, as an upper bound 1.0; more hits than n raises."""
    figure = wilson(0, 0)
    assert figure.value is None
    assert "no data" in str(figure.reason)
    assert wilson_upper(0, 0) == 1.0
    with pytest.raises(InvalidInputError):
        wilson(3, 2)


def test_e22_wilson_is_for_counts() -> None:
    """E22: a sum of fractional recalls is refused and pointed to the bootstrap."""
    with pytest.raises(InvalidTypeError, match="bootstrap"):
        wilson(0.5 + 0.33 + 1.0, 3)  # type: ignore[arg-type]


def test_e23_an_estimate_lies_in_its_own_interval() -> None:
    """E23: a ratio's interval is that of the ratio, paired, not of its numerator."""
    rng = np.random.default_rng(0)
    oracle = rng.choice([0.0, 0.5, 1.0], 300, p=[0.1, 0.1, 0.8])
    bridged = np.where(rng.random(300) < 0.9, oracle, 0.0)
    figure = resample_queries({"a": bridged, "b": oracle}, seed=1).ratio_figure("a", "b")
    assert figure.value is not None
    assert figure.low is not None
    assert figure.high is not None
    assert figure.value == pytest.approx(bridged.sum() / oracle.sum())
    assert figure.low < figure.value < figure.high
    assert figure.low > bridged.mean()


def test_e28_e29_judgements_of_other_documents(tmp_path: Path) -> None:
    """E28, E29: when no judged id is in the corpus that is an error, with counts and examples."""
    file = tmp_path / "qrels.txt"
    file.write_text("q0 0 old1 1\nq0 0 old2 1\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="none of the 2 judged documents") as caught:
        restrict(read_qrels(file), ["new1", "new2"], ["q0"])
    assert "old1" in str(caught.value)
    lines = [f"q0 0 old{i} 1\n" for i in range(9)]
    file.write_text("q0 0 new1 1\n" + "".join(lines), encoding="utf-8")
    judged = restrict(read_qrels(file), ["new1", "new2"], ["q0"])
    assert judged.n_unknown_documents == 9
    assert len(judged.unknown_documents) > 0
