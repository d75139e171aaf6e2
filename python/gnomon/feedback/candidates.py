"""The file of candidates: a row a question, what a person changed in it kept as it is."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gnomon.errors import InvalidInputError, UsageError
from gnomon.feedback.questions import (
    Figures,
    Question,
    parse_figures,
    question_id,
    suggestion,
)
from gnomon.feedback.turns import folded, scope_of
from gnomon.sources.atomic import write_text
from gnomon.sources.escape import quoted
from gnomon.sources.files import is_same_file, shown
from gnomon.sources.jsonl import read_records, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gnomon.sources.jsonl import Record

# Labels come from people; no pull ever writes to these, whatever a configuration calls them.
LABELLED: Final = frozenset({"calibration.jsonl", "golden.jsonl"})
_SEAL: Final = "written"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the file.

    Attributes
    ----------
    fields
        As they stand in the file.
    line
        0 for a row that is new.
    """

    fields: dict[str, Any]
    line: int = 0

    @property
    def is_untouched(self) -> bool:
        """Whether nobody changed the row since it was written."""
        return self.fields.get(_SEAL) == _seal(self.fields)


@dataclass(frozen=True, slots=True)
class Merged:
    """The rows to write, and how many are new, refreshed, kept as a person left them, or old."""

    rows: tuple[Row, ...]
    new: int
    refreshed: int
    kept: int
    unmentioned: int


def check_target(out: Path, labelled: Iterable[Path], source: str | None = None) -> None:
    """Refuse to write over labelled questions or over the export itself.

    Links are followed and names compared without case.

    Parameters
    ----------
    labelled
        The probe set and the golden set, wherever a configuration puts them.
    source
        The file that is read, or None for a service.

    Raises
    ------
    UsageError
        When ``out`` is one of them.
    """
    real = Path(os.path.realpath(out))
    names = {out.name.casefold(), real.name.casefold()}
    if names & LABELLED or any(is_same_file(out, one) for one in labelled):
        raise UsageError(
            f"--out: {shown(out)} holds labelled questions, which only a person adds to; write the "
            "candidates elsewhere and copy over what was reviewed"
        )
    if source is not None and is_same_file(out, Path(source)):
        raise UsageError(f"--out: {shown(out)} is the export that is read; write to another file")


def read_candidates(path: Path) -> tuple[Row, ...]:
    """Return the rows of a file of candidates, in order; none when there is no file.

    Raises
    ------
    InvalidInputError
        When a line is no JSON object, holds NaN, or has the id of another.
    """
    if not os.path.lexists(path):
        return ()
    rows, lines = [], dict[str, int]()
    for record in read_records(path):
        where = f"{shown(path)}: line {record.line}"
        name = text_of(record, "id", path)
        if name in lines:
            raise InvalidInputError(
                f"{where}: id {quoted(name)} is that of line {lines[name]}; keep one of the rows"
            )
        if name:
            lines[name] = record.line
        _check_writable(record, where)
        rows.append(Row(record.fields, record.line))
    return tuple(rows)


def merge(rows: tuple[Row, ...], questions: Mapping[str, Question], path: Path) -> Merged:
    """Return the rows with the questions that were pulled.

    A row that nobody changed is written anew from all figures. Of a row that a person changed,
    only ``feedback``, the figures, is refreshed. New questions follow, most down-voted first.

    Raises
    ------
    InvalidInputError
        When the figures of a row are not as they were written.
    """
    left = dict(questions)
    merged, refreshed, kept = [], 0, 0
    for row in rows:
        where = f"{shown(path)}: line {row.line}"
        question = left.pop(_id_of(row, where), None)
        if question is None:
            merged.append(row)
            continue
        before = row.fields.get("feedback")
        old = Figures() if before is None else parse_figures(before, where)
        figures = old.merged(question.figures)
        if row.is_untouched:
            fields = _fields(row.fields["id"], question, figures)
            # The wording of the first pull stays: a reviewer may have read it already.
            same = {n: row.fields[n] for n in ("question", "prev_questions") if n in row.fields}
            lang = row.fields.get("lang") or fields["lang"]
            merged.append(Row(_sealed(fields | same | {"lang": lang}), row.line))
            refreshed += 1
        else:
            merged.append(Row(row.fields | {"feedback": figures.as_dict()}, row.line))
            kept += 1
    new = sorted(left.items(), key=lambda item: _weight(item[1]))
    merged += [Row(_sealed(_fields(name, one, one.figures))) for name, one in new]
    return Merged(tuple(merged), len(new), refreshed, kept, len(rows) - refreshed - kept)


def write_candidates(path: Path, rows: Iterable[Row]) -> bool:
    """Write the rows and return whether the file changed; no reader ever sees a part of it.

    Raises
    ------
    StateError
        When it cannot be written; what was there stays.
    """
    text = "".join(f"{_json_line(row.fields)}\n" for row in rows)
    if path.is_file() and path.read_bytes() == text.encode():
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text)
    return True


def _fields(name: str, question: Question, figures: Figures) -> dict[str, Any]:
    scope = question.scope
    about = suggestion(figures, scoped=scope is not None, follows=bool(question.previous))
    where = None if scope is None else {"kind": "section", "paths": list(scope.paths)}
    return {
        "id": name,
        "question": question.question,
        **({"prev_questions": list(question.previous)} if question.previous else {}),
        **({"scope": where} if where else {}),
        "lang": question.lang,
        "stratum": about.stratum,
        "options": list(about.options),
        "target": about.target,
        "reason": about.reason,
        "needs_review": True,
        "feedback": figures.as_dict(),
    }


def _json_line(fields: Mapping[str, Any]) -> str:
    text = json.dumps(fields, ensure_ascii=False, allow_nan=False)
    # Reviewers look at the file in a terminal, where control characters would act.
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def _sealed(fields: dict[str, Any]) -> dict[str, Any]:
    return fields | {_SEAL: _seal(fields)}


def _seal(fields: Mapping[str, Any]) -> str:
    """Return a short digest of a row; it differs once a person has changed anything."""
    rest = {name: value for name, value in fields.items() if name != _SEAL}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()[:16]


def _id_of(row: Row, where: str) -> str:
    """Return the id of a row; of one that a person wrote without an id, the question's own."""
    name, question = row.fields.get("id"), row.fields.get("question")
    if isinstance(name, str) and name:
        return name
    previous = row.fields.get("prev_questions") or []
    if not isinstance(question, str) or not isinstance(previous, list):
        return ""
    if not all(isinstance(one, str) for one in previous):
        return ""
    return question_id(question, previous, scope_of(row.fields.get("scope"), where))


def _weight(question: Question) -> tuple[int, int, str, list[str]]:
    figures = question.figures
    words = [folded(one) for one in question.previous]
    paths = [] if question.scope is None else list(question.scope.paths)
    return -figures.count("down"), -figures.count(), folded(question.question), words + paths


def _check_writable(record: Record, where: str) -> None:
    try:
        json.dumps(record.fields, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        raise InvalidInputError(
            f"{where}: holds NaN, an infinity, half a character or too deep a structure; "
            "correct the row"
        ) from None
