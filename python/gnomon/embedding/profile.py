"""The recorded identity of an embedding model, and its fingerprint."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import rfc8785

from gnomon.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

NORMALISATIONS = ("l2", "none", "unknown")
_MAX_DIM = 65_536


@dataclass(frozen=True)
class Profile:
    """What must be equal for two vectors to live in the same space.

    Parameters
    ----------
    id
        Name of the model with its provider or package, e.g. ``"wordllama/l2_supercat 256"``.
    dim
        Width of a vector, 1 to 65,536.
    query_prefix, document_prefix
        Text put in front of every query or document before it is embedded; ``""`` for none.
    normalisation
        ``"l2"`` when the stored vectors have unit length, ``"none"``, or ``"unknown"``.
    revision
        Version of the weights, or None when it is not known.

    Raises
    ------
    InvalidInputError
        A field is empty, of the wrong type or out of range; the message names it.

    Examples
    --------
    >>> profile = Profile("intfloat/e5-small-v2", 384, "query: ", "passage: ", "l2")
    >>> profile.fingerprint[:12]
    'ea7b80c23266'
    """

    id: str
    dim: int
    query_prefix: str = ""
    document_prefix: str = ""
    normalisation: str = "unknown"
    revision: str | None = None

    def __post_init__(self) -> None:
        for name in ("id", "query_prefix", "document_prefix"):
            _require_text(name, getattr(self, name))
        if self.revision is not None:
            _require_text("revision", self.revision)
        if not self.id.strip():
            raise InvalidInputError("the profile has an empty id; name the embedding model")
        if isinstance(self.dim, bool) or not isinstance(self.dim, int):
            raise InvalidInputError(
                f"profile {self.id!r}: dim is {self.dim!r}, expected an integer"
            )
        if not 1 <= self.dim <= _MAX_DIM:
            raise InvalidInputError(
                f"profile {self.id!r}: dim is {self.dim}, expected 1 to {_MAX_DIM}"
            )
        if self.normalisation not in NORMALISATIONS:
            raise InvalidInputError(
                f"profile {self.id!r}: normalisation is {self.normalisation!r}, "
                f"expected one of {', '.join(NORMALISATIONS)}"
            )

    @cached_property
    def fingerprint(self) -> str:
        """sha256 (64 hex digits) of the canonical JSON (RFC 8785) of all fields."""
        return hashlib.sha256(rfc8785.dumps(self.as_dict())).hexdigest()

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values, without the fingerprint."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], *, where: str = "profile") -> Profile:
        """Return the profile that :meth:`as_dict` wrote.

        A key ``fingerprint`` may be present; it must then be the right one.

        Raises
        ------
        InvalidInputError
            A key is missing, unknown or wrong, or the fingerprint does not belong to the fields.
        """
        known = set(cls.__dataclass_fields__)
        unknown = sorted(set(fields) - known - {"fingerprint"})
        if unknown:
            raise InvalidInputError(f"{where}: unknown keys {', '.join(map(repr, unknown))}")
        missing = sorted({"id", "dim"} - set(fields))
        if missing:
            raise InvalidInputError(f"{where}: lacks {', '.join(map(repr, missing))}")
        try:
            profile = cls(**{name: fields[name] for name in known if name in fields})
        except InvalidInputError as error:
            raise InvalidInputError(f"{where}: {error}") from None
        recorded = fields.get("fingerprint", profile.fingerprint)
        if recorded != profile.fingerprint:
            raise InvalidInputError(
                f"{where}: the fingerprint {recorded!r} does not belong to its fields, whose "
                f"fingerprint is {profile.fingerprint}"
            )
        return profile

    @classmethod
    def from_embedding_info(
        cls, info: Mapping[str, Any], *, where: str = "embedding info", name: str | None = None
    ) -> Profile:
        """Return the profile described by the JSON file beside a file of vectors.

        Parameters
        ----------
        info
            The parsed ``emb/NAME.json``: ``dim`` is needed; ``model``, ``package``,
            ``package_version`` or ``revision``, ``query_prefix``, ``document_prefix`` and
            ``normalised`` (true or false) are used when present.
        where
            Name of the file, for messages.
        name
            Model name to fall back on when ``info`` has none (the NAME of the file).

        Raises
        ------
        InvalidInputError
            ``dim`` or every form of a name is missing, or a value has the wrong type.
        """
        model = info.get("model", info.get("tag", name))
        if model is None:
            raise InvalidInputError(f"{where}: lacks 'model', the name of the embedding model")
        package = info.get("package")
        normalised = info.get("normalised")
        if normalised not in (None, True, False):
            raise InvalidInputError(
                f"{where}: 'normalised' is {normalised!r}, expected true or false"
            )
        fields = {
            "id": model if package is None else f"{package}/{model}",
            "dim": info.get("dim"),
            "query_prefix": info.get("query_prefix", ""),
            "document_prefix": info.get("document_prefix", ""),
            "normalisation": {None: "unknown", True: "l2", False: "none"}[normalised],
            "revision": info.get("revision", info.get("package_version")),
        }
        return cls.from_dict(fields, where=where)


def _require_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise InvalidInputError(f"profile: {name} is {value!r}, expected text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidInputError(f"profile: {name} holds a lone surrogate, not text") from None
