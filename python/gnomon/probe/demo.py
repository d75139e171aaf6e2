"""The demo: a collection made of gnomon's own documentation, embedded here by two small models."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from gnomon.embedding.offline import (
    OneSidedModel,
    UniversalSentenceEmbedder,
    WordLlamaEmbedder,
)
from gnomon.errors import StateError
from gnomon.kernels import default_threads
from gnomon.probe.files import ProbeFiles, collection_files
from gnomon.sources import atomic_write, read_corpus, read_queries
from gnomon.sources.files import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from gnomon.types import Progress

OLD, NEW = "wordllama-256", "use-multilingual-v3"
_PACKAGED = resources.files("gnomon") / "data" / "demo"
_TEXTS = ("corpus.jsonl", "queries.jsonl", "qrels.tsv")
_BATCH = 32


def make_demo_collection(folder: Path, *, progress: Progress) -> ProbeFiles:
    """Write the collection and its vectors into ``folder`` and return its files.

    The text ships inside the package; nothing is fetched. Both models are real ones that carry
    their weights in a package of the extra ``demo``. Nothing is written before all is embedded, so
    that texts and vectors in the folder always belong together.

    Raises
    ------
    MissingDependencyError
        The extra is not installed.
    StateError
        The folder holds another collection, which would be overwritten.
    """
    _refuse_another_collection(folder)
    models: dict[str, OneSidedModel] = {
        OLD: WordLlamaEmbedder(),
        NEW: UniversalSentenceEmbedder(threads=default_threads()),
    }
    (folder / "emb").mkdir(parents=True, exist_ok=True)
    vectors = _embedded(models, progress)
    for name in _TEXTS:
        with atomic_write(folder / name) as file:
            file.write((_PACKAGED / name).read_bytes())
    for name, array in vectors.items():
        with atomic_write(folder / "emb" / f"{name}.npy") as file:
            np.save(file, array, allow_pickle=False)
    for tag, model in models.items():
        with atomic_write(folder / "emb" / f"{tag}.json") as file:
            file.write(_description(model))
    return collection_files(folder, OLD, NEW)


def _refuse_another_collection(folder: Path) -> None:
    # An older version's demo begins with the same passage, whatever else has changed since.
    with (_PACKAGED / "corpus.jsonl").open("rb") as packaged:
        first_id = packaged.read(200).split(b",")[0]
    for name in _TEXTS:
        if not (folder / name).exists():
            continue
        corpus = folder / "corpus.jsonl"
        if not corpus.is_file() or not _starts_with(corpus, first_id):
            raise StateError(
                f"{shown(folder)}: holds a {name} that is not the demo's, and the demo would "
                "overwrite it; name a new folder with --out"
            )


def _starts_with(path: Path, start: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(start)) == start


def _packaged_texts() -> dict[str, list[str]]:
    """Return the passages as ``corpus`` and the questions as ``queries``, as they are embedded."""
    with resources.as_file(_PACKAGED / "corpus.jsonl") as path:
        passages = [document.passage for document in read_corpus(path).documents()]
    with resources.as_file(_PACKAGED / "queries.jsonl") as path:
        questions = list(read_queries(path).texts)
    return {"corpus": passages, "queries": questions}


def _embedded(
    models: dict[str, OneSidedModel], progress: Progress
) -> dict[str, NDArray[np.float32]]:
    """Return the vectors by the stem of their file, such as ``wordllama-256.corpus``."""
    texts = _packaged_texts()
    total = len(models) * sum(map(len, texts.values()))
    done = 0

    def advance(by: int) -> None:
        nonlocal done
        done += by
        progress(done, total)

    return {
        f"{tag}.{part}": _vectors(model, texts[part], advance)
        for tag, model in models.items()
        for part in texts
    }


def _vectors(
    model: OneSidedModel, texts: Sequence[str], advance: Callable[[int], None]
) -> NDArray[np.float32]:
    blocks = []
    for start in range(0, len(texts), _BATCH):
        blocks.append(model.embed(texts[start : start + _BATCH]))
        advance(len(blocks[-1]))
    return np.concatenate(blocks)


def _description(model: OneSidedModel) -> bytes:
    profile = model.profile
    return json.dumps({"model": profile.id, "dim": profile.dim, "normalised": True}).encode()
