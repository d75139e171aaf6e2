"""The gate on questions that people have labelled: thresholds, or an honest refusal to give any."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pytest
from bench.gate_collections import calibrated as calibrate

from gnomon.stats.intervals import wilson_upper

if TYPE_CHECKING:
    from pathlib import Path

# Several tests look at one calibration, which is not quick.
calibrated = functools.cache(calibrate)

MODELS = ("wordllama-256", "all-minilm-l6-v2")


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("target", ["squad2", "mtrag"])
def test_thresholds_hold_their_bound(shared_data: Path, target: str, model: str) -> None:
    """Enough questions: over-refusal is bounded in sample, and told on held-out halves."""
    found = calibrated(shared_data, target, model)
    assert found["failures"] == []
    asked = found["chosen"]["strata"]["U"]
    assert asked["ub95"] <= 0.05 < upper_of(asked, one_step_higher=len(found["binding"]))
    held = found["validation"]["U"]
    assert held["n"] == asked["n"]
    assert held["ub95"] < 0.06  # flattered in sample, by little where there are hundreds
    assert 0.6 < found["auc"] < 0.95


@pytest.mark.parametrize("model", MODELS)
def test_foreign_questions_are_caught_and_plausible_ones_are_not(
    shared_data: Path, model: str
) -> None:
    """A floor keeps off-domain questions out; it cannot tell what merely sounds answerable."""
    strata = calibrated(shared_data, "squad2", model)["chosen"]["strata"]
    share = {s: cell["refused"] / cell["n"] for s, cell in strata.items()}
    assert share["N4"] >= 0.8
    assert share["N2"] < 0.15


def test_no_foreign_questions_is_not_armed(shared_data: Path) -> None:
    """Without N4, as in mtrag, the floor asks for nothing, and the result says so."""
    found = calibrated(shared_data, "mtrag", "all-minilm-l6-v2")
    assert found["chosen"]["blatant_refusal"] is None
    assert "N4" in found["unmeasured"]
    assert found["lexical"] is None
    assert found["guard"]["tau_lexical"] == 0.30  # as it was


@pytest.mark.parametrize("model", [*MODELS, "use-multilingual-v3", "all-mpnet-base-v2"])
def test_seventeen_answerable_questions_are_too_few(shared_data: Path, model: str) -> None:
    """fastapi-docs: even without a refusal the bound would be 0.137."""
    found = calibrated(shared_data, "fastapi-docs", model)
    assert found["guard"] is None
    assert found["too_few"] == ["U"]
    assert [f["code"] for f in found["failures"]] == ["no-feasible-tau"]
    assert "too few probes (U has 17)" in found["failures"][0]["message"]
    assert round(found["bounds"][0]["upper_at_zero"], 3) == 0.137


def test_strict_holds_on_untouched_questions_or_says_so(shared_data: Path) -> None:
    """The verdict and the exact bound on the untouched two fifths agree."""
    found = calibrated(shared_data, "squad2", "all-minilm-l6-v2", strict=True)
    untouched = found["held_out"]["U"]
    assert untouched["n"] == 387
    holds = untouched["ub95_exact"] <= 0.05
    assert [f["code"] for f in found["failures"]] == ([] if holds else ["bound-not-held-out"])


def upper_of(cell: dict[str, Any], *, one_step_higher: int) -> float:
    """Return Wilson's bound at the next threshold, which refuses so many more."""
    return wilson_upper(cell["refused"] + one_step_higher, cell["n"])
