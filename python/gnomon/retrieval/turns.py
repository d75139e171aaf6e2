"""A question and those before it: every wording that the gate looks at, and what each finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.retrieval.gate_score import RAW, WITH_LAST, WITH_LAST_TWO

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from gnomon.embedding.embedder import Embed
    from gnomon.retrieval.evidence import Finder, Findings
    from gnomon.retrieval.verdict import AdmittedBy


@dataclass(frozen=True, slots=True, eq=False)
class Wording:
    """One wording of a turn and what it found.

    Attributes
    ----------
    text
        The question, behind the ones before it in a composed channel.
    admitted_by
        Why a composed wording counts; None when it doesn't, and for the question alone.
    """

    text: str
    findings: Findings
    admitted_by: AdmittedBy | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """The wordings of one turn, by channel; None where there are not enough questions before it."""

    raw: Wording
    with_last: Wording | None
    with_last_two: Wording | None

    def wording(self, channel: int) -> Wording | None:
        """Return the wording of a channel."""
        return (self.raw, self.with_last, self.with_last_two)[channel]

    def counts(self, channel: int) -> bool:
        """Return whether a channel is there and admissible."""
        wording = self.wording(channel)
        return wording is not None and (channel == RAW or wording.admitted_by is not None)


def wordings_of(questions: Sequence[str]) -> tuple[str, ...]:
    """Return every text whose vector is needed to gate the last of some questions, none twice."""
    texts = (
        composed(questions, at, channel)
        for at in range(len(questions))
        for channel in (RAW, WITH_LAST, WITH_LAST_TWO)
        if channel <= at
    )
    return tuple(dict.fromkeys(texts))


def wording_vectors(
    conversations: Iterable[Sequence[str]], embed: Embed | None
) -> Mapping[str, NDArray[np.float32]]:
    """Return the vector of every wording that the gate looks at in some conversations, by text.

    All are embedded at once: a service is asked in batches, not question by question.

    Parameters
    ----------
    conversations
        Questions, oldest first in each.
    embed
        Returns the vectors of questions; None for an index without vectors, which needs none.
    """
    if embed is None:
        return {}
    texts = list(dict.fromkeys(text for asked in conversations for text in wordings_of(asked)))
    return dict(zip(texts, embed(texts), strict=True)) if texts else {}


def composed(questions: Sequence[str], at: int, channel: int) -> str:
    """Return a question behind as many questions before it as its channel looks back."""
    return "\n".join(questions[at - channel : at + 1])


def look_at_turns(
    finder: Finder,
    questions: Sequence[str],
    vectors: Mapping[str, NDArray[np.float32]],
    rows: NDArray[np.int64] | None,
    *,
    with_z: bool = False,
) -> tuple[Turn, ...]:
    """Return what every turn finds within a scope, oldest first.

    Parameters
    ----------
    questions
        Oldest first; the last is the one that is asked.
    vectors
        float32[dim] by text, for every text of `wordings_of`; ignored without a dense channel.
    rows
        The rows in scope, or None.
    """
    return tuple(
        _turn(finder, questions, at, vectors, rows, with_z=with_z) for at in range(len(questions))
    )


def _turn(
    finder: Finder,
    questions: Sequence[str],
    at: int,
    vectors: Mapping[str, NDArray[np.float32]],
    rows: NDArray[np.int64] | None,
    *,
    with_z: bool,
) -> Turn:
    def look(channel: int) -> Wording | None:
        if channel > at:
            return None
        text = composed(questions, at, channel)
        found = finder.find(text, vectors.get(text), rows, with_z=with_z)
        admitted_by = None if channel == RAW else _admitted_by(finder, questions[at], found)
        return Wording(text, found, admitted_by)

    raw = look(RAW)
    assert raw is not None  # every question can be asked alone
    return Turn(raw, look(WITH_LAST), look(WITH_LAST_TWO))


def _admitted_by(finder: Finder, question: str, found: Findings) -> AdmittedBy | None:
    """Return why a question may be understood behind the ones before it, or None.

    Else anything would pass behind a question that the documents answer.
    """
    terms = finder.vocabulary.content_terms(question)
    if not terms:
        return "no content terms"
    if any(term in found.evidence for term in terms):
        return "term"
    if finder.vectors is not None and finder.vocabulary.is_in_another_script(question):
        return "another script"
    return None
