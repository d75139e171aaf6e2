"""Models of sentence-transformers, run on this machine."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gnomon.embedding.profile import Profile
from gnomon.errors import InvalidInputError, MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_BATCH: Final = 32
# As models name their prompts, in the order in which the package looks for them.
_QUERY: Final = ("query",)
_DOCUMENT: Final = ("document", "passage", "corpus")


class TransformerEmbedder:
    """A sentence-transformers model, from its name or a folder.

    A model in a folder is known by the folder's name and the sha256 of its files, not by where it
    lies. The prompts that a model's own configuration has for queries and documents are its
    prefixes.

    Parameters
    ----------
    model
        Name or path, as the package takes it. A name that is not in the package's own cache makes
        the package fetch it; a path does not.
    query_prefix, document_prefix
        Put in front of each text; None for the model's own.

    Raises
    ------
    MissingDependencyError
        The package ``sentence-transformers`` is not installed.
    InvalidInputError
        The package cannot load the model.
    """

    def __init__(
        self,
        model: str,
        *,
        query_prefix: str | None = None,
        document_prefix: str | None = None,
    ) -> None:
        module = _sentence_transformers()
        try:
            self._model = module.SentenceTransformer(model, device="cpu")
        except (OSError, ValueError, RuntimeError) as error:
            first_line = str(error).partition("\n")[0]
            raise InvalidInputError(
                f"sentence-transformers cannot load {model!r}: {first_line}"
            ) from error
        name, revision = _identity(model)
        prompts = dict(getattr(self._model, "prompts", None) or {})
        self.profile = Profile(
            f"sentence-transformers/{name}",
            _width(self._model),
            _prompt(prompts, _QUERY) if query_prefix is None else query_prefix,
            _prompt(prompts, _DOCUMENT) if document_prefix is None else document_prefix,
            "unknown",
            revision,
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
            texts,
            prompt="",  # the prefix stands before the text already; a default must not come twice
            batch_size=_BATCH,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return np.asarray(vectors, dtype=np.float32)


def _identity(model: str) -> tuple[str, str | None]:
    """Return the name of a model, and the sha256 of its files where they lie in a folder."""
    folder = Path(model)
    if not folder.is_dir():
        return model, None
    digest = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        digest.update(f"{path.relative_to(folder).as_posix()} {found}\n".encode())
    return folder.resolve().name, digest.hexdigest()


def _width(model: Any) -> int:
    # Renamed in version 5 of the package; the old name warns.
    width = getattr(model, "get_embedding_dimension", None)
    return int((width or model.get_sentence_embedding_dimension)())


def _prompt(prompts: Mapping[str, str], names: Sequence[str]) -> str:
    return next((prompts[name] for name in names if prompts.get(name)), "")


def _sentence_transformers() -> Any:
    try:
        import sentence_transformers  # noqa: PLC0415  # an extra, and slow to import
    except ImportError as error:
        raise MissingDependencyError(
            f"st: needs sentence-transformers ({error}); "
            "run: pip install 'gnomon[sentence-transformers]'"
        ) from error
    return sentence_transformers
