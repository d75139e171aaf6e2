"""The probe set of the gate: labelled questions, one JSON object a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, get_args

from gnomon.golden.fields import FieldReader, UniqueIds
from gnomon.golden.finding import Finding, about_set, raise_errors
from gnomon.rules.gate_values import Stratum
from gnomon.sources.each_record import BrokenLine, read_each_record
from gnomon.sources.escape import listed, quoted

if TYPE_CHECKING:
    import os

    from gnomon.sources.scope import Scope

STRATUM_NAMES: Final[tuple[Stratum, ...]] = get_args(Stratum)
# A stratum that asks about a part of the pages, and one that goes on from a question before.
SCOPED: Final[frozenset[Stratum]] = frozenset({"S", "X", "P"})
FOLLOWING: Final[frozenset[Stratum]] = frozenset({"F", "N5"})


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

    Only the shape of the records is checked here; whether they fit an index is for lint.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        When a record breaks a rule or the set is empty. All problems are looked for, and the first
        ten are told with their lines.
    """
    probes, problems = parse_probes(path)
    raise_errors(problems, path, noun="probe")
    return probes


def parse_probes(
    path: str | os.PathLike[str],
) -> tuple[tuple[Probe, ...], tuple[Finding, ...]]:
    """Return the probes of a set that could be read, and what is wrong with the others.

    Of probes with one id, the first is kept.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        When no line of it could be read.
    """
    probes: list[Probe] = []
    problems: list[Finding] = []
    ids = UniqueIds()
    for found in read_each_record(path):
        if isinstance(found, BrokenLine):
            problems.append(Finding("broken-line", found.line, None, found.problem))
            continue
        reader = _ProbeReader(found, problems)
        probe = reader.probe()
        if ids.is_new(reader) and probe is not None:
            probes.append(probe)
    if not probes and not problems:
        message = (
            "holds no probe; expected one JSON object a line, such as "
            '{"id": "c-01", "question": "How do I rotate a key?", "stratum": "U"}'
        )
        problems.append(about_set("empty-set", message))
    return tuple(probes), tuple(problems)


class _ProbeReader(FieldReader):
    def probe(self) -> Probe | None:
        """Return the probe, or None when there was a problem with it."""
        name, question, stratum = self.read_id(), self.read_question(), self.stratum()
        before = self.problem_count
        previous, scope = self.previous(), self.scope()
        # A field that is there and broken has its own problem; it is not also missing.
        if stratum in SCOPED and self.fields.get("scope") is None:
            self.note("no-scope", f"stratum {stratum} is asked within a scope; name one")
        elif stratum in FOLLOWING and not previous and self.problem_count == before:
            self.note(
                "no-previous",
                f"stratum {stratum} follows a question; give it as 'prev_question'",
            )
        page = (self.label("gold_page") or "").strip("/ ").removesuffix("#")
        lang = self.label("lang")
        if stratum is None or not self.is_clean:
            return None
        return Probe(
            id=name,
            question=question,
            stratum=stratum,
            previous=previous,
            scope=scope,
            gold_page=page or None,
            lang=lang,
            line=self.line,
        )

    def stratum(self) -> Stratum | None:
        value = self.fields.get("stratum")
        for name in STRATUM_NAMES:
            if value == name:
                return name
        known = listed(list(STRATUM_NAMES), first=len(STRATUM_NAMES))
        if value is None:
            self.note("unknown-stratum", f"has no 'stratum'; expected one of {known}")
        else:
            self.note("unknown-stratum", f"stratum {quoted(str(value))} is not one of {known}")
        return None
