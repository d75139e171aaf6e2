"""The Markdown pages of a folder, in one order on every machine."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gnomon.errors import InvalidInputError, MissingInputError
from gnomon.sources.escape import quoted
from gnomon.sources.files import reason, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDINGS = (".md", ".markdown")
# Names of pages that stand for their folder, as documentation sites serve them.
FOLDER_PAGES = ("index", "readme")
_NOT_DOCS = frozenset({"node_modules", "__pycache__"})


class PageFile(NamedTuple):
    """A page and where it stands: ``guide/keys`` is the file ``guide/keys.md``."""

    page: str
    file: Path


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of a folder, sorted by page path, and the links that were not followed."""

    files: tuple[PageFile, ...]
    links_left_out: tuple[str, ...]


def find_pages(folder: str | os.PathLike[str]) -> Pages:
    """Return every Markdown page below a folder.

    A page's path is its file's without the ending; ``index`` and ``README`` stand for their folder
    (``guide/index.md`` is ``guide``), except at the top, where they keep their name. Hidden folders
    and ``node_modules`` are left out. A symbolic link is followed while its target lies inside the
    folder and is not one of the folders that it stands in.

    Raises
    ------
    MissingInputError
        When the folder does not exist.
    InvalidInputError
        When it is no folder, cannot be read, or two files are one page.
    """
    root = Path(folder)
    if not root.exists():
        raise MissingInputError(f"{shown(root)}: no such folder; check the path")
    if not root.is_dir():
        raise InvalidInputError(f"{shown(root)}: is not a folder; expected one with .md pages")
    left_out: list[str] = []
    pages: dict[str, PageFile] = {}
    for file in _markdown_files(root, root.resolve(), (), left_out):
        one = PageFile(_page_path(file.relative_to(root)), file)
        other = pages.setdefault(one.page, one)
        if other is not one:
            raise InvalidInputError(
                f"{shown(other.file)} and {shown(file)} are both the page {quoted(one.page)}; "
                "rename or remove one of them"
            )
    ordered = tuple(pages[page] for page in sorted(pages))
    return Pages(ordered, tuple(sorted(left_out)))


def _markdown_files(
    folder: Path, root: Path, above: tuple[Path, ...], left_out: list[str]
) -> Iterator[Path]:
    above = (*above, folder.resolve())
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise InvalidInputError(f"{shown(folder)}: cannot be read: {reason(error)}") from error
    for entry in entries:
        path = Path(entry.path)
        if entry.is_symlink() and not _stays_inside(path, root, above):
            left_out.append(shown(path))
        elif entry.is_dir():
            if not entry.name.startswith(".") and entry.name not in _NOT_DOCS:
                yield from _markdown_files(path, root, above, left_out)
        elif path.suffix.lower() in ENDINGS and entry.is_file():
            yield path


def _stays_inside(link: Path, root: Path, above: tuple[Path, ...]) -> bool:
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):  # nothing there, or a chain of links that never ends
        return False
    return target.is_relative_to(root) and target not in above


def _page_path(relative: Path) -> str:
    page = relative.with_suffix("")
    if page.name.casefold() in FOLDER_PAGES and page.parent != Path():
        page = page.parent
    return page.as_posix()
