"""Questions of a set against each other: asked twice, contradicted, spelled alike, quoting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.golden.duplicates import first_of_each, folded, near_repetitions
from gnomon.golden.facts import spelled
from gnomon.golden.finding import about
from gnomon.golden.quoting import Quoting
from gnomon.sources.escape import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from gnomon.golden.facts import IndexFacts
    from gnomon.golden.finding import Finding
    from gnomon.golden.probes import Probe
    from gnomon.golden.records import GoldenRecord

    Labelled = GoldenRecord | Probe
    # What must be equal of two records that ask the same.
    Label = Callable[[GoldenRecord | Probe], str]


def contradictions(records: Sequence[Labelled], must: Label) -> Iterator[Finding]:
    """Yield the records that ask what an earlier one asks, and must get something else.

    Parameters
    ----------
    must
        Returns what a record must get.
    """
    for row, first in first_of_each([_asked(record) for record in records]).items():
        here, there = records[row], records[first]
        if must(here) != must(there):
            yield about(
                here,
                "contradiction",
                f"asks what {_named(there)} asks, in the same scope and after the same questions; "
                f"this one must be {must(here)}, that one {must(there)}. Keep the right one",
            )


def repetitions(
    records: Sequence[Labelled], must: Label, label: Label, function_words: frozenset[str]
) -> Iterator[Finding]:
    """Yield the records that ask what an earlier one asks, or nearly.

    Parameters
    ----------
    must
        Returns what a record must get; two that must get different things are not repetitions
        but `contradictions`.
    label
        Returns how a record is labelled, to be told when two differ.
    """
    same = first_of_each([_asked(record) for record in records])
    for row, first in same.items():
        here, there = records[row], records[first]
        if must(here) == must(there):
            yield about(
                here,
                "duplicate-question",
                f"asks what {_named(there)} asks{_across(here, there, label)}; remove one, or it "
                "counts twice",
            )
    kept = [record for row, record in enumerate(records) if row not in same]
    questions = [record.question for record in kept]
    contexts = [_context(record) for record in kept]
    for pair in near_repetitions(questions, contexts, function_words):
        here, there = kept[pair.row], kept[pair.first]
        yield about(
            here,
            "near-duplicate",
            f"asks nearly what {_named(there)} asks{_across(here, there, label)}: "
            f"{quoted(here.question)} and {quoted(there.question)}; reword or remove one, or they "
            "count as two observations",
        )


def id_spellings(records: Sequence[Labelled]) -> Iterator[Finding]:
    """Yield the records whose id differs from an earlier one in its spelling only."""
    for row, first in first_of_each([spelled(record.id) for record in records]).items():
        yield about(
            records[row],
            "id-spelling",
            f"the id differs from that of {_named(records[first])} only in case, blanks or Unicode "
            "form; choose another",
        )


def quotations(
    records: Sequence[Labelled],
    rows_of: Callable[[Labelled], Sequence[int]],
    facts: IndexFacts,
) -> Iterator[Finding]:
    """Yield the questions that quote the text they should find.

    Parameters
    ----------
    rows_of
        Returns the rows of a record's gold.
    """
    quoting = Quoting(facts.texts)
    for record in records:
        found = quoting.quoted_run(record.question, rows_of(record))
        if found is not None:
            row, words = found
            yield about(
                record,
                "quotes-gold",
                f"quotes its gold chunk {quoted(facts.chunk_ids[row])}: {quoted(words)}; ask in "
                "other words, as somebody does who has not read it",
            )


def _asked(record: Labelled) -> Hashable:
    return folded(record.question), _context(record)


def _context(record: Labelled) -> Hashable:
    return tuple(folded(question) for question in record.previous), record.scope


def _named(record: Labelled) -> str:
    return f"{quoted(record.id)} (line {record.line})"


def _across(here: Labelled, there: Labelled, label: Label) -> str:
    return "" if label(here) == label(there) else f" ({label(here)} here, {label(there)} there)"
