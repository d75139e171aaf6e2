"""What an index is, as the trail records it: its content, not the settings inlined into it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

import rfc8785

from gnomon.retrieval.index_files import MANIFEST
from gnomon.sources.fingerprint import FileFingerprint, fingerprint

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.retrieval.manifest import Manifest

# They are inlined by `gnomon index` after they were measured on this very content, and a record of
# that measurement keeps the values that it found in force.
INLINED: Final = ("guard", "guard_mode", "calibration", "tuning", "levers")
_LEFT_OUT: Final = (*INLINED, "files")  # the files are hashed here


def index_fingerprint(folder: Path, manifest: Manifest) -> FileFingerprint:
    """Return size, chunks and sha256 of an index: of its files and of what its manifest says.

    The guard, the levers and where they came from are left out, so that an index into which a
    calibration was inlined is still the index that was calibrated.

    Raises
    ------
    MissingInputError
        When a file is gone.
    """
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.name != MANIFEST)
    said = {name: value for name, value in manifest.as_dict().items() if name not in _LEFT_OUT}
    digest, size = hashlib.sha256(rfc8785.dumps(said)), 0
    for path in files:
        found = fingerprint(path)
        size += found.size
        digest.update(f"\n{path.relative_to(folder).as_posix()} {found.sha256}".encode())
    return FileFingerprint(size, manifest.chunks, digest.hexdigest())
