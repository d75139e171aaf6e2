"""What an index does with golden records: the verdict of the gate, and the excerpts it would give.

Everything runs through the functions that serve a live question, so a figure about them is a figure
about what is served. Tuning, evaluation and the comparison of configurations all ask here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.errors import InvalidInputError
from gnomon.evaluation.scoring import RECALL_DEPTH
from gnomon.golden.gold import GoldIndex, in_scope_gold
from gnomon.retrieval.ranking import fuse
from gnomon.retrieval.turns import wording_vectors
from gnomon.retrieval.verdict import CHANNELS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from gnomon.embedding.embedder import Embed
    from gnomon.golden.records import GoldenRecord
    from gnomon.retrieval.index import Index
    from gnomon.retrieval.verdict import Channel
    from gnomon.sources.scope import Scope
    from gnomon.types import Progress


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What an index did with one record.

    Attributes
    ----------
    passes, refuses
        The gate's verdict, and what the guard does under its mode. Measures are of the verdict: it
        is given in every mode.
    total, threshold
        The score and what it had to reach.
    channel, text, vector
        The wording that won, and float32[dim], its vector; None without vectors.
    would_pass_unscoped
        Whether it would pass over all pages.
    pool
        int64[FUSED], the fused candidate rows of that wording, best first.
    ranked
        Chunk ids by the levers in force, best first: the first ``RECALL_DEPTH``, and behind them
        what else primes the turn when GATE_K is larger.
    excerpts
        Rows of the GATE_K excerpts, each with the neighbours that it brings.
    primed
        The ids of all those chunks.
    negative
        Whether the record must be refused: it says so, or it is scoped and all its gold lies
        outside its scope.
    contained
        Whether every chunk that left retrieval lies in the scope; None without a scope.
    """

    record: GoldenRecord
    passes: bool
    refuses: bool
    total: float
    threshold: float
    channel: Channel
    text: str
    vector: NDArray[np.float32] | None
    would_pass_unscoped: bool
    pool: NDArray[np.int64]
    ranked: tuple[str, ...]
    excerpts: tuple[tuple[int, ...], ...]
    primed: tuple[str, ...]
    negative: bool
    contained: bool | None


def ask(
    index: Index,
    records: Sequence[GoldenRecord],
    embed: Embed | None,
    progress: Progress,
) -> tuple[Asked, ...]:
    """Return what an index does with every record, in their order.

    Parameters
    ----------
    embed
        Returns the vectors of questions; None for an index without vectors. It is called once, with
        every wording of every record, so a service is asked in batches.

    Raises
    ------
    InvalidInputError
        When the scope of a record matches no page; the message names the record.
    """
    vectors = wording_vectors(map(questions_of, records), embed)
    scopes = _Scopes(index)
    found = []
    for done, record in enumerate(records, 1):
        found.append(_ask(index, record, vectors, scopes))
        progress(done, len(records))
    return tuple(found)


def questions_of(record: GoldenRecord) -> tuple[str, ...]:
    """Return the questions of a record's conversation, oldest first."""
    return (*record.previous, record.question)


class _Scopes:
    """What is looked up once for many records: the rows of every scope, and where gold lies."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._rows: dict[Scope, NDArray[np.int64] | None] = {}
        self._gold: GoldIndex | None = None

    def rows(self, record: GoldenRecord) -> NDArray[np.int64] | None:
        """Return the rows in a record's scope; None without a scope."""
        scope = record.scope
        if scope is None:
            return None
        if scope not in self._rows:
            try:
                self._rows[scope] = self._index.rows_in(scope)
            except InvalidInputError as error:
                raise InvalidInputError(
                    f"record {record.id!r} (line {record.line}): {error}"
                ) from None
        return self._rows[scope]

    def is_negative(self, record: GoldenRecord) -> bool:
        """Return whether a record must be refused."""
        if not record.expects_answer:
            return True
        if record.scope is None or not record.gold_chunks:
            return False
        if self._gold is None:
            self._gold = GoldIndex([chunk.id for chunk in self._index.chunks])
        return not in_scope_gold(record, self._gold)


def _ask(
    index: Index,
    record: GoldenRecord,
    vectors: Mapping[str, NDArray[np.float32]],
    scopes: _Scopes,
) -> Asked:
    judged = index.judge(questions_of(record), vectors, scopes.rows(record))
    text = judged.won.text
    vector = vectors.get(text)
    pool = fuse(judged.won.findings, index.levers)
    first, picked = _ranked_twice(index, pool, vector, index.levers.count("GATE_K"))
    ranked = [*first.tolist(), *(row for row in picked.tolist() if row not in first)]
    excerpts = index.grouped(picked)
    primed = [row for group in excerpts for row in group]
    return Asked(
        record=record,
        passes=judged.passes,
        refuses=judged.refuses,
        total=judged.total,
        threshold=judged.threshold,
        channel=CHANNELS[judged.channel],
        text=text,
        vector=vector,
        would_pass_unscoped=judged.would_pass_unscoped,
        pool=pool,
        ranked=tuple(index.chunks[row].id for row in ranked),
        excerpts=excerpts,
        primed=tuple(index.chunks[row].id for row in primed),
        negative=scopes.is_negative(record),
        contained=_is_contained(index, record.scope, {*pool.tolist(), *ranked, *primed}),
    )


def _ranked_twice(
    index: Index, pool: NDArray[np.int64], vector: NDArray[np.float32] | None, k: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return what ``Index.ranked`` gives at ``RECALL_DEPTH`` and at k, rows picked one by one once.

    What picks one row after the other has picked fewer before it has picked more. Without vectors
    a cap on pages chooses for each depth anew, and a smaller choice is no beginning of a larger.
    """
    if vector is None or index.stored is None:
        return index.ranked(pool, None, RECALL_DEPTH), index.ranked(pool, None, k)
    longest = index.ranked(pool, vector, max(RECALL_DEPTH, k))
    return longest[:RECALL_DEPTH], longest[:k]


def _is_contained(index: Index, scope: Scope | None, rows: set[int]) -> bool | None:
    if scope is None:
        return None
    return all(scope.covers(index.chunks[row].page) for row in rows)
