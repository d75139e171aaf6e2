"""Golden records made to order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.golden.records import GoldenRecord
from gnomon.sources.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Sequence


def record(
    name: str,
    question: str,
    *,
    gold: Sequence[str] = (),
    expect: str = "answer",
    scope: Sequence[str] | None = None,
    previous: Sequence[str] = (),
    **more: Any,
) -> GoldenRecord:
    """Return a record of the level ``low`` and no kind or language, unless told."""
    values: dict[str, Any] = {
        "level": "low",
        "gold_answer": None,
        "identifiers": (),
        "kind": None,
        "lang": None,
        "line": 1,
        **more,
    }
    return GoldenRecord(
        id=name,
        question=question,
        expect=expect,  # type: ignore[arg-type]
        gold_chunks=tuple(gold),
        scope=None if scope is None else Scope.of(scope),
        previous=tuple(previous),
        **values,
    )
