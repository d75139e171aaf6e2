"""The manifest of a saved bridge: what it maps between, and which weights belong to it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from gnomon.adapters.base import DIRECTION
from gnomon.embedding.profile import Profile
from gnomon.errors import InvalidInputError, MismatchError
from gnomon.sources.json_text import parse_json

SCHEMA = "gnomon.bridge/1"
# How the retention behind the choice was measured, which is not how the bridge is fitted.
MEASURED_FIT_SCOPES = ("unseen", "seen", None)
PAIRS_FROM = "all_documents"  # the bridge that is served holds nothing out
MAX_MANIFEST_BYTES = 1 << 20
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_KEYS = frozenset(
    {
        "schema",
        "direction",
        "new_profile",
        "old_profile",
        "adapter",
        "measured_fit_scope",
        "pairs_from",
        "seed",
        "usable_documents",
        "gnomon_version",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The content of ``manifest.json``, schema ``gnomon.bridge/1``.

    Attributes
    ----------
    new_profile, old_profile
        The model of the queries and the model of the index.
    adapter_name, rank, n_pairs, n_parameters
        As in the fitted adapter.
    sha256
        Fingerprint of the weights; their file is ``<sha256>.safetensors``.
    measured_fit_scope
        ``"unseen"`` or ``"seen"``: how the probe that chose the adapter measured it; None without
        a probe. The bridge itself is fitted on pairs drawn from all documents, judged ones
        included, which the file says as ``pairs_from``.
    seed
        Seed of the draws.
    usable_documents
        From how many documents the pairs could be drawn.
    gnomon_version
        Version that wrote the bridge.
    """

    new_profile: Profile
    old_profile: Profile
    adapter_name: str
    rank: int
    n_pairs: int
    n_parameters: int
    sha256: str
    measured_fit_scope: str | None
    seed: int
    usable_documents: int
    gnomon_version: str

    @property
    def weights_name(self) -> str:
        """Name of the weights file in the bridge's folder."""
        return f"{self.sha256}.safetensors"

    def to_json(self) -> bytes:
        """Return the manifest as indented JSON with sorted keys."""
        content = {
            "schema": SCHEMA,
            "direction": DIRECTION,
            "new_profile": _profile_object(self.new_profile),
            "old_profile": _profile_object(self.old_profile),
            "adapter": {
                "name": self.adapter_name,
                "rank": self.rank,
                "n_pairs": self.n_pairs,
                "n_parameters": self.n_parameters,
                "sha256": self.sha256,
            },
            "measured_fit_scope": self.measured_fit_scope,
            "pairs_from": PAIRS_FROM,
            "seed": self.seed,
            "usable_documents": self.usable_documents,
            "gnomon_version": self.gnomon_version,
        }
        return (json.dumps(content, indent=2, sort_keys=True, ensure_ascii=True) + "\n").encode()

    @classmethod
    def from_json(cls, data: bytes, *, where: str) -> Manifest:
        """Return the manifest in these bytes, which may come from anywhere.

        Raises
        ------
        InvalidInputError
            Not JSON, another schema, or a key that is missing, unknown or wrong.
        MismatchError
            The bridge goes in another direction.
        """
        content = _parse(data, where)
        if content.get("schema") != SCHEMA:
            raise InvalidInputError(
                f"{where}: schema is {content.get('schema')!r}, expected {SCHEMA!r}"
            )
        if content.get("direction") != DIRECTION:
            raise MismatchError(
                f"{where}: direction is {content.get('direction')!r}, expected {DIRECTION!r}. A "
                "bridge takes queries of the new model to the space of the old index; a map the "
                "other way would be accepted by every width and find nothing"
            )
        _require_keys(content, _KEYS, where)
        adapter = content["adapter"]
        if not isinstance(adapter, dict):
            raise InvalidInputError(f"{where}: 'adapter' is not an object")
        _require_keys(
            adapter, frozenset({"name", "rank", "n_pairs", "n_parameters", "sha256"}), where
        )
        sha256 = adapter["sha256"]
        # The fingerprint becomes a file name, so nothing but 64 hex digits may pass.
        if not isinstance(sha256, str) or _SHA256.match(sha256) is None:
            raise InvalidInputError(f"{where}: sha256 is {sha256!r}, expected 64 hex digits")
        for key, expected in (
            ("measured_fit_scope", MEASURED_FIT_SCOPES),
            ("pairs_from", (PAIRS_FROM,)),
        ):
            if content[key] not in expected:
                raise InvalidInputError(
                    f"{where}: {key} is {content[key]!r}, expected one of {expected}"
                )
        return cls(
            new_profile=_profile(content, "new_profile", where),
            old_profile=_profile(content, "old_profile", where),
            adapter_name=_text(adapter, "name", where),
            rank=_count(adapter, "rank", where),
            n_pairs=_count(adapter, "n_pairs", where),
            n_parameters=_count(adapter, "n_parameters", where),
            sha256=sha256,
            measured_fit_scope=content["measured_fit_scope"],
            seed=_count(content, "seed", where),
            usable_documents=_count(content, "usable_documents", where),
            gnomon_version=_text(content, "gnomon_version", where),
        )


def _profile_object(profile: Profile) -> dict[str, Any]:
    return {**profile.as_dict(), "fingerprint": profile.fingerprint}


def _parse(data: bytes, where: str) -> dict[str, Any]:
    try:
        content = parse_json(data)
    except ValueError as error:
        raise InvalidInputError(f"{where}: not JSON ({error})") from None
    if not isinstance(content, dict):
        raise InvalidInputError(f"{where}: not a JSON object")
    return content


def _require_keys(content: dict[str, Any], keys: frozenset[str], where: str) -> None:
    missing, unknown = sorted(keys - set(content)), sorted(set(content) - keys)
    if missing:
        raise InvalidInputError(f"{where}: lacks {', '.join(missing)}")
    if unknown:
        raise InvalidInputError(f"{where}: unknown keys {', '.join(map(repr, unknown))}")


def _profile(content: dict[str, Any], key: str, where: str) -> Profile:
    if not isinstance(content[key], dict):
        raise InvalidInputError(f"{where}: {key!r} is not an object")
    return Profile.from_dict(content[key], where=f"{where}, {key}")


def _text(content: dict[str, Any], key: str, where: str) -> str:
    if not isinstance(content[key], str):
        raise InvalidInputError(f"{where}: {key!r} is {content[key]!r}, expected text")
    return str(content[key])


def _count(content: dict[str, Any], key: str, where: str) -> int:
    value = content[key]
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 64:
        raise InvalidInputError(f"{where}: {key!r} is {value!r}, expected a whole number")
    return value
