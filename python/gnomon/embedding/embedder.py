"""What every embedding model offers, wherever it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from gnomon.embedding.profile import Profile

    # Returns float32[n, dim], the vectors of n questions.
    Embed = Callable[[Sequence[str]], NDArray[np.float32]]


class Embedder(Protocol):
    """Turns texts into vectors of one model."""

    @property
    def profile(self) -> Profile:
        """The model that embeds."""

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32[n, dim], one row for each text."""

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32[n, dim], one row for each text."""
