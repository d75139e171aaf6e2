"""The exact top-k on real embeddings, and on a real file larger than 32-bit offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon import kernels
from tests.reference import cosine as reference

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

COLLECTIONS = [
    ("cranfield", "all-minilm-l6-v2"),
    ("cranfield", "glove-6b-50d"),
    ("scifact", "wordllama-256"),
    ("mtrag", "use-multilingual-v3"),
    ("adi", "all-mpnet-base-v2"),
]


def embeddings(shared_data: Path, collection: str, model: str, part: str) -> NDArray[np.float16]:
    """Return a stored matrix, memory-mapped."""
    file = shared_data / collection / "emb" / f"{model}.{part}.npy"
    return np.load(file, mmap_mode="r")


@pytest.mark.parametrize(("collection", "model"), COLLECTIONS)
def test_real_embeddings(
    shared_data: Path,
    collection: str,
    model: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every instruction set and every kind of index finds what the definition finds."""
    docs = embeddings(shared_data, collection, model, "corpus")
    queries = embeddings(shared_data, collection, model, "queries")[:60]
    expected = reference.top_k(queries, docs, 100)
    ids = np.array([row.ids for row in expected])
    bits = np.array([row.scores for row in expected]).view(np.uint32)
    kernels.VectorIndex(docs).save(tmp_path / "index")
    for isa in kernels.runnable_isas():
        monkeypatch.setenv("GNOMON_ISA", isa)
        index = kernels.VectorIndex.open(tmp_path / "index")
        for threads in (1, 2, 7):
            for found in (
                kernels.topk(queries, docs, 100, threads=threads),
                kernels.topk(queries.astype(np.float32), np.asfortranarray(docs), 100),
                index.search(queries, 100, threads=threads),
            ):
                assert np.array_equal(found.ids, ids)
                assert np.array_equal(found.scores.view(np.uint32), bits)


def test_a_sparse_file_of_more_than_two_to_the_31_elements(tmp_path: Path) -> None:
    """A memory-mapped file of 2,796,203 x 768 float32: the last row is found with 1.0."""
    file, shape = tmp_path / "sparse.raw", (2_796_203, 768)
    docs = np.memmap(file, np.float32, mode="w+", shape=shape)
    docs[-1], docs[-2] = 1, -1
    docs.flush()
    try:
        mapped = np.memmap(file, np.float32, mode="r", shape=shape)
        found = kernels.topk(mapped[-1], mapped, 3)
    finally:
        file.unlink()
    assert found.ids.tolist() == [[2_796_202, 0, 1]]
    assert found.scores.tolist() == [[1, 0, 0]]
