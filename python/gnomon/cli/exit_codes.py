"""Every exit code of the command line, in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.errors import (
    AuditCorruptError,
    EndpointError,
    ExpectationError,
    GnomonError,
    IndexFileError,
    InvalidInputError,
    InvalidTypeError,
    MismatchError,
    MissingDependencyError,
    MissingInputError,
    NotMeasuredError,
    StateError,
    UsageError,
)

if TYPE_CHECKING:
    from gnomon.audit.replay import ReplayVerdict

DONE = 0
BUG = 1
USAGE = 2
REFUSED = 3
"""The data, the domain or the disk refuses: bad input, not measurable, no space."""
EXPECTATION = 4
INTERRUPTED = 130

_BY_ERROR: tuple[tuple[type[GnomonError], int], ...] = (
    (UsageError, USAGE),
    (MissingDependencyError, USAGE),
    (InvalidInputError, REFUSED),
    (InvalidTypeError, REFUSED),
    (MissingInputError, REFUSED),
    (MismatchError, REFUSED),
    (NotMeasuredError, REFUSED),
    (IndexFileError, REFUSED),
    (AuditCorruptError, REFUSED),
    (StateError, REFUSED),
    (EndpointError, REFUSED),
    (ExpectationError, EXPECTATION),
)

BY_REPLAY_VERDICT: dict[ReplayVerdict, int] = {
    "identical": DONE,
    "matched": DONE,
    "input_changed": REFUSED,
    "differed": REFUSED,
    "not_replayable": USAGE,
}


def exit_code_of(error: GnomonError) -> int:
    """Return the exit code for an error that gnomon raised on purpose."""
    return next((code for kind, code in _BY_ERROR if isinstance(error, kind)), REFUSED)
