"""A calibration on disk: what it was measured on, and whether it fits an index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gnomon.errors import InvalidInputError
from gnomon.retrieval.guard import Guard
from gnomon.sources.atomic import write_json
from gnomon.sources.files import read_bounded, shown
from gnomon.sources.json_text import fault_of, parse_json
from gnomon.sources.limits import MIB

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gnomon.retrieval.levers import Levers
    from gnomon.retrieval.manifest import Manifest

SCHEMA: Final = "gnomon.calibration/1"
_MAX_BYTES: Final = 64 * MIB


@dataclass(frozen=True, slots=True)
class Footing:
    """What thresholds depend on; two footings that differ make them statements about other things.

    Attributes
    ----------
    corpus_hash, vocab_hash
        Of the index.
    embed_model, fingerprint, dim
        The model's name, its profile's fingerprint and its width; None without vectors.
    levers
        Those that can move a verdict. MMR_LAMBDA and GATE_K can't.
    """

    corpus_hash: str
    vocab_hash: str
    embed_model: str | None
    fingerprint: str | None
    dim: int | None
    dense_mode: str
    levers: Mapping[str, float]

    @classmethod
    def of(cls, manifest: Manifest, levers: Levers | None = None) -> Footing:
        """Return the footing of an index.

        Parameters
        ----------
        levers
            Those in force; default: as the manifest has them. What is measured while the
            environment moves a lever holds under that lever alone.
        """
        profile = manifest.profile
        return cls(
            corpus_hash=manifest.hash,
            vocab_hash=manifest.vocab_hash,
            embed_model=None if profile is None else profile.id,
            fingerprint=None if profile is None else profile.fingerprint,
            dim=None if profile is None else profile.dim,
            dense_mode=manifest.dense_mode,
            levers=(levers or manifest.levers).moving_verdict(),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {
            "corpus_hash": self.corpus_hash,
            "vocab_hash": self.vocab_hash,
            "embed_model": self.embed_model,
            "fingerprint": self.fingerprint,
            "dim": self.dim,
            "dense_mode": self.dense_mode,
            "levers": dict(self.levers),
        }


@dataclass(frozen=True, slots=True)
class Calibration:
    """A calibration file.

    Attributes
    ----------
    guard
        The thresholds, their window, ladder and source.
    body
        Everything in the file, for reports and transfers.
    """

    footing: Footing
    guard: Guard
    body: Mapping[str, Any]


def read_calibration(path: Path) -> Calibration:
    """Read a calibration.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        When it is no calibration of this version.
    """
    try:
        body = parse_json(read_bounded(path, limit=_MAX_BYTES))
    except ValueError as error:
        raise _damaged(path, error) from error
    found = body.get("schema") if isinstance(body, dict) else type(body).__name__
    if found != SCHEMA:
        raise InvalidInputError(
            f"{shown(path)}: is no calibration of this version (found {found!r}, expected "
            f"{SCHEMA!r}); run: gnomon calibrate"
        )
    try:
        footing = Footing(**{name: body["footing"][name] for name in Footing.__slots__})
        return Calibration(footing, Guard.from_dict(body["guard"]), body)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(path, error) from error


def write_calibration(path: Path, body: Mapping[str, Any]) -> None:
    """Write what a calibration file holds; its folder is made when it is not there.

    Raises
    ------
    StateError
        When it cannot be written; the old file, if any, is as it was.
    """
    write_json(path, {"schema": SCHEMA, **body})


def _damaged(path: Path, error: Exception) -> InvalidInputError:
    return InvalidInputError(
        f"{shown(path)}: the calibration is damaged ({fault_of(error)}); run: gnomon calibrate"
    )


def misfits(calibration: Calibration, footing: Footing) -> tuple[str, ...]:
    """Return in plain words why a calibration does not fit an index; nothing when it does."""
    measured, why = calibration.footing, []
    if measured.corpus_hash != footing.corpus_hash:
        why.append("it was measured on other pages")
    if measured.vocab_hash != footing.vocab_hash:
        why.append("words are cut into terms in another way")
    if (measured.fingerprint, measured.dim) != (footing.fingerprint, footing.dim):
        same = measured.embed_model == footing.embed_model
        why.append(
            f"it was measured with {measured.embed_model or 'no embedder'}, the index is made with "
            f"{'another width or version of it' if same else footing.embed_model or 'none'}"
        )
    if measured.dense_mode != footing.dense_mode:
        why.append(f"its dense mode is {measured.dense_mode}, the index's {footing.dense_mode}")
    for name in sorted(set(measured.levers) | set(footing.levers)):
        before, now = measured.levers.get(name), footing.levers.get(name)
        if before != now:
            why.append(f"{name} was {_said(before)} and is {_said(now)}")
    return tuple(why)


def _said(value: float | None) -> str:
    return "unknown" if value is None else f"{value:g}"
