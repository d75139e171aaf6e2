"""The demo: a collection made of gnomon's own documentation, embedded here by two small models."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from gnomon.embedding.embedders import Embedder, UniversalSentenceEmbedder, WordLlamaEmbedder
from gnomon.kernels import default_threads
from gnomon.probe.files import ProbeFiles, collection_files
from gnomon.sources import atomic_write, read_corpus, read_queries

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from gnomon.types import Progress

OLD, NEW = "wordllama-256", "use-multilingual-v3"
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
    """
    models: dict[str, Embedder] = {
        OLD: WordLlamaEmbedder(),
        NEW: UniversalSentenceEmbedder(threads=default_threads()),
    }
    (folder / "emb").mkdir(parents=True, exist_ok=True)
    vectors = _embedded(models, progress)
    packaged = resources.files("gnomon") / "data" / "demo"
    for name in _TEXTS:
        with atomic_write(folder / name) as file:
            file.write((packaged / name).read_bytes())
    for name, array in vectors.items():
        with atomic_write(folder / "emb" / f"{name}.npy") as file:
            np.save(file, array, allow_pickle=False)
    for tag, model in models.items():
        with atomic_write(folder / "emb" / f"{tag}.json") as file:
            file.write(_description(model))
    return collection_files(folder, OLD, NEW)


def _packaged_texts() -> dict[str, list[str]]:
    """Return the passages as ``corpus`` and the questions as ``queries``, as they are embedded."""
    packaged = resources.files("gnomon") / "data" / "demo"
    with resources.as_file(packaged / "corpus.jsonl") as path:
        passages = [document.passage for document in read_corpus(path).documents()]
    with resources.as_file(packaged / "queries.jsonl") as path:
        questions = list(read_queries(path).texts)
    return {"corpus": passages, "queries": questions}


def _embedded(models: dict[str, Embedder], progress: Progress) -> dict[str, NDArray[np.float32]]:
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
    model: Embedder, texts: Sequence[str], advance: Callable[[int], None]
) -> NDArray[np.float32]:
    blocks = []
    for start in range(0, len(texts), _BATCH):
        blocks.append(model.embed(texts[start : start + _BATCH]))
        advance(len(blocks[-1]))
    return np.concatenate(blocks)


def _description(model: Embedder) -> bytes:
    profile = model.profile
    return json.dumps({"model": profile.id, "dim": profile.dim, "normalised": True}).encode()
