"""Comparing a recorded result with the one that the same command gives now. Pure: values in.

The verdicts: ``identical`` (every figure equal to the bit, those in ``refit_fields`` aside),
``matched`` (same decision and arrangement, no figure moved by more than 0.002), ``input_changed``
(a fingerprint differs), ``differed`` (same inputs, another answer) and ``not_replayable``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from gnomon.audit.canonical import canonical_bytes, parse_json

MATCH_TOLERANCE = 0.002
"""Largest move of a figure under which a result still matches; a tenth of a noise band."""
DECIDING_FIELDS = ("decision", "arrangement")
DIFFERS_BY_NATURE = frozenset({"audit", "env"})
"""Top-level fields that name the record or the machine, not the result."""

ReplayVerdict = Literal["identical", "matched", "input_changed", "differed", "not_replayable"]

_Path = tuple[str, ...]


class _Absent:
    """Marks the side on which a field does not exist."""

    def __repr__(self) -> str:
        return "absent"


ABSENT = _Absent()


@dataclass(frozen=True, slots=True)
class Change:
    """A field whose value is not the recorded one.

    Attributes
    ----------
    field
        Dotted path; elements of lists by their index.
    recorded, rerun
        Both values; ``ABSENT`` where there is none.
    moved
        Absolute difference of two numbers; infinite when a number appeared or vanished; None when
        no number is involved.
    """

    field: str
    recorded: Any
    rerun: Any
    moved: float | None


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """What a replay found.

    Attributes
    ----------
    verdict
        One of the five.
    reason
        A sentence for the reader.
    changes
        The differing fields that count, figures that moved most first.
    refit_changes
        The differing fields that come from other fits and do not count.
    left_out
        Dotted paths of what the rerun did not measure.
    changed_inputs
        Names of the inputs whose fingerprint differs.
    decision
        What the rerun decided; None when nothing was rerun.
    """

    verdict: ReplayVerdict
    reason: str
    changes: tuple[Change, ...] = ()
    refit_changes: tuple[Change, ...] = ()
    left_out: tuple[str, ...] = ()
    changed_inputs: tuple[str, ...] = ()
    decision: str | None = None


def not_replayable(reason: str) -> ReplayResult:
    """Return the verdict for a record that is no decision, or whose inputs are gone."""
    return ReplayResult("not_replayable", reason)


def compare_inputs(recorded: Mapping[str, Any], current: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the inputs whose ``sha256`` is not the recorded one, sorted.

    An input is an object with a ``sha256`` anywhere in ``recorded``, named by its dotted path and,
    where it has one, its ``path``. One that ``current`` lacks, or has in addition, is changed.

    Examples
    --------
    >>> before = {"files": {"docs": {"path": "a.npy", "sha256": "1"}}}
    >>> compare_inputs(before, {"files": {"docs": {"path": "a.npy", "sha256": "2"}}})
    ('files.docs (a.npy)',)
    """
    old, new = dict(_fingerprints(recorded)), dict(_fingerprints(current))
    changed = (p for p in old.keys() | new.keys() if _hash_of(old, p) != _hash_of(new, p))
    return tuple(sorted(_input_name(p, old.get(p) or new[p]) for p in changed))


def compare_outputs(
    recorded: Mapping[str, Any],
    rerun: Mapping[str, Any],
    refit_fields: Iterable[str] = (),
    *,
    left_out: Iterable[str] = (),
    changed_inputs: Sequence[str] = (),
    deciding_fields: Sequence[str] = DECIDING_FIELDS,
    tolerance: float = MATCH_TOLERANCE,
) -> ReplayResult:
    """Return the verdict on a rerun.

    Parameters
    ----------
    recorded, rerun
        The ``outputs`` of the record and of the rerun; JSON objects. Both are brought to the
        values that canonical JSON holds, so that 1 and 1.0 are one number.
    refit_fields
        Dotted paths of figures that come from other fits; ``*`` stands for any one step, and a
        path covers all below it. They are listed apart and never count.
    left_out
        Dotted paths, in the same form, of what the rerun did not measure; they are not compared.
    changed_inputs
        What ``compare_inputs`` found. With any, the verdict is ``input_changed``.
    deciding_fields
        Dotted paths that must be equal for ``matched``.
    tolerance
        Largest move of a figure for ``matched``.

    Examples
    --------
    >>> before = {"decision": "caution", "arr": 0.8}
    >>> compare_outputs(before, {"decision": "caution", "arr": 0.801}).verdict
    'matched'
    """
    old, new = _stored(recorded), _stored(rerun)
    left_out = tuple(left_out)
    patterns, skipped = _patterns(refit_fields), _patterns(left_out)
    counted: list[Change] = []
    refitted: list[Change] = []
    for path, before, after in _differences((), old, new):
        if (path and path[0] in DIFFERS_BY_NATURE) or _is_covered(path, skipped):
            continue
        change = Change(".".join(path), before, after, _moved(before, after))
        (refitted if _is_covered(path, patterns) else counted).append(change)
    counted.sort(key=_most_moved_first)
    refitted.sort(key=_most_moved_first)
    verdict, reason = _judge(counted, changed_inputs, deciding_fields, old, new, tolerance)
    decision = new.get("decision")
    return ReplayResult(
        verdict,
        reason,
        tuple(counted),
        tuple(refitted),
        tuple(left_out),
        tuple(changed_inputs),
        decision if isinstance(decision, str) else None,
    )


def _judge(
    counted: Sequence[Change],
    changed_inputs: Sequence[str],
    deciding_fields: Sequence[str],
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    tolerance: float,
) -> tuple[ReplayVerdict, str]:
    if changed_inputs:
        now, before = _at(new, "decision"), _at(old, "decision")
        outcome = "as recorded" if now == before else f"and {before!r} was recorded"
        return "input_changed", (
            f"the fingerprint differs of {', '.join(changed_inputs)};"
            f" the decision is now {now!r}, {outcome}"
        )
    if not counted:
        return "identical", "every figure that counts equals the recorded one to the bit"
    for field in deciding_fields:
        if _at(old, field) != _at(new, field):
            return "differed", (
                f"{field} is {_at(new, field)!r}, and {_at(old, field)!r} was recorded"
                " from the same inputs"
            )
    worst = counted[0]
    if worst.moved is not None and worst.moved > tolerance:
        return "differed", (
            f"{worst.field} moved from {worst.recorded!r} to {worst.rerun!r},"
            f" and at most {tolerance:g} is a match"
        )
    moved = f"{worst.field} moved most, by {worst.moved:.2g}" if worst.moved else "no figure moved"
    return "matched", f"same {' and '.join(deciding_fields)}; {moved}"


def _stored(value: Mapping[str, Any]) -> dict[str, Any]:
    stored: dict[str, Any] = parse_json(canonical_bytes(dict(value)))
    return stored


def _differences(path: _Path, old: Any, new: Any) -> Iterator[tuple[_Path, Any, Any]]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from _differences((*path, key), old.get(key, ABSENT), new.get(key, ABSENT))
    elif isinstance(old, list) and isinstance(new, list):
        for i in range(max(len(old), len(new))):
            before = old[i] if i < len(old) else ABSENT
            after = new[i] if i < len(new) else ABSENT
            yield from _differences((*path, str(i)), before, after)
    elif _is_number(old) and _is_number(new):
        if old != new:
            yield path, old, new
    elif type(old) is not type(new) or old != new:
        yield path, old, new


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _moved(old: Any, new: Any) -> float | None:
    if _is_number(old) and _is_number(new):
        # As decimals, so that 0.502 against 0.5 has moved by 0.002 and not by a bit more.
        return float(abs(Decimal(repr(old)) - Decimal(repr(new))))
    return float("inf") if _holds_number(old) or _holds_number(new) else None


def _holds_number(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_number, value.values()))
    if isinstance(value, list):
        return any(map(_holds_number, value))
    return _is_number(value)


def _most_moved_first(change: Change) -> tuple[float, str]:
    return (1.0 if change.moved is None else -change.moved), change.field


def _patterns(fields: Iterable[str]) -> list[_Path]:
    return [tuple(field.split(".")) for field in fields]


def _is_covered(path: _Path, patterns: Iterable[_Path]) -> bool:
    return any(
        len(pattern) <= len(path)
        and all(want in ("*", step) for want, step in zip(pattern, path, strict=False))
        for pattern in patterns
    )


def _at(value: Any, field: str) -> Any:
    for step in field.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _fingerprints(value: Any, path: _Path = ()) -> Iterator[tuple[_Path, Mapping[str, Any]]]:
    if isinstance(value, Mapping):
        if "sha256" in value:
            yield path, value
        for key, child in value.items():
            yield from _fingerprints(child, (*path, str(key)))
    elif isinstance(value, (list, tuple)):
        for i, child in enumerate(value):
            yield from _fingerprints(child, (*path, str(i)))


def _hash_of(entries: Mapping[_Path, Mapping[str, Any]], path: _Path) -> Any:
    return entries[path]["sha256"] if path in entries else ABSENT


def _input_name(path: _Path, entry: Mapping[str, Any]) -> str:
    name = ".".join(path)
    return f"{name} ({entry['path']})" if entry.get("path") else name
