"""An index as the values that lint is told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.golden.facts import IndexFacts
from gnomon.retrieval.function_words import function_words
from gnomon.retrieval.index_files import read_chunks, read_manifest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gnomon.retrieval.chunking import Chunk
    from gnomon.retrieval.index import Index


def index_facts(index: Index) -> IndexFacts:
    """Return the chunks of an index and the function words of its languages."""
    return _facts(index.chunks, index.manifest.languages)


def read_facts(folder: Path) -> IndexFacts:
    """Return the same of an index on disk; its vectors and its lexical index are not opened.

    Raises
    ------
    MissingInputError
        There is no index.
    IndexFileError
        A file is damaged or of another version.
    """
    manifest = read_manifest(folder)
    return _facts(read_chunks(folder, manifest), manifest.languages)


def _facts(chunks: Sequence[Chunk], languages: Sequence[str]) -> IndexFacts:
    return IndexFacts(
        [chunk.id for chunk in chunks],
        [chunk.page for chunk in chunks],
        [chunk.passage for chunk in chunks],
        function_words(languages),
    )
