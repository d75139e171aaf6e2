"""Vectors that were made elsewhere, looked up by text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gnomon.embedding.profile import Profile

_SHOWN = 60


class StoredEmbedder:
    """Returns the stored vector of a text and none for any other.

    Parameters
    ----------
    profile
        The model that made the vectors.
    texts
        The texts in row order. A text may stand there twice if its vectors are equal.
    vectors
        Shape (n, dim), one row a text.
    where
        The file, for messages.

    Raises
    ------
    InvalidInputError
        When there are more or fewer texts than rows, the width is not the profile's, or one text
        has two different vectors.
    """

    def __init__(
        self, profile: Profile, texts: Sequence[str], vectors: NDArray[np.generic], *, where: str
    ) -> None:
        if len(texts) != len(vectors):
            raise InvalidInputError(
                f"{where}: has {len(vectors):,} rows for {len(texts):,} texts; expected one row a "
                "text, in the same order"
            )
        if vectors.shape[1] != profile.dim:
            raise InvalidInputError(
                f"{where}: the vectors have {vectors.shape[1]} dimensions and the profile says "
                f"{profile.dim}"
            )
        self.profile, self._vectors, self._where = profile, vectors, where
        self._rows: dict[str, int] = {}
        for row, text in enumerate(texts):
            first = self._rows.setdefault(text, row)
            if first != row and not np.array_equal(vectors[first], vectors[row]):
                raise InvalidInputError(
                    f"{where}: rows {first} and {row} hold different vectors of one text, "
                    f"{_start(text)}; remove one of them"
                )

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32[n, dim]; a text without a stored vector is an InvalidInputError."""
        return self._look_up(texts)

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32[n, dim]; a text without a stored vector is an InvalidInputError."""
        return self._look_up(texts)

    def _look_up(self, texts: Sequence[str]) -> NDArray[np.float32]:
        missing = [text for text in texts if text not in self._rows]
        if missing:
            noun = "text" if len(texts) == 1 else "texts"
            raise InvalidInputError(
                f"{self._where}: holds no vector of {len(missing):,} of {len(texts):,} {noun}, the "
                f"first of them {_start(missing[0])}; embed them with the same model and add them"
            )
        rows = [self._rows[text] for text in texts]
        return np.asarray(self._vectors[rows], dtype=np.float32).reshape(
            len(rows), self.profile.dim
        )


def _start(text: str) -> str:
    one_line = " ".join(text.split())
    return repr(one_line if len(one_line) <= _SHOWN else one_line[: _SHOWN - 3] + "...")
