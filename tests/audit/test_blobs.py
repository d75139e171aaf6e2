"""Adapters beside the trail: found by the hash of their bytes, or not at all."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path

import pytest

from gnomon import audit
from gnomon.errors import InvalidInputError, MismatchError, MissingInputError, StateError

DATA = b"weights" * 100
DIGEST = hashlib.sha256(DATA).hexdigest()


def test_what_is_stored_is_loaded(state_dir: Path) -> None:
    """The name is the SHA-256; the file is private; storing again changes nothing."""
    assert audit.store_blob(state_dir, DATA) == DIGEST
    path = state_dir / "adapters" / f"{DIGEST}.safetensors"
    assert path == audit.blob_path(state_dir, DIGEST)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    before = path.stat().st_mtime_ns
    assert audit.store_blob(state_dir, DATA) == DIGEST
    assert path.stat().st_mtime_ns == before
    assert audit.load_blob(state_dir, DIGEST) == DATA
    assert [child.name for child in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "", "a" * 63, "A" * 64, DIGEST + "/", DIGEST[:-1] + "\0"]
)
def test_a_name_that_is_no_hash_never_becomes_a_path(state_dir: Path, name: str) -> None:
    """The name comes from a file, so it is checked first."""
    with pytest.raises(InvalidInputError, match="64 lower-case hex digits"):
        audit.load_blob(state_dir, name)


def test_a_missing_adapter_is_named(state_dir: Path) -> None:
    """A trail that was copied without its adapters says what is missing."""
    with pytest.raises(MissingInputError, match="not beside the trail"):
        audit.load_blob(state_dir, DIGEST)


def test_an_altered_adapter_is_refused_and_replaced_by_the_true_one(state_dir: Path) -> None:
    """Loading checks the hash; storing the true bytes again mends the file."""
    audit.store_blob(state_dir, DATA)
    audit.blob_path(state_dir, DIGEST).write_bytes(DATA[:-1] + b"!")
    with pytest.raises(MismatchError, match="altered"):
        audit.load_blob(state_dir, DIGEST)
    audit.store_blob(state_dir, DATA)
    assert audit.load_blob(state_dir, DIGEST) == DATA


def test_a_link_in_the_adapters_place_is_replaced_not_followed(
    state_dir: Path, tmp_path: Path
) -> None:
    """A link may point to a file that is nobody's to write."""
    other = tmp_path / "other"
    other.write_bytes(b"other")
    path = audit.blob_path(state_dir, DIGEST)
    path.parent.mkdir(parents=True)
    path.symlink_to(other)
    audit.store_blob(state_dir, DATA)
    assert other.read_bytes() == b"other"
    assert not path.is_symlink()


def test_a_store_that_cannot_be_written_is_a_state_error(tmp_path: Path) -> None:
    """A path below a regular file is refused with the reason."""
    (tmp_path / "file").touch()
    with pytest.raises(StateError, match="regular file"):
        audit.store_blob(tmp_path / "file", DATA)
