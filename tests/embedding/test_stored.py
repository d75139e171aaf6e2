"""Stored vectors: found by text, never guessed."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.embedding.profile import Profile
from gnomon.embedding.stored import StoredEmbedder
from gnomon.errors import InvalidInputError

PROFILE = Profile("m", 2)
VECTORS = np.array([[1, 0], [0, 1], [1, 0]], dtype=np.float16)


def test_looked_up_by_text() -> None:
    """In any order and as often as asked; a text may be stored twice with one vector."""
    model = StoredEmbedder(PROFILE, ["a", "b", "a"], VECTORS, where="v.npy")
    assert model.embed_questions(["b", "a", "b"]).tolist() == [[0, 1], [1, 0], [0, 1]]
    assert model.embed_documents([]).shape == (0, 2)
    assert model.embed_documents(["a"]).dtype == np.float32


def test_an_unknown_text() -> None:
    """The message counts them and shows the first, on one line."""
    model = StoredEmbedder(PROFILE, ["a", "b", "a"], VECTORS, where="v.npy")
    with pytest.raises(InvalidInputError, match=r"no vector of 2 of 3 texts.*'x y'"):
        model.embed_questions(["a", "x\ny", "z" * 99])


@pytest.mark.parametrize(
    ("texts", "vectors", "said"),
    [
        (["a", "b"], VECTORS, "has 3 rows for 2 texts"),
        (["a", "a", "a"], VECTORS, "rows 0 and 1 hold different vectors of one text, 'a'"),
        (["a", "b", "c"], np.ones((3, 4)), "have 4 dimensions and the profile says 2"),
    ],
)
def test_refused(texts: list[str], vectors: np.ndarray, said: str) -> None:
    """Rows, widths and texts must fit."""
    with pytest.raises(InvalidInputError, match=f"^v.npy: .*{said}"):
        StoredEmbedder(PROFILE, texts, vectors, where="v.npy")
