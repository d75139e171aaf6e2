"""A small set of pages and an embedder made to order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.embedding.profile import Profile
from gnomon.kernels import Analyzer
from gnomon.retrieval.build import Built, Plan, build_index, read_source

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from gnomon.embedding.embedder import Embedder

PAGES = {
    "index.md": "# Welcome\n\nA sundial service with keys and an audit trail.",
    "guide/keys.md": (
        "# Keys\n\nA key opens the backend.\n\n## Rotate\n\nRotate a key every day.\n\n"
        "## Revoke\n\nA revoked key opens nothing, for backend calls and for the console."
    ),
    "guide/calls.md": (
        "# Calls\n\nEvery call is signed with a key.\n\n## Timeouts\n\n"
        "A backend call times out after ten seconds.\n\n## Retries\n\nA call is retried twice."
    ),
    "admin/audit.md": "# Audit\n\nThe trail lists every call.\n\n## Export\n\nExport it as CSV.",
}
SUBJECTS = ("key", "call", "audit", "sundial")


class SubjectEmbedder:
    """An embedder that knows four subjects and a little of everything else."""

    def __init__(self, name: str = "subjects") -> None:
        self.profile = Profile(name, len(SUBJECTS) + 1, normalisation="none")

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Count the subjects of each text."""
        rows = [[text.lower().count(s) for s in SUBJECTS] + [0.5] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.profile.dim)

    embed_questions = embed_documents


def write_pages(folder: Path, pages: dict[str, str] | None = None) -> Path:
    """Write pages below a folder and return it."""
    for name, text in (pages or PAGES).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def plan(**changes: object) -> Plan:
    """Return a plain plan, with changes."""
    values: dict[str, object] = {
        "analyzer": Analyzer(),
        "languages": ("en",),
        "dense_mode": "cosine",
        "guard_mode": "off",
        "calibration": None,
        "tuning": None,
        "config": {},
        **changes,
    }
    return Plan(**values)  # type: ignore[arg-type]


def build(docs: Path, out: Path | None, embedder: Embedder | None, **changes: object) -> Built:
    """Build an index of a folder."""
    return build_index(
        read_source(docs),
        out,
        plan(**changes),
        uri=None if embedder is None else "precomputed:test",
        embedder=embedder,
        cache=None,
        progress=lambda _done, _total: None,
    )
