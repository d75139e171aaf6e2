"""The cache of vectors: nothing is embedded twice, nothing is mixed up, nothing is trusted."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.embedding.cache import EmbeddingCache
from gnomon.embedding.profile import Profile
from gnomon.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray


class Counting:
    """An embedder that remembers what it was asked."""

    def __init__(self, name: str = "m", dim: int = 3) -> None:
        self.profile = Profile(name, dim)
        self.asked: list[str] = []

    def _embed(self, texts: Sequence[str], extra: float) -> NDArray[np.float32]:
        self.asked += texts
        rows = [[len(text), extra, *[1.0] * (self.profile.dim - 2)] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.profile.dim)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed as documents."""
        return self._embed(texts, 0.0)

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed as questions."""
        return self._embed(texts, 1.0)


def test_only_what_is_missing(tmp_path: Path) -> None:
    """Known texts come from disk, repeated ones are asked once, rows keep their order."""
    cache, model = EmbeddingCache(tmp_path / "c.sqlite"), Counting()
    cache.embed(model, ["a", "bb"], "document")
    vectors = cache.embed(model, ["ccc", "bb", "ccc", "a"], "document")
    assert model.asked == ["a", "bb", "ccc"]
    assert vectors[:, 0].tolist() == [3, 2, 3, 1]
    cache.close()


def test_it_outlives_the_process(tmp_path: Path) -> None:
    """A second object on the same file knows what the first one made."""
    first, again = Counting(), Counting()
    one = EmbeddingCache(tmp_path / "deep" / "c.sqlite")
    made = one.embed(first, ["a"], "document")
    one.close()
    other = EmbeddingCache(tmp_path / "deep" / "c.sqlite")
    assert other.embed(again, ["a"], "document").tobytes() == made.tobytes()
    assert again.asked == []
    other.close()


def test_models_and_sides_are_kept_apart(tmp_path: Path) -> None:
    """Another fingerprint or the other side is another vector."""
    cache = EmbeddingCache(tmp_path / "c.sqlite")
    models = [Counting("m"), Counting("m", dim=4), Counting("n")]
    for model in models:
        assert cache.embed(model, ["a"], "document")[0, 1] == 0
        assert cache.embed(model, ["a"], "question")[0, 1] == 1
        assert model.asked == ["a", "a"]
    assert len(cache) == 6
    cache.close()


def test_refresh(tmp_path: Path) -> None:
    """Everything is asked again and the new vector is kept."""
    cache, model = EmbeddingCache(tmp_path / "c.sqlite"), Counting()
    for _ in range(2):
        cache.embed(model, ["a"], "document", refresh=True)
    assert (model.asked, len(cache)) == (["a", "a"], 1)
    cache.close()


def test_damaged_vectors_are_made_anew(tmp_path: Path) -> None:
    """A blob of another length or with NaN does not come back as a vector."""
    cache, model = EmbeddingCache(tmp_path / "c.sqlite"), Counting()
    cache.embed(model, ["a", "bb"], "document")
    with closing(sqlite3.connect(tmp_path / "c.sqlite")) as db, db:
        db.execute("UPDATE vectors SET vector = x'0000'")
    assert cache.embed(model, ["a"], "document").tolist() == [[1, 0, 1]]
    nan = np.full(3, np.nan, dtype="<f4").tobytes()
    with closing(sqlite3.connect(tmp_path / "c.sqlite")) as db, db:
        db.execute("UPDATE vectors SET vector = ?", (nan,))
    assert cache.embed(model, ["a"], "document").tolist() == [[1, 0, 1]]
    cache.close()


def test_nothing_asked(tmp_path: Path) -> None:
    """No text is an empty matrix of the right width."""
    cache = EmbeddingCache(tmp_path / "c.sqlite")
    assert cache.embed(Counting(), [], "document").shape == (0, 3)
    cache.close()


def test_many_at_once(tmp_path: Path) -> None:
    """Writers wait for each other; all vectors arrive."""

    def fill(worker: int) -> None:
        cache = EmbeddingCache(tmp_path / "c.sqlite")
        cache.embed(Counting(), [f"{worker} {i}" for i in range(50)], "document")
        cache.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(fill, range(8)))
    cache = EmbeddingCache(tmp_path / "c.sqlite")
    assert len(cache) == 400
    cache.close()


def test_no_cache(tmp_path: Path) -> None:
    """A file that is none is not overwritten; the message says what to do."""
    file = tmp_path / "c.sqlite"
    file.write_bytes(b"these are my notes, not a database" * 100)
    with pytest.raises(StateError, match="cannot be used"):
        EmbeddingCache(file)
    assert file.read_bytes().startswith(b"these are my notes")
