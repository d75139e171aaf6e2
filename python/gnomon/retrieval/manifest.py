"""The manifest of an index: what it was made of, and what is in force when it is asked."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final, get_args

import rfc8785

from gnomon.embedding.profile import Profile
from gnomon.errors import IndexFileError, MismatchError, UsageError
from gnomon.retrieval.guard import DenseMode, Guard, GuardMode
from gnomon.retrieval.levers import LEVERS, Lever, Levers, Source, checked_value, resolve_levers
from gnomon.sources.escape import quoted
from gnomon.sources.json_text import WrongPartError, fault_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gnomon.embedding.embedder import Embedder
    from gnomon.retrieval.chunking import Chunk
    from gnomon.retrieval.terms import Vocabulary

SCHEMA: Final = "gnomon.index/2"
SEAL: Final = "manifest_sha256"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """What a file of an index was when it was written: its size and the sha256 of its bytes."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an index says of itself.

    Attributes
    ----------
    hash
        sha256 over the ids and texts of the chunks, in order; it does not move with the embedder.
    vocab_hash
        sha256 over what decides which terms a text has.
    chunks, pages
        How many there are.
    embedder
        The URI that made the vectors, and None without any.
    profile
        The model behind it.
    tuning
        What ``tune`` measured and `index` has inlined: levers, level, records; or None.
    files
        Every file beside the manifest by its relative name, once they are written.
    """

    hash: str
    vocab_hash: str
    chunks: int
    pages: int
    languages: tuple[str, ...]
    analyzer: Mapping[str, Any]
    embedder: str | None
    profile: Profile | None
    dense_mode: DenseMode
    levers: Levers
    guard: Guard
    guard_mode: GuardMode
    calibration: Mapping[str, Any] | None = None
    tuning: Mapping[str, Any] | None = None
    # Not compared: an index that is not written yet is the same one.
    files: Mapping[str, StoredFile] = field(default_factory=dict, compare=False)

    @property
    def dense(self) -> bool:
        """Whether the index has vectors."""
        return self.profile is not None

    def check_model(self, embedder: Embedder) -> None:
        """Refuse an embedder that is not the model of the vectors; without vectors any will do.

        Raises
        ------
        MismatchError
            Naming both.
        """
        made, asked = self.profile, embedder.profile
        if made is not None and asked.fingerprint != made.fingerprint:
            raise MismatchError(
                f"the index was embedded with {made.id} ({made.dim} dimensions) and questions "
                f"would be with {asked.id} ({asked.dim}); vectors of two models do not mix. "
                "Name the index's own model, or build the index again"
            )

    def as_dict(self) -> dict[str, Any]:
        """Return the manifest as JSON values."""
        return {
            "schema": SCHEMA,
            "hash": self.hash,
            "vocab_hash": self.vocab_hash,
            "chunks": self.chunks,
            "pages": self.pages,
            "languages": list(self.languages),
            "analyzer": dict(self.analyzer),
            "embedder": self.embedder,
            "profile": None
            if self.profile is None
            else {**self.profile.as_dict(), "fingerprint": self.profile.fingerprint},
            "dense_mode": self.dense_mode,
            "levers": {
                name: {"value": lever.value, "source": lever.source}
                for name, lever in self.levers.values.items()
            },
            "guard": self.guard.as_dict(),
            "guard_mode": self.guard_mode,
            "calibration": None if self.calibration is None else dict(self.calibration),
            "tuning": None if self.tuning is None else dict(self.tuning),
            "files": {name: asdict(file) for name, file in self.files.items()},
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], *, where: str) -> Manifest:
        """Return the manifest that `as_dict` wrote.

        Raises
        ------
        IndexFileError
            When it is of another version, or a field is missing or wrong.
        """
        if fields.get("schema") != SCHEMA:
            raise IndexFileError(
                f"{where}: is of version {fields.get('schema')!r}, this program reads {SCHEMA!r}; "
                "build the index again"
            )
        if fields.get(SEAL) != _seal_of(fields):
            raise IndexFileError(
                f"{where}: was edited or damaged since it was written: it does not have the sha256 "
                "that it names; restore it, or build the index again"
            )
        try:
            profile, levers = fields["profile"], fields["levers"]
            _check_lever_names(levers, where)
            return cls(
                hash=str(fields["hash"]),
                vocab_hash=str(fields["vocab_hash"]),
                chunks=_typed(fields, "chunks", int),
                pages=_typed(fields, "pages", int),
                languages=tuple(_typed(fields, "languages", list)),
                analyzer=_typed(fields, "analyzer", dict),
                embedder=_typed(fields, "embedder", str, or_null=True),
                profile=None if profile is None else Profile.from_dict(profile, where=where),
                dense_mode=_one_of(fields, "dense_mode", get_args(DenseMode)),
                levers=Levers({name: _lever(name, levers[name]) for name in LEVERS}),
                guard=Guard.from_dict(fields["guard"]),
                guard_mode=_one_of(fields, "guard_mode", get_args(GuardMode)),
                calibration=_typed(fields, "calibration", dict, or_null=True),
                tuning=_typed(fields, "tuning", dict, or_null=True),
                files={name: _stored_file(one) for name, one in fields["files"].items()},
            )
        except IndexFileError:
            raise
        except (AttributeError, UsageError, KeyError, TypeError, ValueError) as error:
            raise IndexFileError(
                f"{where}: the manifest is damaged ({fault_of(error)}); build the index again"
            ) from error


def sealed(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a manifest with the sha256 of all of them.

    It tells damage and edits by hand, not a forger, who would seal again.
    """
    return {**fields, SEAL: _seal_of(fields)}


def _seal_of(fields: Mapping[str, Any]) -> str:
    said = {name: value for name, value in fields.items() if name != SEAL}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _typed(fields: Mapping[str, Any], name: str, kind: type, *, or_null: bool = False) -> Any:
    value = fields[name]
    if (value is None and or_null) or type(value) is kind:
        return value
    raise WrongPartError(f"{name} is {value!r:.40}")


def _one_of(fields: Mapping[str, Any], name: str, known: tuple[str, ...]) -> Any:
    if fields[name] not in known:
        raise WrongPartError(f"{name} is {fields[name]!r:.40}; expected one of {', '.join(known)}")
    return fields[name]


def _lever(name: str, fields: Mapping[str, Any]) -> Lever:
    value = fields["value"]
    if not isinstance(value, int | float):
        raise WrongPartError(f"{name} is {value!r:.40}")
    checked_value(name, value, where=name)
    return Lever(value, _one_of(fields, "source", get_args(Source)))


def _check_lever_names(levers: Mapping[str, Any], where: str) -> None:
    """Refuse levers other than those that this program resolves.

    What an index without one of them would serve is unknown, and so is what one more would do.
    """
    missing = [name for name in LEVERS if name not in levers]
    unknown = [name for name in levers if name not in LEVERS]
    if missing or unknown:
        which = [f"lacks the lever {name}" for name in missing]
        which += [f"has the lever {quoted(name)}, which is unknown here" for name in unknown]
        raise IndexFileError(
            f"{where}: was written by another version of gnomon: it {' and '.join(which[:3])}; "
            "build the index again"
        )


def _stored_file(fields: Mapping[str, Any]) -> StoredFile:
    size, sha256 = fields["size"], fields["sha256"]
    if type(size) is not int or not isinstance(sha256, str):
        raise WrongPartError(f"a file is {fields!r:.80}")
    return StoredFile(size, sha256)


def corpus_hash(chunks: Iterable[Chunk]) -> str:
    """Return sha256 over ids and texts in order, each with its length before it."""
    digest = hashlib.sha256()
    for chunk in chunks:
        for part in (chunk.id.encode(), chunk.text.encode()):
            digest.update(len(part).to_bytes(8, "little"))
            digest.update(part)
    return digest.hexdigest()


def vocabulary_hash(vocabulary: Vocabulary) -> str:
    """Return sha256 of the canonical JSON of what decides which terms a text has."""
    return hashlib.sha256(rfc8785.dumps(vocabulary.describe())).hexdigest()


def levers_in_force(manifest: Manifest) -> Levers:
    """Return the index's levers under the environment's, which is read now."""
    tuned: dict[str, float] = {}
    for name, lever in manifest.levers.values.items():
        if lever.source == "tuning":
            tuned[name] = lever.value
    top_k = manifest.levers.values["GATE_K"]
    config: dict[str, Any] = {"top_k": int(top_k.value)} if top_k.source == "config" else {}
    now = resolve_levers(config=config, tuning=tuned)
    built = {
        name: manifest.levers.values[name] if lever.source == "default" else lever
        for name, lever in now.values.items()
    }
    return Levers(built)
