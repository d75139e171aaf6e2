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
    from collections.abc import Sequence
    from pathlib import Path

    from gnomon.types import Progress

OLD, NEW = "use-multilingual-v3", "wordllama-256"
_FILES = ("corpus.jsonl", "queries.jsonl", "qrels.tsv")
_BATCH = 32


def make_demo_collection(folder: Path, *, progress: Progress) -> ProbeFiles:
    """Write the collection and its vectors into ``folder`` and return its files.

    The text ships inside the package; nothing is fetched. Both models are real ones that carry
    their weights in a package of the extra ``demo``.

    Raises
    ------
    MissingDependencyError
        The extra is not installed.
    """
    models: dict[str, Embedder] = {
        OLD: UniversalSentenceEmbedder(threads=default_threads()),
        NEW: WordLlamaEmbedder(),
    }
    (folder / "emb").mkdir(parents=True, exist_ok=True)
    packaged = resources.files("gnomon") / "data" / "demo"
    for name in _FILES:
        with atomic_write(folder / name) as file:
            file.write((packaged / name).read_bytes())
    documents = [one.passage for one in read_corpus(folder / "corpus.jsonl").documents()]
    questions = read_queries(folder / "queries.jsonl").texts
    total = len(models) * (len(documents) + len(questions))
    done = 0
    for tag, model in models.items():
        for part, texts in (("corpus", documents), ("queries", list(questions))):
            blocks = []
            for start in range(0, len(texts), _BATCH):
                blocks.append(model.embed(texts[start : start + _BATCH]))
                done += len(blocks[-1])
                progress(done, total)
            _save(folder / "emb" / f"{tag}.{part}.npy", blocks)
        _describe(folder / "emb" / f"{tag}.json", model)
    return collection_files(folder, OLD, NEW)


def _save(path: Path, blocks: Sequence[np.ndarray]) -> None:
    with atomic_write(path) as file:
        np.save(file, np.concatenate(blocks), allow_pickle=False)


def _describe(path: Path, model: Embedder) -> None:
    profile = model.profile
    with atomic_write(path) as file:
        file.write(
            json.dumps({"model": profile.id, "dim": profile.dim, "normalised": True}).encode()
        )
