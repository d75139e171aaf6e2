"""The documents hold together: links and anchors resolve, and every page can be reached."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "cpp").glob("*.md")])
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def prose(path: Path) -> str:
    """Return the text of a page without its code blocks."""
    return FENCE.sub("", path.read_text(encoding="utf-8"))


def anchors(path: Path) -> set[str]:
    """Return the anchors of a page's headings, in the spelling that Git hosts give them."""
    found: dict[str, int] = {}
    names = set()
    for heading in re.findall(r"^#{1,6}\s+(.*?)\s*#*$", prose(path), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        count = found.get(slug, 0)
        found[slug] = count + 1
        names.add(f"{slug}-{count}" if count else slug)
    return names


def local_links(path: Path) -> list[tuple[Path, str]]:
    """Return file and anchor of every link of a page that stays in the repository."""
    links = []
    for target in LINK.findall(prose(path)):
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        name, _, anchor = target.partition("#")
        links.append(((path.parent / name).resolve() if name else path, anchor))
    return links


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve(page: Path) -> None:
    """A link leads to a file that exists and to a heading that it has."""
    broken = [
        f"{file.name}#{anchor}"
        for file, anchor in local_links(page)
        if not file.exists() or (anchor and anchor not in anchors(file))
    ]
    assert broken == []


def test_every_page_can_be_reached() -> None:
    """Starting from docs/README.md, links lead to every page of the documentation."""
    start = ROOT / "docs" / "README.md"
    seen, todo = {start}, [start]
    while todo:
        for file, _ in local_links(todo.pop()):
            if file.suffix == ".md" and file.is_file() and file not in seen:
                seen.add(file)
                todo.append(file)
    assert [
        str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md") if page not in seen
    ] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_one_title_and_no_skipped_level(page: Path) -> None:
    """A page has one title, and headings go down one level at a time."""
    levels = [len(marks) for marks in re.findall(r"^(#{1,6})\s", prose(page), re.MULTILINE)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(later - earlier <= 1 for earlier, later in itertools.pairwise(levels))
