"""What lint finds: a code, how bad it is, where it stands and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from gnomon.errors import InvalidInputError
from gnomon.sources.escape import quoted
from gnomon.sources.files import shown

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

Severity = Literal["error", "warning"]
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a file.

    Attributes
    ----------
    code
        Stable; every code has its row in the documentation.
    severity
        An error keeps the file from measuring anything; a warning skews one figure.
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
    severity: Severity
    line: int | None
    id: str | None
    message: str
    file: str = ""

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
        parts = [] if self.line is None else [f"line {self.line}: "]
        if self.id is not None:
            parts.append(f"{noun} {quoted(self.id)}: ")
        return "".join(parts)


def raise_errors(
    findings: Sequence[Finding], path: str | os.PathLike[str], *, noun: str = "record"
) -> None:
    """Raise the errors among some findings; warnings pass.

    Raises
    ------
    InvalidInputError
        With the first ten errors, each with its line, and how many more there are.
    """
    errors = [finding for finding in findings if finding.severity == "error"]
    if not errors:
        return
    told = [f"{shown(path)}: {finding.place(noun)}{finding.message}" for finding in errors[:_SHOWN]]
    more = len(errors) - _SHOWN
    if more > 0:
        told.append(f"and {more} more {'problem' if more == 1 else 'problems'}")
    raise InvalidInputError("\n".join(told))
