"""gnomon measures retrieval and answers with a decision."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnomon import metrics
    from gnomon.adapters.bridge import Bridge
    from gnomon.embedding.profile import Profile
    from gnomon.kernels import Hits, NamedHits, TopK, VectorIndex, normalize, topk, topk_hits
    from gnomon.kernels.analyzer import Analyzer, analyze
    from gnomon.kernels.bm25_index import BM25Index
    from gnomon.kernels.mmr import mmr, mmr_grid
    from gnomon.kernels.rrf import rrf
    from gnomon.retrieval.index import Index

__all__ = [
    "Analyzer",
    "BM25Index",
    "Bridge",
    "Hits",
    "Index",
    "NamedHits",
    "Profile",
    "TopK",
    "VectorIndex",
    "analyze",
    "metrics",
    "mmr",
    "mmr_grid",
    "normalize",
    "rrf",
    "topk",
    "topk_hits",
]

# Where each public name lives; its module is imported when the name is first used, so that
# `import gnomon` stays cheap.
_HOMES = {
    "Analyzer": "gnomon.kernels.analyzer",
    "BM25Index": "gnomon.kernels.bm25_index",
    "Bridge": "gnomon.adapters.bridge",
    "Index": "gnomon.retrieval.index",
    "Profile": "gnomon.embedding.profile",
    "analyze": "gnomon.kernels.analyzer",
    "normalize": "gnomon.kernels",
    "Hits": "gnomon.kernels",
    "NamedHits": "gnomon.kernels",
    "TopK": "gnomon.kernels",
    "VectorIndex": "gnomon.kernels",
    "mmr": "gnomon.kernels",
    "mmr_grid": "gnomon.kernels",
    "rrf": "gnomon.kernels",
    "topk": "gnomon.kernels",
    "topk_hits": "gnomon.kernels",
}
# Public modules that `gnomon` offers as attributes.
_MODULES = {"metrics"}


def __getattr__(name: str) -> Any:
    """Return a public name from the module that defines it."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415  # costs more than all the rest

        return version("gnomon")
    if name in _MODULES:
        return import_module(f"gnomon.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'gnomon' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
