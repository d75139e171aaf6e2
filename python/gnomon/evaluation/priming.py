"""What every turn of a golden record is answered from: the earlier ones, and its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gnomon.evaluation.asking import ask
from gnomon.evaluation.prompts import Excerpt, PrimedTurn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.embedding.embedder import Embed
    from gnomon.evaluation.asking import Asked
    from gnomon.golden.records import GoldenRecord
    from gnomon.retrieval.index import Index
    from gnomon.types import Progress


@dataclass(frozen=True, slots=True, eq=False)
class PrimedRecord:
    """A record with the excerpts of each of its turns.

    Attributes
    ----------
    asked
        What the index did with the record's own question.
    earlier
        The turns before it, oldest first.
    turn
        Its own.
    """

    asked: Asked
    earlier: tuple[PrimedTurn, ...]
    turn: PrimedTurn

    @property
    def record(self) -> GoldenRecord:
        """The golden record."""
        return self.asked.record

    @property
    def citable(self) -> tuple[str, ...]:
        """Ids of all excerpts that are sent, each once."""
        sent = [turn for turn in (*self.earlier, self.turn) if not turn.refused]
        return tuple(dict.fromkeys(excerpt.id for turn in sent for excerpt in turn.excerpts))


def prime(
    index: Index, asked: Sequence[Asked], embed: Embed | None, progress: Progress
) -> tuple[PrimedRecord, ...]:
    """Return records with the excerpts of their turns.

    An earlier turn is gated and searched as if it were asked now, behind the questions before it
    and within the record's scope.

    Parameters
    ----------
    asked
        What `gnomon.evaluation.asking.ask` returned for the records.
    embed
        As for `ask`.
    """
    earlier = [
        replace(record, question=record.previous[at], previous=record.previous[:at])
        for record in (one.record for one in asked)
        for at in range(len(record.previous))
    ]
    found = iter(ask(index, earlier, embed, progress))
    return tuple(
        PrimedRecord(
            one,
            tuple(primed_turn(index, next(found)) for _ in one.record.previous),
            primed_turn(index, one),
        )
        for one in asked
    )


def primed_turn(index: Index, asked: Asked) -> PrimedTurn:
    """Return a question with the excerpts that prime it."""
    excerpts = tuple(
        Excerpt(
            id=chunk.id,
            heading=" / ".join(part for part in dict.fromkeys((chunk.title, *chunk.trail)) if part),
            text=chunk.text,
        )
        for chunk in (index.chunks[row] for group in asked.excerpts for row in group)
    )
    return PrimedTurn(asked.record.question, excerpts, refused=asked.refuses)
