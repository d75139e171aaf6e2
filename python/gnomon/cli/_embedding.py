"""What embeds the questions of a command: the index's own model, by way of the cache."""

from __future__ import annotations

import os
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.embedding.cache import EmbeddingCache
from gnomon.errors import MissingInputError, UsageError
from gnomon.retrieval.index_files import EMBEDDER_FOLDER
from gnomon.retrieval.opening import ENDPOINT_SCHEMES, Surroundings, open_embedder
from gnomon.sources.escape import by_number, counted
from gnomon.sources.files import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from gnomon.cli._configured import Configured
    from gnomon.embedding.profile import Profile
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
    model = open_embedder(uri or manifest.embedder, _around(index, place, settings))
    index.attach(model)
    with closing(EmbeddingCache(settings.value("cache"))) as cache:
        yield lambda texts: cache.embed(model, texts, "question")


@contextmanager
def kept_embedding(
    index: Index, place: Path, *, settings: Configured, ask: bool
) -> Iterator[Callable[[Sequence[str]], NDArray[np.float32]] | None]:
    """Yield what returns vectors that were kept, for a replay; other texts are embedded here only.

    Parameters
    ----------
    ask
        Whether an endpoint may be asked for vectors that were not kept.
    """
    manifest = index.manifest
    if manifest.embedder is None or manifest.profile is None:
        yield None
        return
    model = _WhenNeeded(
        manifest.profile, manifest.embedder, _around(index, place, settings), ask=ask
    )
    with closing(EmbeddingCache(settings.value("cache"))) as cache:
        yield lambda texts: cache.embed(model, texts, "question")


@dataclass(frozen=True, slots=True)
class _WhenNeeded:
    """An embedder that is opened when a text has to be embedded, if it may be."""

    profile: Profile
    uri: str
    around: Surroundings
    ask: bool

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.uri.partition(":")[0] in ENDPOINT_SCHEMES and not self.ask:
            raise MissingInputError(
                f"the {by_number(len(texts), 'vector', 'vectors')} of "
                f"{counted(len(texts), 'question')} "
                f"{by_number(len(texts), 'is', 'are')} not kept here, and a replay asks no "
                f"endpoint ({self.uri}) unless told to with --refit"
            )
        return open_embedder(self.uri, self.around).embed_questions(texts)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return open_embedder(self.uri, self.around).embed_documents(texts)


def _around(index: Index, place: Path, settings: Configured) -> Surroundings:
    return Surroundings(
        settings.config,
        os.environ,
        settings.project_variables,
        analyzer=index.finder.vocabulary.analyzer,
        stored=place / EMBEDDER_FOLDER,
    )
