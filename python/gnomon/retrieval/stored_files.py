"""Whether the files of an index are those that were written: by size always, by sha256 on request.

A manifest that was forged along with them proves nothing; what is caught is damage, a copy that
stopped half-way, and files of two indexes in one folder.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from gnomon.errors import IndexFileError, MissingInputError
from gnomon.retrieval.manifest import StoredFile
from gnomon.sources.files import plain_relative, reason, shown
from gnomon.sources.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from gnomon.retrieval.manifest import Manifest


def stored_files(folder: Path, names: Iterable[str]) -> dict[str, StoredFile]:
    """Return what some files are now, by their relative names."""
    found = {name: fingerprint(folder / name) for name in sorted(names)}
    return {name: StoredFile(one.size, one.sha256) for name, one in found.items()}


def check_sizes(folder: Path, manifest: Manifest, names: Iterable[str]) -> None:
    """Check that the manifest lists what an index needs, and every listed file by its size.

    Parameters
    ----------
    names
        The files that such an index needs.

    Raises
    ------
    MissingInputError
        A file is gone.
    IndexFileError
        A file has another size, or the manifest does not list one.
    """
    for name in names:
        _entry(folder, manifest, name)
    for name, stored in manifest.files.items():
        path = folder / plain_relative(name, where=f"{shown(folder)}: the manifest")
        try:
            size = path.stat().st_size
        except (FileNotFoundError, NotADirectoryError):
            raise MissingInputError(
                f"{shown(path)}: is gone, and the manifest names it; build the index again"
            ) from None
        except OSError as error:
            raise IndexFileError(f"{shown(path)}: cannot be opened: {reason(error)}") from error
        if size != stored.size:
            raise IndexFileError(
                f"{shown(path)}: holds {size:,} bytes and was written with {stored.size:,}; it is "
                "of another index, or damaged. Build the index again"
            )


def check_contents(folder: Path, manifest: Manifest) -> None:
    """Read every file of an index once and check that its bytes are those that were written.

    Raises
    ------
    MissingInputError
        A file is gone.
    IndexFileError
        Naming the first file, by name, that has other bytes.
    """
    for name, stored in sorted(manifest.files.items()):
        path = folder / plain_relative(name, where=f"{shown(folder)}: the manifest")
        _check_sha256(path, fingerprint(path).sha256, stored)


def check_bytes(folder: Path, manifest: Manifest, name: str, content: bytes) -> None:
    """Check the bytes of a file that has been read anyway.

    Raises
    ------
    IndexFileError
        They are others than those that were written, or the manifest does not list the file.
    """
    stored = _entry(folder, manifest, name)
    _check_sha256(folder / name, hashlib.sha256(content).hexdigest(), stored)


def _entry(folder: Path, manifest: Manifest, name: str) -> StoredFile:
    found: Mapping[str, StoredFile] = manifest.files
    if name not in found:
        raise IndexFileError(
            f"{shown(folder)}: the manifest is damaged (it does not list {name}); "
            "build the index again"
        )
    return found[name]


def _check_sha256(path: Path, sha256: str, stored: StoredFile) -> None:
    if sha256 != stored.sha256:
        raise IndexFileError(
            f"{shown(path)}: its bytes are not those that were written (sha256 {sha256[:12]}, the "
            f"manifest names {stored.sha256[:12]}); it is of another index, or damaged. Build the "
            "index again"
        )
