"""Markdown pages: titles, anchors, blocks kept whole, and pages that are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.errors import InvalidInputError
from gnomon.sources.markdown import MAX_PAGE_BYTES, Page, parse_markdown, read_markdown, slug

if TYPE_CHECKING:
    from pathlib import Path


def parsed(source: str) -> Page:
    """Return the page that a text is."""
    return parse_markdown(source, where="page.md", fallback_title="fallback")


def anchors(source: str) -> list[str]:
    """Return the anchors of a text's sections."""
    return [section.anchor for section in parsed(source).sections]


class TestTitle:
    """Front matter, else a first heading of level 1, else the fallback."""

    @pytest.mark.parametrize(
        ("source", "title"),
        [
            ("---\ntitle: From above\n---\n# Heading\n\ntext", "From above"),
            ("---\nlayout: home\n---\n# Heading\n\ntext", "Heading"),
            ("---\ntitle: 2024\n---\ntext", "2024"),
            ("---\ntitle:\n---\n# Heading", "Heading"),
            ("# Heading with `code`\n\ntext", "Heading with code"),
            ("Setext\n======\n\ntext", "Setext"),
            ("text\n\n# Late heading", "fallback"),
            ("## Level two\n\ntext", "fallback"),
            ("", "fallback"),
        ],
    )
    def test_where_it_comes_from(self, source: str, title: str) -> None:
        """The first of the three that is there."""
        assert parsed(source).title == title

    def test_front_matter_is_no_text(self) -> None:
        """It is read and never served."""
        page = parsed("---\ntitle: A\nsecret: no\n---\nbody")
        assert [section.blocks for section in page.sections] == [("body",)]

    @pytest.mark.parametrize(
        ("source", "said"),
        [
            ("---\ntitle: [unclosed\n---\ntext", "line"),
            ("---\n- a\n- b\n---\ntext", "not a mapping"),
        ],
    )
    def test_broken_front_matter(self, source: str, said: str) -> None:
        """The message names the page and what to do."""
        with pytest.raises(InvalidInputError, match=said) as refused:
            parsed(source)
        assert str(refused.value).startswith("page.md: ")


class TestAnchors:
    """What a heading is called, and never two alike."""

    def test_the_title_opens_the_lead(self) -> None:
        """The lead has an empty anchor; a page without a title heading has one all the same."""
        assert anchors("# Title\n\nlead\n\n## One") == ["", "one"]
        assert anchors("lead\n\n## One") == ["", "one"]
        assert anchors("") == [""]

    def test_repeated_headings_are_numbered(self) -> None:
        """The second is -1, the third -2."""
        assert anchors("## A\n\n## B\n\n## A\n\n### A") == ["", "a", "b", "a-1", "a-2"]

    def test_a_number_is_not_handed_out_twice(self) -> None:
        """A heading that spells another's number does not take its anchor."""
        found = anchors("## A\n\n## A 1\n\n## A\n\n## A 1")
        assert found == ["", "a", "a-1", "a-2", "a-1-1"]

    def test_the_title_counts(self) -> None:
        """A later heading that repeats the title is the second of its name."""
        assert anchors("# Setup\n\nx\n\n## Setup") == ["", "setup-1"]

    def test_explicit_anchor(self) -> None:
        """An anchor written behind the heading is its anchor and not part of its text."""
        section = parsed("## How to begin {#start}\n\nx").sections[1]
        assert (section.anchor, section.heading) == ("start", "How to begin")

    @pytest.mark.parametrize(
        ("heading", "anchor"),
        [
            ("Request", "request"),
            ("The `--json` flag", "the-json-flag"),
            ("C++ & Rust", "c-rust"),
            ("a  b -- c", "a-b-c"),
            ("snake_case()", "snake_case"),
            ("日本語 の 見出し", "日本語-の-見出し"),
            ("Зачем это", "зачем-это"),
            ("हिन्दी शीर्षक", "हिन्दी-शीर्षक"),
            ("~2", "2"),
            ("!!!", "section"),
        ],
    )
    def test_slugs(self, heading: str, anchor: str) -> None:
        """Letters of any script stay; a tilde never gets in, so a part can't be mistaken."""
        assert anchors(f"## {heading}\n\ntext") == ["", anchor]
        assert "~" not in slug(heading)

    def test_trail(self) -> None:
        """A heading knows those above it; going back up forgets the deeper ones."""
        page = parsed("# T\n\n## A\n\n### B\n\n## C\n\n#### D")
        assert [(s.heading, s.trail) for s in page.sections] == [
            ("T", ()),
            ("A", ("T",)),
            ("B", ("T", "A")),
            ("C", ("T",)),
            ("D", ("T", "C")),
        ]


class TestBlocks:
    """Blocks are slices of the source, whole."""

    def test_fences_stay_whole(self) -> None:
        """What looks like a heading inside a fence is code."""
        page = parsed("## A\n\n```sh\n# not a heading\n\nrun\n```\n\nafter")
        assert page.sections[1].blocks == ("```sh\n# not a heading\n\nrun\n```", "after")

    def test_an_unclosed_fence_reaches_the_end(self) -> None:
        """As CommonMark says."""
        assert parsed("```\ncode\n## still code").sections[0].blocks == (
            "```\ncode\n## still code",
        )

    def test_lists_tables_and_quotes_are_one_block_each(self) -> None:
        """Headings inside them open no section."""
        source = "- a\n- b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n> ## quoted\n> text"
        page = parsed(source)
        assert page.sections[0].blocks == (
            "- a\n- b",
            "| x | y |\n|---|---|\n| 1 | 2 |",
            "> ## quoted\n> text",
        )

    def test_line_numbers(self) -> None:
        """A section knows where it starts, front matter counted."""
        page = parsed("---\ntitle: T\n---\n\nlead\n\n## A\n\nx")
        assert [section.line for section in page.sections] == [1, 7]


class TestFiles:
    """What is read from disk."""

    def test_line_endings_and_mark(self, tmp_path: Path) -> None:
        """A byte-order mark and CRLF are no text."""
        file = tmp_path / "a.md"
        file.write_bytes(b"\xef\xbb\xbf# T\r\n\r\nx\r\ny\r\n")
        page = read_markdown(file, fallback_title="f")
        assert (page.title, page.sections[0].blocks) == ("T", ("x\ny",))

    def test_latin1(self, tmp_path: Path) -> None:
        """The message names file and line and says what to do."""
        file = tmp_path / "a.md"
        file.write_bytes("# T\n\nGröße".encode("latin-1"))
        with pytest.raises(InvalidInputError, match=r"a\.md: line 3: .* is not UTF-8; save"):
            read_markdown(file, fallback_title="f")

    def test_too_large(self, tmp_path: Path) -> None:
        """A page that is an export is refused before it is parsed."""
        file = tmp_path / "a.md"
        file.write_bytes(b"x" * (MAX_PAGE_BYTES + 1))
        with pytest.raises(InvalidInputError, match="holds more than 8,388,608 bytes"):
            read_markdown(file, fallback_title="f")
