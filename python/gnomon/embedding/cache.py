"""Vectors that were made before, kept on disk: the same text is not embedded twice."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from gnomon.errors import StateError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from gnomon.embedding.embedder import Embedder
    from gnomon.embedding.profile import Profile

Side = Literal["document", "question"]

_WAIT_S: Final = 60.0
_LOOK_UP: Final = 500  # SQLite takes 999 parameters in its oldest builds
_TABLE: Final = """
    CREATE TABLE IF NOT EXISTS vectors (
        profile TEXT NOT NULL, side TEXT NOT NULL, text BLOB NOT NULL, vector BLOB NOT NULL,
        PRIMARY KEY (profile, side, text)
    ) WITHOUT ROWID
"""


class EmbeddingCache:
    """A file of vectors by model, side and text; texts themselves are not kept.

    Several processes may use it at once. The side is part of the key because models put other
    prefixes before questions than before documents.

    Raises
    ------
    StateError
        When the file cannot be opened, or is no cache.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        with self._told():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self._path, timeout=_WAIT_S, check_same_thread=False)
            try:
                self._db.execute(_TABLE)
            except BaseException:
                self._db.close()
                raise

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __len__(self) -> int:
        """Return the number of vectors."""
        with self._told():
            return int(self._db.execute("SELECT count(*) FROM vectors").fetchone()[0])

    def embed(
        self, embedder: Embedder, texts: Sequence[str], side: Side, *, refresh: bool = False
    ) -> NDArray[np.float32]:
        """Return float32[n, dim]; only texts that are not known yet are embedded, each once.

        What was embedded is kept even when a later batch fails or the run is interrupted, as far
        as the embedder returned it.

        Parameters
        ----------
        refresh
            Embed all of them again and keep the new vectors.
        """
        keys = [hashlib.sha256(text.encode()).digest() for text in texts]
        known = {} if refresh else self._known(embedder.profile, side, keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        embed = embedder.embed_documents if side == "document" else embedder.embed_questions
        fresh = list(missing)
        for first in range(0, len(fresh), _LOOK_UP):
            part = fresh[first : first + _LOOK_UP]
            vectors = embed([missing[key] for key in part])
            self._keep(embedder.profile, side, part, vectors)
            known.update(zip(part, vectors, strict=True))
        if not keys:
            return np.empty((0, embedder.profile.dim), dtype=np.float32)
        return np.stack([known[key] for key in keys])

    def _known(
        self, profile: Profile, side: Side, keys: Sequence[bytes]
    ) -> dict[bytes, NDArray[np.float32]]:
        wanted, found = list(dict.fromkeys(keys)), {}
        for first in range(0, len(wanted), _LOOK_UP):
            part = wanted[first : first + _LOOK_UP]
            marks = ",".join("?" * len(part))
            query = (
                "SELECT text, vector FROM vectors WHERE profile = ? AND side = ? "
                f"AND text IN ({marks})"
            )
            with self._told():
                rows = self._db.execute(query, [profile.fingerprint, side, *part]).fetchall()
            for key, stored in rows:
                if len(stored) != 4 * profile.dim:
                    continue  # what does not fit is made anew
                vector = np.frombuffer(stored, dtype="<f4").astype(np.float32)
                if np.isfinite(vector).all():
                    found[bytes(key)] = vector
        return found

    def _keep(
        self, profile: Profile, side: Side, keys: Sequence[bytes], vectors: NDArray[np.float32]
    ) -> None:
        rows = [
            (profile.fingerprint, side, key, vector.astype("<f4").tobytes())
            for key, vector in zip(keys, vectors, strict=True)
        ]
        with self._told(), self._db:
            self._db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", rows)

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise StateError(
                f"the cache of vectors {self._path} cannot be used ({error}); remove it, or name "
                "another with --cache"
            ) from error
