"""A fingerprint tells one content from another."""

from __future__ import annotations

import gzip
import hashlib
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.errors import InvalidInputError, MissingInputError
from gnomon.sources import FileFingerprint, fingerprint

if TYPE_CHECKING:
    from pathlib import Path


def test_size_rows_and_hash(tmp_path: Path) -> None:
    """The hash is that of the bytes on disk, whatever their number."""
    for content in (b"", b"x", bytes(range(256)) * 5000, gzip.compress(b"packed")):
        (tmp_path / "a").write_bytes(content)
        assert fingerprint(tmp_path / "a", rows=7) == (
            FileFingerprint(len(content), 7, hashlib.sha256(content).hexdigest())
        )


def test_rows_may_be_unknown(tmp_path: Path) -> None:
    """A caller that counted nothing records no row count."""
    (tmp_path / "a").touch()
    assert fingerprint(tmp_path / "a").rows is None


def test_no_file(tmp_path: Path) -> None:
    """A missing file and a folder are refused."""
    with pytest.raises(MissingInputError):
        fingerprint(tmp_path / "none")
    with pytest.raises(InvalidInputError, match="is a folder"):
        fingerprint(tmp_path)


def test_file_that_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that changes its size while it is hashed gives no fingerprint."""
    path = tmp_path / "a"
    path.write_bytes(b"x" * 100)
    digest = hashlib.file_digest

    def growing(file: Any, name: str) -> Any:
        result = digest(file, name)
        with path.open("ab") as other:
            other.write(b"y")
        return result

    monkeypatch.setattr(hashlib, "file_digest", growing)
    with pytest.raises(InvalidInputError, match="changed while it was read"):
        fingerprint(path)
