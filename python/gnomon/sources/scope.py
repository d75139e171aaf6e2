"""Scopes: the part of the pages within which a question is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.errors import InvalidInputError
from gnomon.sources.escape import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Scope:
    """A set of pages, given by paths.

    A path covers the page of that name and every page below it, with a boundary: ``guide/scope``
    covers ``guide/scope/why`` and never ``guide/scoped-page``.

    Attributes
    ----------
    paths
        Page paths without leading or trailing slashes, sorted, none twice.

    Examples
    --------
    >>> scope = Scope.of(["/guide/scope"])
    >>> scope.covers("guide/scope/why"), scope.covers("guide/scoped-page")
    (True, False)
    """

    paths: tuple[str, ...]

    @classmethod
    def of(cls, paths: Iterable[str]) -> Scope:
        """Return the scope of some paths, with or without slashes around them."""
        return cls(tuple(sorted({path.strip("/") for path in paths})))

    def covers(self, page: str) -> bool:
        """Return whether a page lies in the scope."""
        return any(page == path or page.startswith(f"{path}/") for path in self.paths)


def parse_scope(value: object, *, where: str) -> Scope | None:
    """Return the scope that a record names: ``{"kind": "section", "paths": ["/guide/x"]}``.

    A list of paths stands for the same; null or no scope is the whole index.

    Raises
    ------
    InvalidInputError
        When it is anything else, names no path, or a path is blank.
    """
    if value is None:
        return None
    if isinstance(value, dict):
        kind = value.get("kind", "section")
        if kind != "section":
            raise InvalidInputError(f"{where}: scope kind {quoted(str(kind))}; expected 'section'")
        value = value.get("paths")
    if not isinstance(value, list) or not value:
        raise InvalidInputError(
            f'{where}: the scope names no pages; expected {{"kind": "section", '
            '"paths": ["/guide/x"]}'
        )
    for path in value:
        if not isinstance(path, str) or not path.strip("/ "):
            raise InvalidInputError(
                f"{where}: scope path {quoted(str(path))} is no page path; "
                "expected one such as '/guide/x'"
            )
    return Scope.of(value)
