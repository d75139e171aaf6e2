"""A file is written whole or not at all."""

from __future__ import annotations

import errno
import os
import resource
import stat
from pathlib import Path

import pytest

from gnomon.errors import StateError
from gnomon.sources import atomic_write, write_text


def mode_of(path: Path) -> int:
    """Return the permission bits of a file."""
    return stat.S_IMODE(path.stat().st_mode)


def only_file(folder: Path) -> str:
    """Return the name of the only thing in a folder."""
    (found,) = folder.iterdir()
    return found.name


def test_writes_and_replaces(tmp_path: Path) -> None:
    """The new content replaces the old one, and nothing else is left in the folder."""
    target = tmp_path / "report.md"
    for content in ("one\n", "two\r\n"):
        write_text(target, content)
        assert target.read_bytes() == content.encode()
    assert only_file(tmp_path) == "report.md"


def test_old_content_stands_until_the_end(tmp_path: Path) -> None:
    """A reader sees the old file while the new one is written, which only its owner can read."""
    target = tmp_path / "report.md"
    target.write_text("old")
    with atomic_write(target) as file:
        file.write(b"new")
        file.flush()
        assert target.read_text() == "old"
        (temporary,) = (path for path in tmp_path.iterdir() if path != target)
        assert mode_of(temporary) == 0o600
    assert target.read_text() == "new"


@pytest.mark.parametrize("failure", [KeyboardInterrupt, SystemExit, ValueError, MemoryError])
def test_failure_in_the_block_changes_nothing(tmp_path: Path, failure: type[BaseException]) -> None:
    """Whatever stops the writing, the old file stays and no temporary one is left."""
    target = tmp_path / "report.md"
    target.write_text("old")

    def write_half() -> None:
        with atomic_write(target) as file:
            file.write(b"half")
            raise failure

    with pytest.raises(failure):
        write_half()
    assert target.read_text() == "old"
    assert only_file(tmp_path) == "report.md"


@pytest.mark.parametrize("step", ["fsync", "fchmod"])
def test_full_disk_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """A full disk is a StateError that names the file; the old content stays."""
    target = tmp_path / "report.md"
    target.write_text("old")

    def no_space(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, step, no_space)
        with pytest.raises(StateError, match=r"report\.md: cannot be written: No space") as caught:
            write_text(target, "new")
    assert caught.value.errno == errno.ENOSPC
    assert target.read_text() == "old"
    assert only_file(tmp_path) == "report.md"


def test_full_disk_within_the_block(tmp_path: Path) -> None:
    """A write inside the block that meets a full disk is told as such."""
    target = tmp_path / "report.md"
    with pytest.raises(StateError, match="No space"), atomic_write(target):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert list(tmp_path.iterdir()) == []


def test_real_write_failure(tmp_path: Path) -> None:
    """A write that the system itself refuses, here by a file size limit, changes nothing."""
    target = tmp_path / "report.md"
    target.write_text("old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(StateError, match=r"report\.md: cannot be written: File too large"):
            write_text(target, "x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert target.read_text() == "old"
    assert only_file(tmp_path) == "report.md"


def test_other_errors_of_the_block_pass_unchanged(tmp_path: Path) -> None:
    """An error that has nothing to do with writing keeps its class."""
    with pytest.raises(FileNotFoundError), atomic_write(tmp_path / "a"):
        (tmp_path / "missing").read_text()


def test_replace_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rename that is refused for a moment is repeated."""
    target = tmp_path / "report.md"
    refusals = iter([True, True, False])
    replace = Path.replace

    def refusing(self: Path, other: Path) -> Path:
        if next(refusals):
            raise PermissionError(errno.EACCES, "in use")
        return replace(self, other)

    monkeypatch.setattr(Path, "replace", refusing)
    write_text(target, "new")
    assert target.read_text() == "new"


def test_replace_gives_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rename that stays refused is a StateError, and the old file stays."""
    target = tmp_path / "report.md"
    target.write_text("old")

    def refusing(self: Path, other: Path) -> Path:
        raise PermissionError(errno.EACCES, "in use")

    monkeypatch.setattr(Path, "replace", refusing)
    with pytest.raises(StateError, match="in use"):
        write_text(target, "new")
    assert target.read_text() == "old"
    assert only_file(tmp_path) == "report.md"


def test_modes(tmp_path: Path) -> None:
    """Private files are 0600; a new report follows the umask; a replaced one keeps its mode."""
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "state", "x", private=True)
        write_text(tmp_path / "report", "x")
        (tmp_path / "report").chmod(0o604)
        first = mode_of(tmp_path / "report")
        write_text(tmp_path / "report", "y")
        write_text(tmp_path / "fresh", "x")
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "state") == 0o600
    assert (first, mode_of(tmp_path / "report")) == (0o604, 0o604)
    assert mode_of(tmp_path / "fresh") == 0o640


def test_link_is_replaced_not_followed(tmp_path: Path) -> None:
    """A symbolic link at the target does not lead the writing elsewhere."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("precious")
    link = tmp_path / "report"
    link.symlink_to(elsewhere)
    write_text(link, "new")
    assert elsewhere.read_text() == "precious"
    assert not link.is_symlink()


@pytest.mark.parametrize("target", ["missing/report.md", "file/report.md"])
def test_folder_must_exist(tmp_path: Path, target: str) -> None:
    """A target below a missing folder or below a regular file is a StateError."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(StateError, match=r"report\.md: cannot be written"):
        write_text(tmp_path / target, "x")


def test_only_regular_files_are_replaced(tmp_path: Path) -> None:
    """A folder or a device is never renamed over."""
    for target in (tmp_path, Path("/dev/null")):
        with pytest.raises(StateError, match="expected the name of a regular file"):
            write_text(target, "x")
    assert Path("/dev/null").is_char_device()


def test_temporary_name_is_never_reused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that someone planted under the temporary name is neither followed nor overwritten."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    monkeypatch.setattr("secrets.token_hex", lambda _: "0")
    (tmp_path / ".gnomon-0.tmp").symlink_to(victim)
    with pytest.raises(StateError, match="exists"):
        write_text(tmp_path / "report", "new")
    assert victim.read_text() == "precious"
