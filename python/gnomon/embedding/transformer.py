"""Models of sentence-transformers, run on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.embedding.profile import Profile
from gnomon.errors import InvalidInputError, MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_BATCH = 32


class TransformerEmbedder:
    """A sentence-transformers model, from its name or a folder.

    Parameters
    ----------
    model
        Name or path, as the package takes it. A name that is not in the package's own cache makes
        the package fetch it; a path does not.
    query_prefix, document_prefix
        Put in front of each text.

    Raises
    ------
    MissingDependencyError
        The package ``sentence-transformers`` is not installed.
    InvalidInputError
        The package cannot load the model.
    """

    def __init__(self, model: str, *, query_prefix: str = "", document_prefix: str = "") -> None:
        module = _sentence_transformers()
        try:
            self._model = module.SentenceTransformer(model, device="cpu")
        except (OSError, ValueError, RuntimeError) as error:
            first_line = str(error).partition("\n")[0]
            raise InvalidInputError(
                f"sentence-transformers cannot load {model!r}: {first_line}"
            ) from error
        dim = int(self._model.get_sentence_embedding_dimension())
        self.profile = Profile(
            f"sentence-transformers/{model}", dim, query_prefix, document_prefix, "unknown"
        )

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32[n, dim]."""
        return self._encode([self.profile.document_prefix + text for text in texts])

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32[n, dim]."""
        return self._encode([self.profile.query_prefix + text for text in texts])

    def _encode(self, texts: list[str]) -> NDArray[np.float32]:
        if not texts:
            return np.empty((0, self.profile.dim), dtype=np.float32)
        vectors = self._model.encode(
            texts, batch_size=_BATCH, show_progress_bar=False, convert_to_numpy=True
        )
        return np.asarray(vectors, dtype=np.float32)


def _sentence_transformers() -> Any:
    try:
        import sentence_transformers  # noqa: PLC0415  # an extra, and slow to import
    except ImportError as error:
        raise MissingDependencyError(
            f"st: needs sentence-transformers ({error}); "
            "run: pip install 'gnomon[sentence-transformers]'"
        ) from error
    return sentence_transformers
