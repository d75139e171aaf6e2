"""The golden set: questions with the answers they should get, one JSON object a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from gnomon.errors import InvalidInputError
from gnomon.golden.finding import Finding, raise_errors
from gnomon.sources.each_record import BrokenLine, read_each_record
from gnomon.sources.escape import listed, quoted
from gnomon.sources.jsonl import json_type, whole_characters
from gnomon.sources.scope import Scope, parse_scope

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from gnomon.sources.jsonl import Record

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

    Of records with one id, the first is kept. Every problem is an error.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        When no line of it could be read.
    """
    records: list[GoldenRecord] = []
    problems: list[Finding] = []
    lines: dict[str, int] = {}
    for found in read_each_record(path):
        if isinstance(found, BrokenLine):
            problems.append(Finding("broken-line", "error", found.line, None, found.problem))
            continue
        reading = _Reading(found, problems)
        record = reading.golden_record()
        first = lines.setdefault(reading.id, found.line) if reading.id else found.line
        if first != found.line:
            reading.refuse("duplicate-id", f"has the id of line {first}; give it one of its own")
        elif record is not None:
            records.append(record)
    if not records and not problems:
        message = (
            "holds no record; expected one JSON object a line, such as "
            '{"id": "g-01", "question": "How do I rotate a key?", "expect": "answer", '
            '"gold_chunks": ["guide/keys#rotate"]}'
        )
        problems.append(Finding("empty-set", "error", None, None, message))
    return tuple(records), tuple(problems)


class _Reading:
    """One record being read: every field is looked at, and every problem noted."""

    def __init__(self, record: Record, problems: list[Finding]) -> None:
        self.fields: Mapping[str, Any] = record.fields
        self.line, self.id = record.line, ""
        self._problems, self._before = problems, len(problems)

    def golden_record(self) -> GoldenRecord | None:
        """Return the record, or None when there was a problem with it."""
        self.id = self.label("id", as_written=True) or ""
        if not self.id and self.is_clean:
            self.refuse("missing-id", "has no 'id'; every record needs an id of its own")
        before = len(self._problems)
        question = self.text("question") or ""
        if not question.strip() and len(self._problems) == before:
            self.refuse("blank-question", "has no question; write one as 'question'")
        expect = self.expectation()
        record = GoldenRecord(
            id=self.id,
            question=question,
            expect=expect or "answer",
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

    @property
    def is_clean(self) -> bool:
        return len(self._problems) == self._before

    def refuse(self, code: str, message: str) -> None:
        self._problems.append(Finding(code, "error", self.line, self.id or None, message))

    def text(self, field: str) -> str | None:
        value = self.fields.get(field)
        if value is None:
            return None
        if not isinstance(value, str):
            self._wrong(field, value, "a string")
            return None
        return self._whole(value, quoted(field))

    def label(self, field: str, *, as_written: bool = False) -> str | None:
        """Return a text, or None when it is blank."""
        text = self.text(field) or ""
        return (text if as_written else text.strip()) if text.strip() else None

    def texts(self, field: str) -> tuple[str, ...]:
        value = self.fields.get(field)
        if value is None:
            return ()
        if not isinstance(value, list):
            self._wrong(field, value, "a list of strings")
            return ()
        for number, one in enumerate(value, 1):
            if not isinstance(one, str):
                self._wrong(f"{field}[{number}]", one, "a string")
            elif not one.strip():
                self.refuse("blank-entry", f"entry {number} of {quoted(field)} is blank; remove it")
            else:
                self._whole(one, f"entry {number} of {quoted(field)}")
        return tuple(one for one in value if isinstance(one, str))

    def expectation(self) -> Expect | None:
        value = self.fields.get("expect")
        for known in EXPECTATIONS:
            if value == known:
                return known
        known_ones = listed(list(EXPECTATIONS))
        if value is None:
            self.refuse("unknown-expect", f"has no 'expect'; expected one of {known_ones}")
        elif value == _OBSERVED_ONLY:
            self.refuse(
                "unknown-expect",
                f"expects {quoted(value)}, which is what a run may observe and no record may ask "
                f"for; expected one of {known_ones}",
            )
        elif isinstance(value, str):
            self.refuse("unknown-expect", f"expects {quoted(value)}, not one of {known_ones}")
        else:
            self._wrong("expect", value, f"one of {known_ones}")
        return None

    def scope(self) -> Scope | None:
        where = "scope"
        try:
            value = self.fields.get("scope")
            paths = value.get("paths") if isinstance(value, dict) else value
            for path in paths if isinstance(paths, list) else ():
                if isinstance(path, str):
                    whole_characters(path, f"{where}: a path")
            return parse_scope(value, where=where)
        except InvalidInputError as error:
            self.refuse("bad-scope", str(error).removeprefix(f"{where}: "))
        return None

    def previous(self) -> tuple[str, ...]:
        one, many = self.fields.get("prev_question"), self.fields.get("prev_questions")
        if one is not None and many is not None:
            self.refuse(
                "two-spellings", "has both 'prev_question' and 'prev_questions'; keep the list"
            )
            return ()
        if one is None:
            return self.texts("prev_questions")
        text = self.text("prev_question")
        if text is not None and not text.strip():
            self.refuse("blank-entry", "'prev_question' is blank; write the question or remove it")
        return () if text is None else (text,)

    def _whole(self, text: str, what: str) -> str | None:
        try:
            return whole_characters(text, what)
        except InvalidInputError as error:
            self.refuse("no-text", str(error))
        return None

    def _wrong(self, field: str, value: object, expected: str) -> None:
        self.refuse(
            "wrong-type", f"{quoted(field)} is a JSON {json_type(value)}; expected {expected}"
        )
