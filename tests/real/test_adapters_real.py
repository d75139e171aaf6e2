"""The adapters on real collections: recall@10 of bridged queries over the old index."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from gnomon import kernels
from gnomon.adapters import ADAPTERS, Bridge, FitContext, adapter_named
from gnomon.adapters.kmeans import fit_clusters
from gnomon.embedding import Profile, missing_prefix_warnings
from gnomon.errors import NotMeasuredError
from tests.reference import adapters as reference
from tests.reference.probe import draw

F32 = NDArray[np.float32]
WORDLLAMA, MINILM, GLOVE, USE = (
    "wordllama-256",
    "all-minilm-l6-v2",
    "glove-6b-50d",
    "use-multilingual-v3",
)
# collection, old, new, recall@10 of a centred Procrustes on all documents, on unjudged ones
MEASURED = [
    ("cranfield", WORDLLAMA, MINILM, 0.3796, None),
    ("cranfield", GLOVE, WORDLLAMA, 0.1390, None),
    ("cranfield", MINILM, "sre-minilm", 0.3280, None),
    ("medline", GLOVE, MINILM, 0.2425, None),
    ("mtrag", WORDLLAMA, MINILM, 0.7932, None),
    ("mtrag", WORDLLAMA, USE, 0.7280, None),
    ("scifact", WORDLLAMA, MINILM, 0.5635, 0.5059),
]


def vectors(folder: Path, model: str, part: str) -> F32:
    """Return stored vectors as normalised float32 rows."""
    return kernels.normalize(np.load(folder / "emb" / f"{model}.{part}.npy").astype(np.float32))


def identifiers(folder: Path, part: str) -> dict[str, int]:
    """Return the row of each id of a JSONL file."""
    path = folder / f"{part}.jsonl"
    packed = path.with_name(f"{path.name}.gz")
    text = path.read_bytes() if path.exists() else gzip.decompress(packed.read_bytes())
    return {json.loads(line)["_id"]: row for row, line in enumerate(text.splitlines())}


def relevant_rows(folder: Path) -> dict[int, set[int]]:
    """Return the relevant document rows of each judged query row."""
    docs, queries = identifiers(folder, "corpus"), identifiers(folder, "queries")
    relevant: dict[int, set[int]] = defaultdict(set)
    for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
        query, doc, gain = line.split("\t")
        if int(gain) >= 1 and doc in docs:
            relevant[queries[query]].add(docs[doc])
    return relevant


def mean_recall(queries: F32, docs: F32, relevant: dict[int, set[int]], k: int = 10) -> float:
    """Return mean recall@k by plain NumPy: exact cosine, ties by row."""
    scores = (queries.astype(np.float64) @ docs.astype(np.float64).T).astype(np.float32)

    def rank(query: int, row: int) -> int:
        own = scores[query, row]
        return int((scores[query] > own).sum() + (scores[query, :row] == own).sum()) + 1

    recalls = [
        sum(rank(query, row) <= k for row in rows) / len(rows) for query, rows in relevant.items()
    ]
    return float(np.mean(recalls))


def drawn_pairs(n: int, among: list[int]) -> NDArray[np.int64]:
    """Return the rows of 4,000 pairs, or of all."""
    return np.array(draw(0, 1, among, min(4000, n)))


@pytest.mark.parametrize(("collection", "old", "new", "seen", "unseen"), MEASURED)
def test_procrustes_has_the_measured_recall(
    shared_data: Path, collection: str, old: str, new: str, seen: float, unseen: float | None
) -> None:
    """Recall@10 is that of an independent float64 computation, within 0.002."""
    folder = shared_data / collection
    relevant = relevant_rows(folder)
    old_docs, new_docs = vectors(folder, old, "corpus"), vectors(folder, new, "corpus")
    queries = vectors(folder, new, "queries")
    n = len(old_docs)
    judged = set().union(*relevant.values())
    for expected, among in ((seen, range(n)), (unseen, sorted(set(range(n)) - judged))):
        if expected is None:
            continue
        rows = drawn_pairs(n, list(among))
        fitted = adapter_named("procrustes").fit(new_docs[rows], old_docs[rows], seed=0)
        images = fitted.apply(queries)
        assert abs(mean_recall(images, old_docs, relevant) - expected) <= 0.002
        plain = reference.procrustes(new_docs[rows].astype(float), old_docs[rows].astype(float))
        np.testing.assert_allclose(
            images, reference.images(plain, queries.astype(float)), atol=2e-6
        )


def test_every_adapter_but_the_identity_finds_something(shared_data: Path) -> None:
    """On scifact, fitted on unjudged documents, each keeps a third of the oracle's recall (P01)."""
    folder = shared_data / "scifact"
    relevant = relevant_rows(folder)
    old_docs, new_docs = vectors(folder, WORDLLAMA, "corpus"), vectors(folder, MINILM, "corpus")
    queries = vectors(folder, MINILM, "queries")
    unjudged = sorted(set(range(len(old_docs))) - set().union(*relevant.values()))
    rows = drawn_pairs(len(old_docs), unjudged)
    labels = fit_clusters(old_docs, seed=0).assign(old_docs[rows])
    context = FitContext.of(
        new_docs[rows], old_docs[rows], seed=0, rows=rows, cluster_labels=labels
    )
    oracle = mean_recall(queries, new_docs, relevant)
    for adapter in ADAPTERS:
        images = adapter.fit_context(context).apply(queries)
        kept = mean_recall(images, old_docs, relevant) / oracle
        assert kept < 0.01 if adapter.name == "identity" else kept > 1 / 3, adapter.name


def test_a_small_collection_has_too_few_pairs_for_clusters(shared_data: Path) -> None:
    """82 documents of 256 dimensions: global adapters only, and they say `few_pairs`."""
    folder = shared_data / "adi"
    old_docs, new_docs = vectors(folder, WORDLLAMA, "corpus"), vectors(folder, MINILM, "corpus")
    labels = fit_clusters(old_docs, seed=0).assign(old_docs)
    context = FitContext.of(new_docs, old_docs, seed=0, cluster_labels=labels)
    assert adapter_named("procrustes").fit_context(context).few_pairs
    with pytest.raises(NotMeasuredError, match="82 pairs"):
        adapter_named("per_cluster").fit_context(context)


def test_a_bridge_is_saved_and_served(shared_data: Path, tmp_path: Path) -> None:
    """Profiles come from the files beside the vectors; serving gives the measured bits."""
    folder = shared_data / "cranfield"
    old_docs, new_docs = vectors(folder, WORDLLAMA, "corpus"), vectors(folder, MINILM, "corpus")
    profiles = [
        Profile.from_embedding_info(json.loads((folder / "emb" / f"{model}.json").read_text()))
        for model in (MINILM, WORDLLAMA)
    ]
    adapter = adapter_named("procrustes").fit(new_docs, old_docs, seed=0)
    Bridge(adapter, *profiles, usable_documents=len(old_docs)).save(tmp_path / "bridge")
    bridge = Bridge.load(tmp_path / "bridge", query_profile=profiles[0], index_profile=profiles[1])
    stored = np.load(folder / "emb" / f"{MINILM}.queries.npy")
    expected = adapter.apply(kernels.normalize(stored.astype(np.float32)))
    assert np.array_equal(bridge.to_index_space(stored), expected)


def test_a_model_that_needs_prefixes_is_recognised(shared_data: Path) -> None:
    """The stored E5 vectors come with no recorded prefix, so both sides are warned of (P04)."""
    info = json.loads((shared_data / "cranfield" / "emb" / "e5-small-q4.json").read_text())
    assert len(missing_prefix_warnings(Profile.from_embedding_info(info))) == 2
