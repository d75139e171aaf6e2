"""Embedding models behind an endpoint: OpenAI's form, which many services speak, and Ollama's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gnomon.embedding.profile import Profile
from gnomon.errors import EndpointError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from gnomon.embedding.endpoint import JsonEndpoint

OPENAI_HOST: Final = "https://api.openai.com/v1"
OLLAMA_HOST: Final = "http://127.0.0.1:11434"
# Services limit the texts and the tokens of one request; these stay under the known limits.
BATCH_TEXTS: Final = 128
BATCH_BYTES: Final = 256 << 10
_FIRST_TEXT: Final = "gnomon"


class RemoteEmbedder:
    """Asks a service for vectors, some texts at a time.

    The width is learnt from one short request when the object is made; every later answer must have
    it.

    Parameters
    ----------
    profile
        What is known of the model; its width and, where the service tells one, its revision are
        filled in.
    ask
        Returns the vectors of some texts, in order, as the service sent them.
    where
        The address, for messages.
    """

    def __init__(
        self,
        profile: Profile,
        ask: Callable[[Sequence[str]], list[Any]],
        *,
        where: str,
    ) -> None:
        self._ask, self._where = ask, where
        (vector,) = self._checked(ask([_FIRST_TEXT]), [_FIRST_TEXT], dim=None)
        self.profile = replace(profile, dim=len(vector))

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32[n, dim], the profile's document prefix put in front of each text."""
        return self._embed([self.profile.document_prefix + text for text in texts])

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32[n, dim], the profile's query prefix put in front of each text."""
        return self._embed([self.profile.query_prefix + text for text in texts])

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.empty((len(texts), self.profile.dim), dtype=np.float32)
        for first, end in _batches(texts):
            batch = texts[first:end]
            answer = self._ask(batch)
            vectors[first:end] = self._checked(answer, batch, dim=self.profile.dim)
        return vectors

    def _checked(
        self, answer: list[Any], texts: Sequence[str], *, dim: int | None
    ) -> NDArray[np.float32]:
        if len(answer) != len(texts):
            raise EndpointError(
                f"{self._where}: answers {len(answer)} vectors for {len(texts)} texts; the batch "
                "is short, and no vector can be told from another"
            )
        try:
            vectors = np.array(answer, dtype=np.float32)
        except (TypeError, ValueError, OverflowError):
            raise EndpointError(
                f"{self._where}: the vectors are no lists of numbers of one length"
            ) from None
        if vectors.ndim != 2 or vectors.shape[1] == 0 or (dim and vectors.shape[1] != dim):
            expected = f"{dim} numbers a text" if dim else "a list of numbers a text"
            raise EndpointError(
                f"{self._where}: the vectors have the shape {list(vectors.shape)}; expected "
                f"{expected}. Is it the same model?"
            )
        bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
        if len(bad):
            raise EndpointError(
                f"{self._where}: the vector of text {int(bad[0])} of the batch holds NaN or "
                "infinity"
            )
        return vectors


def openai_embedder(
    endpoint: JsonEndpoint, model: str, *, query_prefix: str = "", document_prefix: str = ""
) -> RemoteEmbedder:
    """Return a model behind an endpoint of OpenAI's form (``POST /embeddings``).

    Raises
    ------
    EndpointError
        When the service cannot be asked or does not answer vectors.
    """
    where = f"{endpoint.host.url}/embeddings"

    def ask(texts: Sequence[str]) -> list[Any]:
        body = {"model": model, "input": list(texts), "encoding_format": "float"}
        rows = _list_of(endpoint.post("embeddings", body), "data", where)
        if not all(isinstance(row, dict) for row in rows):
            raise EndpointError(f"{where}: 'data' holds something else than objects")
        order = [row.get("index", at) for at, row in enumerate(rows)]
        if sorted(order, key=str) != sorted(range(len(rows)), key=str):
            raise EndpointError(f"{where}: the answer numbers its vectors {order[:10]}")
        vectors: list[Any] = [None] * len(rows)
        for at, row in zip(order, rows, strict=True):
            vectors[at] = row.get("embedding")
        return vectors

    profile = Profile(f"openai/{model}", 1, query_prefix, document_prefix)
    return RemoteEmbedder(profile, ask, where=where)


def ollama_embedder(
    endpoint: JsonEndpoint, model: str, *, query_prefix: str = "", document_prefix: str = ""
) -> RemoteEmbedder:
    """Return a model that Ollama serves (``POST /api/embed``); its digest is the revision.

    Raises
    ------
    EndpointError
        When the service cannot be asked, does not have the model, or does not answer vectors.
    """
    where = f"{endpoint.host.url}/api/embed"

    def ask(texts: Sequence[str]) -> list[Any]:
        answer = endpoint.post("api/embed", {"model": model, "input": list(texts)})
        return _list_of(answer, "embeddings", where)

    models = _list_of(endpoint.get("api/tags"), "models", f"{endpoint.host.url}/api/tags")
    named = {m.get("name"): m.get("digest") for m in models if isinstance(m, dict)}
    digest = named.get(model, named.get(f"{model}:latest"))
    if digest is None:
        known = ", ".join(sorted(str(name) for name in named)) or "none"
        raise EndpointError(
            f"{endpoint.host.url}: has no model {model!r} (it has {known}); "
            f"run: ollama pull {model}"
        )
    profile = Profile(f"ollama/{model}", 1, query_prefix, document_prefix, revision=str(digest))
    return RemoteEmbedder(profile, ask, where=where)


def _list_of(answer: dict[str, Any], name: str, where: str) -> list[Any]:
    value = answer.get(name)
    if not isinstance(value, list):
        found = ", ".join(sorted(answer)[:8]) or "nothing"
        raise EndpointError(f"{where}: the answer has no list {name!r}; found {found}")
    return value


def _batches(texts: Sequence[str]) -> list[tuple[int, int]]:
    batches, first, size = [], 0, 0
    for at, text in enumerate(texts):
        length = len(text.encode())
        if at > first and (at - first == BATCH_TEXTS or size + length > BATCH_BYTES):
            batches.append((first, at))
            first, size = at, 0
        size += length
    if texts:
        batches.append((first, len(texts)))
    return batches
