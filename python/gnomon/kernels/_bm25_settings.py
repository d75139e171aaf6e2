"""The settings of a BM25 index: what is accepted, and what its file says of the analyzer."""

from __future__ import annotations

import json

import rfc8785

from gnomon.errors import IndexFileError, UsageError
from gnomon.kernels.analyzer import Analyzer

SCHEMA = "gnomon.bm25/1"
VARIANTS = ("lucene", "robertson", "atire", "bm25+", "bm25l")  # numbered as in the core
DELTAS = {"bm25+": 1.0, "bm25l": 0.5}
_LARGEST = 1e6


def checked_settings(
    variant: str, k1: float, b: float, delta: float | None
) -> tuple[int, float, float, float]:
    """Return the variant's number, k1, b and delta, or raise `UsageError`."""
    if variant not in VARIANTS:
        raise UsageError(f"variant is {variant!r}; expected one of: {', '.join(VARIANTS)}")
    if delta is not None and variant not in DELTAS:
        raise UsageError(
            f"delta is {delta!r}, but variant {variant!r} has none; it belongs to "
            f"{' and '.join(DELTAS)}"
        )
    return (
        VARIANTS.index(variant),
        _in_range(k1, "k1", _LARGEST),
        _in_range(b, "b", 1.0),
        _in_range(DELTAS.get(variant, 0.0) if delta is None else delta, "delta", _LARGEST),
    )


def _in_range(value: float, name: str, largest: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise UsageError(f"{name} is {value!r}; expected a number") from None
    if isinstance(value, str | bool) or not 0.0 <= number <= largest:
        raise UsageError(f"{name} is {value!r}; expected a number from 0 to {largest:g}")
    return number + 0.0  # -0.0 is 0.0


def note_of(analyzer: Analyzer | None) -> str:
    """Return what an index file says of its analyzer, as canonical JSON."""
    described = None if analyzer is None else analyzer.describe()
    return rfc8785.dumps({"schema": SCHEMA, "analyzer": described}).decode()


def analyzer_of(note: str, name: str) -> Analyzer | None:
    """Return the analyzer of which the index file called ``name`` says ``note``."""
    try:
        recorded = json.loads(note)
        schema, described = recorded["schema"], recorded["analyzer"]
    except (ValueError, TypeError, KeyError):
        schema = described = None
    if schema != SCHEMA:
        raise IndexFileError(f"{name} says nothing of its analyzer; build the index again")
    return None if described is None else Analyzer.from_description(described)
