"""What one ranking is worth against the gold entries of its record: ids in, numbers out.

An entry can stand for one section, for all sections of a page or for a page and everything below
it, so these count entries and not documents: recall is the share of entries that are covered. On
entries that name one chunk each they are the measures of `gnomon.metrics`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gnomon.errors import UsageError
from gnomon.golden.gold import are_gold, first_gold_rank, gold_covered

if TYPE_CHECKING:
    from collections.abc import Sequence

# The depth of recall, whatever GATE_K is: tuning moves GATE_K and must not move the yardstick.
RECALL_DEPTH: Final = 8


@dataclass(frozen=True, slots=True)
class RetrievalF1:
    """How well a set of chunks matches gold entries.

    Attributes
    ----------
    precision
        Share of the chunks that match an entry; 0 when there are no chunks.
    recall
        Share of the entries that a chunk matches.
    f1
        Their harmonic mean; 0 when both are 0.
    """

    precision: float
    recall: float
    f1: float


def recall_at(
    ranked_ids: Sequence[str], entries: Sequence[str], k: int = RECALL_DEPTH
) -> float | None:
    """Return the share of gold entries that the first k chunks cover; None without entries.

    Raises
    ------
    UsageError
        When k is less than 1.

    Examples
    --------
    >>> recall_at(["guide/keys#rotate", "guide/calls#"], ["guide/keys", "admin"])
    0.5
    """
    if k < 1:
        raise UsageError(f"recall at {k}; expected a depth of 1 or more")
    if not entries:
        return None
    covered = gold_covered(entries, ranked_ids[:k])
    return sum(covered) / len(entries)


def reciprocal_rank(ranked_ids: Sequence[str], entries: Sequence[str]) -> float | None:
    """Return 1 / rank of the first chunk that matches an entry, 0 if none; None without entries.

    Examples
    --------
    >>> reciprocal_rank(["guide/calls#", "guide/keys#rotate"], ["guide/keys"])
    0.5
    """
    if not entries:
        return None
    rank = first_gold_rank(entries, ranked_ids)
    return 0.0 if rank is None else 1 / rank


def retrieval_f1(chunk_ids: Sequence[str], entries: Sequence[str]) -> RetrievalF1 | None:
    """Return precision, recall and F1 of the chunks that a turn is given; None without entries.

    Precision counts chunks and recall counts entries, so an entry that stands for a whole page is
    covered by one of its chunks and every other one of them is still right.

    Examples
    --------
    >>> retrieval_f1(["guide/keys#", "guide/keys#rotate", "admin#"], ["guide/keys"]).precision
    0.6666666666666666
    """
    if not entries:
        return None
    gold = are_gold(entries, chunk_ids)
    precision = sum(gold) / len(chunk_ids) if chunk_ids else 0.0
    recall = sum(gold_covered(entries, chunk_ids)) / len(entries)
    both = precision + recall
    return RetrievalF1(precision, recall, 2 * precision * recall / both if both else 0.0)
