"""The hash of a golden set: whether two reports measured the same questions and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.audit import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gnomon.golden.records import GoldenRecord


def golden_hash(records: Iterable[GoldenRecord]) -> str:
    """Return the SHA-256 over what is scored of the records of a pool.

    Neither the labels ``level``, ``kind`` and ``lang`` nor the order of the file have a part in it,
    nor has a ``gold_answer`` beside a refusal, which is never scored: a set may grow at the top and
    be sorted anew, and the pools below keep their history.

    Parameters
    ----------
    records
        The records of the pool; ids are distinct.

    Returns
    -------
    str
        64 hex digits.
    """
    return fingerprint(sorted((_scored(record) for record in records), key=lambda one: one["id"]))


def _scored(record: GoldenRecord) -> dict[str, Any]:
    scope = record.scope
    return {
        "id": record.id,
        "question": record.question,
        "previous": list(record.previous),
        "expect": record.expect,
        "scope": None if scope is None else list(scope.paths),
        "gold_chunks": sorted(set(record.gold_chunks)),
        "gold_answer": record.gold_answer if record.expects_answer else None,
        "identifiers": sorted(set(record.identifiers)),
    }
