"""The probe set of the gate: labelled questions, one JSON object a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, get_args

from gnomon.errors import InvalidInputError
from gnomon.rules.gate_values import Stratum
from gnomon.sources.escape import listed, quoted
from gnomon.sources.files import shown
from gnomon.sources.jsonl import Record, read_records, text_of
from gnomon.sources.scope import Scope, parse_scope

if TYPE_CHECKING:
    import os

STRATUM_NAMES: Final[tuple[Stratum, ...]] = get_args(Stratum)
# A stratum that asks about a part of the pages, and one that goes on from a question before.
SCOPED: Final[frozenset[Stratum]] = frozenset({"S", "X", "P"})
FOLLOWING: Final[frozenset[Stratum]] = frozenset({"F", "N5"})
_SHOWN_PROBLEMS = 10


@dataclass(frozen=True, slots=True)
class Probe:
    """A question and what the gate should do with it.

    Attributes
    ----------
    stratum
        Which kind of question it is; the kind says whether it must be answered.
    previous
        The questions asked before it, oldest first.
    scope
        The pages within which it is asked, or None for all.
    gold_page
        The page that answers it, or None when the set does not say.
    lang
        The language of the question, or None when the set does not say.
    line
        Where it stands in the file.
    """

    id: str
    question: str
    stratum: Stratum
    previous: tuple[str, ...] = ()
    scope: Scope | None = None
    gold_page: str | None = None
    lang: str | None = None
    line: int = 0


def read_probes(path: str | os.PathLike[str]) -> tuple[Probe, ...]:
    """Read a probe set.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        When a record breaks a rule or the set is empty. All problems are looked for, and the first
        ten are told with their lines.
    """
    probes: list[Probe] = []
    problems: list[str] = []
    lines: dict[str, int] = {}
    for record in read_records(path):
        try:
            probe = _probe(record, path)
        except InvalidInputError as error:
            problems.append(str(error))
            continue
        if probe.id in lines:
            problems.append(
                f"{shown(path)}: line {record.line}: id {quoted(probe.id)} is that of line "
                f"{lines[probe.id]}; every probe needs an id of its own"
            )
        lines.setdefault(probe.id, record.line)
        probes.append(probe)
    if problems:
        more = len(problems) - _SHOWN_PROBLEMS
        tail = [f"and {more} more problems"] if more > 0 else []
        raise InvalidInputError("\n".join([*problems[:_SHOWN_PROBLEMS], *tail]))
    if not probes:
        raise InvalidInputError(
            f"{shown(path)}: holds no probe; expected one JSON object a line, such as "
            '{"id": "c-01", "question": "How do I rotate a key?", "stratum": "U"}'
        )
    return tuple(probes)


def _probe(record: Record, path: str | os.PathLike[str]) -> Probe:
    where = f"{shown(path)}: line {record.line}"
    name = text_of(record, "id", path).strip()
    if not name:
        raise InvalidInputError(f"{where}: has no 'id'; every probe needs an id of its own")
    where = f"{where}: probe {quoted(name)}"
    question = text_of(record, "question", path)
    if not question.strip():
        raise InvalidInputError(f"{where}: the question is empty")
    stratum = _stratum(record.fields.get("stratum"), where)
    previous = _previous(record, path, where)
    scope = parse_scope(record.fields.get("scope"), where=where)
    if stratum in SCOPED and scope is None:
        raise InvalidInputError(f"{where}: stratum {stratum} is asked within a scope; name one")
    if stratum in FOLLOWING and not previous:
        raise InvalidInputError(
            f"{where}: stratum {stratum} follows a question; give it as 'prev_question'"
        )
    return Probe(
        id=name,
        question=question,
        stratum=stratum,
        previous=previous,
        scope=scope,
        gold_page=text_of(record, "gold_page", path).strip("/ ").removesuffix("#") or None,
        lang=text_of(record, "lang", path).strip() or None,
        line=record.line,
    )


def _stratum(value: Any, where: str) -> Stratum:
    for name in STRATUM_NAMES:
        if value == name:
            return name
    known = listed(list(STRATUM_NAMES))
    if value is None:
        raise InvalidInputError(f"{where}: has no 'stratum'; expected one of {known}")
    raise InvalidInputError(f"{where}: stratum {quoted(str(value))} is not one of {known}")


def _previous(record: Record, path: str | os.PathLike[str], where: str) -> tuple[str, ...]:
    one, many = text_of(record, "prev_question", path), record.fields.get("prev_questions")
    if many is None:
        return (one,) if one.strip() else ()
    if one.strip():
        raise InvalidInputError(
            f"{where}: has both 'prev_question' and 'prev_questions'; keep the list"
        )
    if not isinstance(many, list) or not all(isinstance(q, str) and q.strip() for q in many):
        raise InvalidInputError(
            f"{where}: 'prev_questions' must be a list of questions, oldest first, none blank"
        )
    return tuple(many)
