"""Chunks: ids, sizes, whole blocks, and nothing of the text lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gnomon.retrieval.chunking import (
    MOST_TOKENS,
    Chunk,
    chunks_of_document,
    chunks_of_page,
    tokens_of,
)
from gnomon.sources.corpus import Document
from gnomon.sources.markdown import parse_markdown

PARAGRAPH = "word " * 199 + "end"  # 250 tokens: two do not fit one chunk


def chunked(source: str) -> list[Chunk]:
    """Return the chunks of a page ``guide/keys``."""
    page = parse_markdown(source, where="keys.md", fallback_title="Keys")
    return list(chunks_of_page("guide/keys", page))


def ids(source: str) -> list[str]:
    """Return the ids of the chunks."""
    return [chunk.id for chunk in chunked(source)]


def test_ids() -> None:
    """The lead has an empty anchor; there is no leading slash."""
    assert ids("# Keys\n\nlead\n\n## Rotate\n\nx\n\n## Rotate\n\ny") == [
        "guide/keys#",
        "guide/keys#rotate",
        "guide/keys#rotate-1",
    ]


def test_a_long_section_continues_with_a_tilde() -> None:
    """The second part of one heading is ~2; the second heading of a name is -1."""
    source = f"## Rotate\n\n{PARAGRAPH}\n\n{PARAGRAPH}\n\n{PARAGRAPH}\n\n## Rotate\n\nx"
    assert ids(source) == [
        "guide/keys#rotate",
        "guide/keys#rotate~2",
        "guide/keys#rotate~3",
        "guide/keys#rotate-1",
    ]


def test_blocks_share_a_chunk_while_they_fit() -> None:
    """Exactly the limit still fits; one token more does not."""
    half = "x" * (MOST_TOKENS * 2)
    assert len(chunked(f"{half}\n\n{half}")) == 1
    assert len(chunked(f"{half}\n\n{half}y")) == 2


def test_code_is_never_cut() -> None:
    """A fence longer than the limit is one chunk, whole."""
    fence = "```py\n" + "value = 1\n\n" * 500 + "```"
    chunks = chunked(f"## Code\n\nbefore\n\n{fence}\n\nafter")
    assert [chunk.text for chunk in chunks] == ["before", fence, "after"]


def test_sections_without_text_make_no_chunk() -> None:
    """Their headings live on in the trail of what stands below them."""
    chunks = chunked("# Keys\n\n## Rotate\n\n### Daily\n\nx")
    assert [(chunk.id, chunk.trail) for chunk in chunks] == [
        ("guide/keys#daily", ("Keys", "Rotate", "Daily"))
    ]


def test_a_page_of_headings_only_can_be_found() -> None:
    """It makes its lead, with the headings as text; an empty page makes an empty lead."""
    only = chunked("# Keys\n\n## Rotate\n\n## Revoke")
    assert [(chunk.id, chunk.text) for chunk in only] == [("guide/keys#", "Keys\nRotate\nRevoke")]
    assert [(chunk.id, chunk.text) for chunk in chunked("")] == [("guide/keys#", "")]


def test_passage_opens_with_its_headings() -> None:
    """Title first, and not twice when it is the first heading as well."""
    assert chunked("# Keys\n\n## Rotate\n\nDaily.")[0].passage == "Keys / Rotate\nDaily."


def test_documents_are_one_chunk() -> None:
    """A corpus brings its own chunks and ids."""
    (chunk,) = chunks_of_document(Document("d#1", "Title", "Text"))
    assert (chunk.id, chunk.page, chunk.anchor, chunk.passage) == ("d#1", "d#1", "", "Title\nText")


@given(st.text(st.sampled_from("ab é文\n"), max_size=3000), st.integers(1, 4))
def test_nothing_is_lost_and_no_part_is_too_long(text: str, times: int) -> None:
    """Whatever the script, all characters but blanks come out, in order, in parts of the size."""
    source = text * times
    chunks = chunked(source)
    assert "".join("".join(c.text.split()) for c in chunks) == "".join(source.split())
    assert all(tokens_of(chunk.text) <= MOST_TOKENS + 1 for chunk in chunks)
    assert len({chunk.id for chunk in chunks}) == len(chunks)


def test_a_word_without_blanks_is_cut() -> None:
    """Fifty thousand characters of Chinese are many chunks, not one."""
    chunks = chunked("文" * 50_000)
    assert sum(len(chunk.text) for chunk in chunks) == 50_000
    assert max(tokens_of(chunk.text) for chunk in chunks) <= MOST_TOKENS
