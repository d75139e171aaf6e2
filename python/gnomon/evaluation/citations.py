"""Citations in an answer: which ids it cites, and whether it was given them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

OPEN: Final = "[cite:"
CLOSE: Final = "]"

_CODE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.M | re.S)
_SPAN: Final = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.S)
# A model may dress a citation as code, or the id in it.
_DRESSED: Final = re.compile(r"(`?)\[cite:\s*(`?)([^`\]\n]*)\2\s*\]\1", re.I)
_GENERAL: Final = re.compile(r"\[cite:([^\]\n]*)\]", re.I)


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
    """Return Markdown without its code blocks and code spans."""
    return _SPAN.sub(" ", _CODE.sub("\n", text))


def _parts(written: str, known: Collection[str]) -> Sequence[str]:
    whole = written.strip()
    if _plain(whole) in known:
        return [whole]
    parts = (re.sub(r"^cite:", "", part.strip(), flags=re.I) for part in re.split("[,;]", whole))
    return [part.strip() for part in parts if part.strip()] or [whole]


def _plain(chunk_id: str) -> str:
    return chunk_id.strip().lstrip("/").removesuffix("#")
