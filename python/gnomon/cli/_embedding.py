"""What embeds the questions of a command: the index's own model, by way of the cache."""

from __future__ import annotations

import os
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from gnomon.embedding.cache import EmbeddingCache
from gnomon.errors import UsageError
from gnomon.retrieval.index_files import EMBEDDER_FOLDER
from gnomon.retrieval.opening import Surroundings, open_embedder
from gnomon.sources.files import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from gnomon.cli._configured import Configured
    from gnomon.retrieval.index import Index


@contextmanager
def question_embedding(
    index: Index, place: Path, uri: str | None, settings: Configured
) -> Iterator[Callable[[Sequence[str]], NDArray[np.float32]] | None]:
    """Yield what returns the vectors of questions, or None for an index without vectors.

    Parameters
    ----------
    place
        The folder of the index; an ``lsa:`` model lies in it.
    uri
        The embedder that the command line names; None for the index's own.

    Raises
    ------
    UsageError
        When an embedder is named for an index without vectors.
    MismatchError
        When the embedder is not the model that made the vectors.
    """
    manifest = index.manifest
    if manifest.embedder is None:
        if uri is not None:
            raise UsageError(f"{shown(place)} has no vectors; leave out --embedder")
        yield None
        return
    around = Surroundings(
        settings.config,
        os.environ,
        settings.project_variables,
        analyzer=index.finder.vocabulary.analyzer,
        stored=place / EMBEDDER_FOLDER,
    )
    model = open_embedder(uri or manifest.embedder, around)
    index.attach(model)
    with closing(EmbeddingCache(settings.value("cache"))) as cache:
        yield lambda texts: cache.embed(model, texts, "question")
