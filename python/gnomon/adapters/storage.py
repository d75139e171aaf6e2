"""A fitted adapter as bytes, and back: the form in which the trail keeps it for replay."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from gnomon.adapters.base import DIRECTION, FORMAT, MAX_DIM
from gnomon.adapters.container import unpack
from gnomon.adapters.registry import ADAPTER_NAMES, ADAPTERS
from gnomon.errors import InvalidInputError, MismatchError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.adapters.base import FittedAdapter

_MAX_PAIRS = 1 << 53
_SIZES = ("d_new", "d_old", "rank", "n_pairs", "fewest_pairs")


def to_bytes(adapter: FittedAdapter) -> bytes:
    """Return the canonical safetensors bytes of an adapter; equal adapters give equal bytes."""
    return adapter.canonical_bytes


def from_bytes(
    data: bytes, *, where: str = "adapter", expected_sha256: str | None = None
) -> FittedAdapter:
    """Return the adapter stored in these bytes, which may come from anywhere.

    Parameters
    ----------
    data
        The whole file.
    where
        Its name, for messages.
    expected_sha256
        Fingerprint that a manifest or the trail recorded; checked first when given.

    Raises
    ------
    InvalidInputError
        The bytes are damaged, hold something else, or are not in the canonical form.
    MismatchError
        The fingerprint is another one, or the map goes in another direction.
    """
    digest = hashlib.sha256(data).hexdigest()
    if expected_sha256 is not None and digest != expected_sha256:
        raise MismatchError(
            f"{where}: sha256 is {digest}, {expected_sha256} was recorded; "
            "the file was changed or damaged"
        )
    tensors, metadata = unpack(data, where=where)
    fields = _fields(metadata, where)
    kind = next((a.fitted_type for a in ADAPTERS if a.name == fields["name"]), None)
    if kind is None:
        raise InvalidInputError(
            f"{where}: holds an adapter {fields['name']!r}; this version knows "
            + ", ".join(ADAPTER_NAMES)
        )
    if set(tensors) != set(kind.tensor_names):
        raise InvalidInputError(
            f"{where}: adapter {fields['name']} needs the tensors {sorted(kind.tensor_names)}, "
            f"the file holds {sorted(tensors)}"
        )
    try:
        adapter = kind.from_tensors(fields, tensors)
    except InvalidInputError as error:
        raise InvalidInputError(f"{where}: {error}") from None
    if adapter.canonical_bytes != data:
        raise InvalidInputError(
            f"{where}: is not in the canonical form, so its fingerprint would not be "
            "its own; fit it again"
        )
    return adapter


def _fields(metadata: Mapping[str, str], where: str) -> dict[str, Any]:
    """Return the common fields of an adapter from its metadata, every one checked."""
    if metadata.get("format") != FORMAT:
        raise InvalidInputError(
            f"{where}: format is {metadata.get('format')!r}, expected {FORMAT!r}"
        )
    if metadata.get("direction") != DIRECTION:
        raise MismatchError(
            f"{where}: maps {metadata.get('direction')!r}, expected {DIRECTION!r}: "
            "a query of the new model has to be taken to the space of the old index"
        )
    fields: dict[str, Any] = {"name": metadata.get("name", "")}
    for key in _SIZES:
        text = metadata.get(key, "")
        if not (text.isascii() and text.isdigit() and len(text) <= 16):
            raise InvalidInputError(f"{where}: {key} is {text!r}, expected a whole number")
        fields[key] = int(text)
    narrow, wide = sorted((fields["d_new"], fields["d_old"]))
    if narrow < 1 or wide > MAX_DIM:
        raise InvalidInputError(f"{where}: widths are {narrow} and {wide}, expected 1 to {MAX_DIM}")
    pairs_fit = fields["fewest_pairs"] <= fields["n_pairs"] <= _MAX_PAIRS
    if fields["rank"] > narrow or not pairs_fit:
        raise InvalidInputError(
            f"{where}: rank {fields['rank']}, pairs {fields['n_pairs']} and fewest pairs "
            f"{fields['fewest_pairs']} don't fit together"
        )
    return fields
