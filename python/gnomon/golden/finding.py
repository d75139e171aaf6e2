"""What lint finds: a code, how bad it is, where it stands and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon.errors import InvalidInputError
from gnomon.golden.codes import SEVERITIES, Severity
from gnomon.sources.escape import quoted
from gnomon.sources.files import shown

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from gnomon.golden.probes import Probe
    from gnomon.golden.records import GoldenRecord

_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a file.

    Attributes
    ----------
    code
        Stable; ``gnomon.golden.codes`` says which are errors.
    line
        Where it stands, or None when it is about the whole file.
    id
        The record's id, or None when it has none or the finding is about the whole file.
    message
        What was found, what was expected and what to do.
    file
        The name of the file within a folder, or empty when there is only one.
    """

    code: str
    line: int | None
    id: str | None
    message: str
    file: str = ""

    @property
    def severity(self) -> Severity:
        """Whether it is an error or a warning."""
        return SEVERITIES[self.code]

    @property
    def is_error(self) -> bool:
        """Whether it stops what would measure with the file."""
        return self.severity == "error"

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as JSON can hold it."""
        return {
            "code": self.code,
            "severity": self.severity,
            "file": self.file or None,
            "line": self.line,
            "id": self.id,
            "message": self.message,
        }

    def place(self, noun: str = "record") -> str:
        """Return where the finding stands: ``line 3: record 'g-1': ``, or nothing."""
        parts = [f"{self.file}: "] if self.file else []
        parts += [] if self.line is None else [f"line {self.line}: "]
        if self.id is not None:
            parts.append(f"{noun} {quoted(self.id)}: ")
        return "".join(parts)


def about(record: GoldenRecord | Probe, code: str, message: str) -> Finding:
    """Return a finding about a record."""
    return Finding(code, record.line, record.id, message)


def about_set(code: str, message: str) -> Finding:
    """Return a finding about the whole file."""
    return Finding(code, None, None, message)


def raise_errors(
    findings: Sequence[Finding], path: str | os.PathLike[str], *, noun: str = "record"
) -> None:
    """Raise the errors among some findings; warnings pass.

    Raises
    ------
    InvalidInputError
        With the first ten errors, each with its line, and how many more there are.
    """
    errors = [finding for finding in findings if finding.is_error]
    if not errors:
        return
    told = [f"{shown(path)}: {finding.place(noun)}{finding.message}" for finding in errors[:_SHOWN]]
    more = len(errors) - _SHOWN
    if more > 0:
        told.append(f"and {more} more {'problem' if more == 1 else 'problems'}; see gnomon lint")
    raise InvalidInputError("\n".join(told))
