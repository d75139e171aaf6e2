"""The exceptions of gnomon.

Every one is also a builtin, so callers may catch either; the command line maps the classes to exit
codes in one table (``gnomon.cli.exit_codes``). This module imports nothing.
"""


class GnomonError(Exception):
    """Base of every error that gnomon raises on purpose."""


class UsageError(GnomonError, ValueError):
    """An argument, a flag or a setting is not acceptable, whatever the data."""


class InvalidInputError(GnomonError, ValueError):
    """Data given to gnomon breaks a rule; the message names the file, the row or the id."""


class InvalidTypeError(GnomonError, TypeError):
    """An argument has a type or dtype that gnomon does not take; the message names the cast."""


class MissingInputError(GnomonError, FileNotFoundError):
    """A file or folder that was named does not exist."""


class MissingDependencyError(GnomonError, ImportError):
    """An optional package is needed; the message names the extra that brings it."""


class NotMeasuredError(GnomonError, LookupError):
    """The data cannot answer the question; the message says what is missing."""


class MismatchError(GnomonError, ValueError):
    """Two things that belong together do not fit: direction, width, profile or fingerprint."""


class StateError(GnomonError, OSError):
    """The state directory cannot be read or written."""


class AuditCorruptError(GnomonError, RuntimeError):
    """The audit trail does not verify; the message names the first bad record and why."""


class IndexFileError(GnomonError, ValueError):
    """An index file is cut short, of another version or damaged."""


class EndpointError(GnomonError, ConnectionError):
    """A service that was configured cannot be reached, refuses, or answers something else."""


class ExpectationError(GnomonError, AssertionError):
    """The result is not the one that the command line said to expect."""
