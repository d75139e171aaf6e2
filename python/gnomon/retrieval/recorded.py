"""What a record of the trail says about the index that a workflow ran on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.audit import part_of
from gnomon.retrieval.levers import LEVERS, Lever, Levers

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from gnomon.audit import Record
    from gnomon.embedding.embedder import Embed
    from gnomon.retrieval.index import Index

    # What embeds questions for an index in a folder; None for an index without vectors.
    Embedding = Callable[[Index, Path], AbstractContextManager[Embed | None]]


def recorded_levers(record: Record) -> Levers:
    """Return the levers under which a recorded workflow ran.

    Raises
    ------
    InvalidInputError
        The record does not name every lever.
    """
    recorded = part_of(record, record.inputs, "levers", dict)
    values = {name: part_of(record, recorded, name, int | float) for name in LEVERS}
    return Levers({name: Lever(float(value), "default") for name, value in values.items()})
