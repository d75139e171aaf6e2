"""Adapters behind deciding figures, stored beside the trail under the hash of their bytes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.audit.canonical import is_sha256, sha256_hex
from gnomon.audit.state import ensure_directory, replace_durably, state_errors
from gnomon.errors import InvalidInputError, MismatchError, MissingInputError

if TYPE_CHECKING:
    import os

_FOLDER = "adapters"
_SUFFIX = ".safetensors"


def store_blob(state_dir: str | os.PathLike[str], data: bytes) -> str:
    """Store the bytes of a safetensors file beside the trail; return their SHA-256.

    The file appears as a whole under its hash, with mode 0600. One that is there already and holds
    these bytes is left alone.

    Raises
    ------
    StateError
        When it cannot be written.
    """
    digest = sha256_hex(data)
    path = blob_path(state_dir, digest)
    ensure_directory(path.parent)
    with state_errors("store the adapter", path):
        if not _holds(path, digest):
            replace_durably(path, data)
    return digest


def load_blob(state_dir: str | os.PathLike[str], sha256: str) -> bytes:
    """Return the stored bytes whose SHA-256 is ``sha256``.

    Raises
    ------
    InvalidInputError
        When ``sha256`` is not 64 lower-case hex digits; it came from a file and is no path yet.
    MissingInputError
        When no such adapter is stored.
    MismatchError
        When the stored bytes have another hash.
    """
    path = blob_path(state_dir, sha256)
    with state_errors("read the adapter", path):
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise MissingInputError(
                f"the adapter {path} is not beside the trail: copy the whole state directory, or"
                " replay with --refit"
            ) from None
    found = sha256_hex(data)
    if found != sha256:
        raise MismatchError(
            f"the adapter {path} has been altered: its SHA-256 is {found}."
            " Restore it, or replay with --refit"
        )
    return data


def blob_path(state_dir: str | os.PathLike[str], sha256: str) -> Path:
    """Return where the adapter with this hash is stored, after checking that it is a hash."""
    if not is_sha256(sha256):
        raise InvalidInputError(
            f"the adapter hash {sha256!r:.80} is no SHA-256: expected 64 lower-case hex digits"
        )
    return Path(state_dir) / _FOLDER / f"{sha256}{_SUFFIX}"


def _holds(path: Path, digest: str) -> bool:
    return path.is_file() and not path.is_symlink() and sha256_hex(path.read_bytes()) == digest
