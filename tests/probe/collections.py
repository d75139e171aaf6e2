"""Small collections with structure, as arrays and as files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.embedding.profile import Profile
from gnomon.probe.inputs import ProbeInputs, QueryLog
from gnomon.probe.ranks import Relevance

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Collection:
    """Vectors of two models over one latent space, and judgements.

    ``judged[q]`` maps the rows of the relevant documents of query q to their gains.
    """

    old_docs: NDArray[np.float32]
    new_docs: NDArray[np.float32]
    old_queries: NDArray[np.float32]
    new_queries: NDArray[np.float32]
    judged: list[dict[int, int]]

    @property
    def doc_ids(self) -> list[str]:
        """One id for each document."""
        return [f"d{row}" for row in range(len(self.old_docs))]

    @property
    def query_ids(self) -> list[str]:
        """One id for each query."""
        return [f"q{row}" for row in range(len(self.old_queries))]


def make_collection(
    n: int = 400, q: int = 60, d_old: int = 24, d_new: int = 32, seed: int = 5
) -> Collection:
    """Return a collection in which the new model is clearly better."""
    rng = np.random.default_rng(seed)
    latent, asked = rng.standard_normal((n, 12)), rng.integers(0, n, q)
    questions = latent[asked] + 0.5 * rng.standard_normal((q, 12))
    old_map, new_map = rng.standard_normal((12, d_old)), rng.standard_normal((12, d_new))

    def seen(points: Any, view: Any, noise: float) -> NDArray[np.float32]:
        image = points @ view + noise * rng.standard_normal((len(points), view.shape[1]))
        return image.astype(np.float32)

    judged = []
    for row in asked.tolist():
        distances = np.linalg.norm(latent - latent[row], axis=1)
        near = np.argsort(distances, kind="stable")[:3].tolist()
        judged.append({near[0]: 2, near[1]: 1, near[2]: 1})
    return Collection(
        old_docs=seen(latent, old_map, 2.0),
        new_docs=seen(latent, new_map, 0.5),
        old_queries=seen(questions, old_map, 2.0),
        new_queries=seen(questions, new_map, 0.5),
        judged=judged,
    )


def inputs_of(made: Collection, **changes: Any) -> ProbeInputs:
    """Return the collection as the probe takes it."""
    lengths = [len(one) for one in made.judged]
    relevance = Relevance(
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        rows=np.array([row for one in made.judged for row in sorted(one)], dtype=np.int64),
        gains=np.array([one[row] for one in made.judged for row in sorted(one)], dtype=np.int64),
    )
    log = QueryLog(
        old=made.old_queries,
        new=made.new_queries,
        ids=made.query_ids,
        rows=np.arange(len(made.judged), dtype=np.int64),
        relevance=relevance,
    )
    fields: dict[str, Any] = {
        "old_docs": made.old_docs,
        "new_docs": made.new_docs,
        "log": log,
        "has_text": True,
        "old_profile": Profile("old", made.old_docs.shape[1]),
        "new_profile": Profile("new", made.new_docs.shape[1]),
    }
    return ProbeInputs(**fields | changes)


def write_collection(made: Collection, folder: Path) -> Path:
    """Write the collection in the BEIR layout and return its folder."""
    (folder / "emb").mkdir(parents=True)
    for name in ("old", "new"):
        np.save(folder / "emb" / f"{name}.corpus.npy", getattr(made, f"{name}_docs"))
        np.save(folder / "emb" / f"{name}.queries.npy", getattr(made, f"{name}_queries"))
    lines = [json.dumps({"_id": name, "title": "", "text": "text"}) for name in made.doc_ids]
    (folder / "corpus.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    lines = [json.dumps({"_id": name, "text": "text"}) for name in made.query_ids]
    (folder / "queries.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = [
        f"{query}\td{row}\t{gain}"
        for query, one in zip(made.query_ids, made.judged, strict=True)
        for row, gain in one.items()
    ]
    text = "query-id\tcorpus-id\tscore\n" + "\n".join(rows) + "\n"
    (folder / "qrels.tsv").write_text(text, encoding="utf-8")
    return folder
