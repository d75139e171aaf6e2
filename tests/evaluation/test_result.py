"""Means with the numbers behind them, groups, and the name of a report."""

from __future__ import annotations

import pytest

from gnomon.evaluation.result import (
    EvaluationResult,
    Measure,
    Row,
    Setup,
    safe_name,
)
from gnomon.stats.intervals import wilson

FRACTION = Measure("recall@8", "higher", False, "of entries")
SHARE = Measure("over_refusal", "lower", True, "of records")


def setup(**changes: object) -> Setup:
    """Return a set-up, with changes."""
    values: dict[str, object] = {
        "index_name": "docs",
        "index": {"hash": "a" * 64},
        "level": None,
        "limit": None,
        "golden_hash": "b" * 64,
        **changes,
    }
    return Setup(**values)  # type: ignore[arg-type]


def result(*rows: Row, **changes: object) -> EvaluationResult:
    """Return a result of two measures."""
    return EvaluationResult(setup(**changes), (FRACTION, SHARE), rows, seed=0)


def row(name: str, recall: float | None, refused: float | None = None, level: str = "low") -> Row:
    """Return a row of two values."""
    return Row(name, {"level": level}, {"recall@8": recall, "over_refusal": refused})


def test_a_mean_is_over_what_was_measured() -> None:
    """A record without a value is left out of the mean and counted beside it."""
    found = result(row("a", 1.0), row("b", 0.5), row("c", None)).figures()["recall@8"]
    assert (found["mean"], found["n_measured"], found["n_total"]) == (0.75, 2, 3)
    assert found["low"] < 0.75 < found["high"]


def test_nothing_measured_is_null() -> None:
    """Never 0, and with the reason."""
    found = result(row("a", None)).figures()["recall@8"]
    assert (found["mean"], found["low"], found["high"]) == (None, None, None)
    assert (found["n_measured"], found["n_total"]) == (0, 1)
    assert "no record has a recall@8" in found["reason"]


def test_a_share_has_a_wilson_interval() -> None:
    """It does not collapse at 0 of n."""
    found = result(row("a", None, 0.0), row("b", None, 0.0)).figures()["over_refusal"]
    expected = wilson(0, 2)
    assert (found["mean"], found["low"], found["high"]) == (0.0, expected.low, expected.high)


def test_groups_hold_means_and_counts_in_the_order_of_levels() -> None:
    """Levels stand as they are nested, not by letters."""
    levels = result(
        row("a", 1.0, level="ultra"), row("b", 0.5, level="low"), row("c", None, level="high")
    ).groups()["level"]
    assert list(levels) == ["low", "high", "ultra"]
    assert levels["low"]["recall@8"] == {"mean": 0.5, "n_measured": 1}
    assert levels["high"]["recall@8"] == {"mean": None, "n_measured": 0}
    assert levels["high"]["n_total"] == 1


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({}, "docs-gate-only"),
        ({"level": "medium"}, "docs-gate-only-lvl-medium"),
        ({"limit": 20}, "docs-gate-only-n20"),
        ({"level": "low", "limit": 5}, "docs-gate-only-lvl-low-n5"),
        ({"model": "gpt-4.1", "prompt_hash": "0123456789ab"}, "docs-gpt-4.1-01234567"),
        (
            {"model": "gpt-4.1", "prompt_hash": "0123456789ab", "level": "low"},
            "docs-gpt-4.1-01234567-lvl-low",
        ),
    ],
)
def test_names_of_reports(changes: dict[str, object], name: str) -> None:
    """A narrowed run has a name of its own, so it never overwrites a full one."""
    assert setup(**changes).name == name


@pytest.mark.parametrize("name", ["a/b", "../up", "..", "", "a b", "x\0y", "é", ".hidden"])
def test_any_name_is_one_part_of_a_path(name: str) -> None:
    """A model's name never leaves the folder of the reports, and two names stay two files."""
    safe = safe_name(name)
    assert "/" not in safe
    assert safe.isascii()
    assert not safe.startswith((".", "-"))
    assert safe != safe_name(f"{name}!")
    assert safe != name
