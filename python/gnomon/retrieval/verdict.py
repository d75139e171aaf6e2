"""The verdict of the gate on one question, with everything that led to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from gnomon.retrieval.guard import GuardMode, GuardSource

Channel = Literal["raw", "with-last", "with-last-two"]
CHANNELS: tuple[Channel, ...] = ("raw", "with-last", "with-last-two")
AdmittedBy = Literal["term", "no content terms", "another script"]
Cause = Literal["no-evidence", "out-of-scope"]


@dataclass(frozen=True, slots=True)
class RetrievedChunk:
    """An excerpt, with the one after it where it is too short alone.

    Attributes
    ----------
    id, page
        Of the chunk that was ranked.
    text
        Its text, and that of ``also`` behind it.
    also
        Ids of the neighbours that it brought.
    cosine
        To the question's vector; None without a dense channel.
    """

    id: str
    page: str
    title: str
    text: str
    also: tuple[str, ...]
    cosine: float | None


@dataclass(frozen=True, slots=True)
class Score:
    """The parts of a gate's score.

    Attributes
    ----------
    total
        G; without a dense channel it is L.
    dense
        D, or None without a dense channel.
    lexical
        L.
    cosine, z
        What D was made of: the best cosine in scope and, in zscore mode, its standard score.
    """

    total: float
    dense: float | None
    lexical: float
    cosine: float | None
    z: float | None = None


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """Whether the documents are likely to answer a question: a relevance floor, no more.

    Attributes
    ----------
    passes
        Whether the score reaches the threshold.
    score
        The winning channel's.
    channel
        Whether the question won as asked, or behind one or two questions before it.
    admissible
        Whether a composed question counted; None for a question without one before it.
    admitted_by
        Why it did.
    would_pass_unscoped
        Whether it would pass over all pages; equal to ``passes`` without a scope.
    threshold, source
        What the score had to reach, and where that comes from.
    mode
        Whether verdicts are enforced; this one is recorded in any case.
    refuses
        What the guard does: the verdict under the mode.
    cause
        Why it fails: nothing anywhere, or nothing in scope; None when it passes.
    closest_pages
        The pages of the best candidates, best first.
    chunks
        The excerpts to answer from; nothing out of scope is among them.
    """

    passes: bool
    score: Score
    channel: Channel
    admissible: bool | None
    admitted_by: AdmittedBy | None
    would_pass_unscoped: bool
    threshold: float
    source: GuardSource
    mode: GuardMode
    refuses: bool
    cause: Cause | None
    closest_pages: tuple[str, ...]
    chunks: tuple[RetrievedChunk, ...]
