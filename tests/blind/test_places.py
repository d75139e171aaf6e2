"""Where files of a check may lie."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from gnomon.blind.places import private_folder, refuse_in_repository, work_tree_of
from gnomon.errors import StateError, UsageError


def test_a_work_tree(tmp_path: Path) -> None:
    """A folder that holds .git, and everything below it, be it there yet or not."""
    (tmp_path / "repo/.git").mkdir(parents=True)
    for inside in ("repo", "repo/sheet.csv", "repo/a/b/c.jsonl", "repo/../repo/x"):
        assert work_tree_of(tmp_path / inside) == tmp_path / "repo"
        with pytest.raises(UsageError, match=r"lies in the Git work tree .*--allow-in-repo"):
            refuse_in_repository([tmp_path / inside], allow=False)
        refuse_in_repository([tmp_path / inside], allow=True)
    assert work_tree_of(tmp_path / "repository") is None
    assert work_tree_of(tmp_path / "repo/../beside") is None


def test_a_linked_work_tree(tmp_path: Path) -> None:
    """Linked work trees and submodules have a file of that name."""
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/.git").write_text("gitdir: /elsewhere", encoding="utf-8")
    assert work_tree_of(tmp_path / "linked/key.json") == tmp_path / "linked"


def test_links_do_not_hide_it(tmp_path: Path) -> None:
    """Neither a link from outside into a work tree nor one from inside to elsewhere helps."""
    (tmp_path / "repo/.git").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "way-in").symlink_to(tmp_path / "repo")
    (tmp_path / "repo/way-out").symlink_to(tmp_path / "elsewhere")
    assert work_tree_of(tmp_path / "way-in/sheet.csv") == tmp_path / "way-in"
    assert work_tree_of(tmp_path / "repo/way-out/sheet.csv") == tmp_path / "repo"
    (tmp_path / "repo/sub").mkdir()
    (tmp_path / "deep").symlink_to(tmp_path / "repo/sub")
    assert work_tree_of(tmp_path / "deep/sheet.csv") == tmp_path / "repo"
    assert work_tree_of(f"{tmp_path}/deep/../sheet.csv") == tmp_path / "repo"


def test_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bare name is looked for from the current folder upwards."""
    (tmp_path / "repo/.git").mkdir(parents=True)
    (tmp_path / "repo/sub").mkdir()
    monkeypatch.chdir(tmp_path / "repo/sub")
    assert work_tree_of("sheet.csv") == tmp_path / "repo"


def test_a_work_tree_named_by_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GIT_WORK_TREE names a work tree that holds no .git itself."""
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "home"))
    assert work_tree_of(tmp_path / "home/sheet.csv") == tmp_path / "home"


def test_a_new_folder_is_private(tmp_path: Path) -> None:
    """Mode 0700 whatever the umask says."""
    before = os.umask(0)
    try:
        folder = private_folder(tmp_path / "a" / "draw")
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_is_there(tmp_path: Path) -> None:
    """Taken when it is empty and private, refused otherwise, and never changed."""
    folder = tmp_path / "draw"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    with pytest.raises(UsageError, match="has mode 0755, so others may look in"):
        private_folder(folder)
    folder.chmod(0o700)
    assert private_folder(folder) == folder
    (folder / "sheet.csv").touch()
    with pytest.raises(UsageError, match="is not empty"):
        private_folder(folder)
    with pytest.raises(UsageError, match="is no folder"):
        private_folder(folder / "sheet.csv")
    with pytest.raises((UsageError, StateError)):
        private_folder(folder / "sheet.csv" / "below")
