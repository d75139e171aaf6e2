"""One Markdown page as sections: headings with their anchors, and the blocks between them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

import yaml
from markdown_it import MarkdownIt
from mdit_py_plugins.front_matter import front_matter_plugin

from gnomon.errors import InvalidInputError
from gnomon.sources.files import read_bounded, shown
from gnomon.sources.limits import MIB
from gnomon.sources.textlines import decoded_line

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from markdown_it.token import Token

# A page is read by a person. What is larger is an export, and would take minutes to parse.
MAX_PAGE_BYTES = 8 * MIB

_EXPLICIT_ANCHOR = re.compile(r"\s*\{#([^\s{}#~]+)\}\s*$")


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one heading, up to the next.

    Attributes
    ----------
    anchor
        The heading's slug, ``-1`` and so on behind it when the page has used it before; empty for
        the lead, which is all before the second heading when the first is the page's title.
    heading
        The heading as plain text; empty for a lead without one.
    trail
        The headings above it, outermost first, without its own.
    blocks
        The Markdown source of its paragraphs, lists, tables and code blocks, each whole.
    line
        The line of the page on which it starts, from 1.
    """

    anchor: str
    heading: str
    trail: tuple[str, ...]
    blocks: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Page:
    """A page as its sections, in order; the lead comes first and is always there."""

    title: str
    sections: tuple[Section, ...]


def read_markdown(path: str | os.PathLike[str], *, fallback_title: str) -> Page:
    """Read a CommonMark page with tables and front matter.

    The title is that of the front matter, else the first heading when it is of level 1, else
    ``fallback_title``.

    Raises
    ------
    InvalidInputError
        When the file is not UTF-8 (the line is named), larger than ``MAX_PAGE_BYTES``, or its front
        matter is no YAML mapping.
    """
    raw = read_bounded(path, limit=MAX_PAGE_BYTES)
    lines = [
        decoded_line(line, path, number) for number, line in enumerate(raw.splitlines(True), 1)
    ]
    return parse_markdown("\n".join(lines), where=shown(path), fallback_title=fallback_title)


def parse_markdown(source: str, *, where: str, fallback_title: str) -> Page:
    """Return the sections of a page given as text; ``where`` names it in messages.

    Examples
    --------
    >>> lines = ["# Keys", "A key opens.", "## Rotate", "Daily.", "## Rotate", "By hand."]
    >>> page = parse_markdown(chr(10).join(lines), where="keys.md", fallback_title="keys")
    >>> page.title, [section.anchor for section in page.sections]
    ('Keys', ['', 'rotate', 'rotate-1'])
    """
    lines = source.split("\n")
    parser = MarkdownIt("commonmark").enable("table").use(front_matter_plugin)
    tokens = parser.parse(source)
    sections = tuple(_sections(tokens, lines))
    title = _front_matter_title(tokens, where)
    if title is None and _begins_with_title(tokens):
        title = sections[0].heading
    return Page(title or fallback_title, sections)


def _begins_with_title(tokens: list[Token]) -> bool:
    """Return whether the first heading of a page is of level 1 and nothing stands before it."""
    body = [token for token in tokens if token.type != "front_matter"]
    return bool(body) and body[0].type == "heading_open" and body[0].tag == "h1"


def slug(heading: str) -> str:
    """Return the anchor that sites make of a heading: lower case, words joined by hyphens.

    Punctuation is dropped, as GitHub and MkDocs do.

    Examples
    --------
    >>> slug("What's new, and why"), slug("Größe ändern")
    ('whats-new-and-why', 'größe-ändern')
    """
    text = unicodedata.normalize("NFKC", heading).lower()
    kept = (c for c in text if c.isalnum() or c in " -_" or unicodedata.category(c)[0] == "M")
    return "-".join("".join(kept).replace("-", " ").split())


def _sections(tokens: list[Token], lines: list[str]) -> Iterator[Section]:
    anchors = _Anchors()
    trail: dict[int, str] = {}
    is_lead = _begins_with_title(tokens)
    anchor, heading, start = "", "", 1
    above: tuple[str, ...] = ()
    blocks: list[str] = []
    for at, token in enumerate(tokens):
        if token.level or token.map is None or token.type == "front_matter":
            continue
        if token.type != "heading_open":
            blocks.append("\n".join(lines[token.map[0] : token.map[1]]).rstrip())
            continue
        text, own = _plain(tokens[at + 1]), anchors.of(tokens[at + 1])
        level = int(token.tag[1])
        trail = {depth: title for depth, title in trail.items() if depth < level}
        if is_lead:  # the title opens the lead instead of ending it
            heading, start, is_lead = text, token.map[0] + 1, False
        else:
            yield Section(anchor, heading, above, tuple(blocks), start)
            anchor, heading, above, start = own, text, tuple(trail.values()), token.map[0] + 1
            blocks = []
        trail[level] = text
    yield Section(anchor, heading, above, tuple(blocks), start)


class _Anchors:
    """Hands out anchors, none twice on a page."""

    def __init__(self) -> None:
        self._uses: dict[str, int] = {}
        self._taken: set[str] = {""}

    def of(self, inline: Token) -> str:
        explicit = _EXPLICIT_ANCHOR.search(inline.content)
        base = explicit[1] if explicit else slug(_plain(inline)) or "section"
        anchor, uses = base, self._uses.get(base, 0)
        while anchor in self._taken:  # a heading may spell the numbered form of another
            uses += 1
            anchor = f"{base}-{uses}"
        self._uses[base] = uses
        self._taken.add(anchor)
        return anchor


def _plain(inline: Token) -> str:
    parts = []
    for child in inline.children or ():
        if child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type in ("text", "code_inline", "image"):
            parts.append(child.content)
    return _EXPLICIT_ANCHOR.sub("", "".join(parts)).strip()


def _front_matter_title(tokens: list[Token], where: str) -> str | None:
    if not tokens or tokens[0].type != "front_matter":
        return None
    try:
        fields = yaml.safe_load(tokens[0].content)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 2}: " if mark is not None else ""
        problem = getattr(error, "problem", None) or "cannot be parsed"
        raise InvalidInputError(
            f"{where}: {line}the front matter is not YAML ({problem}); mend it or remove it"
        ) from error
    if fields is None:
        return None
    if not isinstance(fields, dict):
        raise InvalidInputError(
            f"{where}: the front matter is not a mapping; expected lines such as 'title: Keys'"
        )
    title = fields.get("title")
    return str(title).strip() or None if title is not None else None
