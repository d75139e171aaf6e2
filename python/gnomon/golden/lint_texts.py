"""Texts of a collection against each other: empty, equal, nearly equal, ids spelled alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.golden.duplicates import first_of_each, near_repetitions
from gnomon.golden.facts import spelled
from gnomon.golden.finding import Finding
from gnomon.sources.escape import by_number, counted, listed, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.golden.collection_reading import JudgedFile, TextFile

_EXAMPLES = 3


def of_documents(documents: TextFile) -> Iterator[Finding]:
    """Yield what is odd about the texts and ids of documents."""
    yield from _empty(documents, "document", "documents", "can't be found by their words")
    yield from _spellings(documents)
    same = _same_texts(documents)
    if same:
        yield Finding(
            "duplicate-text",
            None,
            None,
            f"{counted(len(same), 'document has', 'documents have')} the text of an earlier one: "
            f"{_pairs(documents, same)}; a search can't tell them apart",
            documents.file,
        )


def of_queries(
    queries: TextFile, judged: JudgedFile | None, function_words: frozenset[str]
) -> Iterator[Finding]:
    """Yield what is odd about the texts and ids of queries."""
    yield from _empty(queries, "query", "queries", "can ask nothing")
    yield from _spellings(queries)
    same = _same_texts(queries)
    if same:
        yield Finding(
            "duplicate-question",
            None,
            None,
            f"{counted(len(same), 'query asks', 'queries ask')} what an earlier one asks: "
            f"{_pairs(queries, same)}{_judged_apart(queries, same, judged)}; each counts as an "
            "observation of its own",
            queries.file,
        )
    asked = [name for row, name in enumerate(queries.ids) if row not in same]
    near = near_repetitions(
        [queries.texts[name] for name in asked], [None] * len(asked), function_words
    )
    if near:
        shown = "; ".join(
            f"{quoted(queries.texts[asked[pair.first]])} and "
            f"{quoted(queries.texts[asked[pair.row]])}"
            for pair in sorted(near, key=lambda one: -one.likeness)[:_EXAMPLES]
        )
        yield Finding(
            "near-duplicate",
            None,
            None,
            f"{len(near):,} of {counted(len(queries.ids), 'query', 'queries')} "
            f"{by_number(len(near), 'asks', 'ask')} "
            "nearly what an earlier one asks, "
            f"such as {shown}; they are no observations of their own, so intervals are too narrow",
            queries.file,
        )


def _empty(texts: TextFile, one: str, many: str, consequence: str) -> Iterator[Finding]:
    empty = [name for name, digest in zip(texts.ids, texts.digests, strict=True) if digest is None]
    if empty:
        yield Finding(
            "empty-text",
            None,
            None,
            f"{len(empty):,} of {counted(len(texts.ids), one, many)} "
            f"{by_number(len(empty), 'has', 'have')} "
            f"no text and {consequence}: "
            f"{listed(empty, first=_EXAMPLES)}",
            texts.file,
        )


def _spellings(texts: TextFile) -> Iterator[Finding]:
    alike = first_of_each([spelled(name) for name in texts.ids])
    if alike:
        yield Finding(
            "id-spelling",
            None,
            None,
            f"{counted(len(alike), 'id differs', 'ids differ')} from an earlier one only in case, "
            f"blanks or Unicode form: {_pairs(texts, alike)}; ids are compared exactly as written",
            texts.file,
        )


def _same_texts(texts: TextFile) -> dict[int, int]:
    keys = [row if digest is None else digest for row, digest in enumerate(texts.digests)]
    return first_of_each(keys)


def _judged_apart(queries: TextFile, same: dict[int, int], judged: JudgedFile | None) -> str:
    if judged is None:
        return ""
    relevant = judged.relevant
    apart = sum(
        sorted(relevant.get(queries.ids[row], [])) != sorted(relevant.get(queries.ids[first], []))
        for row, first in same.items()
    )
    return f", {apart:,} of them with other judgements" if apart else ""


def _pairs(texts: TextFile, rows: dict[int, int]) -> str:
    shown = [
        f"{quoted(texts.ids[row])} ({quoted(texts.ids[first])})"
        for row, first in list(rows.items())[:_EXAMPLES]
    ]
    more = len(rows) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")
