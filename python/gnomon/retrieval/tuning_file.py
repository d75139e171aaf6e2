"""Tuned levers on disk: which of them may be inlined, and why the others may not."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gnomon.errors import InvalidInputError
from gnomon.retrieval.levers import LEVERS, THRESHOLDS
from gnomon.sources.files import read_bounded, shown
from gnomon.sources.limits import MIB

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gnomon.retrieval.manifest import Manifest

SCHEMA: Final = "gnomon.tuning/1"
_ABOUT: Final = frozenset({"schema", "index_hash", "embed_model", "level", "records"})


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

    A missing file is silent: the shipped levers are measured values too.

    Raises
    ------
    InvalidInputError
        When the file is no JSON object.
    """
    if not path.exists():
        return Tuning({}, {}, ())
    try:
        body = json.loads(read_bounded(path, limit=MIB))
    except ValueError as error:
        raise InvalidInputError(f"{shown(path)}: is not JSON ({error}); run: gnomon tune") from None
    if not isinstance(body, dict):
        raise InvalidInputError(f"{shown(path)}: holds no JSON object; run: gnomon tune")
    stale = _stale(body, manifest)
    if stale:
        return Tuning({}, {}, (f"{shown(path)} is not used: {stale}; run: gnomon tune",))
    levers, notes = {}, []
    for name, value in body.items():
        if name in _ABOUT:
            continue
        kind = LEVERS.get(name)
        if kind is not None and kind.swept:
            levers[name] = value
        else:
            notes.append(f"{shown(path)}: {name} is dropped: {_why_dropped(name)}")
    about = {name: body.get(name) for name in ("index_hash", "embed_model", "level", "records")}
    return Tuning(levers, about, tuple(notes))


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
    return None


def _why_dropped(name: str) -> str:
    if name in THRESHOLDS:
        return "it is a threshold, which only calibrate measures"
    if name in LEVERS:
        return "it is a lever that tune never sweeps, so this value was never measured here"
    return "no lever has this name"
