"""Contested spots from retrieval runs: the queries whose top results differ.

The judge sees the question as context and the two top results as readings. Which one was used is
told by a third run, that of the live system: it may be one of the two, or one that chooses between
them, such as a cascade or a fusion.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from gnomon.blind.spot_file import LONGEST_TEXT, as_shown
from gnomon.errors import InvalidInputError, NotMeasuredError
from gnomon.sources.atomic import atomic_write
from gnomon.sources.escape import by_number, listed
from gnomon.sources.files import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from gnomon.rules.blind_values import System
    from gnomon.sources.corpus import Corpus, Document
    from gnomon.sources.queries import Queries
    from gnomon.sources.runs import Run

Showing = Literal["title", "passage"]
PASSAGE_WORDS: Final = 120
"""Words of a passage that a judge is shown; longer ones are cut on both sides alike."""


@dataclass(slots=True)
class RunSpots:
    """The spots that two runs contest.

    Attributes
    ----------
    spots
        As a contested file has them.
    queries
        Queries that either run answers.
    same
        Queries on which both have the same top result.
    same_text
        Queries whose two top results read the same, so that there is nothing to judge.
    used_other
        Queries on which the live run has neither of the two on top.
    """

    spots: list[dict[str, Any]] = field(default_factory=list)
    queries: int = 0
    same: int = 0
    same_text: int = 0
    used_other: int = 0

    def counts(self) -> dict[str, int]:
        """Return what was counted, as JSON values."""
        return {
            "queries": self.queries,
            "same": self.same,
            "same_text": self.same_text,
            "used_other": self.used_other,
            "spots": len(self.spots),
            "used_base": sum(spot["used"] == "base" for spot in self.spots),
            "used_alt": sum(spot["used"] == "alt" for spot in self.spots),
        }


def top_documents(run: Run) -> dict[str, str]:
    """Return the document on top of each query: highest score, among equal ones the lowest id."""
    found: dict[str, str] = {}
    for query, (begin, end) in zip(run.query_ids, pairwise(run.offsets.tolist()), strict=True):
        scores = run.scores[begin:end]
        if len(scores):
            best = np.flatnonzero(scores == scores.max()) + begin
            found[query] = min(run.document_bytes(best)).decode("utf-8")
    return found


def contest(
    runs: tuple[Run, Run, Run], queries: Queries, corpus: Corpus, *, showing: Showing
) -> RunSpots:
    """Return the spots on which two runs differ.

    Parameters
    ----------
    runs
        Base, alt, and the live one.
    queries, corpus
        Texts for the judge; every query and every top document must be there.
    showing
        ``title`` shows a document's title, and its passage where it has none; ``passage`` title
        and text, cut after 120 words.

    Raises
    ------
    InvalidInputError
        When a query or a document of the runs is not in the collection.
    NotMeasuredError
        When no query is contested.
    """
    base, alt, live = (top_documents(run) for run in runs)
    text_of = dict(zip(queries.ids, queries.texts, strict=True))
    asked = [query for query in queries.ids if query in base or query in alt]
    _check_known("query", [*base, *alt], text_of, shown(queries.path))
    differing = [query for query in asked if base.get(query) != alt.get(query)]
    wanted = {top[query] for query in differing for top in (base, alt) if query in top}
    readings = _readings(corpus, wanted, showing)
    found = RunSpots(queries=len(asked), same=len(asked) - len(differing))
    for query in differing:
        used = _used(query, base, alt, live)
        texts = [readings[top[query]] if query in top else "" for top in (base, alt)]
        if used is None:
            found.used_other += 1
        elif texts[0] == texts[1]:
            found.same_text += 1
        else:
            found.spots.append(_spot(query, texts, used, text_of[query]))
    if not found.spots:
        raise NotMeasuredError(
            f"no query is contested: of {found.queries}, {found.same} "
            f"{by_number(found.same, 'has', 'have')} the same top result in "
            f"both runs, {found.same_text} results that read the same, and on {found.used_other} "
            "the live run has neither of the two on top"
        )
    return found


def write_spots(path: Path, found: RunSpots) -> None:
    """Write a contested file, mode 0600."""
    with atomic_write(path, private=True) as file:
        for spot in found.spots:
            file.write(json.dumps(spot, ensure_ascii=False).encode("utf-8") + b"\n")


def _used(
    query: str, base: Mapping[str, str], alt: Mapping[str, str], live: Mapping[str, str]
) -> System | None:
    top = live.get(query)
    if top is not None and top == base.get(query):
        return "base"
    if top is not None and top == alt.get(query):
        return "alt"
    return None


def _spot(query: str, texts: list[str], used: System, question: str) -> dict[str, Any]:
    kind = "substitution" if all(texts) else "deletion" if texts[0] else "insertion"
    return {
        "id": query,
        "base": texts[0],
        "alt": texts[1],
        "used": used,
        "unsure": False,
        "left_context": as_shown(question)[:LONGEST_TEXT],
        "time": None,
        "kind": kind,
    }


def _readings(corpus: Corpus, wanted: set[str], showing: Showing) -> dict[str, str]:
    row_of = {name: row for row, name in enumerate(corpus.ids) if name in wanted}
    _check_known("document", sorted(wanted), row_of, shown(corpus.path))
    rows = sorted(row_of.values())
    documents = zip(rows, corpus.documents(rows), strict=True)
    readings = {corpus.ids[row]: _reading(document, showing) for row, document in documents}
    empty = [name for name, reading in readings.items() if not reading]
    if empty:
        raise InvalidInputError(
            f"{shown(corpus.path)}: a top result has neither title nor text: {listed(empty)}; a "
            "judge could not tell it from no result"
        )
    return readings


def _reading(document: Document, showing: Showing) -> str:
    title = as_shown(document.title)
    if showing == "title" and title:
        return title[:LONGEST_TEXT]
    words = as_shown(document.passage).split(" ")
    cut = len(words) > PASSAGE_WORDS
    return (" ".join(words[:PASSAGE_WORDS]) + (" …" if cut else ""))[:LONGEST_TEXT]


def _check_known(noun: str, names: Iterable[str], known: Mapping[str, object], where: str) -> None:
    missing = [name for name in dict.fromkeys(names) if name not in known]
    if missing:
        raise InvalidInputError(
            f"{where}: lacks a {noun} of the runs: {listed(missing)}; give the collection that "
            "the runs were made on"
        )
