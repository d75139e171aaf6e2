"""The probe's report as one HTML file without scripts and without requests."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from gnomon.report.probe_view import probe_view

if TYPE_CHECKING:
    from jinja2 import Environment

    from gnomon.probe.result import ProbeResult
    from gnomon.report.reproduction import Place


def probe_html(result: ProbeResult, place: Place) -> str:
    """Return the report as a self-contained HTML page.

    Every value is escaped: control and bidirectional characters when the view is made, markup when
    the template writes it. The page forbids scripts and requests by its content security policy.
    """
    return _environment().get_template("probe.html.j2").render(view=probe_view(result, place))


@cache
def _environment() -> Environment:
    # Imported here: every other command does without it, and its import takes longer than theirs.
    from jinja2 import Environment, FunctionLoader, StrictUndefined  # noqa: PLC0415

    return Environment(
        loader=FunctionLoader(_template),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )


def _template(name: str) -> str:
    return files("gnomon.report").joinpath("templates", name).read_text("utf-8")
