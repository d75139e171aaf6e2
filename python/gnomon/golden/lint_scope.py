"""Scopes of labelled questions against the pages that there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.golden.finding import about
from gnomon.sources.escape import listed, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.golden.facts import IndexFacts
    from gnomon.golden.finding import Finding
    from gnomon.golden.probes import Probe
    from gnomon.golden.records import GoldenRecord


def unknown_scope(record: GoldenRecord | Probe, facts: IndexFacts) -> Iterator[Finding]:
    """Yield an error when no page lies in the scope of a record."""
    if record.scope is not None and not facts.holds(record.scope.paths):
        yield about(
            record,
            "scope-matches-nothing",
            f"no page of the index lies in the scope {listed(record.scope.paths)}"
            f"{_hint(record.scope.paths[0], facts)}",
        )


def idle_paths(record: GoldenRecord | Probe, facts: IndexFacts) -> Iterator[Finding]:
    """Yield a warning for the paths of a scope in which no page lies, while there are others."""
    if record.scope is None or not facts.holds(record.scope.paths):
        return
    idle = [path for path in record.scope.paths if not facts.holds([path])]
    if idle:
        yield about(
            record,
            "idle-scope-path",
            f"no page of the index lies in {quoted(idle[0])} of its scope{_hint(idle[0], facts)}",
        )


def _hint(path: str, facts: IndexFacts) -> str:
    """Return what a path may have been meant to be; scopes are pages, so an anchor is no part."""
    return facts.hint(path.partition("#")[0])
