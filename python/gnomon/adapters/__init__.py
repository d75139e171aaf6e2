"""Maps from the space of a new embedding model to the space of an old one."""

from gnomon.adapters.base import FittedAdapter
from gnomon.adapters.bridge import Bridge
from gnomon.adapters.pairs import FitContext, PairStatistics
from gnomon.adapters.registry import ADAPTER_NAMES, ADAPTERS, Adapter, adapter_named
from gnomon.adapters.storage import from_bytes, to_bytes

__all__ = [
    "ADAPTERS",
    "ADAPTER_NAMES",
    "Adapter",
    "Bridge",
    "FitContext",
    "FittedAdapter",
    "PairStatistics",
    "adapter_named",
    "from_bytes",
    "to_bytes",
]
