"""Tuned levers on disk: which of them may be inlined, and why the others may not."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gnomon.errors import UsageError
from gnomon.retrieval.levers import LEVERS, THRESHOLDS, checked_value
from gnomon.sources.atomic import write_json
from gnomon.sources.files import read_bounded, shown
from gnomon.sources.json_text import parse_json
from gnomon.sources.limits import MIB

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gnomon.retrieval.manifest import Manifest

SCHEMA: Final = "gnomon.tuning/1"
_ABOUT: Final = frozenset(
    {"schema", "index_hash", "embed_model", "fingerprint", "level", "records"}
)
# Names and values come from a file: so many characters of one, so many of them, are shown.
_SHOWN: Final = 200
_MOST_NOTES: Final = 20


@dataclass(frozen=True, slots=True)
class Tuning:
    """What a tuning file gives an index.

    Attributes
    ----------
    levers
        The swept levers that it sets; empty when it is dropped.
    about
        Level, number of records and index hash, for the reader.
    notes
        What was dropped and why, a sentence each.
    """

    levers: Mapping[str, float]
    about: Mapping[str, Any]
    notes: tuple[str, ...]


def read_tuning(path: Path, manifest: Manifest) -> Tuning:
    """Read what ``tune`` wrote for an index; a file for another one is dropped with the reason.

    A missing file is silent: the shipped levers are measured values too. A damaged one is dropped
    like a stale one, since pages must stay publishable whatever became of a measurement.
    """
    if not path.exists():
        return Tuning({}, {}, ())
    try:
        body = parse_json(read_bounded(path, limit=MIB))
    except ValueError as error:
        return _dropped(path, f"it is not JSON ({error})")
    if not isinstance(body, dict):
        return _dropped(path, "it holds no JSON object")
    stale = _stale(body, manifest)
    if stale:
        return _dropped(path, stale)
    levers: dict[str, float] = {}
    notes = []
    for name, value in body.items():
        if name in _ABOUT:
            continue
        kind = LEVERS.get(name)
        if kind is None or not kind.swept:
            notes.append(f"{shown(path)}: {name[:_SHOWN]} is dropped: {_why_dropped(name)}")
            continue
        try:
            number = checked_value(name, value, where=name)
        except UsageError as error:
            return _dropped(path, str(error)[:_SHOWN])
        levers[name] = int(number) if kind.whole else number
    if len(notes) > _MOST_NOTES:
        notes[_MOST_NOTES:] = [f"{shown(path)}: {len(notes) - _MOST_NOTES} more keys are dropped"]
    about = {name: body.get(name) for name in ("index_hash", "embed_model", "level", "records")}
    return Tuning(levers, about, tuple(notes))


def write_tuning(path: Path, body: Mapping[str, Any]) -> None:
    """Write what a tuning file holds; its folder is made when it is not there.

    Raises
    ------
    StateError
        When it cannot be written; the old file, if any, is as it was.
    """
    write_json(path, {"schema": SCHEMA, **body})


def _dropped(path: Path, why: str) -> Tuning:
    return Tuning({}, {}, (f"{shown(path)} is not used: {why}; run: gnomon tune",))


def _stale(body: Mapping[str, Any], manifest: Manifest) -> str | None:
    model = None if manifest.profile is None else manifest.profile.id
    if body.get("schema") != SCHEMA:
        return f"its version is {body.get('schema')!r}, this program reads {SCHEMA!r}"
    if body.get("index_hash") != manifest.hash:
        return "it was tuned on other pages"
    if body.get("embed_model") != model:
        return (
            f"it was tuned with {body.get('embed_model') or 'no embedder'}, not {model or 'none'}"
        )
    if manifest.profile is not None and body.get("fingerprint") != manifest.profile.fingerprint:
        return f"it was tuned with {model} of another width or version"
    missing = [name for name, lever in LEVERS.items() if lever.swept and name not in body]
    return f"it lacks {' and '.join(missing)}" if missing else None


def _why_dropped(name: str) -> str:
    if name in THRESHOLDS:
        return "it is a threshold, which only calibrate measures"
    if name in LEVERS:
        return "it is a lever that tune never sweeps, so this value was never measured here"
    known = [*LEVERS, *map(str.upper, THRESHOLDS)]
    near = difflib.get_close_matches(name[:_SHOWN].upper(), known, 1)
    meant = f"; {near[0]} may be meant" if near else ""
    return f"no lever has this name, it is a typing error{meant}"
