"""The fields of a labelled question, each looked at on its own, and every problem noted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.errors import InvalidInputError
from gnomon.golden.finding import Finding
from gnomon.sources.escape import quoted
from gnomon.sources.jsonl import json_type, whole_characters
from gnomon.sources.scope import parse_scope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.sources.jsonl import Record
    from gnomon.sources.scope import Scope


class FieldReader:
    """One record being read.

    Parameters
    ----------
    record
        The JSON object.
    problems
        Where problems are noted, in the order in which they are met.
    """

    def __init__(self, record: Record, problems: list[Finding]) -> None:
        self.fields: Mapping[str, Any] = record.fields
        self.line, self.id = record.line, ""
        self._problems, self._before = problems, len(problems)

    @property
    def is_clean(self) -> bool:
        """Whether no error was noted so far."""
        return not any(one.is_error for one in self._problems[self._before :])

    @property
    def problem_count(self) -> int:
        """How many problems were noted so far."""
        return len(self._problems)

    def note(self, code: str, message: str) -> None:
        """Note a problem."""
        self._problems.append(Finding(code, self.line, self.id or None, message))

    def read_id(self, field: str = "id", *, integers: bool = False) -> str:
        """Return the id as written; blank, with a problem noted, when there is none."""
        value = self.fields.get(field)
        if integers and isinstance(value, int) and not isinstance(value, bool):
            self.id = str(value)
            return self.id
        self.id = self.label(field, as_written=True) or ""
        if not self.id and self.is_clean:
            self.note("missing-id", f"has no {quoted(field)}; every record needs an id of its own")
        return self.id

    def read_question(self) -> str:
        """Return the question; blank, with a problem noted, when there is none."""
        before = self.problem_count
        question = self.text("question") or ""
        if not question.strip() and self.problem_count == before:
            self.note("blank-question", "the question is empty; write one as 'question'")
        return question

    def text(self, field: str) -> str | None:
        """Return a text, or None when it is missing, null or no text."""
        value = self.fields.get(field)
        if value is None:
            return None
        if not isinstance(value, str):
            self.note_type(field, value, "a string")
            return None
        return self._whole(value, quoted(field))

    def label(self, field: str, *, as_written: bool = False) -> str | None:
        """Return a text without its outer blanks, or None when it is blank."""
        text = self.text(field) or ""
        return (text if as_written else text.strip()) if text.strip() else None

    def texts(self, field: str) -> tuple[str, ...]:
        """Return a list of texts, none blank; missing or null is none."""
        value = self.fields.get(field)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.note_type(field, value, "a list of strings")
            return ()
        for number, one in enumerate(value, 1):
            if not isinstance(one, str):
                self.note_type(f"{field}[{number}]", one, "a string")
            elif not one.strip():
                self.note("blank-entry", f"entry {number} of {quoted(field)} is blank; remove it")
            else:
                self._whole(one, f"entry {number} of {quoted(field)}")
        return tuple(one for one in value if isinstance(one, str))

    def scope(self) -> Scope | None:
        """Return the scope, or None when there is none."""
        where, value = "scope", self.fields.get("scope")
        paths = value.get("paths") if isinstance(value, dict) else value
        texts = [p for p in paths if isinstance(p, str)] if isinstance(paths, list) else []
        try:
            for path in texts:
                whole_characters(path, f"{where}: a path")
            scope = parse_scope(value, where=where)
        except InvalidInputError as error:
            self.note("bad-scope", str(error).removeprefix(f"{where}: "))
            return None
        bare = [path for path in texts if not path.startswith("/")]
        if bare:
            self.note(
                "scope-slash",
                f"scope path {quoted(bare[0])} has no leading slash; write {quoted('/' + bare[0])}",
            )
        return scope

    def previous(self) -> tuple[str, ...]:
        """Return the questions before, oldest first, in whichever of the two spellings."""
        one, many = self.fields.get("prev_question"), self.fields.get("prev_questions")
        if one is not None and many is not None:
            self.note(
                "two-spellings", "has both 'prev_question' and 'prev_questions'; keep the list"
            )
            return ()
        if one is None:
            return self.texts("prev_questions")
        text = self.text("prev_question")
        if text is not None and not text.strip():
            self.note("blank-entry", "'prev_question' is blank; write the question or remove it")
        return () if text is None else (text,)

    def note_type(self, field: str, value: object, expected: str) -> None:
        """Note that a field holds another type than expected."""
        self.note(
            "wrong-type", f"{quoted(field)} is a JSON {json_type(value)}; expected {expected}"
        )

    def _whole(self, text: str, what: str) -> str | None:
        try:
            return whole_characters(text, what)
        except InvalidInputError as error:
            self.note("no-text", str(error))
        return None


class UniqueIds:
    """The ids of a file so far, those of broken records among them."""

    def __init__(self) -> None:
        self._lines: dict[str, int] = {}

    def is_new(self, reader: FieldReader) -> bool:
        """Return whether a record's id is its own; note a problem otherwise."""
        if not reader.id:
            return True
        first = self._lines.setdefault(reader.id, reader.line)
        if first != reader.line:
            reader.note("duplicate-id", f"has the id of line {first}; give it one of its own")
        return first == reader.line
