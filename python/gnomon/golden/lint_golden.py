"""What is checked of every golden record, and of the set."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, Final

from gnomon.golden.finding import about, about_set
from gnomon.golden.gold import in_scope_gold
from gnomon.golden.identifiers import holds_identifier
from gnomon.golden.levels import LEVELS, pool
from gnomon.golden.lint_scope import idle_paths, unknown_scope
from gnomon.sources.escape import counted, listed, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gnomon.golden.facts import IndexFacts
    from gnomon.golden.finding import Finding
    from gnomon.golden.records import GoldenRecord

# Token F1 divides by the length of the prediction, so an answer far from the usual length of one
# can't be met.
ANSWER_WORDS: Final = (90, 160)
# So many entries that match nothing, and more than half of all, are no typos.
_ANOTHER_INDEX: Final = 3
# Scripts without blanks between words, by letter: Chinese words have about 1.6 characters, Thai,
# Lao, Khmer and Burmese ones about four.
_HAN = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_THAI = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_UNSPACED = re.compile(f"{_HAN.pattern}|{_THAI.pattern}")
_WORDS_A_HAN: Final = 0.6


def record_errors(records: Sequence[GoldenRecord], facts: IndexFacts | None) -> Iterator[Finding]:
    """Yield what keeps records from measuring anything.

    Parameters
    ----------
    facts
        The index; None leaves out what only an index can tell.
    """
    for record in records:
        yield from _level(record)
        yield from _expectation(record)
        yield from _identifiers(record)
        if facts is not None:
            yield from _scope_errors(record, facts)
            yield from _gold_errors(record, facts)
    if facts is not None:
        yield from _another_index(records, facts)


def record_warnings(records: Sequence[GoldenRecord], facts: IndexFacts | None) -> Iterator[Finding]:
    """Yield what skews one measure of a record."""
    for record in records:
        if record.level is None:
            yield about(record, "missing-level", "has no 'level' and is taken for high; name one")
        yield from _answer_warnings(record)
        if facts is not None:
            yield from idle_paths(record, facts)
            yield from _gold_warnings(record, facts)


def set_warnings(records: Sequence[GoldenRecord]) -> Iterator[Finding]:
    """Yield what the set can't notice."""
    if records and all(record.expects_answer for record in records):
        yield about_set(
            "no-refusals",
            "no record expects a refusal, so a gate that stopped refusing would not be noticed; "
            "add questions that the pages don't answer",
        )
    elif records:
        bare = [
            level
            for level in LEVELS
            if (found := pool(records, level)) and all(r.expects_answer for r in found)
        ]
        if bare:
            yield about_set(
                "no-refusals",
                f"no record of the {'pool' if len(bare) == 1 else 'pools'} {', '.join(bare)} "
                "expects a refusal, so a run on it can't notice a gate that stopped refusing; "
                f"move one down to {bare[0]}",
            )
    if records and not any(record.expects_answer for record in records):
        yield about_set(
            "no-answers", "no record expects an answer, so retrieval can't be measured; add some"
        )


def _level(record: GoldenRecord) -> Iterator[Finding]:
    if record.level is not None and record.level not in LEVELS:
        yield about(
            record,
            "unknown-level",
            f"level {quoted(record.level)} is not one of {', '.join(LEVELS)}; until it is, the "
            "record is in every pool",
        )


def _expectation(record: GoldenRecord) -> Iterator[Finding]:
    if record.expects_answer and not record.gold_chunks:
        yield about(
            record, "no-gold", "expects an answer and names no 'gold_chunks'; say what answers it"
        )
    if record.expect == "refuse:no-evidence" and record.gold_chunks:
        yield about(
            record,
            "gold-on-no-evidence",
            f"expects a refusal for want of evidence and names {listed(record.gold_chunks)} as "
            "evidence; drop 'gold_chunks', or expect an answer or refuse:out-of-scope",
        )
    if record.expect == "refuse:out-of-scope" and record.scope is None:
        yield about(
            record, "no-scope", "is to be refused as out of scope and has no 'scope'; name one"
        )


def _identifiers(record: GoldenRecord) -> Iterator[Finding]:
    answer = unicodedata.normalize("NFC", record.gold_answer or "")
    missing = [name for name in record.identifiers if not holds_identifier(answer, name)]
    if missing:
        yield about(
            record,
            "identifier-not-in-answer",
            f"{listed(missing)} of 'identifiers' can't be found in its own gold_answer"
            f"{_why_not_found(missing[0], answer)}; spell both alike or drop it",
        )


def _why_not_found(name: str, answer: str) -> str:
    if not answer:
        return ", which is not there"
    if name in answer:
        return ", where it is only a part of a longer name"
    return ", where it is in another case" if name.casefold() in answer.casefold() else ""


def _scope_errors(record: GoldenRecord, facts: IndexFacts) -> Iterator[Finding]:
    yield from unknown_scope(record, facts)
    if record.expect != "refuse:out-of-scope" or record.scope is None:
        return
    inside = in_scope_gold(record, facts.gold)
    if inside:
        yield about(
            record,
            "gold-in-scope",
            f"is to be refused as out of scope and {listed(inside)} of its gold lies in its scope; "
            "narrow the scope or the entry",
        )


def _gold_errors(record: GoldenRecord, facts: IndexFacts) -> Iterator[Finding]:
    for entry in record.gold_chunks:
        if not facts.gold.rows(entry):
            yield about(
                record,
                "gold-matches-nothing",
                f"gold entry {quoted(entry)} matches nothing in the index{facts.hint(entry)}",
            )


def _another_index(records: Sequence[GoldenRecord], facts: IndexFacts) -> Iterator[Finding]:
    entries = sorted({entry for record in records for entry in record.gold_chunks})
    lost = [entry for entry in entries if not facts.gold.rows(entry)]
    if len(lost) >= _ANOTHER_INDEX and 2 * len(lost) > len(entries):
        yield about_set(
            "another-index",
            f"{len(lost)} of {len(entries)} gold entries match nothing in the index: "
            f"{listed(lost)}; known are {listed(list(facts.chunk_ids[:5]))}. Is it the index of "
            "these pages, built as it was then?",
        )


def _answer_warnings(record: GoldenRecord) -> Iterator[Finding]:
    least, most = ANSWER_WORDS
    if not record.expects_answer:
        if record.gold_answer is not None:
            yield about(
                record, "answer-on-refusal", "has a gold_answer, which is never scored; drop it"
            )
    elif record.gold_answer is None:
        yield about(
            record, "no-gold-answer", "has no gold_answer, so no answer to it can be scored"
        )
    elif not least <= (words := answer_words(record.gold_answer)) <= most:
        yield about(
            record,
            "answer-length",
            f"gold_answer has {counted(words, 'word', 'words')}; expected {least} to {most}, as "
            "long as an answer is, or token F1 measures the length",
        )


def answer_words(text: str) -> int:
    """Return about how many words an answer has, whether or not its script parts them by blanks.

    Examples
    --------
    >>> answer_words("Call `rotate()` twice."), answer_words("调用它两次")
    (3, 3)
    """
    words = len(_UNSPACED.sub(" ", text).split())
    return words + round(_WORDS_A_HAN * len(_HAN.findall(text)) + len(_THAI.findall(text)) / 4)


def _gold_warnings(record: GoldenRecord, facts: IndexFacts) -> Iterator[Finding]:
    rows_of = {entry: facts.gold.rows(entry) for entry in record.gold_chunks}
    for entry, rows in rows_of.items():
        if rows and not facts.gold.is_there(entry):
            yield about(
                record,
                "gold-by-prefix",
                f"gold entry {quoted(entry)} is no page of the index and matches only what is "
                f"nested under it, {listed([facts.chunk_ids[row] for row in rows], first=2)}; "
                "name what is meant",
            )
        if rows and not any(facts.texts[row].strip() for row in rows):
            yield about(
                record, "empty-gold", f"gold entry {quoted(entry)} matches chunks without text"
            )
    yield from _outside_scope(record, facts)
    yield from _repeated_gold(record, rows_of)
    yield from _copies(record, facts, rows_of)


def _outside_scope(record: GoldenRecord, facts: IndexFacts) -> Iterator[Finding]:
    if record.scope is None or not record.expects_answer or not record.gold_chunks:
        return
    inside = in_scope_gold(record, facts.gold)
    outside = [e for e in record.gold_chunks if e not in inside and facts.gold.rows(e)]
    if outside and not inside:
        yield about(
            record,
            "gold-outside-scope",
            "expects an answer and all its gold lies outside its scope, so it is measured as a "
            "refusal; widen the scope or expect refuse:out-of-scope",
        )
    elif outside:
        yield about(
            record,
            "gold-outside-scope",
            f"{listed(outside)} of its gold lies outside its scope and can't be found from there, "
            "so recall can't reach 1; drop it",
        )


def _repeated_gold(record: GoldenRecord, rows_of: dict[str, tuple[int, ...]]) -> Iterator[Finding]:
    entries = Counter(record.gold_chunks)
    repeated = [entry for entry, n in entries.items() if n > 1]
    cover = Counter(row for rows in rows_of.values() for row in rows)
    # The narrow ones first: a section within a page is what says nothing new.
    for entry, rows in sorted(rows_of.items(), key=lambda one: (len(one[1]), one[0])):
        if rows and all(cover[row] > 1 for row in rows):
            repeated.append(entry)
            cover.subtract(rows)
    if repeated:
        yield about(
            record,
            "repeated-gold",
            f"{listed(list(dict.fromkeys(repeated)))} of its gold is matched by other entries as "
            "well, and recall counts each; keep one",
        )


def _copies(
    record: GoldenRecord, facts: IndexFacts, rows_of: dict[str, tuple[int, ...]]
) -> Iterator[Finding]:
    if not facts.copies:
        return
    gold = {row for rows in rows_of.values() for row in rows}
    for row in sorted(gold):
        other = next((one for one in facts.copies.get(row, ()) if one not in gold), None)
        if other is not None:
            yield about(
                record,
                "unjudged-copy",
                f"gold chunk {quoted(facts.chunk_ids[row])} has the text of "
                f"{quoted(facts.chunk_ids[other])}, which is no gold and may be found in its "
                "place; name both or remove the copy",
            )
            return
