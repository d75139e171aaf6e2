"""Citations in an answer: which ids it cites, and whether it was given them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

OPEN: Final = "[cite:"
CLOSE: Final = "]"

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})(.*)", re.S)
_TICKS: Final = re.compile(r"`+")
# An answer is not trusted: no pattern may look further than this behind every bracket, nor go back.
_INSIDE: Final = r"[^`\]\n]{0,500}+"
# A model may dress a citation as code, or the id in it.
_DRESSED: Final = re.compile(rf"(`?)\[cite:\s{{0,9}}+(`?)({_INSIDE})\2\s{{0,9}}+\]\1", re.I)
_GENERAL: Final = re.compile(rf"\[cite:({_INSIDE})\]", re.I)


@dataclass(frozen=True, slots=True)
class Citations:
    """The ids that an answer cites, each once, in the order of their first mention.

    Attributes
    ----------
    given
        Ids of excerpts that the answerer was given.
    hallucinated
        All others, as they were written.
    """

    given: tuple[str, ...]
    hallucinated: tuple[str, ...]

    @property
    def cited(self) -> int:
        """How many different ids are cited."""
        return len(self.given) + len(self.hallucinated)


def citation(chunk_id: str) -> str:
    """Return how an answer cites an excerpt.

    Examples
    --------
    >>> citation("guide/auth#request")
    '[cite:guide/auth#request]'
    """
    return f"{OPEN}{chunk_id}{CLOSE}"


def cited_in(answer: str, citable: Collection[str]) -> Citations:
    """Return what an answer cites; a code block cites nothing.

    Several ids may stand in one citation, parted by commas or semicolons; a slash in front of an id
    is dropped, and so is the ``#`` of a page's lead. Nothing else is guessed: a page that was not
    given is hallucinated though one of its sections was.

    Parameters
    ----------
    answer
        Text in Markdown.
    citable
        Ids that the answerer was given.

    Examples
    --------
    >>> found = cited_in("So it is [cite:guide/auth#] [cite:guide/magic].", ["guide/auth#"])
    >>> found.given, found.hallucinated
    (('guide/auth#',), ('guide/magic',))
    """
    known = {_plain(chunk_id): chunk_id for chunk_id in citable}
    given: dict[str, None] = {}
    invented: dict[str, None] = {}
    text = without_code(_DRESSED.sub(r"[cite:\3]", answer))
    # Ids of a corpus may hold a bracket or a comma; those that were given are looked for whole.
    for chunk_id in sorted(citable, key=len, reverse=True):
        if (CLOSE in chunk_id or "," in chunk_id or ";" in chunk_id) and citation(chunk_id) in text:
            given[chunk_id] = None
            text = text.replace(citation(chunk_id), "")
    for match in _GENERAL.finditer(text):
        for written in _parts(match[1], known):
            if _plain(written) in known:
                given[known[_plain(written)]] = None
            else:
                invented[written] = None
    return Citations(tuple(given), tuple(invented))


def without_citations(answer: str, replace: Callable[[str], str] = lambda _: "") -> str:
    """Return an answer with its citations taken out, or put otherwise."""
    return _GENERAL.sub(lambda match: replace(match[1].strip()), answer)


def without_code(text: str) -> str:
    """Return Markdown without its code blocks and code spans.

    A fence that nothing closes lasts to the end; a run of backticks that nothing closes is text.
    """
    prose, fence = [], ""
    for line in text.splitlines(keepends=True):
        marks = _FENCE.match(line)
        if fence:
            if marks and marks[1].startswith(fence) and not marks[2].strip():
                fence = ""
        elif marks and not (marks[1][0] == "`" and "`" in marks[2]):
            fence = marks[1]
            prose.append("\n")
        else:
            prose.append(line)
    return _without_spans("".join(prose))


def _without_spans(text: str) -> str:
    runs = [(match.start(), match.end()) for match in _TICKS.finditer(text)]
    closing: list[int | None] = [None] * len(runs)
    following: dict[int, int] = {}
    for at in range(len(runs) - 1, -1, -1):
        length = runs[at][1] - runs[at][0]
        closing[at] = following.get(length)
        following[length] = at
    pieces, done, at = [], 0, 0
    while at < len(runs):
        end = closing[at]
        if end is not None:
            pieces += [text[done : runs[at][0]], " "]
            done = runs[end][1]
            at = end
        at += 1
    return "".join([*pieces, text[done:]])


def _parts(written: str, known: Collection[str]) -> Sequence[str]:
    whole = written.strip()
    if _plain(whole) in known:
        return [whole]
    parts = (re.sub(r"^cite:", "", part.strip(), flags=re.I) for part in re.split("[,;]", whole))
    return [part.strip() for part in parts if part.strip()] or [whole]


def _plain(chunk_id: str) -> str:
    return chunk_id.strip().lstrip("/").removesuffix("#")
