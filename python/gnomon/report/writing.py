"""Writing a report to a file: its ending says the form, and the old one stays until it is whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.errors import UsageError
from gnomon.report.probe_html import probe_html
from gnomon.report.probe_markdown import probe_markdown
from gnomon.sources import atomic_write, printable

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.probe.result import ProbeResult
    from gnomon.report.reproduction import Place

_FORMS = {".html": probe_html, ".htm": probe_html, ".md": probe_markdown}


def check_report_path(path: Path) -> None:
    """Refuse a report that could not be written, before any work starts.

    Raises
    ------
    UsageError
        The ending is not that of a report, or the folder does not exist.
    """
    if path.suffix.lower() not in _FORMS:
        raise UsageError(
            f"--report {printable(str(path))} ends in {path.suffix or 'nothing'!r}; "
            f"expected {', '.join(_FORMS)}"
        )
    if not path.parent.is_dir():
        raise UsageError(
            f"--report {printable(str(path))}: the folder {path.parent} does not exist"
        )
    if path.is_dir():
        raise UsageError(f"--report {printable(str(path))} is a folder; expected a file name")


def write_probe_report(path: Path, result: ProbeResult, place: Place) -> None:
    """Write the report of a probe, whole or not at all."""
    text = _FORMS[path.suffix.lower()](result, place)
    with atomic_write(path) as file:
        file.write(text.encode("utf-8"))
