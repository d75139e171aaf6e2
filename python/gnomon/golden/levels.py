"""Levels of a golden set: nested tiers, so that the set can grow at the top.

A record's level is where it enters: ``low`` is in every pool, ``ultra`` only in the whole set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, get_args

from gnomon.errors import UsageError
from gnomon.sources.escape import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.golden.records import GoldenRecord

Level = Literal["low", "medium", "high", "xhigh", "max", "ultra"]
LEVELS: Final[tuple[Level, ...]] = get_args(Level)
# Where a record enters that does not say.
DEFAULT_LEVEL: Final[Level] = "high"
_WHOLE: Final[Level] = "ultra"


def level_of(record: GoldenRecord) -> Level:
    """Return the level at which a record enters.

    A record without one enters at ``high``. One with an unknown level enters at ``low``, so that it
    is in every pool: a typo may not delete a question.
    """
    if record.level is None:
        return DEFAULT_LEVEL
    for level in LEVELS:
        if record.level == level:
            return level
    return LEVELS[0]


def pool(
    records: Sequence[GoldenRecord], level: str | None = None, limit: int | None = None
) -> tuple[GoldenRecord, ...]:
    """Return the records of a pool, in file order: those that enter at a level or below it.

    Parameters
    ----------
    records
        All records of the set.
    level
        One of ``LEVELS``; None is ``ultra``, the whole set.
    limit
        At most so many, the first ones, counted after the level was applied.

    Raises
    ------
    UsageError
        When the level is unknown or the limit is less than 1.
    """
    top = LEVELS.index(_known(level))
    if limit is not None and limit < 1:
        raise UsageError(f"a limit of {limit} leaves no record; expected 1 or more")
    return tuple(r for r in records if LEVELS.index(level_of(r)) <= top)[:limit]


def pool_suffix(level: str | None = None, limit: int | None = None) -> str:
    """Return what the file names of a narrowed pool end in; empty for the whole set.

    Raises
    ------
    UsageError
        When the level is unknown or the limit is less than 1.

    Examples
    --------
    >>> pool_suffix("medium"), pool_suffix(None, 20), pool_suffix("low", 5), pool_suffix("ultra")
    ('-lvl-medium', '-n20', '-lvl-low-n5', '')
    """
    known = _known(level)
    if limit is not None and limit < 1:
        raise UsageError(f"a limit of {limit} leaves no record; expected 1 or more")
    narrowed = "" if known == _WHOLE else f"-lvl-{known}"
    return narrowed if limit is None else f"{narrowed}-n{limit}"


def _known(level: str | None) -> Level:
    for known in LEVELS:
        if known == (_WHOLE if level is None else level):
            return known
    raise UsageError(f"level {quoted(str(level))} is not one of {', '.join(LEVELS)}")
