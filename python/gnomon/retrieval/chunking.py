"""Pages and documents as chunks: what is embedded, searched and shown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gnomon.sources.corpus import Document
    from gnomon.sources.markdown import Page, Section

# Small embedding models read 256 to 512 tokens; what lies behind is not in the vector.
MOST_TOKENS: Final = 400
# English takes about four bytes a token, Chinese three bytes a character and about a token for it.
BYTES_PER_TOKEN: Final = 4

_FENCE = re.compile(r" {0,3}(```|~~~)")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a page.

    Attributes
    ----------
    id
        ``page#anchor``; the lead's anchor is empty, the second part of a long section ends in
        ``~2``. For a document of a corpus, its id.
    page
        The page's path, or the document's id.
    title
        The page's or document's title.
    trail
        The headings above and its own, outermost first.
    text
        The Markdown source of its blocks, or the document's text.
    """

    id: str
    page: str
    title: str
    trail: tuple[str, ...]
    text: str

    @property
    def anchor(self) -> str:
        """What stands behind ``#`` in the id; empty for a lead and for a document."""
        return self.id[len(self.page) + 1 :]

    @property
    def passage(self) -> str:
        """What is embedded: the headings as a first line, then the text."""
        heads = [self.title, *(heading for heading in self.trail if heading != self.title)]
        head = " / ".join(part for part in heads if part)
        return f"{head}\n{self.text}" if head and self.text else head or self.text


def tokens_of(text: str) -> int:
    """Return about how many tokens an embedding model makes of a text.

    Examples
    --------
    >>> tokens_of("A gnomon casts the shadow.")
    7
    """
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def chunks_of_document(document: Document) -> Iterator[Chunk]:
    """Yield a document of a corpus as its one chunk."""
    yield Chunk(document.id, document.id, document.title, (), document.text)


def chunks_of_page(path: str, page: Page) -> Iterator[Chunk]:
    """Yield the chunks of a page in reading order.

    A section without text of its own makes none. A page without any text makes its lead, with the
    headings as text, so that it can be found.
    """
    made = False
    for section in page.sections:
        trail = (*section.trail, section.heading) if section.heading else section.trail
        for part, text in enumerate(_parts(section), 1):
            made = True
            suffix = f"~{part}" if part > 1 else ""
            yield Chunk(f"{path}#{section.anchor}{suffix}", path, page.title, trail, text)
    if not made:
        headings = "\n".join(section.heading for section in page.sections if section.heading)
        yield Chunk(f"{path}#", path, page.title, (), headings)


def _parts(section: Section) -> Iterator[str]:
    """Yield the text of a section in parts of ``MOST_TOKENS`` or so, blocks whole if they fit."""
    pieces = (piece for block in section.blocks for piece in _pieces(block))
    return _packed(((piece, tokens_of(piece)) for piece in pieces), "\n\n")


def _pieces(block: str) -> Iterator[str]:
    """Yield a block whole, or cut between lines and words when it is too long and no code."""
    if tokens_of(block) <= MOST_TOKENS or _FENCE.match(block):
        return iter((block,))
    runs = (run for line in block.split("\n") for run in _runs(line))
    return _packed(((run, tokens_of(run) + 1) for run in runs), "\n")


def _runs(line: str) -> Iterator[str]:
    """Yield a line whole, or in runs of words; a word that is too long, in runs of characters."""
    if tokens_of(line) <= MOST_TOKENS:
        return iter((line,))
    words = (piece for word in line.split(" ") for piece in _slices(word))
    return _packed(((word, tokens_of(word + " ")) for word in words), " ")


def _packed(sized: Iterable[tuple[str, int]], joint: str) -> Iterator[str]:
    """Yield pieces joined for as long as their sizes stay within ``MOST_TOKENS``."""
    gathered: list[str] = []
    size = 0
    for piece, tokens in sized:
        if gathered and size + tokens > MOST_TOKENS:
            yield joint.join(gathered)
            gathered, size = [], 0
        gathered.append(piece)
        size += tokens
    if gathered:
        yield joint.join(gathered)


def _slices(word: str) -> Iterator[str]:
    # Script without blanks: a character is at most four bytes, so at most one token.
    step = MOST_TOKENS if tokens_of(word) > MOST_TOKENS else len(word) or 1
    yield from (word[i : i + step] for i in range(0, max(len(word), 1), step))
