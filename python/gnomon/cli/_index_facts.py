"""An index as the values that lint is told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.golden.facts import IndexFacts
from gnomon.retrieval.function_words import function_words

if TYPE_CHECKING:
    from gnomon.retrieval.index import Index


def index_facts(index: Index) -> IndexFacts:
    """Return the chunks of an index and the function words of its languages."""
    chunks = index.chunks
    return IndexFacts(
        [chunk.id for chunk in chunks],
        [chunk.page for chunk in chunks],
        [chunk.passage for chunk in chunks],
        function_words(index.manifest.languages),
    )
