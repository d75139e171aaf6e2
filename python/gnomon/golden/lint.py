"""Lint of golden sets and probe sets: what stops a set from measuring, and what skews it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from gnomon.golden import lint_golden as golden
from gnomon.golden import lint_probes as probing
from gnomon.golden import lint_questions as questions
from gnomon.golden.finding import Finding, raise_errors
from gnomon.golden.levels import level_of
from gnomon.golden.probes import STRATUM_NAMES, Probe, parse_probes
from gnomon.golden.records import GoldenRecord, parse_golden
from gnomon.golden.summary import golden_summary, probe_summary
from gnomon.rules.gate_values import POSITIVES

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from gnomon.golden.facts import IndexFacts
    from gnomon.golden.summary import SetSummary

Kind = Literal["golden set", "probe set", "collection"]


@dataclass(frozen=True, slots=True)
class LintResult:
    """What was found in one file or folder.

    Attributes
    ----------
    findings
        Those about the whole first, then by line; errors before warnings.
    summary
        Counts, as JSON can hold them.
    """

    kind: Kind
    path: Path
    findings: tuple[Finding, ...]
    summary: dict[str, Any]

    @property
    def n_errors(self) -> int:
        """How many errors there are."""
        return sum(finding.is_error for finding in self.findings)

    @property
    def n_warnings(self) -> int:
        """How many warnings there are."""
        return len(self.findings) - self.n_errors

    def as_dict(self) -> dict[str, Any]:
        """Return the result as JSON can hold it."""
        return {
            "kind": self.kind,
            "path": str(self.path),
            "errors": self.n_errors,
            "warnings": self.n_warnings,
            "summary": self.summary,
            "findings": [finding.as_dict() for finding in self.findings],
        }


def lint_golden(path: str | os.PathLike[str], facts: IndexFacts | None) -> LintResult:
    """Check a golden set, against an index where one is given.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        When no line of it could be read.
    """
    records, problems = parse_golden(path)
    found = [
        *problems,
        *_golden_errors(records, facts),
        *golden.record_warnings(records, facts),
        *golden.set_warnings(records),
        *questions.id_spellings(records),
        *questions.repetitions(records, _must_of_record, _label_of_record, _function_words(facts)),
    ]
    if facts is not None:
        found += questions.quotations(records, lambda r: _gold_rows(r, facts), facts)
    return _result("golden set", path, found, golden_summary(records))


def lint_probes(path: str | os.PathLike[str], facts: IndexFacts | None) -> LintResult:
    """Check a probe set, against an index where one is given.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        When no line of it could be read.
    """
    probes, problems = parse_probes(path)
    found = [
        *problems,
        *_probe_errors(probes, facts),
        *probing.probe_warnings(probes, facts),
        *probing.probe_set_warnings(probes),
        *questions.id_spellings(probes),
        *questions.repetitions(probes, _must_of_probe, _label_of_probe, _function_words(facts)),
    ]
    if facts is not None:
        found += questions.quotations(probes, lambda p: _gold_rows(p, facts), facts)
    return _result("probe set", path, found, probe_summary(probes, STRATUM_NAMES))


def check_golden(
    path: str | os.PathLike[str], facts: IndexFacts | None
) -> tuple[GoldenRecord, ...]:
    """Return the records of a golden set that has no errors; warnings are not looked for.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        With the first ten errors, each with its line.
    """
    records, problems = parse_golden(path)
    raise_errors(ordered([*problems, *_golden_errors(records, facts)]), path)
    return records


def check_probes(path: str | os.PathLike[str], facts: IndexFacts | None) -> tuple[Probe, ...]:
    """Return the probes of a set that has no errors; warnings are not looked for.

    Raises
    ------
    MissingInputError
        When there is no such file.
    InvalidInputError
        With the first ten errors, each with its line.
    """
    probes, problems = parse_probes(path)
    raise_errors(ordered([*problems, *_probe_errors(probes, facts)]), path, noun="probe")
    return probes


def _golden_errors(records: Sequence[GoldenRecord], facts: IndexFacts | None) -> list[Finding]:
    return [
        *golden.record_errors(records, facts),
        *questions.contradictions(records, _must_of_record),
    ]


def _probe_errors(probes: Sequence[Probe], facts: IndexFacts | None) -> list[Finding]:
    return [
        *probing.probe_errors(probes, facts),
        *questions.contradictions(probes, _must_of_probe),
    ]


def _must_of_record(record: GoldenRecord | Probe) -> str:
    expect = cast("GoldenRecord", record).expect
    return "answered" if expect == "answer" else f"refused ({expect.partition(':')[2]})"


def _label_of_record(record: GoldenRecord | Probe) -> str:
    return f"level {level_of(cast('GoldenRecord', record))}"


def _must_of_probe(probe: GoldenRecord | Probe) -> str:
    return "answered" if cast("Probe", probe).stratum in POSITIVES else "refused"


def _label_of_probe(probe: GoldenRecord | Probe) -> str:
    return f"stratum {cast('Probe', probe).stratum}"


def _gold_rows(record: GoldenRecord | Probe, facts: IndexFacts) -> Sequence[int]:
    if isinstance(record, Probe):
        return facts.gold.rows(f"{record.gold_page}#") if record.gold_page else ()
    return [row for entry in record.gold_chunks for row in facts.gold.rows(entry)]


def _function_words(facts: IndexFacts | None) -> frozenset[str]:
    return frozenset() if facts is None else facts.function_words


def _result(
    kind: Kind, path: str | os.PathLike[str], found: Iterable[Finding], summary: SetSummary
) -> LintResult:
    return LintResult(kind, Path(path), ordered(found), summary.as_dict())


def ordered(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings as they are told: by file, the whole first, errors before warnings."""
    return tuple(
        sorted(
            found,
            key=lambda one: (one.file, one.line or 0, not one.is_error, one.code, one.message),
        )
    )
