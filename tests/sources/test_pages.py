"""Finding the pages of a folder: one order, one file a page, links that stay inside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.errors import InvalidInputError, MissingInputError
from gnomon.sources.pages import find_pages

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, *names: str) -> None:
    """Make small pages."""
    for name in names:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {name}\n", encoding="utf-8")


def paths(folder: Path) -> list[str]:
    """Return the page paths that are found."""
    return [one.page for one in find_pages(folder).files]


def test_paths_in_order(tmp_path: Path) -> None:
    """Sorted by path; index and README stand for their folder, not at the top."""
    write(tmp_path, "b.md", "a/z.markdown", "a/index.md", "index.md", "c/README.md", "notes.txt")
    assert paths(tmp_path) == ["a", "a/z", "b", "c", "index"]


def test_hidden_folders_are_no_docs(tmp_path: Path) -> None:
    """Nor are the packages of a site generator."""
    write(tmp_path, ".git/a.md", "node_modules/p/readme.md", "a.md")
    assert paths(tmp_path) == ["a"]


@pytest.mark.parametrize("pair", [("a.md", "a.markdown"), ("a.md", "a/index.md")])
def test_two_files_of_one_page(tmp_path: Path, pair: tuple[str, str]) -> None:
    """Refused by name."""
    write(tmp_path, *pair)
    with pytest.raises(InvalidInputError, match="are both the page 'a'"):
        find_pages(tmp_path)


def test_links(tmp_path: Path) -> None:
    """A link that leaves the folder, ends nowhere or loops is left out and told."""
    docs = tmp_path / "docs"
    write(docs, "a.md", "sub/b.md")
    write(tmp_path, "secret.md", "other/c.md")
    (docs / "inside.md").symlink_to("a.md")
    (docs / "out.md").symlink_to(tmp_path / "secret.md")
    (docs / "outdir").symlink_to(tmp_path / "other")
    (docs / "gone.md").symlink_to("nothing.md")
    (docs / "self.md").symlink_to("self.md")
    (docs / "sub" / "loop").symlink_to(docs)
    (docs / "linked").symlink_to(docs / "sub")
    found = find_pages(docs)
    assert [one.page for one in found.files] == ["a", "inside", "linked/b", "sub/b"]
    left = sorted(link.rsplit("/", 1)[1] for link in found.links_left_out)
    assert left == ["gone.md", "loop", "loop", "out.md", "outdir", "self.md"]


def test_no_folder(tmp_path: Path) -> None:
    """A missing folder and a file are told apart."""
    with pytest.raises(MissingInputError, match="no such folder"):
        find_pages(tmp_path / "nowhere")
    write(tmp_path, "a.md")
    with pytest.raises(InvalidInputError, match="is not a folder"):
        find_pages(tmp_path / "a.md")
