"""Levels: nested pools, and how narrowed reports are named."""

from __future__ import annotations

import pytest

from gnomon.errors import UsageError
from gnomon.golden.levels import LEVELS, level_of, pool, pool_suffix
from gnomon.golden.records import GoldenRecord

RECORDS = tuple(
    GoldenRecord(f"g-{level}", "How?", "answer", level=level)
    for level in ("ultra", "low", None, "xhigh", "medium", "hihg", "max", "high")
)


def ids(level: str | None = None, limit: int | None = None) -> list[str]:
    """Return which records are in a pool."""
    return [record.id.removeprefix("g-") for record in pool(RECORDS, level, limit)]


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("low", ["low", "hihg"]),
        ("medium", ["low", "medium", "hihg"]),
        ("high", ["low", "None", "medium", "hihg", "high"]),
        ("xhigh", ["low", "None", "xhigh", "medium", "hihg", "high"]),
        ("max", ["low", "None", "xhigh", "medium", "hihg", "max", "high"]),
        ("ultra", ["ultra", "low", "None", "xhigh", "medium", "hihg", "max", "high"]),
        (None, ["ultra", "low", "None", "xhigh", "medium", "hihg", "max", "high"]),
    ],
)
def test_pools_are_cumulative(level: str | None, expected: list[str]) -> None:
    """A record enters at its level, without one at high; an unknown level is in every pool."""
    assert ids(level) == expected


def test_limit_counts_after_the_level() -> None:
    """The first records of the pool are taken, not the pool of the first records."""
    assert ids("medium", 2) == ["low", "medium"]
    assert ids(None, 2) == ["ultra", "low"]
    assert ids("low", 99) == ["low", "hihg"]


def test_unknown_levels_enter_at_the_bottom() -> None:
    """A typo may not delete a question."""
    assert level_of(GoldenRecord("g", "How?", "answer", level="High")) == "low"
    assert level_of(GoldenRecord("g", "How?", "answer")) == "high"
    assert [level_of(GoldenRecord("g", "?", "answer", level=one)) for one in LEVELS] == [*LEVELS]


@pytest.mark.parametrize(
    ("level", "limit", "suffix"),
    [
        (None, None, ""),
        ("ultra", None, ""),
        ("medium", None, "-lvl-medium"),
        (None, 20, "-n20"),
        ("ultra", 20, "-n20"),
        ("low", 5, "-lvl-low-n5"),
    ],
)
def test_narrowed_pools_have_names_of_their_own(
    level: str | None, limit: int | None, suffix: str
) -> None:
    """The whole set has no suffix, so that a narrowed run can't overwrite it."""
    assert pool_suffix(level, limit) == suffix


@pytest.mark.parametrize(("level", "limit"), [("hihg", None), ("", None), ("low", 0), (None, -1)])
def test_refused(level: str | None, limit: int | None) -> None:
    """A level that the command line names must be one, and a limit must leave something."""
    with pytest.raises(UsageError):
        pool(RECORDS, level, limit)
    with pytest.raises(UsageError):
        pool_suffix(level, limit)
