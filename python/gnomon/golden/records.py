"""The golden set: questions with the answers they should get, one JSON object a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

from gnomon.golden.fields import FieldReader, UniqueIds
from gnomon.golden.finding import Finding, about_set, raise_errors
from gnomon.sources.each_record import BrokenLine, read_each_record
from gnomon.sources.escape import listed, quoted

if TYPE_CHECKING:
    import os

    from gnomon.sources.scope import Scope

Expect = Literal["answer", "refuse:no-evidence", "refuse:out-of-scope"]
EXPECTATIONS: Final[tuple[Expect, ...]] = get_args(Expect)
# What a run may observe and no record may ask for: a model that declined although it had evidence.
_OBSERVED_ONLY = "refuse:not-answerable"


@dataclass(frozen=True, slots=True)
class GoldenRecord:
    """A question and what it should get.

    Attributes
    ----------
    expect
        An answer, or a refusal for one of two reasons.
    level
        The tier at which it enters, as written; None when the set does not say.
    gold_chunks
        Entries that name what answers it; see `gnomon.golden.gold`.
    gold_answer
        The answer to compare with, or None.
    identifiers
        Names that an answer must hold.
    scope
        The pages within which it is asked, or None for all.
    previous
        The questions asked before it, oldest first.
    kind, lang
        Free labels.
    line
        Where it stands in the file.
    """

    id: str
    question: str
    expect: Expect
    level: str | None = None
    gold_chunks: tuple[str, ...] = ()
    gold_answer: str | None = None
    identifiers: tuple[str, ...] = ()
    scope: Scope | None = None
    previous: tuple[str, ...] = ()
    kind: str | None = None
    lang: str | None = None
    line: int = 0

    @property
    def expects_answer(self) -> bool:
        """Whether an answer is right, and any refusal wrong."""
        return self.expect == "answer"


def read_golden(path: str | os.PathLike[str]) -> tuple[GoldenRecord, ...]:
    """Read a golden set.

    Only the shape of the records is checked here; whether they measure anything is for lint.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        When a record breaks a rule or the set is empty. All problems are looked for, and the first
        ten are told with their lines.
    """
    records, problems = parse_golden(path)
    raise_errors(problems, path)
    return records


def parse_golden(
    path: str | os.PathLike[str],
) -> tuple[tuple[GoldenRecord, ...], tuple[Finding, ...]]:
    """Return the records of a golden set that could be read, and what is wrong with the others.

    Of records with one id, the first is kept.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        When no line of it could be read.
    """
    records: list[GoldenRecord] = []
    problems: list[Finding] = []
    ids = UniqueIds()
    for found in read_each_record(path):
        if isinstance(found, BrokenLine):
            problems.append(Finding("broken-line", found.line, None, found.problem))
            continue
        reader = _RecordReader(found, problems)
        record = reader.golden_record()
        if ids.is_new(reader) and record is not None:
            records.append(record)
    if not records and not problems:
        message = (
            "holds no record; expected one JSON object a line, such as "
            '{"id": "g-01", "question": "How do I rotate a key?", "expect": "answer", '
            '"gold_chunks": ["guide/keys#rotate"]}'
        )
        problems.append(about_set("empty-set", message))
    return tuple(records), tuple(problems)


class _RecordReader(FieldReader):
    def golden_record(self) -> GoldenRecord | None:
        """Return the record, or None when there was a problem with it."""
        record = GoldenRecord(
            id=self.read_id(),
            question=self.read_question(),
            expect=self.expectation() or "answer",
            level=self.text("level"),
            gold_chunks=self.texts("gold_chunks"),
            gold_answer=self.label("gold_answer", as_written=True),
            identifiers=self.texts("identifiers"),
            scope=self.scope(),
            previous=self.previous(),
            kind=self.label("kind"),
            lang=self.label("lang"),
            line=self.line,
        )
        return record if self.is_clean else None

    def expectation(self) -> Expect | None:
        value = self.fields.get("expect")
        for known in EXPECTATIONS:
            if value == known:
                return known
        known_ones = listed(list(EXPECTATIONS))
        if value is None:
            self.note("unknown-expect", f"has no 'expect'; expected one of {known_ones}")
        elif value == _OBSERVED_ONLY:
            self.note(
                "unknown-expect",
                f"expects {quoted(value)}, which is what a run may observe and no record may ask "
                f"for; expected one of {known_ones}",
            )
        elif isinstance(value, str):
            self.note("unknown-expect", f"expects {quoted(value)}, not one of {known_ones}")
        else:
            self.note_type("expect", value, f"one of {known_ones}")
        return None
